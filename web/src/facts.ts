// What the side panel says about the model as a whole.
import type { Summary, TensorType, Warning } from "./api";
import { el, facts } from "./dom";
import { bytes, count, countWithShort, plural, shape } from "./format";

const OPERATORS = 12; // rows; the rest is summed up

function tensorList(values: (TensorType & { name: string })[]): HTMLElement {
    const rows = values.map((value) =>
        el("li", {}, el("b", {}, value.name), " ", el("span", { class: "shape" }, shape(value))),
    );
    return el("ul", { class: "tensors" }, ...rows);
}

function opsetText(opsets: Record<string, number>): string {
    return Object.entries(opsets)
        .map(([domain, version]) => (domain ? `${domain} ${version}` : String(version)))
        .join(", ");
}

function operatorTable(operators: Record<string, number>): HTMLElement {
    const sorted = Object.entries(operators).sort((a, b) => b[1] - a[1]);
    const rest = sorted.slice(OPERATORS);
    const rows = sorted.slice(0, OPERATORS);
    if (rest.length) {
        const sum = rest.reduce((total, [, n]) => total + n, 0);
        rows.push([plural(rest.length, "other type"), sum]);
    }
    const most = Math.max(1, ...rows.map(([, n]) => n));
    return el(
        "table",
        { class: "operators" },
        el("caption", { class: "unseen" }, "Operators by type"),
        ...rows.map(([name, n]) =>
            el(
                "tr",
                {},
                el("th", { scope: "row" }, name),
                el("td", {}, el("meter", { min: "0", max: String(most), value: String(n),
                    "aria-label": name })),
                el("td", { class: "number" }, count(n)),
            ),
        ),
    );
}

function metadataList(metadata: Record<string, string>): HTMLElement | null {
    const rows = Object.entries(metadata);
    if (!rows.length) {
        return null;
    }
    return el(
        "details",
        {},
        el("summary", {}, plural(rows.length, "metadata entry", "metadata entries")),
        facts(rows),
    );
}

export function summaryFacts(summary: Summary): HTMLElement[] {
    const counts = summary.counts;
    const producer = `${summary.producer} ${summary.producer_version}`.trim();
    const parts = [
        facts([
            ["Made by", producer],
            ["Opset", opsetText(summary.opsets)],
            ["File", `${bytes(summary.size)}${summary.complete ? "" : ", incomplete"}`],
            ["Operators", count(counts.nodes)],
            ["Modules", count(counts.modules)],
            ["Module calls", counts.module_calls !== counts.modules ? count(counts.module_calls) : null],
            ["Depth", count(summary.hierarchy.depth)],
            ["Parameters", countWithShort(summary.parameters)],
            ["Weights", bytes(summary.parameter_bytes)],
            ["Multiply-adds", countWithShort(summary.macs)],
            ["Activations", bytes(summary.activation_bytes)],
            ["SHA-256", el("code", { class: "digest" }, summary.id)],
        ]),
        el("h3", {}, "Inputs"),
        tensorList(summary.inputs),
        el("h3", {}, "Outputs"),
        tensorList(summary.outputs),
        el("h3", {}, "Operators"),
        operatorTable(summary.operators),
        metadataList(summary.metadata),
    ];
    return parts.filter((part): part is HTMLElement => part !== null);
}

// The same warning may come with the model and with the picture.
export function warningList(warnings: Warning[]): HTMLElement[] {
    const seen = new Set<string>();
    const rows: HTMLElement[] = [];
    for (const warning of warnings) {
        const text = warning.where ? `${warning.message} (${warning.where})` : warning.message;
        if (!seen.has(text)) {
            seen.add(text);
            rows.push(el("li", {}, text));
        }
    }
    return rows;
}
