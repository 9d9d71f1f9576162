// Pan and zoom of a stage, by d3-zoom on the element that holds the picture.
import { event, select } from "d3-selection";
import { zoom, zoomIdentity, type Extent, type ZoomTransform } from "d3-zoom";
import type { Picture } from "./picture";

const MARGIN = 24; // pixels around a picture that fits
const KEPT = 48; // pixels of the picture that stay in sight
const READABLE = 0.9; // a large picture is not shrunk further at first
const COMFORTABLE = 1.25; // a long one may be as large as this when its width allows
const LARGEST_FIT = 1.6;
const LARGEST = 8;
const SMALLEST = 0.004;
const STEP = 1.4;
const MILLISECONDS = 250;

export interface Area {
    x: number;
    y: number;
    width: number;
    height: number;
}

export interface Zoomer {
    show(picture: Picture, flow: string): void; // a new picture; where it was stays until it is moved
    start(source: Area | null): void; // as large as can be read, from where the data comes in
    fit(): void; // all of it
    zoomBy(factor: number): void;
    panBy(x: number, y: number): void;
    centre(area: Area): void; // shows it whole, in the middle
    place(area: Area, x: number, y: number): void; // its centre at a point of the stage
    screenOf(area: Area): { x: number; y: number };
    isMoved(): boolean; // by the reader, since the last start() or fit()
}

export const zoomStep = STEP;

const still = matchMedia("(prefers-reduced-motion: reduce)");

function clamp(value: number, low: number, high: number): number {
    return Math.max(low, Math.min(high, value));
}

// Where a picture starts along its flow: in the middle if it fits, else where the data comes in.
function startAlong(length: number, room: number, fromEnd: boolean): number {
    if (length <= room - 2 * MARGIN) {
        return (room - length) / 2;
    }
    return fromEnd ? room - MARGIN - length : MARGIN;
}

// The same across: if it does not fit, `source` comes as near to the middle as the edges allow.
function startAcross(length: number, room: number, source: number): number {
    if (length <= room - 2 * MARGIN) {
        return (room - length) / 2;
    }
    return clamp(room / 2 - source, room - MARGIN - length, MARGIN);
}

export function makeZoomer(stage: HTMLElement, acceptsWheel: (event: WheelEvent) => boolean): Zoomer {
    let picture: Picture | null = null;
    let flow = "TB";
    let transform = zoomIdentity;
    let moved = false;
    const selection = select(stage);

    function room(): Extent {
        return [[0, 0], [stage.clientWidth, stage.clientHeight]];
    }

    function limit(to: ZoomTransform, [, [w, h]]: Extent): ZoomTransform {
        if (!picture) {
            return to;
        }
        const x = clamp(to.x, KEPT - picture.width * to.k, w - KEPT);
        const y = clamp(to.y, KEPT - picture.height * to.k, h - KEPT);
        return zoomIdentity.translate(x, y).scale(to.k);
    }

    function draw(): void {
        transform = event.transform;
        moved ||= Boolean(event.sourceEvent);
        picture?.content.setAttribute("transform", transform.toString());
    }

    const behaviour = zoom()
        .extent(room)
        .scaleExtent([SMALLEST, LARGEST])
        .constrain(limit)
        .clickDistance(4)
        .filter(() => !event.button && (event.type !== "wheel" || acceptsWheel(event)))
        .on("zoom", draw);
    selection.call(behaviour).on("dblclick.zoom", null);

    function jump(to: ZoomTransform): void {
        selection.interrupt().call(behaviour.transform, to);
    }

    function glide(to: ZoomTransform): void {
        if (still.matches || document.hidden) {
            jump(to);
        } else {
            selection.transition().duration(MILLISECONDS).call(behaviour.transform, to);
        }
    }

    function scaleFor(width: number, height: number): number {
        const [, [w, h]] = room();
        const k = Math.min((w - 2 * MARGIN) / width, (h - 2 * MARGIN) / height);
        return clamp(k, SMALLEST, LARGEST_FIT);
    }

    function centreAt(k: number, area: Area, x: number, y: number): ZoomTransform {
        const to = zoomIdentity
            .translate(x - k * (area.x + area.width / 2), y - k * (area.y + area.height / 2))
            .scale(k);
        return limit(to, room());
    }

    function isUpright(): boolean {
        return flow === "TB" || flow === "BT";
    }

    function startTransform(shown: Picture, source: Area | null): ZoomTransform {
        const [, [w, h]] = room();
        const across = isUpright() ? scaleFor(shown.width, 1) : scaleFor(1, shown.height);
        const least = Math.max(READABLE, Math.min(COMFORTABLE, across));
        const k = Math.max(scaleFor(shown.width, shown.height), least);
        const width = shown.width * k;
        const height = shown.height * k;
        const from = source ?? { x: 0, y: 0, width: shown.width, height: shown.height };
        const x = isUpright()
            ? startAcross(width, w, k * (from.x + from.width / 2))
            : startAlong(width, w, flow === "RL");
        const y = isUpright()
            ? startAlong(height, h, flow === "BT")
            : startAcross(height, h, k * (from.y + from.height / 2));
        return zoomIdentity.translate(x, y).scale(k);
    }

    return {
        show(next, direction) {
            picture = next;
            flow = direction;
            next.content.setAttribute("transform", transform.toString());
        },
        start(source) {
            if (picture) {
                jump(startTransform(picture, source));
                moved = false;
            }
        },
        fit() {
            if (picture) {
                const area = { x: 0, y: 0, width: picture.width, height: picture.height };
                const [, [w, h]] = room();
                glide(centreAt(scaleFor(area.width, area.height), area, w / 2, h / 2));
                moved = false;
            }
        },
        zoomBy(factor) {
            const to = still.matches ? selection : selection.transition().duration(MILLISECONDS / 2);
            behaviour.scaleBy(to, factor);
            moved = true;
        },
        panBy(x, y) {
            jump(limit(zoomIdentity.translate(transform.x + x, transform.y + y).scale(transform.k), room()));
            moved = true;
        },
        centre(area) {
            const [, [w, h]] = room();
            const k = Math.min(Math.max(transform.k, READABLE), scaleFor(area.width, area.height));
            glide(centreAt(k, area, w / 2, h / 2));
            moved = true;
        },
        place(area, x, y) {
            jump(centreAt(transform.k, area, x, y));
            moved = true;
        },
        screenOf(area) {
            return {
                x: transform.x + transform.k * (area.x + area.width / 2),
                y: transform.y + transform.k * (area.y + area.height / 2),
            };
        },
        isMoved: () => moved,
    };
}
