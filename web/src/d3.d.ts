// What the page uses of Debian's d3-zoom 1.8 and d3-selection 1.4.
declare module "d3-selection" {
    export interface Transition {
        duration(milliseconds: number): Transition;
        call(apply: (to: Selection | Transition, ...rest: any[]) => void, ...rest: any[]): Transition;
    }
    export interface Selection {
        call(apply: (to: Selection, ...rest: any[]) => void, ...rest: any[]): Selection;
        on(type: string, listener: null): Selection;
        transition(): Transition;
        interrupt(): Selection;
    }
    export function select(element: Element): Selection;
    export const event: any;
}

declare module "d3-zoom" {
    import type { Selection, Transition } from "d3-selection";

    export interface ZoomTransform {
        readonly k: number;
        readonly x: number;
        readonly y: number;
        translate(x: number, y: number): ZoomTransform;
        scale(k: number): ZoomTransform;
        toString(): string;
    }
    export type Extent = [[number, number], [number, number]];
    export interface Zoom {
        (selection: Selection): void;
        transform: (to: Selection | Transition, transform: ZoomTransform) => void;
        scaleBy: (to: Selection | Transition, factor: number) => void;
        translateBy: (to: Selection | Transition, x: number, y: number) => void;
        extent(extent: () => Extent): Zoom;
        scaleExtent(extent: [number, number]): Zoom;
        constrain(limit: (transform: ZoomTransform, extent: Extent) => ZoomTransform): Zoom;
        filter(accept: () => boolean): Zoom;
        clickDistance(pixels: number): Zoom;
        on(type: string, listener: () => void): Zoom;
    }
    export function zoom(): Zoom;
    export const zoomIdentity: ZoomTransform;
}
