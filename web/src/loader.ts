// Gets the picture of a view and what it shows, one view at a time: a newer one stops the older.
import { getGraph, getPicture, type Graph } from "./api";
import { itemsOf, type Items } from "./items";
import { readPicture, type Picture } from "./picture";
import { Problem } from "./problem";
import { withOption, type View } from "./view_url";

export interface Drawing {
    picture: Picture;
    graph: Graph;
    items: Items;
}

export interface Loader {
    // `query` gives the query of a view. null: a newer view was asked for.
    load(view: View, query: (view: View) => string): Promise<Drawing | null>;
}

function countOf(picture: Picture, letter: string): number {
    return [...picture.elements.keys()].filter((id) => id.startsWith(letter)).length;
}

function agree({ picture, graph }: Drawing): boolean {
    return (
        countOf(picture, "n") === graph.nodes.length && countOf(picture, "m") === graph.clusters.length
    );
}

// A view that cannot be laid out is drawn less deep, and the description of the picture says how
// deep; the document about it is not. What was opened by hand is closed then.
function coarserView(view: View, picture: Picture): View {
    const description = picture.svg.querySelector(":scope > desc")?.textContent ?? "";
    const depth = / at depth (\d+),/.exec(description)?.[1];
    if (depth === undefined) {
        throw new Problem("The picture cannot be shown", "It is not the view that was asked for.");
    }
    const plain = withOption(withOption(view, "expand", ""), "collapse", "");
    return withOption(plain, "depth", depth);
}

async function fetchDrawing(id: string, query: string, signal: AbortSignal): Promise<Drawing> {
    const [svg, graph] = await Promise.all([
        getPicture(id, query, signal),
        getGraph(id, query, signal),
    ]);
    return { picture: readPicture(svg), graph, items: itemsOf(graph) };
}

export function makeLoader(id: string): Loader {
    let running: AbortController | null = null;

    async function loadBoth(
        view: View,
        query: (view: View) => string,
        signal: AbortSignal,
    ): Promise<Drawing> {
        const first = await fetchDrawing(id, query(view), signal);
        if (agree(first)) {
            return first;
        }
        const coarser = coarserView(view, first.picture);
        const second = await fetchDrawing(id, query(coarser), signal);
        second.graph.warnings.push({
            code: "view-coarser",
            message: `this view is too large to be drawn: it is shown at depth ${coarser.get("depth")}`,
        });
        return second;
    }

    return {
        async load(view, query) {
            running?.abort();
            const mine = new AbortController();
            running = mine;
            try {
                return await loadBoth(view, query, mine.signal);
            } catch (error) {
                if (mine.signal.aborted) {
                    return null;
                }
                mine.abort();
                throw error;
            }
        },
    };
}
