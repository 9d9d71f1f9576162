// An error, as the reader sees it.
import { el, facts } from "./dom";
import type { Problem } from "./problem";

export function problemCard(problem: Problem, ...actions: HTMLElement[]): HTMLElement {
    return el(
        "div",
        { class: "problem", role: "alert" },
        el("h2", {}, problem.title),
        problem.detail ? el("p", {}, problem.detail) : null,
        problem.facts.length
            ? facts(problem.facts.map((fact) => [fact.name, fact.value]))
            : null,
        actions.length ? el("p", { class: "actions" }, ...actions) : null,
    );
}
