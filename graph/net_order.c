// Execution order: Kahn's algorithm graph by graph, the node with the smallest index first, so that
// a sorted file keeps its order; then bodies are strung in before their holders.
#include "graph/net_internal.h"

// Steps that the search for cycles may take, per node and edge. Past it the first waiting node is
// taken, cycle or not: only what was built to be hard gets there.
#define CYCLE_STEPS 8

struct order {
    struct net_build *b;
    uint32_t *local;    // per graph, from its first node's index on: its nodes in order
    uint32_t *waiting;  // per node: inputs whose producers have not come yet
    uint8_t *done;      // per node: placed
    uint32_t *heap;     // ready nodes, smallest index on top
    uint32_t n_heap;
    uint32_t *path;  // chain of waiting nodes, each followed by a producer it waits for
    uint32_t n_path;
    uint32_t *on_path;  // per node: place on the path plus 1, 0 = not on it
    uint64_t budget;
};

// The producer of a slot's value when it stands in the same graph, else ONNX_NONE.
static uint32_t producer_of(const struct net_build *b, uint32_t node, uint32_t slot) {
    const struct graph_net_node *n = &b->nodes[node];
    uint32_t value = slot < n->n_inputs ? n->inputs[slot] : n->captured[slot - n->n_inputs];
    if (value == ONNX_NONE) {
        return ONNX_NONE;
    }
    uint32_t producer = b->values[value].producer;
    return producer != ONNX_NONE && b->nodes[producer].graph == n->graph ? producer : ONNX_NONE;
}

static uint32_t slots_of(const struct net_build *b, uint32_t node) {
    return b->nodes[node].n_inputs + b->nodes[node].n_captured;
}

// ---- heap of ready nodes

static void heap_push(struct order *o, uint32_t node) {
    uint32_t at = o->n_heap++;
    for (; at > 0 && o->heap[(at - 1) / 2] > node; at = (at - 1) / 2) {
        o->heap[at] = o->heap[(at - 1) / 2];
    }
    o->heap[at] = node;
}

static uint32_t heap_pop(struct order *o) {
    uint32_t top = o->heap[0];
    uint32_t last = o->heap[--o->n_heap];
    uint32_t at = 0;
    for (uint32_t child = 1; child < o->n_heap; child = 2 * at + 1) {
        if (child + 1 < o->n_heap && o->heap[child + 1] < o->heap[child]) {
            child++;
        }
        if (o->heap[child] >= last) {
            break;
        }
        o->heap[at] = o->heap[child];
        at = child;
    }
    o->heap[at] = last;
    return top;
}

// ---- cycles

static uint32_t waits_for(const struct order *o, uint32_t node) {
    for (uint32_t slot = 0; slot < slots_of(o->b, node); slot++) {
        uint32_t producer = producer_of(o->b, node, slot);
        if (producer != ONNX_NONE && !o->done[producer]) {
            return producer;
        }
    }
    return ONNX_NONE;
}

static void cut_path(struct order *o, uint32_t length) {
    while (o->n_path > length) {
        o->on_path[o->path[--o->n_path]] = 0;
    }
}

static uint32_t smallest_from(const struct order *o, uint32_t from) {
    uint32_t smallest = o->path[from];
    for (uint32_t i = from + 1; i < o->n_path; i++) {
        if (o->path[i] < smallest) {
            smallest = o->path[i];
        }
    }
    return smallest;
}

// A node that lies on a cycle, the smallest of it: walks from what waits to what it waits for until
// the walk meets itself. The path is kept between calls, so that a long way to many cycles is
// walked once: a node of it comes only after the next one came, so what is done lies at its end.
// `first` is the first waiting node of the graph.
static uint32_t node_on_cycle(struct order *o, uint32_t first) {
    while (o->n_path && o->done[o->path[o->n_path - 1]]) {
        cut_path(o, o->n_path - 1);
    }
    uint32_t node = first;
    if (o->n_path) {
        node = o->path[o->n_path - 1];
        cut_path(o, o->n_path - 1);
    }
    while (node != ONNX_NONE && !o->on_path[node]) {
        uint64_t cost = slots_of(o->b, node) + 1;
        if (o->budget < cost) {
            return first;
        }
        o->budget -= cost;
        o->path[o->n_path++] = node;
        o->on_path[node] = o->n_path;
        node = waits_for(o, node);
    }
    return node == ONNX_NONE ? first : smallest_from(o, o->on_path[node] - 1);
}

// ---- one graph

static bool is_sorted(const struct net_build *b, const struct graph_net_graph *graph) {
    for (uint32_t i = graph->first_node; i < graph->first_node + graph->n_nodes; i++) {
        for (uint32_t slot = 0; slot < slots_of(b, i); slot++) {
            uint32_t producer = producer_of(b, i, slot);
            if (producer != ONNX_NONE && producer >= i) {
                return false;
            }
        }
    }
    return true;
}

static void release_readers(struct order *o, uint32_t node) {
    const struct net_build *b = o->b;
    const struct graph_net_node *n = &b->nodes[node];
    for (uint32_t i = 0; i < n->n_outputs; i++) {
        uint32_t value = n->outputs[i];
        if (value == ONNX_NONE) {
            continue;
        }
        for (uint32_t u = b->net->first_use[value]; u < b->net->first_use[value + 1]; u++) {
            uint32_t reader = b->net->uses[u].node;
            if (b->nodes[reader].graph == n->graph && --o->waiting[reader] == 0 &&
                !o->done[reader]) {
                heap_push(o, reader);
            }
        }
    }
}

static struct str shown_name(const struct onnx_node *node) {
    if (node->name.n) {
        return node->name;
    }
    return node->n_outputs && node->outputs[0].n ? node->outputs[0] : node->op;
}

static void sort_graph(struct order *o, const struct graph_net_graph *graph) {
    struct net_build *b = o->b;
    uint32_t first = graph->first_node, end = first + graph->n_nodes;
    for (uint32_t i = first; i < end; i++) {
        for (uint32_t slot = 0; slot < slots_of(b, i); slot++) {
            o->waiting[i] += producer_of(b, i, slot) != ONNX_NONE;
        }
        if (o->waiting[i] == 0) {
            heap_push(o, i);
        }
    }
    uint32_t first_waiting = first;
    for (uint32_t next = first; next < end; next++) {
        uint32_t node;
        if (o->n_heap) {
            node = heap_pop(o);
        } else {
            while (o->done[first_waiting]) {
                first_waiting++;
            }
            node = node_on_cycle(o, first_waiting);
            if (o->on_path[node]) {
                cut_path(o, o->on_path[node] - 1);
            }
            net_warn(b, NET_WARNING_CYCLE, shown_name(b->nodes[node].proto));
        }
        o->done[node] = 1;
        o->local[next] = node;
        release_readers(o, node);
    }
    cut_path(o, 0);
}

// ---- bodies before holders

struct level {
    uint32_t graph;
    uint32_t next;  // place in the graph's own order
    uint32_t body;  // of the node there: still to be written, ONNX_NONE = none left
};

static void enter(const struct order *o, struct level *level, uint32_t graph) {
    const struct graph_net_graph *g = &o->b->graphs[graph];
    *level = (struct level){.graph = graph, .next = g->first_node, .body = ONNX_NONE};
    if (g->n_nodes) {
        level->body = o->b->first_body[o->local[level->next]];
    }
}

static void string_together(const struct order *o, struct level *levels, uint32_t *out) {
    const struct net_build *b = o->b;
    uint32_t depth = 0;
    enter(o, &levels[0], 0);
    for (;;) {
        struct level *top = &levels[depth];
        uint32_t end = b->graphs[top->graph].first_node + b->graphs[top->graph].n_nodes;
        if (top->next == end) {
            if (depth-- == 0) {
                return;
            }
        } else if (top->body != ONNX_NONE) {
            uint32_t body = top->body;
            top->body = b->next_body[body];
            enter(o, &levels[++depth], body);
        } else {
            *out++ = o->local[top->next++];
            top->body = top->next < end ? b->first_body[o->local[top->next]] : ONNX_NONE;
        }
    }
}

static int alloc_order(struct order *o, struct error *err) {
    struct arena *scratch = &o->b->scratch;
    size_t n = o->b->net->n_nodes;
    o->local = arena_array(scratch, n, sizeof(*o->local));
    o->waiting = arena_array(scratch, n, sizeof(*o->waiting));
    o->done = arena_array(scratch, n, sizeof(*o->done));
    o->heap = arena_array(scratch, n, sizeof(*o->heap));
    o->path = arena_array(scratch, n, sizeof(*o->path));
    o->on_path = arena_array(scratch, n, sizeof(*o->on_path));
    if (!o->local || !o->waiting || !o->done || !o->heap || !o->path || !o->on_path) {
        return arena_error(scratch, "nodes", err);
    }
    o->budget = CYCLE_STEPS * ((uint64_t)n + o->b->net->first_use[o->b->n_values]);
    return 0;
}

int net_order(struct net_build *b, struct error *err) {
    struct order o = {.b = b};
    int result = alloc_order(&o, err);
    if (result < 0) {
        return result;
    }
    for (size_t g = 0; g < b->model->n_graphs; g++) {
        const struct graph_net_graph *graph = &b->graphs[g];
        if (!is_sorted(b, graph)) {
            sort_graph(&o, graph);
            continue;
        }
        for (uint32_t i = 0; i < graph->n_nodes; i++) {
            o.local[graph->first_node + i] = graph->first_node + i;
        }
    }
    uint32_t *out = arena_array(&b->net->arena, b->net->n_nodes, sizeof(*out));
    struct level *levels = arena_array(&b->scratch, b->model->n_graphs, sizeof(*levels));
    if (!out || !levels) {
        return arena_error(&b->net->arena, "nodes", err);
    }
    string_together(&o, levels, out);
    b->net->order = out;
    return 0;
}
