// Addresses of what is on the screen: to copy, and to download.
import { modelAddress } from "./api";
import { bindCopy } from "./clipboard";
import { byId } from "./dom";
import { pictureQuery, queryOf, type View } from "./view_url";

const DOWNLOADS = ["svg", "png", "pdf", "html", "dot", "json"];

function pageAddress(folder: string, id: string, view: View): string {
    const query = queryOf(view);
    return `${location.origin}/${folder}/${id}${query && "?"}${query}`;
}

function escapeAttribute(text: string): string {
    return text.replace(/&/g, "&amp;").replace(/"/g, "&quot;");
}

export function bindShare(id: string, view: () => View): void {
    const copies: Record<string, () => string> = {
        "copy-link": () => pageAddress("models", id, view()),
        "copy-picture": () => location.origin + modelAddress(id, "/graph.svg", queryOf(view())),
        "copy-embed": () =>
            `<iframe src="${escapeAttribute(pageAddress("embed", id, view()))}" ` +
            `width="800" height="600" title="Model graph"></iframe>`,
    };
    for (const [name, text] of Object.entries(copies)) {
        bindCopy(byId<HTMLButtonElement>(name), text);
    }
}

export function showDownloads(id: string, view: View, dark: boolean): void {
    const query = [pictureQuery(view, dark), "download=1"].filter((part) => part).join("&");
    for (const format of DOWNLOADS) {
        byId<HTMLAnchorElement>(`download-${format}`).href =
            modelAddress(id, `/graph.${format}`, query);
    }
}
