// The stage: shows one picture, tells what was clicked, marks what is selected.
import type { Item, Items } from "./items";
import { addSign, showPicture, type Picture } from "./picture";
import type { Area, Zoomer } from "./zoom";

// A double click that opens a box must not close it again in the new picture.
const SETTLE_MILLISECONDS = 300;
const PULSE_MILLISECONDS = 1200;

export interface StageEvents {
    toggle(item: Item): void;
    select(item: Item | null): void;
}

export interface Anchor {
    key: string;
    x: number; // where its centre was on the screen
    y: number;
}

export interface Stage {
    show(picture: Picture, items: Items, flow: string): void;
    start(): void; // shows it from where the data comes in
    mark(item: Item | null): void;
    focus(item: Item): void; // keyboard
    centre(item: Item): void;
    pulse(item: Item): void;
    anchor(item: Item): Anchor;
    settle(item: Item, anchor: Anchor): void; // keeps the reader's eye where it was
    itemAt(element: Element | null): Item | null;
}

function canToggle(item: Item): boolean {
    return item.box !== null && (item.box.path !== "" || !item.isOpen);
}

// What is to be seen comes first: whoever speaks to the page says what is written there.
function describe(item: Item, target: Element): string {
    const act = !canToggle(item) ? "" : item.isOpen ? ", open" : ", closed";
    const lines = [...target.querySelectorAll("text")].map((text) => text.textContent?.trim() ?? "");
    return `${lines.filter(Boolean).join(" ") || item.label || item.kind}, ${item.kind}${act}`;
}

export function makeStage(element: HTMLElement, zoomer: Zoomer, events: StageEvents): Stage {
    let picture: Picture | null = null;
    let items: Items | null = null;
    let captionOf = new Map<Element, string>();
    let shownAt = 0;
    let marked: Element[] = [];

    function elementsOf(item: Item): SVGGElement[] {
        const found = [picture?.elements.get(item.id), picture?.captions.get(item.id)];
        return found.filter((e): e is SVGGElement => e !== undefined);
    }

    // Of a box it is the caption that takes the focus: the box lies behind its content.
    function focusable(item: Item): SVGGElement | undefined {
        return elementsOf(item).at(-1);
    }

    function areaOf(item: Item): Area | null {
        return picture?.elements.get(item.id)?.getBBox() ?? null;
    }

    function itemAt(target: Element | null): Item | null {
        const group = target?.closest("g.node, g.cluster, g.caption");
        const id = group ? captionOf.get(group) ?? group.id : "";
        return items?.byId.get(id) ?? null;
    }

    function isSettled(): boolean {
        return performance.now() - shownAt > SETTLE_MILLISECONDS;
    }

    function act(item: Item): void {
        if (canToggle(item)) {
            events.toggle(item);
        }
    }

    element.addEventListener("click", (event) => {
        const target = event.target as Element;
        const item = itemAt(target);
        if (!isSettled() || (!item && target === element)) {
            return;
        }
        events.select(item);
        if (item && (!item.isOpen || target.closest("g.caption"))) {
            act(item);
        }
    });

    element.addEventListener("dblclick", (event) => {
        const item = itemAt(event.target as Element);
        if (item?.isOpen && isSettled()) {
            act(item);
        }
    });

    function prepare(): void {
        captionOf = new Map([...(picture?.captions ?? [])].map(([id, caption]) => [caption, id]));
        for (const item of items?.all ?? []) {
            const target = focusable(item);
            target?.setAttribute("tabindex", "-1");
            target?.setAttribute("role", canToggle(item) ? "button" : "img");
            target?.setAttribute("aria-label", describe(item, target));
            // Lines that follow each other without a space are read as one word.
            target?.querySelectorAll("text").forEach((text) => text.before(" "));
            const box = picture?.elements.get(item.id);
            if (target && box && canToggle(item)) {
                target.classList.add("can-toggle");
                addSign(target, box, item.isOpen ? "-" : "+");
            }
        }
        const first = items?.all.find((item) => item.node);
        if (first) {
            focusable(first)?.setAttribute("tabindex", "0");
        }
    }

    function light(item: Item, edges: "into" | "outOf"): void {
        for (const edge of items?.[edges].get(item.id) ?? []) {
            const found = picture?.elements.get(edge.id);
            found?.classList.add("lit");
            marked.push(...(found ? [found] : []));
        }
    }

    return {
        show(next, nextItems, flow) {
            picture = next;
            items = nextItems;
            marked = [];
            shownAt = performance.now();
            next.svg.setAttribute("role", "group");
            showPicture(element, next);
            zoomer.show(next, flow);
            prepare();
        },
        start() {
            const source = items?.all.find((item) => item.kind === "input");
            zoomer.start(source ? areaOf(source) : null);
        },
        mark(item) {
            for (const old of marked) {
                old.classList.remove("selected", "lit");
            }
            marked = item ? elementsOf(item) : [];
            marked.forEach((found) => found.classList.add("selected"));
            if (item) {
                light(item, "into");
                light(item, "outOf");
            }
        },
        focus(item) {
            const target = focusable(item);
            for (const old of element.querySelectorAll('g[tabindex="0"]')) {
                old.setAttribute("tabindex", "-1");
            }
            target?.setAttribute("tabindex", "0");
            target?.focus({ preventScroll: true });
        },
        centre(item) {
            const area = areaOf(item);
            if (area) {
                zoomer.centre(area);
            }
        },
        pulse(item) {
            const found = elementsOf(item);
            found.forEach((e) => e.classList.add("pulse"));
            setTimeout(() => found.forEach((e) => e.classList.remove("pulse")), PULSE_MILLISECONDS);
        },
        anchor(item) {
            const area = areaOf(item) ?? { x: 0, y: 0, width: 0, height: 0 };
            return { key: item.key, ...zoomer.screenOf(area) };
        },
        settle(item, anchor) {
            const area = areaOf(item);
            if (area) {
                zoomer.place(area, anchor.x, anchor.y);
                zoomer.centre(area);
            }
        },
        itemAt,
    };
}
