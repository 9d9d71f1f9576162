// What a picture shows, by the ids that its elements carry: nodes (n12), boxes (m7), edges (e40).
import type { Graph, GraphCluster, GraphEdge, GraphNode } from "./api";
import type { Box } from "./boxes";

export interface Item {
    id: string;
    label: string;
    kind: string;
    path: string;
    node: GraphNode | null;
    cluster: GraphCluster | null;
    box: Box | null; // what can be opened or closed; null: an operator, an input, ...
    isOpen: boolean;
    key: string; // the same thing in another picture of the model
}

export interface Items {
    all: Item[]; // boxes in front of nodes, both in execution order
    byId: Map<string, Item>;
    byKey: Map<string, Item>;
    into: Map<string, GraphEdge[]>;
    outOf: Map<string, GraphEdge[]>;
}

// Runs and sections open as modules do; what stands for single operators does not.
function isBox(thing: GraphNode | GraphCluster): boolean {
    if (thing.kind === "fold") {
        return !("op" in thing && thing.op);
    }
    return thing.kind === "module" || thing.kind === "section";
}

function boxOf(thing: GraphNode | GraphCluster, leaf: boolean): Box | null {
    if (!isBox(thing)) {
        return null;
    }
    return { path: thing.path, call: thing.calls[0] ?? 0, depth: thing.depth, leaf };
}

function boxKey(thing: GraphNode | GraphCluster): string {
    return `box ${thing.path}@${thing.calls.join("+")}`;
}

function nodeItem(node: GraphNode): Item {
    return {
        id: node.id,
        label: node.label,
        kind: node.kind,
        path: node.path,
        node,
        cluster: null,
        box: boxOf(node, false),
        isOpen: false,
        key: isBox(node) ? boxKey(node) : `${node.kind} ${node.name || node.label} ${node.path}`,
    };
}

function clusterItem(cluster: GraphCluster, leaf: boolean): Item {
    return {
        id: cluster.id,
        label: cluster.label,
        kind: cluster.kind,
        path: cluster.path,
        node: null,
        cluster,
        box: boxOf(cluster, leaf),
        isOpen: true,
        key: isBox(cluster) ? boxKey(cluster) : `${cluster.kind} ${cluster.path}`,
    };
}

function clustersWithModules(graph: Graph): Set<string | null> {
    const found = new Set<string | null>();
    for (const node of graph.nodes) {
        if (isBox(node)) {
            found.add(node.cluster);
        }
    }
    for (const cluster of graph.clusters) {
        found.add(cluster.parent);
    }
    return found;
}

function edgesBy(graph: Graph, end: "from" | "to"): Map<string, GraphEdge[]> {
    const found = new Map<string, GraphEdge[]>();
    for (const edge of graph.edges) {
        const list = found.get(edge[end]);
        if (list) {
            list.push(edge);
        } else {
            found.set(edge[end], [edge]);
        }
    }
    return found;
}

export function itemsOf(graph: Graph): Items {
    const holders = clustersWithModules(graph);
    const all = [
        ...graph.clusters.map((cluster) => clusterItem(cluster, !holders.has(cluster.id))),
        ...graph.nodes.map(nodeItem),
    ];
    return {
        all,
        byId: new Map(all.map((item) => [item.id, item])),
        byKey: new Map(all.map((item) => [item.key, item])),
        into: edgesBy(graph, "to"),
        outOf: edgesBy(graph, "from"),
    };
}
