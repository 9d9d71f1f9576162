// Elements are made, never parsed: text stays text.
export type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Record<string, string> = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        element.setAttribute(name, value);
    }
    element.append(...children.filter((child): child is Node | string => child !== null));
    return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
    const element = document.getElementById(id);
    if (!element) {
        throw new Error(`the page has no element ${id}`);
    }
    return element as T;
}

export function button(label: string, act: () => void, attributes: Record<string, string> = {}) {
    const element = el("button", { type: "button", ...attributes }, label);
    element.addEventListener("click", act);
    return element;
}

// A list of names and values; rows without a value are left out.
export function facts(rows: [name: string, value: Child][]): HTMLDListElement {
    const list = el("dl", { class: "facts" });
    for (const [name, value] of rows) {
        if (value !== null && value !== "") {
            list.append(el("dt", {}, name), el("dd", {}, value));
        }
    }
    return list;
}
