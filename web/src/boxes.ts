// Opening and closing single modules: the lists `expand` and `collapse` of a view.
//
// The daemon closes modules at the depth that is the limit and opens what lies above, but for those
// without child modules. The lists overrule that, the more literal pattern first, then `expand`.
// What is written here is the most literal there is: a path and a call.
import { option, withOption, type View } from "./view_url";

export interface Box {
    path: string;
    call: number;
    depth: number;
    leaf: boolean; // of an open one: no module lies in it
}

// Depth that the picture was drawn at.
export type Depth = number | "inf";

function hex(c: string): string {
    return `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

function escapePath(path: string): string {
    return path.replace(/[,@*%:\x00-\x20\x7f]/g, hex);
}

export function patternOf(box: Box): string {
    return `${escapePath(box.path)}@${box.call}`;
}

function listOf(view: View, name: string): string[] {
    return option(view, name)
        .split(",")
        .map((pattern) => pattern.trim())
        .filter((pattern) => pattern);
}

function withList(view: View, name: string, patterns: string[]): View {
    return withOption(view, name, patterns.join(","));
}

// One that may match more than the call it names: somebody wrote it by hand.
function isBroad(pattern: string): boolean {
    return pattern.includes("*") || pattern.startsWith("class:") || !pattern.includes("@");
}

function liesIn(pattern: string, box: Box): boolean {
    return !isBroad(pattern) && pattern.startsWith(`${escapePath(box.path)}.`);
}

function isOpenByItself(view: View, box: Box, depth: Depth): boolean {
    const isShut = box.leaf && option(view, "hide_module_functions") === "1";
    return !isShut && (depth === "inf" || box.depth < depth);
}

export function openBox(view: View, box: Box, depth: Depth): View {
    if (!box.path) {
        return withOption(view, "depth", "1");
    }
    const pattern = patternOf(box);
    const closed = listOf(view, "collapse");
    const rest = closed.filter((other) => other !== pattern);
    const cleared = withList(view, "collapse", rest);
    const wasClosedHere = rest.length < closed.length;
    if (wasClosedHere && !rest.some(isBroad) && isOpenByItself(view, box, depth)) {
        return cleared;
    }
    return withList(cleared, "expand", [...listOf(view, "expand"), pattern]);
}

// What was opened or closed inside goes with it: it would be of no effect, and the daemon would
// warn of it.
export function closeBox(view: View, box: Box, depth: Depth): View {
    const pattern = patternOf(box);
    const opened = listOf(view, "expand");
    const expand = opened.filter((p) => p !== pattern && !liesIn(p, box));
    const collapse = listOf(view, "collapse").filter((p) => p !== pattern && !liesIn(p, box));
    if (!opened.includes(pattern) || expand.some(isBroad) || isOpenByItself(view, box, depth)) {
        collapse.push(pattern);
    }
    return withList(withList(view, "expand", expand), "collapse", collapse);
}
