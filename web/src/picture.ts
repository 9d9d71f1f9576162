// The daemon's SVG as part of the page.
//
// It is parsed as XML and imported, never as HTML. The page's policy allows no inline style, and
// holds for what is parsed as well; so the rules of the picture's <style> are cut out before that
// and become a style sheet object. All of them start with the class of the picture's root.
import { Problem } from "./problem";

const SVG = "http://www.w3.org/2000/svg";

const SIGNS = {
    "+": { size: 4, inset: 4.5 },
    "-": { size: 6, inset: 9 },
};

export interface Picture {
    svg: SVGSVGElement;
    content: SVGGElement; // what zooms
    width: number;
    height: number;
    elements: Map<string, SVGGElement>; // by id
    captions: Map<string, SVGGElement>; // of boxes, by the box's id
    sheet: CSSStyleSheet;
}

function parse(text: string): SVGSVGElement {
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    if (root.namespaceURI !== SVG || root.localName !== "svg") {
        throw new Problem("The picture cannot be shown", "The server sent something else than SVG.");
    }
    return root as unknown as SVGSVGElement;
}

// Text of the model is escaped: the first "<style>" is the picture's own.
function cutSheet(text: string): { rules: string; rest: string } {
    const found = /<style>([^<]*)<\/style>/.exec(text);
    return { rules: found?.[1] ?? "", rest: found ? text.replace(found[0], () => "") : text };
}

function sheetOf(rules: string): CSSStyleSheet {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    return sheet;
}

// The root's title would pop up wherever the pointer rests.
function takeTitle(root: SVGSVGElement): void {
    const title = [...root.children].find((child) => child.localName === "title");
    const description = [...root.children].find((child) => child.localName === "desc");
    const words = [title?.textContent, description?.textContent].filter((text) => text);
    root.setAttribute("aria-label", words.join(": "));
    title?.remove();
}

function wrap(svg: SVGSVGElement): SVGGElement {
    const content = document.createElementNS(SVG, "g");
    content.append(...svg.querySelectorAll(":scope > g"));
    svg.append(content);
    return content;
}

// Captions carry no id: they follow the boxes, one each, in the same order.
function findCaptions(content: SVGGElement): Map<string, SVGGElement> {
    const boxes = [...content.querySelectorAll<SVGGElement>(":scope > .cluster")];
    const captions = [...content.querySelectorAll<SVGGElement>(":scope > .caption")];
    if (boxes.length !== captions.length) {
        return new Map();
    }
    return new Map(boxes.map((box, i) => [box.id, captions[i] as SVGGElement]));
}

function numberOf(element: Element, attribute: string): number {
    return Number(element.getAttribute(attribute) ?? 0);
}

// Where the text of a caption ends.
function endOf(caption: SVGGElement): number {
    const patch = caption.querySelector("rect");
    return patch ? numberOf(patch, "x") + numberOf(patch, "width") : -Infinity;
}

// A small sign in the upper right corner of a box, if there is room: "+" opens it, "-" closes it.
// Nothing is measured on the screen: a large picture has thousands of boxes.
export function addSign(group: SVGGElement, box: SVGGElement, sign: "+" | "-"): void {
    const { size, inset } = SIGNS[sign];
    const rect = box.querySelector("rect");
    if (!rect) {
        return;
    }
    const left = numberOf(rect, "x") + numberOf(rect, "width") - inset - size / 2;
    const y = numberOf(rect, "y") + inset;
    if (group !== box && endOf(group) > left) {
        return;
    }
    const mark = document.createElementNS(SVG, "path");
    const across = `M${left} ${y}h${size}`;
    const upright = `M${left + size / 2} ${y - size / 2}v${size}`;
    mark.setAttribute("class", "sign");
    mark.setAttribute("d", sign === "+" ? across + upright : across);
    group.append(mark);
}

export function readPicture(text: string): Picture {
    const { rules, rest } = cutSheet(text);
    const svg = document.importNode(parse(rest), true);
    const { width, height } = svg.viewBox.baseVal;
    takeTitle(svg);
    for (const name of ["viewBox", "width", "height"]) {
        svg.removeAttribute(name);
    }
    const content = wrap(svg);
    const elements = [...content.querySelectorAll<SVGGElement>(":scope > g[id]")];
    return {
        svg,
        content,
        width,
        height,
        elements: new Map(elements.map((element) => [element.id, element])),
        captions: findCaptions(content),
        sheet: sheetOf(rules),
    };
}

// Shows a picture in place of the one before.
export function showPicture(stage: HTMLElement, picture: Picture): void {
    document.adoptedStyleSheets = [picture.sheet];
    stage.replaceChildren(picture.svg);
}
