// The view that a picture shows lives in the query of the page's address, in the names and values
// of the API, so that a link is a view. What the page does not know passes through to the daemon.
export type View = ReadonlyMap<string, string>;

export const DEFAULTS: Readonly<Record<string, string>> = {
    depth: "auto",
    expand: "",
    collapse: "",
    expand_nested: "1",
    hide_module_functions: "1",
    hide_shape_ops: "1",
    show_shapes: "1",
    strict: "1",
    names: "both",
    graph_dir: "TB",
};

export function parseView(search: string): View {
    return new Map(new URLSearchParams(search));
}

export function option(view: View, name: string): string {
    return view.get(name) ?? DEFAULTS[name] ?? "";
}

// A default is not written out: "" removes an option that has none.
export function withOption(view: View, name: string, value: string): View {
    const changed = new Map(view);
    if (value === (DEFAULTS[name] ?? "")) {
        changed.delete(name);
    } else {
        changed.set(name, value);
    }
    return changed;
}

// Commas, slashes and the like need no escape in a query, and people read these addresses.
function encode(text: string): string {
    return encodeURIComponent(text).replace(/%2C/g, ",").replace(/%40/g, "@");
}

export function queryOf(view: View): string {
    return [...view].map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
}

// A theme that the address does not name follows the reader's system.
export function pictureQuery(view: View, prefersDark: boolean): string {
    const dark = !view.has("theme") && prefersDark;
    return queryOf(dark ? new Map([...view, ["theme", "dark"]]) : view);
}
