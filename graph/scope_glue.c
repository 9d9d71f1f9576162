#include "graph/scope_internal.h"

// Nodes that say nothing about themselves go where their neighbours are: between what they read and
// what reads them, so into the deepest call that holds both. Plumbing goes to its readers. No
// module is made here.

struct label {
    uint32_t call;  // ONNX_NONE = no neighbour at all
    bool evidence;  // at least one of the neighbours is a placed node
};

struct gluer {
    struct scope_work *work;
    uint32_t *depth;         // per call
    struct label *forward;   // per node: over what it reads
    struct label *backward;  // per node: over what reads it
    bool *open;              // per node: has no evidence of its own
    struct label *body;      // per node: over what its function is between
};

static uint32_t common_call(const struct gluer *g, uint32_t a, uint32_t b) {
    const struct scope_call *calls = g->work->calls;

    while (a != b) {
        if (g->depth[a] >= g->depth[b]) {
            a = calls[a].parent;
        } else {
            b = calls[b].parent;
        }
    }
    return a;
}

static void add_call(const struct gluer *g, struct label *l, uint32_t call, bool evidence) {
    l->call = l->call == ONNX_NONE ? call : common_call(g, l->call, call);
    l->evidence = l->evidence || evidence;
}

static void add_label(const struct gluer *g, struct label *l, struct label other) {
    if (other.call != ONNX_NONE) {
        add_call(g, l, other.call, other.evidence);
    }
}

static bool is_plumbing(const struct gluer *g, uint32_t node) {
    return scope_is_plumbing(g->work, node);
}

static void look_back(struct gluer *g, uint32_t node) {
    const struct scope_work *work = g->work;
    const struct graph_net_node *n = &work->net->nodes[node];

    for (uint32_t k = 0; k < n->n_inputs + n->n_captured; k++) {
        uint32_t v = k < n->n_inputs ? n->inputs[k] : n->captured[k - n->n_inputs], producer;

        if (v == ONNX_NONE) {
            continue;
        }
        producer = work->net->values[v].producer;
        if (producer == ONNX_NONE) {
            if (work->net->values[v].kind == GRAPH_VALUE_INPUT && work->net->values[v].graph == 0) {
                add_call(g, &g->forward[node], 0, false);
            }
        } else if (!g->open[producer]) {
            if (!is_plumbing(g, producer)) {
                add_call(g, &g->forward[node], work->node_call[producer], true);
            }
        } else if (!is_plumbing(g, producer)) {
            add_label(g, &g->forward[node], g->forward[producer]);
        }
    }
}

static void look_ahead(struct gluer *g, uint32_t node) {
    const struct graph_net *net = g->work->net;
    const struct graph_net_node *n = &net->nodes[node];

    for (uint32_t k = 0; k < n->n_outputs; k++) {
        uint32_t v = n->outputs[k];

        for (uint32_t u = v == ONNX_NONE ? 0 : net->first_use[v];
             v != ONNX_NONE && u < net->first_use[v + 1]; u++) {
            uint32_t reader = net->uses[u].node;

            if (is_plumbing(g, reader)) {
                continue;
            }
            if (!g->open[reader]) {
                add_call(g, &g->backward[node], g->work->node_call[reader], true);
            } else {
                add_label(g, &g->backward[node], g->backward[reader]);
            }
        }
    }
}

// Whoever uses the model reads its outputs.
static void note_outputs(struct gluer *g) {
    const struct graph_net *net = g->work->net;

    for (uint32_t i = 0; net->model->n_graphs > 0 && i < net->graphs[0].n_outputs; i++) {
        uint32_t v = net->graphs[0].outputs[i];
        uint32_t producer = v == ONNX_NONE ? ONNX_NONE : net->values[v].producer;

        if (producer != ONNX_NONE) {
            add_call(g, &g->backward[producer], 0, false);
        }
    }
}

static bool carries_its_input(struct str op) {
    return str_eq(op, STR("QuantizeLinear")) || str_eq(op, STR("DequantizeLinear")) ||
           str_eq(op, STR("Cast"));
}

static void settle(struct gluer *g, uint32_t node, struct label l) {
    g->work->node_call[node] = l.call == ONNX_NONE ? 0 : l.call;
    g->work->marks[node].source =
        l.call != ONNX_NONE && l.evidence ? GRAPH_SCOPE_NEIGHBOUR : GRAPH_SCOPE_NONE;
}

static uint32_t outermost_call(const struct scope_work *work, uint32_t node) {
    while (scope_is_inner(work, node)) {
        node = graph_scope_caller(work, node);
    }
    return node;
}

static bool follows_its_producer(const struct gluer *g, uint32_t node) {
    const struct graph_net_node *n = &g->work->net->nodes[node];

    return g->work->net->holder[n->graph] == ONNX_NONE && g->forward[node].call != ONNX_NONE &&
           carries_its_input(n->proto->op);
}

// Where its producer was put in the end, which may be further out than what that reads.
static void place_carrier(struct gluer *g, uint32_t node) {
    const struct graph_net *net = g->work->net;
    const struct graph_net_node *n = &net->nodes[node];
    struct label l = g->forward[node];
    uint32_t producer = ONNX_NONE;

    if (n->n_inputs > 0 && n->inputs[0] != ONNX_NONE) {
        producer = net->values[n->inputs[0]].producer;
    }
    if (producer != ONNX_NONE && g->open[producer] && g->work->node_call[producer] != ONNX_NONE) {
        l = (struct label){g->work->node_call[producer],
                           g->work->marks[producer].source != GRAPH_SCOPE_NONE};
    }
    if (scope_is_inner(g->work, node)) {
        add_label(g, &g->body[outermost_call(g->work, node)], l);
    }
    l.evidence = l.evidence && !g->work->unscoped;
    settle(g, node, l);
}

static void place_operator(struct gluer *g, uint32_t node) {
    const struct graph_net_node *n = &g->work->net->nodes[node];
    struct label l = g->forward[node];
    uint32_t holder = g->work->net->holder[n->graph];

    if (holder != ONNX_NONE) {
        l = (struct label){g->work->node_call[holder],
                           g->work->marks[holder].source != GRAPH_SCOPE_NONE};
    } else {
        add_label(g, &l, g->backward[node]);
    }
    if (scope_is_inner(g->work, node)) {
        add_label(g, &g->body[outermost_call(g->work, node)], l);
    }
    // What is certain between owners of parameters has its place already.
    l.evidence = l.evidence && !(g->work->unscoped && holder == ONNX_NONE);
    settle(g, node, l);
}

static void place_plumbing(struct gluer *g, uint32_t node) {
    const struct graph_net *net = g->work->net;
    const struct graph_net_node *n = &net->nodes[node];
    struct label l = {ONNX_NONE, false};

    for (uint32_t k = 0; k < n->n_outputs; k++) {
        uint32_t v = n->outputs[k];

        if (v == ONNX_NONE) {
            continue;
        }
        for (uint32_t u = net->first_use[v]; u < net->first_use[v + 1]; u++) {
            uint32_t reader = net->uses[u].node;

            if (g->work->node_call[reader] != ONNX_NONE) {
                add_call(g, &l, g->work->node_call[reader],
                         g->work->marks[reader].source != GRAPH_SCOPE_NONE);
            }
        }
    }
    settle(g, node, l);
}

static void fill_depths(const struct scope_work *work, uint32_t *depth) {
    uint32_t path[SCOPE_MAX_LEVELS + 2];

    for (size_t c = 1; c < work->n_calls; c++) {
        uint32_t at = (uint32_t)c;
        size_t n = 0;

        // 0 is "not known" for all calls but the root.
        while (at != 0 && depth[at] == 0) {
            path[n++] = at;
            at = work->calls[at].parent;
        }
        while (n-- > 0) {
            depth[path[n]] = depth[at] + 1;
            at = path[n];
        }
    }
}

static void glue(struct gluer *g) {
    const struct graph_net *net = g->work->net;

    for (size_t i = 0; i < net->n_nodes; i++) {
        g->open[i] = g->work->node_call[i] == ONNX_NONE;
        g->forward[i] = g->backward[i] = g->body[i] = (struct label){ONNX_NONE, false};
    }
    note_outputs(g);
    for (size_t i = 0; i < net->n_nodes; i++) {
        if (g->open[net->order[i]]) {
            look_back(g, net->order[i]);
        }
    }
    for (size_t i = net->n_nodes; i-- > 0;) {
        if (g->open[net->order[i]]) {
            look_ahead(g, net->order[i]);
        }
    }
    // By index, so that a holder comes before the nodes of its bodies.
    for (uint32_t i = 0; i < net->n_nodes; i++) {
        if (g->open[i] && !is_plumbing(g, i) && !net->nodes[i].proto->expanded &&
            !follows_its_producer(g, i)) {
            place_operator(g, i);
        }
    }
    for (size_t i = 0; i < net->n_nodes; i++) {
        uint32_t node = net->order[i];

        if (g->open[node] && !is_plumbing(g, node) && !net->nodes[node].proto->expanded &&
            follows_its_producer(g, node)) {
            place_carrier(g, node);
        }
    }
    for (size_t i = net->n_nodes; i-- > 0;) {
        uint32_t node = net->order[i];

        if (g->open[node] && net->nodes[node].proto->expanded) {
            settle(g, node, g->body[node]);
        } else if (g->open[node] && is_plumbing(g, node)) {
            place_plumbing(g, node);
        }
    }
}

int graph_scope_glue(struct scope_work *work) {
    struct gluer g = {.work = work};
    size_t n = work->net->n_nodes;

    g.depth = arena_array(&work->scratch, work->n_calls, sizeof(*g.depth));
    g.forward = arena_array(&work->scratch, n, sizeof(*g.forward));
    g.backward = arena_array(&work->scratch, n, sizeof(*g.backward));
    g.open = arena_array(&work->scratch, n, sizeof(*g.open));
    g.body = arena_array(&work->scratch, n, sizeof(*g.body));
    if (!g.depth || !g.forward || !g.backward || !g.open || !g.body) {
        return arena_error(&work->scratch, "the hierarchy", work->err);
    }
    fill_depths(work, g.depth);
    glue(&g);
    return 0;
}
