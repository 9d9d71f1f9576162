// <details> as menus: one open at a time, closed by Escape and by a click elsewhere.
export function bindMenus(): void {
    const menus = [...document.querySelectorAll<HTMLDetailsElement>("details.menu")];

    addEventListener("pointerdown", (event) => {
        for (const menu of menus) {
            if (!menu.contains(event.target as Node)) {
                menu.open = false;
            }
        }
    }, true);
    for (const menu of menus) {
        menu.addEventListener("keydown", (event) => {
            if (event.key === "Escape" && menu.open) {
                menu.open = false;
                menu.querySelector("summary")?.focus();
                event.stopPropagation();
            }
        });
    }
}
