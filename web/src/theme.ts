// Light or dark: what the address says, else what the reader's system says.
import type { View } from "./view_url";

const system = matchMedia("(prefers-color-scheme: dark)");

export function prefersDark(): boolean {
    return system.matches;
}

export function onSystemTheme(act: () => void): void {
    system.addEventListener("change", act);
}

export function applyTheme(view: View): void {
    const theme = view.get("theme") ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme === "dark" ? "dark" : "light";
}
