// What the side panel says about the selected part of the picture.
import type { GraphEdge, TensorType } from "./api";
import { button, el, facts } from "./dom";
import { count, countWithShort, plural, shape } from "./format";
import type { Item, Items } from "./items";

const ROWS = 8; // of a list of neighbours

export interface DetailsActions {
    select(item: Item): void;
    toggle(item: Item): void;
    centre(item: Item): void;
}

function shapes(types: TensorType[] | undefined): HTMLElement | null {
    if (!types?.length) {
        return null;
    }
    const rows = types.slice(0, ROWS).map((type) => el("li", { class: "shape" }, shape(type)));
    if (types.length > ROWS) {
        rows.push(el("li", {}, plural(types.length - ROWS, "more", "more")));
    }
    return el("ul", {}, ...rows);
}

function neighbours(
    edges: GraphEdge[] | undefined,
    end: "from" | "to",
    items: Items,
    actions: DetailsActions,
): HTMLElement | null {
    const rows: HTMLElement[] = [];
    for (const edge of (edges ?? []).slice(0, ROWS)) {
        const other = items.byId.get(edge[end]);
        if (other) {
            const label = other.label || other.path || other.kind;
            rows.push(el("li", {}, button(label, () => actions.select(other), { class: "link" })));
        }
    }
    if (edges && edges.length > ROWS) {
        rows.push(el("li", {}, plural(edges.length - ROWS, "more", "more")));
    }
    return rows.length ? el("ul", {}, ...rows) : null;
}

function operatorName(item: Item): string {
    const node = item.node;
    return node?.op ? [node.domain, node.op].filter((part) => part).join(".") : "";
}

function callText(item: Item): string {
    const calls = (item.node ?? item.cluster)?.calls ?? [];
    const repeated = calls.length > 1 || (calls[0] ?? 0) > 0;
    return item.box && repeated ? calls.map((call) => call + 1).join(", ") : "";
}

function actionRow(item: Item, actions: DetailsActions): HTMLElement {
    const row = el("p", { class: "actions" }, button("Show", () => actions.centre(item)));
    if (item.box && (item.box.path || !item.isOpen)) {
        row.prepend(button(item.isOpen ? "Close box" : "Open box", () => actions.toggle(item)));
    }
    return row;
}

export function detailsOf(item: Item, items: Items, actions: DetailsActions): HTMLElement[] {
    const node = item.node;
    return [
        el("h3", {}, item.label || item.kind),
        actionRow(item, actions),
        facts([
            ["Kind", item.kind],
            ["Path", item.path],
            ["Class", node?.class ?? item.cluster?.class ?? ""],
            ["Call", callText(item)],
            ["Operator", operatorName(item)],
            ["Name", node?.name ?? ""],
            ["Stands for", node && node.count > 1 ? count(node.count) : ""],
            ["Parameters", countWithShort(node?.parameters)],
            ["Multiply-adds", countWithShort(node?.macs)],
            ["Takes", shapes(node?.inputs)],
            ["Gives", shapes(node?.outputs)],
            ["Reads from", neighbours(items.into.get(item.id), "from", items, actions)],
            ["Read by", neighbours(items.outOf.get(item.id), "to", items, actions)],
        ]),
    ];
}
