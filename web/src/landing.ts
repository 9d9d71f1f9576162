// The page at /: take a file, show how far it is, go to its picture.
import { getVersion } from "./api";
import { bindCopy } from "./clipboard";
import { byId } from "./dom";
import { onDrop } from "./drop";
import { bytes } from "./format";
import { showModels } from "./model_list";
import { rememberName } from "./names";
import { asProblem } from "./problem";
import { problemCard } from "./problem_card";
import { applyTheme, onSystemTheme } from "./theme";
import { upload, type Upload } from "./upload";

const choose = byId<HTMLInputElement>("file");
const sending = byId("sending");
const bar = byId<HTMLProgressElement>("sent");
const status = byId("status");
const problems = byId("problems");
let current: Upload | null = null;

function showProgress(sent: number, total: number, started: number): void {
    const seconds = (performance.now() - started) / 1000;
    bar.max = total || 1;
    bar.value = sent;
    if (sent < total) {
        const rate = seconds > 0.5 ? `, ${bytes(sent / seconds)}/s` : "";
        byId("amount").textContent = `${bytes(sent)} of ${bytes(total)}${rate}`;
    } else {
        bar.removeAttribute("value");
        byId("amount").textContent = "Reading the model…";
    }
}

function stop(): void {
    const stopped = current;
    current = null;
    stopped?.cancel();
    sending.hidden = true;
    status.textContent = "";
}

async function send(file: File): Promise<void> {
    stop();
    const started = performance.now();
    const mine = upload(file, (sent, total) => showProgress(sent, total, started));
    current = mine;
    problems.replaceChildren();
    byId("name").textContent = file.name;
    showProgress(0, file.size, started);
    sending.hidden = false;
    status.textContent = `Sending ${file.name}`;
    try {
        const summary = await mine.done;
        rememberName(summary.id, file.name);
        location.assign(`/models/${summary.id}`);
    } catch (error) {
        if (current === mine) {
            stop();
            problems.replaceChildren(problemCard(asProblem(error)));
        }
    }
}

function showVersion(): void {
    getVersion().then(
        (version) => (byId("version").textContent = version),
        () => {},
    );
}

applyTheme(new Map());
onSystemTheme(() => applyTheme(new Map()));
choose.addEventListener("change", () => {
    const file = choose.files?.[0];
    if (file) {
        send(file);
    }
    choose.value = "";
});
onDrop(send);
byId("cancel").addEventListener("click", stop);
// Back from the picture: the browser may have kept the page as it was left.
addEventListener("pageshow", (event) => event.persisted && stop());
byId("curl").textContent =
    `curl --data-binary @model.onnx ${location.origin}/v1/render > model.svg`;
bindCopy(byId<HTMLButtonElement>("copy"), () => byId("curl").textContent ?? "");
showVersion();
showModels(byId("models"), byId("rows"));
