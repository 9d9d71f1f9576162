// Keys on the stage. Around the picture the arrows pan; on a part of it they go to the next and the
// previous one.
import type { Item, Items } from "./items";
import type { Stage } from "./stage";
import { zoomStep, type Zoomer } from "./zoom";

const PAN = 80; // pixels

const PANS: Record<string, [x: number, y: number]> = {
    ArrowUp: [0, PAN],
    ArrowDown: [0, -PAN],
    ArrowLeft: [PAN, 0],
    ArrowRight: [-PAN, 0],
};

const STEPS: Record<string, number> = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };

export interface Keyboard {
    items(): Items | null;
    toggle(item: Item): void;
    select(item: Item): void;
}

export function bindZoomKeys(element: HTMLElement, zoomer: Zoomer): void {
    const keys: Record<string, () => void> = {
        "+": () => zoomer.zoomBy(zoomStep),
        "=": () => zoomer.zoomBy(zoomStep),
        "-": () => zoomer.zoomBy(1 / zoomStep),
        "0": () => zoomer.fit(),
    };
    element.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        const pan = event.target === element ? PANS[event.key] : undefined;
        const act = pan ? () => zoomer.panBy(...pan) : keys[event.key];
        if (act) {
            event.preventDefault();
            act();
        }
    });
}

export function bindItemKeys(element: HTMLElement, stage: Stage, keyboard: Keyboard): void {
    function step(from: Item, by: number): void {
        const all = keyboard.items()?.all ?? [];
        const next = all[all.indexOf(from) + by];
        if (next) {
            stage.focus(next);
            stage.centre(next);
            keyboard.select(next);
        }
    }

    element.addEventListener("keydown", (event) => {
        const item = stage.itemAt(event.target as Element);
        if (!item || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        const by = STEPS[event.key];
        if (by) {
            step(item, by);
        } else if (event.key === "Enter" && item.box) {
            keyboard.toggle(item);
        } else if (event.key === "Enter" || event.key === " ") {
            keyboard.select(item);
        } else {
            return;
        }
        event.preventDefault();
    });
}
