// The page at /embed/{id}: a picture to pan and zoom, for frames of other pages.
import { getPicture } from "./api";
import { byId } from "./dom";
import { bindZoomKeys } from "./keyboard";
import { readPicture, showPicture } from "./picture";
import { asProblem } from "./problem";
import { problemCard } from "./problem_card";
import { applyTheme, onSystemTheme, prefersDark } from "./theme";
import { option, parseView, pictureQuery } from "./view_url";
import { makeZoomer } from "./zoom";

const id = location.pathname.split("/")[2] ?? "";
const view = parseView(location.search);
const area = byId("stage");

// Scrolling the page around the frame must not zoom the picture: first click it, or hold Ctrl.
const zoomer = makeZoomer(area, (event) => event.ctrlKey || document.activeElement === area);

async function show(): Promise<void> {
    applyTheme(view);
    area.setAttribute("aria-busy", "true");
    try {
        const query = pictureQuery(view, prefersDark());
        const picture = readPicture(await getPicture(id, query, new AbortController().signal));
        showPicture(area, picture);
        document.title = picture.svg.getAttribute("aria-label") ?? document.title;
        zoomer.show(picture, option(view, "graph_dir"));
        zoomer.fit();
    } catch (error) {
        byId("message").replaceChildren(problemCard(asProblem(error)));
    }
    area.setAttribute("aria-busy", "false");
}

bindZoomKeys(area, zoomer);
new ResizeObserver(() => zoomer.isMoved() || zoomer.fit()).observe(area);
onSystemTheme(() => view.has("theme") || show());
show();
