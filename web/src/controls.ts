// The controls of a view: depth, direction and the rest of the options.
import type { Depth } from "./boxes";
import { byId } from "./dom";
import { DEFAULTS, option, withOption, type View } from "./view_url";

export interface Controls {
    show(view: View, drawn: Depth): void;
}

// Check boxes whose option is the other way round are marked in the page: data-off="1".
function bindOptions(current: () => View, change: (view: View) => void): HTMLElement[] {
    const inputs = [...document.querySelectorAll<HTMLElement>("[data-option]")];
    for (const input of inputs) {
        input.addEventListener("change", () => {
            change(withOption(current(), input.dataset.option ?? "", valueOf(input)));
        });
    }
    return inputs;
}

function valueOf(input: HTMLElement): string {
    if (input instanceof HTMLInputElement) {
        return input.checked !== Boolean(input.dataset.off) ? "1" : "0";
    }
    return (input as HTMLSelectElement).value;
}

function showOption(input: HTMLElement, view: View): void {
    const value = option(view, input.dataset.option ?? "");
    if (input instanceof HTMLInputElement) {
        input.checked = (value === "1") !== Boolean(input.dataset.off);
    } else {
        (input as HTMLSelectElement).value = value;
    }
}

export function makeControls(
    deepest: () => number,
    current: () => View,
    change: (view: View) => void,
): Controls {
    const inputs = bindOptions(current, change);
    const auto = byId<HTMLButtonElement>("depth-auto");
    const all = byId<HTMLButtonElement>("depth-all");
    const less = byId<HTMLButtonElement>("depth-less");
    const more = byId<HTMLButtonElement>("depth-more");
    const reset = byId<HTMLButtonElement>("reset");
    let depth = 0;

    function setDepth(value: string): void {
        change(withOption(current(), "depth", value));
    }

    auto.addEventListener("click", () => setDepth(DEFAULTS.depth ?? ""));
    all.addEventListener("click", () => setDepth("inf"));
    less.addEventListener("click", () => setDepth(String(depth - 1)));
    more.addEventListener("click", () => setDepth(String(depth + 1)));
    reset.addEventListener("click", () => change(new Map()));

    return {
        show(view, drawn) {
            const asked = option(view, "depth");
            const most = deepest() + (option(view, "hide_module_functions") === "0" ? 1 : 0);
            depth = drawn === "inf" ? most : Math.min(drawn, most);
            byId("depth").textContent = `${depth} of ${most}`;
            auto.setAttribute("aria-pressed", String(asked === "auto"));
            all.setAttribute("aria-pressed", String(asked === "inf"));
            less.disabled = depth <= 0;
            more.disabled = depth >= most;
            reset.hidden = view.size === 0;
            inputs.forEach((input) => showOption(input, view));
        },
    };
}
