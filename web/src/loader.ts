// Gets the picture of a view and what it shows, one view at a time: a newer one stops the older.
import { getGraph, getPicture, type Graph } from "./api";
import { itemsOf, type Items } from "./items";
import { readPicture, type Picture } from "./picture";

export interface Drawing {
    picture: Picture;
    graph: Graph;
    items: Items;
}

export interface Loader {
    load(query: string): Promise<Drawing | null>; // null: a newer one was asked for
}

export function makeLoader(id: string): Loader {
    let running: AbortController | null = null;
    return {
        async load(query) {
            running?.abort();
            const mine = new AbortController();
            running = mine;
            try {
                const [svg, graph] = await Promise.all([
                    getPicture(id, query, mine.signal),
                    getGraph(id, query, mine.signal),
                ]);
                return { picture: readPicture(svg), graph, items: itemsOf(graph) };
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
