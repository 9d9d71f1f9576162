// Finding a part of the picture by its name: a combo box over what is drawn.
import { byId, el } from "./dom";
import type { Item, Items } from "./items";

const ROWS = 12;

export interface Search {
    setItems(items: Items): void;
}

// Lower is better; null: no match.
function rank(item: Item, words: string[]): number | null {
    const label = item.label.toLowerCase();
    const rest = `${item.path} ${item.node?.op ?? ""} ${item.node?.name ?? ""} ` +
        `${item.node?.class ?? item.cluster?.class ?? ""}`.toLowerCase();
    if (!words.every((word) => label.includes(word) || rest.toLowerCase().includes(word))) {
        return null;
    }
    const first = words[0] ?? "";
    return label === first ? 0 : label.startsWith(first) ? 1 : label.includes(first) ? 2 : 3;
}

function find(items: Items, text: string): Item[] {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word);
    const found: { item: Item; rank: number }[] = [];
    for (const item of words.length ? items.all : []) {
        const itemRank = rank(item, words);
        if (itemRank !== null) {
            found.push({ item, rank: itemRank });
        }
    }
    return found.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}

function optionOf(item: Item, i: number): HTMLElement {
    return el(
        "li",
        { role: "option", id: `found-${i}`, "aria-selected": "false", class: `kind-${item.kind}` },
        el("span", { class: "found-label" }, item.label || item.path || item.kind),
        el("span", { class: "found-path" }, item.path && item.path !== item.label ? item.path : item.kind),
    );
}

export function makeSearch(choose: (item: Item) => void): Search {
    const input = byId<HTMLInputElement>("search");
    const list = byId("found");
    const told = byId("found-count");
    let items: Items | null = null;
    let found: Item[] = [];
    let active = -1;

    function close(): void {
        list.hidden = true;
        input.setAttribute("aria-expanded", "false");
        input.removeAttribute("aria-activedescendant");
        active = -1;
    }

    function activate(i: number): void {
        active = i;
        [...list.children].forEach((row, k) => row.setAttribute("aria-selected", String(k === i)));
        list.children[i]?.scrollIntoView({ block: "nearest" });
        input.setAttribute("aria-activedescendant", `found-${i}`);
    }

    function show(): void {
        const text = input.value.trim();
        found = items ? find(items, text) : [];
        list.replaceChildren(...found.slice(0, ROWS).map(optionOf));
        told.textContent = !text
            ? ""
            : found.length
              ? `${found.length} found`
              : "Not in this picture; more depth may show it";
        list.hidden = found.length === 0;
        input.setAttribute("aria-expanded", String(found.length > 0));
        if (found.length) {
            activate(0);
        } else {
            close();
        }
    }

    function take(i: number): void {
        const item = found[i];
        if (item) {
            close();
            told.textContent = "";
            choose(item);
        }
    }

    const keys: Record<string, () => void> = {
        ArrowDown: () => (list.hidden ? show() : activate((active + 1) % list.childElementCount)),
        ArrowUp: () => activate((active + list.childElementCount - 1) % list.childElementCount),
        Enter: () => (list.hidden ? show() : take(active)),
        Escape: () => {
            input.value = list.hidden ? "" : input.value;
            told.textContent = "";
            close();
        },
    };
    input.addEventListener("input", show);
    input.addEventListener("focus", () => input.value && show());
    input.addEventListener("blur", () => close());
    input.addEventListener("keydown", (event) => {
        const act = keys[event.key];
        if (act) {
            event.preventDefault();
            act();
        }
    });
    list.addEventListener("pointerdown", (event) => {
        event.preventDefault(); // keeps the focus where it is
        const row = (event.target as Element).closest("li");
        take(row ? [...list.children].indexOf(row) : -1);
    });
    document.addEventListener("keydown", (event) => {
        const typing = (event.target as Element).closest("input, select, textarea");
        if (event.key === "/" && !typing) {
            event.preventDefault();
            input.focus();
        }
    });

    return {
        setItems(next) {
            items = next;
            close();
        },
    };
}
