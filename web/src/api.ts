// What the daemon answers, and how it is asked.
import { problemFrom, unreachable } from "./problem";

export type Count = number | string | null;
export type Dim = number | string | null;

export interface TensorType {
    dtype: string | null;
    shape: Dim[] | null;
}

export interface Warning {
    code: string;
    message: string;
    where?: string | null;
}

export interface Summary {
    id: string;
    size: number;
    complete: boolean;
    producer: string;
    producer_version: string;
    ir_version: number;
    opsets: Record<string, number>;
    graph_name: string;
    inputs: (TensorType & { name: string })[];
    outputs: (TensorType & { name: string })[];
    counts: Record<string, number>;
    hierarchy: { depth: number };
    parameters: Count;
    parameter_bytes: Count;
    macs: Count;
    activation_bytes: Count;
    operators: Record<string, number>;
    metadata: Record<string, string>;
    warnings: Warning[];
}

export interface GraphNode extends Record<string, unknown> {
    id: string;
    kind: string;
    label: string;
    path: string;
    class: string | null;
    calls: number[];
    op: string | null;
    domain?: string;
    name?: string;
    depth: number;
    count: number;
    cluster: string | null;
    inputs: TensorType[];
    outputs: TensorType[];
    parameters: Count;
    macs: Count;
}

export interface GraphEdge {
    id: string;
    from: string;
    to: string;
    count: number;
    tensors: string[];
}

export interface GraphCluster {
    id: string;
    label: string;
    path: string;
    class: string | null;
    calls: number[];
    parent: string | null;
    kind: string;
    depth: number;
}

export interface Graph {
    options: Record<string, string | number>;
    nodes: GraphNode[];
    edges: GraphEdge[];
    clusters: GraphCluster[];
    warnings: Warning[];
}

export interface Listing {
    id: string;
    size: number;
    producer: string;
    nodes: number;
    created: string;
}

export interface ModelList {
    models: Listing[];
    next: string | null;
}

const LIST_ROWS = 20;

async function ask(path: string, signal?: AbortSignal): Promise<Response> {
    let response: Response;
    try {
        response = await fetch(path, { signal });
    } catch (error) {
        if (signal?.aborted) {
            throw error;
        }
        throw unreachable();
    }
    if (!response.ok) {
        throw problemFrom(response.status, await response.text());
    }
    return response;
}

async function askJson<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await ask(path, signal)).json() as Promise<T>;
}

// Address of something that belongs to a model: modelAddress(id, "/graph.svg", "depth=2").
export function modelAddress(id: string, rest = "", query = ""): string {
    return `/v1/models/${id}${rest}${query && "?"}${query}`;
}

export function getSummary(id: string): Promise<Summary> {
    return askJson(modelAddress(id));
}

export function getGraph(id: string, query: string, signal: AbortSignal): Promise<Graph> {
    return askJson(modelAddress(id, "/graph.json", query), signal);
}

export async function getPicture(id: string, query: string, signal: AbortSignal): Promise<string> {
    return (await ask(modelAddress(id, "/graph.svg", query), signal)).text();
}

export function listModels(cursor: string | null): Promise<ModelList> {
    const query = new URLSearchParams({ limit: String(LIST_ROWS) });
    if (cursor) {
        query.set("cursor", cursor);
    }
    return askJson(`/v1/models?${query}`);
}

export async function getVersion(): Promise<string> {
    return (await askJson<{ version: string }>("/version")).version;
}
