// The viewer inside of an exported page: one picture, no server, no requests.
//
// The picture is part of the page already. What zooms is its viewBox: `k` pixels a point, the
// picture's origin at (x, y) of the stage.
import { byId } from "./dom";

const MARGIN = 16;
const STEP = 1.4;
const PAN = 60;
const LARGEST = 20;
const LARGEST_FIT = 1.6;
const WHEEL = 0.002;
const PINCH = 0.01; // browsers report a pinch on a touchpad as a wheel with Ctrl
const LINE = 16;
const FOUND_SCALE = 1;

const stage = byId("stage");
const svg = stage.querySelector("svg") as SVGSVGElement;
const { width, height } = svg.viewBox.baseVal;
const titles = new Map<Element, string>();

let k = 1;
let x = 0;
let y = 0;
let moved = false;

function clamp(value: number, low: number, high: number): number {
    return Math.max(low, Math.min(high, value));
}

function draw(): void {
    const { clientWidth: w, clientHeight: h } = stage;
    x = clamp(x, 48 - width * k, w - 48);
    y = clamp(y, 48 - height * k, h - 48);
    svg.setAttribute("viewBox", `${-x / k} ${-y / k} ${w / k} ${h / k}`);
}

function fitScale(): number {
    const { clientWidth: w, clientHeight: h } = stage;
    const whole = Math.min((w - 2 * MARGIN) / width, (h - 2 * MARGIN) / height);
    return clamp(whole, 0.002, LARGEST_FIT);
}

function fit(): void {
    k = fitScale();
    x = (stage.clientWidth - width * k) / 2;
    y = (stage.clientHeight - height * k) / 2;
    moved = false;
    draw();
}

// As large as can be read, from the beginning of the picture.
function start(): void {
    fit();
    if (k < 0.8) {
        const across = (stage.clientWidth - 2 * MARGIN) / width;
        const along = (stage.clientHeight - 2 * MARGIN) / height;
        k = Math.min(1.25, Math.max(across, along, 0.6));
        x = width * k < stage.clientWidth ? (stage.clientWidth - width * k) / 2 : MARGIN;
        y = height * k < stage.clientHeight ? (stage.clientHeight - height * k) / 2 : MARGIN;
        draw();
    }
}

function zoomAt(factor: number, px: number, py: number): void {
    const to = clamp(k * factor, fitScale() / 2, LARGEST);
    x = px - ((px - x) * to) / k;
    y = py - ((py - y) * to) / k;
    k = to;
    moved = true;
    draw();
}

function zoomBy(factor: number): void {
    zoomAt(factor, stage.clientWidth / 2, stage.clientHeight / 2);
}

function panBy(dx: number, dy: number): void {
    x += dx;
    y += dy;
    moved = true;
    draw();
}

// ---- pointers: one moves, two pinch

const pointers = new Map<number, PointerEvent>();

function spread(): { px: number; py: number; distance: number } {
    const [a, b] = [...pointers.values()] as [PointerEvent, PointerEvent];
    return {
        px: (a.clientX + b.clientX) / 2,
        py: (a.clientY + b.clientY) / 2,
        distance: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1,
    };
}

function movePointer(event: PointerEvent): void {
    const before = pointers.get(event.pointerId);
    if (!before) {
        return;
    }
    if (pointers.size === 2) {
        const from = spread();
        pointers.set(event.pointerId, event);
        const to = spread();
        panBy(to.px - from.px, to.py - from.py);
        zoomAt(to.distance / from.distance, to.px, to.py);
        return;
    }
    pointers.set(event.pointerId, event);
    if (pointers.size === 1) {
        panBy(event.clientX - before.clientX, event.clientY - before.clientY);
    }
}

function bindPointers(): void {
    stage.addEventListener("pointerdown", (event) => {
        if (event.button === 0) {
            pointers.set(event.pointerId, event);
            stage.setPointerCapture(event.pointerId);
        }
    });
    stage.addEventListener("pointermove", movePointer);
    for (const end of ["pointerup", "pointercancel"] as const) {
        stage.addEventListener(end, (event) => pointers.delete(event.pointerId));
    }
    stage.addEventListener("dblclick", (event) => zoomAt(STEP, event.clientX, event.clientY));
    stage.addEventListener(
        "wheel",
        (event) => {
            event.preventDefault();
            const pixels = event.deltaY * (event.deltaMode ? LINE : 1);
            const factor = Math.exp(-clamp(pixels, -400, 400) * (event.ctrlKey ? PINCH : WHEEL));
            zoomAt(factor, event.clientX, event.clientY);
        },
        { passive: false },
    );
}

// ---- keys

const keys: Record<string, () => void> = {
    "+": () => zoomBy(STEP),
    "=": () => zoomBy(STEP),
    "-": () => zoomBy(1 / STEP),
    "0": fit,
    f: fit,
    ArrowLeft: () => panBy(PAN, 0),
    ArrowRight: () => panBy(-PAN, 0),
    ArrowUp: () => panBy(0, PAN),
    ArrowDown: () => panBy(0, -PAN),
    "/": () => byId("search").focus(),
};

function bindKeys(): void {
    document.addEventListener("keydown", (event) => {
        const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLButtonElement;
        const act = keys[event.key];
        if (typing || !act || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        event.preventDefault();
        act();
    });
}

// ---- what is under the pointer

function takeTitles(): void {
    for (const title of svg.querySelectorAll("g > title")) {
        const group = title.parentElement as Element;
        titles.set(group, title.textContent ?? "");
        title.remove();
    }
    const root = svg.querySelector(":scope > title");
    svg.setAttribute("aria-label", root?.textContent ?? "");
    root?.remove();
}

function titled(from: Element | null): Element | null {
    let at = from;
    while (at && !titles.has(at)) {
        at = at.parentElement;
    }
    return at;
}

function bindInfo(): void {
    const info = byId("info");
    stage.addEventListener("pointerover", (event) => {
        const group = titled(event.target as Element);
        info.hidden = !group;
        info.textContent = group ? (titles.get(group) ?? "") : "";
    });
    stage.addEventListener("pointerleave", () => {
        info.hidden = true;
    });
}

// ---- search

let found: SVGGElement[] = [];
let current = -1;

function textOf(group: Element): string {
    const words = [...group.querySelectorAll("text")].map((text) => text.textContent);
    return `${words.join(" ")} ${titles.get(group) ?? ""}`.toLowerCase();
}

function count(): void {
    const asked = byId<HTMLInputElement>("search").value.trim();
    byId("count").textContent = asked ? `${found.length ? current + 1 : 0} of ${found.length}` : "";
}

function find(text: string): void {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word);
    found.forEach((group) => group.classList.remove("found", "current"));
    found = words.length
        ? [...svg.querySelectorAll<SVGGElement>("g.node, g.caption")].filter((group) =>
              words.every((word) => textOf(group).includes(word)))
        : [];
    found.forEach((group) => group.classList.add("found"));
    current = -1;
    show(1);
}

// The next one that was found, or the one before, in the middle of the stage.
function show(step: number): void {
    found[current]?.classList.remove("current");
    current = found.length ? (current + step + found.length) % found.length : -1;
    const group = found[current];
    if (group) {
        const box = group.getBBox();
        k = Math.max(k, FOUND_SCALE);
        x = stage.clientWidth / 2 - (box.x + box.width / 2) * k;
        y = stage.clientHeight / 2 - (box.y + box.height / 2) * k;
        moved = true;
        group.classList.add("current");
        draw();
    }
    count();
}

function bindBar(): void {
    const search = byId<HTMLInputElement>("search");
    search.addEventListener("input", () => find(search.value));
    search.addEventListener("keydown", (event) => {
        if (event.key === "Enter") {
            event.preventDefault();
            show(event.shiftKey ? -1 : 1);
        } else if (event.key === "Escape") {
            search.value = "";
            find("");
            stage.focus();
        }
    });
    byId("bar").addEventListener("submit", (event) => event.preventDefault());
    byId("less").addEventListener("click", () => zoomBy(1 / STEP));
    byId("more").addEventListener("click", () => zoomBy(STEP));
    byId("fit").addEventListener("click", fit);
    byId("bar").hidden = false;
}

document.body.classList.add("live");
document.body.classList.toggle("dark", svg.classList.contains("onnxscope-dark"));
for (const name of ["width", "height"]) {
    svg.removeAttribute(name);
}
svg.setAttribute("preserveAspectRatio", "none");
takeTitles();
bindPointers();
bindKeys();
bindInfo();
bindBar();
start();
new ResizeObserver(() => (moved ? draw() : start())).observe(stage);
