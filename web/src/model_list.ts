// The models that the daemon stores.
import { listModels, type Listing } from "./api";
import { button, el } from "./dom";
import { ago, bytes, count } from "./format";
import { nameOf } from "./names";
import { asProblem } from "./problem";
import { problemCard } from "./problem_card";

const ID_LETTERS = 12;

function row(model: Listing): HTMLElement {
    const short = model.id.slice(0, ID_LETTERS);
    const name = nameOf(model.id);
    const created = el("time", { datetime: model.created }, ago(model.created));
    return el(
        "tr",
        {},
        el(
            "th",
            { scope: "row" },
            el("a", { href: `/models/${model.id}`, title: name ?? "" }, name ?? short),
            name ? el("code", {}, short) : null,
        ),
        el("td", { class: "wide" }, model.producer),
        el("td", { class: "number wide" }, count(model.nodes)),
        el("td", { class: "number" }, bytes(model.size)),
        el("td", {}, created),
    );
}

export async function showModels(section: HTMLElement, body: HTMLElement): Promise<void> {
    const more = button("Show more", () => load(), { class: "plain" });
    let cursor: string | null = null;

    async function load(): Promise<void> {
        try {
            const list = await listModels(cursor);
            body.append(...list.models.map(row));
            cursor = list.next;
            section.hidden = body.childElementCount === 0;
        } catch (error) {
            section.hidden = false;
            more.before(problemCard(asProblem(error)));
            cursor = null;
        }
        more.hidden = cursor === null;
    }

    section.append(more);
    await load();
}
