// Multiply-accumulates and bytes of activations: from nodes to calls, from calls to their parents.
#include <stdlib.h>

#include "graph/cost_internal.h"
#include "onnx/dtype.h"

struct work {
    const struct graph_net *net;
    const struct graph_plumbing_map *plumbing;
    const struct graph_hierarchy *hierarchy;
    struct graph_shapes *shapes;
    struct dim_num *times;    // per onnx graph: how often its nodes run in one run of the model
    struct dim_num *bodies;   // per onnx graph: multiply-accumulates of one run
    uint32_t *first;          // per call: into nodes; one more at the end
    uint32_t *nodes;          // all nodes, call by call
    struct dim_num *scratch;  // one number per node of a call or graph
};

static const struct dim_num unknown = {.kind = DIM_UNKNOWN};

// ---- how often bodies run

static struct dim_num sum_of_graph(struct work *w, uint32_t graph) {
    const struct graph_net_graph *g = &w->net->graphs[graph];
    return dim_total(w->shapes->dims, w->shapes->macs + g->first_node, g->n_nodes);
}

// The other branch of an If, or ONNX_NONE.
static uint32_t other_branch(const struct graph_net *net, uint32_t graph) {
    const struct onnx_node *holder = net->nodes[net->holder[graph]].proto;
    const struct onnx_attr *yes = onnx_node_attr(holder, "then_branch");
    const struct onnx_attr *no = onnx_node_attr(holder, "else_branch");
    if (!yes || !no || yes->type != ONNX_ATTR_GRAPH || no->type != ONNX_ATTR_GRAPH || !yes->n ||
        !no->n || !str_eq_z(holder->op, "If")) {
        return ONNX_NONE;
    }
    if (yes->graphs[0] == graph) {
        return no->graphs[0];
    }
    return no->graphs[0] == graph ? yes->graphs[0] : ONNX_NONE;
}

// With an unknown condition it does not matter which branch runs when both cost the same.
static void choose_branch(struct work *w, uint32_t graph, uint32_t other) {
    struct dim_num *repeats = w->shapes->repeats;
    if (repeats[graph].kind != DIM_UNKNOWN || !dim_same(w->bodies[graph], w->bodies[other])) {
        return;
    }
    repeats[graph] = dim_int(1);
    repeats[other] = dim_int(0);
}

static void hand_up(struct work *w, uint32_t graph) {
    struct dim_pool *pool = w->shapes->dims;
    uint32_t parent = w->net->nodes[w->net->holder[graph]].graph;
    struct dim_num all = dim_mul(pool, w->shapes->repeats[graph], w->bodies[graph]);
    w->bodies[parent] = dim_add(pool, w->bodies[parent], all);
}

// Bodies come after the graph that holds them, so the way back meets the inner ones first; of an If
// both branches are summed up when the first of them comes.
static void sum_bodies(struct work *w) {
    const struct graph_net *net = w->net;
    size_t n = net->model->n_graphs;
    for (size_t g = 0; g < n; g++) {
        w->bodies[g] = dim_int(0);
    }
    for (uint32_t g = (uint32_t)n; g-- > 1;) {
        if (net->holder[g] == ONNX_NONE) {
            continue;
        }
        uint32_t other = other_branch(net, g);
        w->bodies[g] = dim_add(w->shapes->dims, w->bodies[g], sum_of_graph(w, g));
        if (other != ONNX_NONE && other < g) {
            continue;
        }
        if (other != ONNX_NONE && other > g) {
            choose_branch(w, g, other);
            hand_up(w, other);
        }
        hand_up(w, g);
    }
}

static void count_runs(struct work *w) {
    const struct graph_net *net = w->net;
    w->times[0] = dim_int(1);
    for (size_t g = 1; g < net->model->n_graphs; g++) {
        w->times[g] = dim_int(0);
        if (net->holder[g] != ONNX_NONE) {
            w->times[g] = dim_mul(w->shapes->dims, w->times[net->nodes[net->holder[g]].graph],
                                  w->shapes->repeats[g]);
        }
    }
}

// ---- one node

static struct dim_num macs_of(struct work *w, uint32_t node) {
    struct dim_num times = w->times[w->net->nodes[node].graph];
    if (dim_is_int(times, 1)) {
        return w->shapes->macs[node];
    }
    return dim_mul(w->shapes->dims, times, w->shapes->macs[node]);
}

static struct dim_num bytes_of_value(struct work *w, uint32_t value) {
    const struct graph_tensor_type *type = &w->shapes->values[value];
    struct dim_pool *pool = w->shapes->dims;
    struct dim_num n = dim_int(1);
    if (!type->has_rank || !onnx_dtype_name(type->dtype)) {
        return unknown;
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i].value == 0) {
            return dim_int(0);
        }
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        n = dim_mul(pool, n, dim_from(type->dims[i]));
    }
    unsigned bits = onnx_dtype_bits(type->dtype);
    if (bits % 8 == 0) {
        return dim_mul(pool, n, dim_int(bits / 8));
    }
    return dim_ceil_div(pool, dim_mul(pool, n, dim_int(bits)), 8);
}

static struct dim_num bytes_of(struct work *w, uint32_t node) {
    const struct graph_net_node *n = &w->net->nodes[node];
    struct dim_num sum = dim_int(0);
    if (w->plumbing->nodes[node] != GRAPH_PLUMBING_NONE) {
        return sum;
    }
    for (uint32_t i = 0; i < n->n_outputs; i++) {
        if (n->outputs[i] != ONNX_NONE) {
            sum = dim_add(w->shapes->dims, sum, bytes_of_value(w, n->outputs[i]));
        }
    }
    return sum;
}

// ---- calls

static void sort_by_call(struct work *w) {
    const struct graph_hierarchy *h = w->hierarchy;
    for (size_t i = 0; i < w->net->n_nodes; i++) {
        w->first[h->node_call[i] + 1]++;
    }
    for (size_t c = 0; c < h->n_calls; c++) {
        w->first[c + 1] += w->first[c];
    }
    for (uint32_t i = (uint32_t)w->net->n_nodes; i-- > 0;) {
        w->nodes[--w->first[h->node_call[i] + 1]] = i;
    }
    // The places have moved down by one call.
    for (size_t c = 0; c < h->n_calls; c++) {
        w->first[c] = w->first[c + 1];
    }
    w->first[h->n_calls] = (uint32_t)w->net->n_nodes;
}

static void sum_calls(struct work *w, struct dim_num (*cost)(struct work *, uint32_t),
                      struct dim_num *out) {
    const struct graph_hierarchy *h = w->hierarchy;
    struct dim_pool *pool = w->shapes->dims;
    for (size_t c = 0; c < h->n_calls; c++) {
        out[c] = dim_int(0);
    }
    for (size_t c = h->n_calls; c-- > 0;) {
        uint32_t n = w->first[c + 1] - w->first[c];
        for (uint32_t i = 0; i < n; i++) {
            w->scratch[i] = cost(w, w->nodes[w->first[c] + i]);
        }
        out[c] = dim_add(pool, out[c], dim_total(pool, w->scratch, n));
        if (h->calls[c].parent != ONNX_NONE) {
            out[h->calls[c].parent] = dim_add(pool, out[h->calls[c].parent], out[c]);
        }
    }
}

// A module that calls itself counts with its outer call, which the inner one is a part of.
static bool is_inside_itself(const struct graph_hierarchy *h, uint32_t call) {
    uint32_t module = h->calls[call].module;
    uint32_t up = h->modules[module].n_calls > 1 ? h->calls[call].parent : ONNX_NONE;
    while (up != ONNX_NONE && h->calls[up].module != module) {
        up = h->calls[up].parent;
    }
    return up != ONNX_NONE;
}

static void sum_modules(struct work *w, const struct dim_num *calls, struct dim_num *out) {
    const struct graph_hierarchy *h = w->hierarchy;
    for (size_t m = 0; m < h->n_modules; m++) {
        out[m] = dim_int(0);
    }
    for (uint32_t c = 0; c < h->n_calls; c++) {
        struct dim_num *sum = &out[h->calls[c].module];
        if (!is_inside_itself(h, c)) {
            *sum = dim_add(w->shapes->dims, *sum, calls[c]);
        }
    }
}

// A call that is written out costs what its body does. Nothing is summed up after this.
static void charge_calls(struct work *w) {
    struct dim_num *macs = w->shapes->macs;
    for (size_t i = w->net->n_nodes; i-- > 0;) {
        const struct onnx_node *proto = w->net->nodes[i].proto;
        if (proto->caller == 0) {
            continue;
        }
        const struct onnx_graph *graphs = w->net->model->graphs;
        uint32_t caller = proto->caller - 1, graph = w->net->model->nodes[caller].graph;
        uint32_t node = w->net->graphs[graph].first_node + (caller - graphs[graph].first_node);
        struct dim_num own = proto->graph == graph ? macs[i] : macs_of(w, (uint32_t)i);
        macs[node] = dim_add(w->shapes->dims, macs[node], own);
    }
}

static bool alloc_work(struct work *w, struct graph_costs *costs) {
    size_t n_graphs = w->net->model->n_graphs, n_calls = w->hierarchy->n_calls;
    size_t n_nodes = w->net->n_nodes;
    costs->macs = calloc(n_calls, sizeof(*costs->macs));
    costs->activation_bytes = calloc(n_calls, sizeof(*costs->activation_bytes));
    costs->module_macs = calloc(w->hierarchy->n_modules, sizeof(*costs->module_macs));
    w->times = calloc(n_graphs, sizeof(*w->times));
    w->bodies = calloc(n_graphs, sizeof(*w->bodies));
    w->first = calloc(n_calls + 1, sizeof(*w->first));
    w->nodes = calloc(n_nodes + 1, sizeof(*w->nodes));
    w->scratch = calloc(n_nodes + 1, sizeof(*w->scratch));
    return costs->macs && costs->activation_bytes && costs->module_macs && w->times && w->bodies &&
           w->first && w->nodes && w->scratch;
}

int cost_work(struct graph_costs *costs, const struct cost_input *in, struct warnings *warnings,
              struct error *err) {
    struct graph_shapes *shapes = in->shapes;
    struct work w = {
        .net = in->net, .plumbing = in->plumbing, .hierarchy = in->hierarchy, .shapes = shapes};
    bool ok = alloc_work(&w, costs);
    if (ok) {
        sum_bodies(&w);
        count_runs(&w);
        sort_by_call(&w);
        sum_calls(&w, macs_of, costs->macs);
        sum_calls(&w, bytes_of, costs->activation_bytes);
        sum_modules(&w, costs->macs, costs->module_macs);
        charge_calls(&w);
    }
    free(w.times);
    free(w.bodies);
    free(w.first);
    free(w.nodes);
    free(w.scratch);
    if (!ok) {
        return error_set(err, ERR_NOMEM, "no memory left for the costs");
    }
    if (shapes->dims->saturated) {
        warnings_add(warnings, "overflow", NULL, "costs exceed 64 bits; they are cut there");
    }
    shapes->dims->saturated = false;
    return 0;
}
