// The page at /models/{id}: the picture of a view, and everything that changes the view.
import { getSummary, type Summary, type Warning } from "./api";
import { closeBox, openBox, type Depth } from "./boxes";
import { makeControls } from "./controls";
import { detailsOf } from "./details";
import { button, byId, el } from "./dom";
import { summaryFacts, warningList } from "./facts";
import { plural } from "./format";
import type { Item } from "./items";
import { bindItemKeys, bindZoomKeys } from "./keyboard";
import { makeLoader, type Drawing } from "./loader";
import { bindMenus } from "./menu";
import { nameOf } from "./names";
import { asProblem, Problem } from "./problem";
import { problemCard } from "./problem_card";
import { makeSearch } from "./search";
import { bindShare, showDownloads } from "./share";
import { makeStage, type Anchor } from "./stage";
import { applyTheme, onSystemTheme, prefersDark } from "./theme";
import { parseView, pictureQuery, queryOf, type View } from "./view_url";
import { makeZoomer, zoomStep } from "./zoom";

const BUSY_MILLISECONDS = 150; // a picture that comes sooner shows no spinner
const NOT_FOUND = 404;
const ID_LETTERS = 12;
// What exporters call every graph.
const EXPORTER_NAMES = new Set(["torch_jit", "torch-jit-export", "main_graph", "main"]);

const id = location.pathname.split("/")[2] ?? "";
const area = byId("stage");
const message = byId("message");
const status = byId("status");
const panel = byId("panel");

let view: View = parseView(location.search);
let summary: Summary | null = null;
let drawing: Drawing | null = null;
let selected: Item | null = null;
let busyTimer = 0;

const loader = makeLoader(id);
const zoomer = makeZoomer(area, () => true);
const stage = makeStage(area, zoomer, { toggle, select });
const controls = makeControls(() => summary?.hierarchy.depth ?? 0, () => view, change);
const search = makeSearch((item) => {
    select(item);
    stage.centre(item);
    stage.focus(item);
    stage.pulse(item);
});

// ---- what changes the view

function change(next: View, anchor: Anchor | null = null): void {
    const query = queryOf(next);
    view = next;
    history.pushState(null, "", `${location.pathname}${query && "?"}${query}`);
    show(anchor);
}

function drawnDepth(): Depth {
    return (drawing?.graph.options.depth as Depth | undefined) ?? 0;
}

function toggle(item: Item): void {
    if (item.box) {
        const turn = item.isOpen ? closeBox : openBox;
        change(turn(view, item.box, drawnDepth()), stage.anchor(item));
    }
}

// ---- the picture

function setBusy(busy: boolean): void {
    clearTimeout(busyTimer);
    area.setAttribute("aria-busy", String(busy));
    if (busy) {
        busyTimer = setTimeout(() => (byId("busy").hidden = false), BUSY_MILLISECONDS);
    } else {
        byId("busy").hidden = true;
    }
}

function place(drawn: Drawing, anchor: Anchor | null): void {
    const item = anchor && drawn.items.byKey.get(anchor.key);
    if (anchor && item) {
        stage.settle(item, anchor);
        stage.focus(item);
        stage.pulse(item);
    } else {
        stage.start();
    }
}

function tell(drawn: Drawing): void {
    const { nodes, edges, clusters } = drawn.graph;
    const boxes = clusters.length ? `, ${plural(clusters.length, "open box", "open boxes")}` : "";
    status.textContent = `${plural(nodes.length, "node")}, ${plural(edges.length, "edge")}${boxes}`;
}

function take(drawn: Drawing, anchor: Anchor | null): void {
    const kept = selected && drawn.items.byKey.get(selected.key);
    drawing = drawn;
    setUsable(true);
    message.replaceChildren();
    stage.show(drawn.picture, drawn.items, String(drawn.graph.options.graph_dir ?? "TB"));
    select(kept ?? null);
    place(drawn, anchor);
    search.setItems(drawn.items);
    controls.show(view, drawnDepth());
    showWarnings();
    tell(drawn);
}

function resetButton(): HTMLElement {
    return button("Show the automatic view", () => change(new Map()));
}

function alternativeLink(problem: Problem): HTMLElement | null {
    if (!problem.alternative) {
        return null;
    }
    const query = problem.alternative.split("?")[1] ?? "";
    return button("Show a smaller view", () => change(parseView(query)));
}

function goneProblem(): Problem {
    return new Problem(
        "This model is not here",
        "It was removed, or never uploaded to this server. Upload its file to see it at this address again.",
        NOT_FOUND,
    );
}

// Without a model there is nothing that the controls could change.
function setUsable(usable: boolean): void {
    for (const part of document.querySelectorAll<HTMLElement>(".tools, .search, .bar .menu, .zoom")) {
        part.inert = !usable;
    }
}

function fail(error: unknown): void {
    const answered = asProblem(error);
    const isGone = answered.status === NOT_FOUND;
    const problem = isGone ? goneProblem() : answered;
    const actions = [alternativeLink(problem)];
    setUsable(!isGone);
    if (isGone) {
        actions.push(el("a", { href: "/", class: "button" }, "Upload a model"));
    } else if (view.size) {
        actions.push(resetButton());
    }
    const given = actions.filter((action): action is HTMLElement => action !== null);
    message.replaceChildren(problemCard(problem, ...given));
    status.textContent = "";
    controls.show(view, drawnDepth());
}

async function show(anchor: Anchor | null = null): Promise<void> {
    applyTheme(view);
    showDownloads(id, view, prefersDark());
    status.textContent = "Drawing…";
    setBusy(true);
    try {
        const drawn = await loader.load(view, (shown) => pictureQuery(shown, prefersDark()));
        if (!drawn) {
            return;
        }
        take(drawn, anchor);
    } catch (error) {
        fail(error);
    }
    setBusy(false);
}

// ---- the panel

function select(item: Item | null): void {
    selected = item;
    stage.mark(item);
    const empty = el("p", { class: "hint" }, "Click a box to open it, the caption of an open one to close it.");
    const actions = { select: reveal, toggle, centre: stage.centre };
    byId("selected").replaceChildren(
        ...(item && drawing ? detailsOf(item, drawing.items, actions) : [empty]),
    );
}

function reveal(item: Item): void {
    select(item);
    stage.centre(item);
    stage.pulse(item);
}

function showWarnings(): void {
    const all: Warning[] = [...(summary?.warnings ?? []), ...(drawing?.graph.warnings ?? [])];
    const rows = warningList(all);
    byId("warnings").hidden = rows.length === 0;
    byId("warning-count").textContent = plural(rows.length, "warning");
    byId("warning-list").replaceChildren(...rows);
}

function titleOf(known: Summary): string {
    const given = EXPORTER_NAMES.has(known.graph_name) ? "" : known.graph_name;
    return nameOf(id) ?? (given || `Model ${id.slice(0, ID_LETTERS)}`);
}

function showSummary(known: Summary): void {
    const title = titleOf(known);
    summary = known;
    document.title = `${title} - onnxscope`;
    byId("title").textContent = title;
    byId("facts").replaceChildren(...summaryFacts(known));
    controls.show(view, drawnDepth());
    showWarnings();
}

function setPanel(open: boolean): void {
    panel.hidden = !open;
    byId("panel-toggle").setAttribute("aria-expanded", String(open));
}

// ---- start

function bindButtons(): void {
    const acts: Record<string, () => void> = {
        "zoom-in": () => zoomer.zoomBy(zoomStep),
        "zoom-out": () => zoomer.zoomBy(1 / zoomStep),
        "zoom-fit": () => zoomer.fit(),
        "panel-toggle": () => setPanel(panel.hidden),
        "panel-close": () => setPanel(false),
    };
    for (const [name, act] of Object.entries(acts)) {
        byId(name).addEventListener("click", act);
    }
    byId("warnings").addEventListener("click", () => setPanel(true));
}

select(null);
bindButtons();
bindMenus();
bindShare(id, () => view);
bindZoomKeys(area, zoomer);
bindItemKeys(area, stage, { items: () => drawing?.items ?? null, toggle, select });
setPanel(matchMedia("(min-width: 60rem)").matches);
new ResizeObserver(() => zoomer.isMoved() || stage.start()).observe(area);
addEventListener("popstate", () => {
    view = parseView(location.search);
    show();
});
onSystemTheme(() => view.has("theme") || show());
getSummary(id).then(showSummary, () => {
    // The picture says what is wrong.
});
show();
