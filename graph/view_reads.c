#include "graph/view_internal.h"
#include "graph/view_outer.h"

static bool any_marked(const bool *marks, const uint32_t *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (values[i] != ONNX_NONE && marks[values[i]]) {
            return true;
        }
    }
    return false;
}

static void mark_all(bool *marks, const uint32_t *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (values[i] != ONNX_NONE) {
            marks[values[i]] = true;
        }
    }
}

// Shape arithmetic that ends in an output of the model is what the model computes: it stays in
// sight, and so does what leads to it.
static int find_hidden(struct view_build *b, struct error *err) {
    const struct graph_net *net = &b->model->net;
    bool *wanted = arena_array(&b->work, net->n_values, sizeof(*wanted));

    if (!wanted) {
        return arena_error(&b->work, "the values of a view", err);
    }
    mark_all(wanted, net->graphs[0].outputs, net->graphs[0].n_outputs);
    for (size_t i = net->n_nodes; i-- > 0;) {
        uint32_t n = net->order[i];
        const struct graph_net_node *node = &net->nodes[n];
        enum graph_plumbing plumbing = b->model->plumbing.nodes[n];

        if (plumbing == GRAPH_PLUMBING_NONE || b->first_body[n] != ONNX_NONE) {
            continue;
        }
        if (graph_plumbing_is_fixed(plumbing) || plumbing == GRAPH_PLUMBING_CALL) {
            b->hidden[n] = true;
        } else if (any_marked(wanted, node->outputs, node->n_outputs)) {
            mark_all(wanted, node->inputs, node->n_inputs);
        } else {
            b->hidden[n] = b->options->hide_shape_ops;
        }
    }
    return 0;
}

static int find_bodies(struct view_build *b, struct error *err) {
    const struct graph_net *net = &b->model->net;
    size_t n_graphs = net->model->n_graphs;

    b->first_body = arena_array(&b->work, net->n_nodes, sizeof(*b->first_body));
    b->next_body = arena_array(&b->work, n_graphs, sizeof(*b->next_body));
    b->holds_bodies = arena_array(&b->work, net->n_nodes, sizeof(*b->holds_bodies));
    if (!b->first_body || !b->next_body || !b->holds_bodies) {
        return arena_error(&b->work, "the bodies of a view", err);
    }
    memset(b->first_body, 0xFF, net->n_nodes * sizeof(*b->first_body));
    for (uint32_t g = (uint32_t)n_graphs; g-- > 1;) {
        uint32_t holder = net->holder[g];

        if (holder == ONNX_NONE) {
            continue;
        }
        b->next_body[g] = b->first_body[holder];
        b->first_body[holder] = g;
        b->holds_bodies[holder] = true;
    }
    return 0;
}

// Which input of the holder a body's input stands for (operators Loop, Scan and SequenceMap of the
// ONNX standard): Loop's first is its own counter, Scan 8 has a length before the rest.
static uint32_t outer_slot(const struct graph_net_node *holder, uint32_t n_inner, uint32_t k) {
    struct str op = holder->proto->op;

    if (str_eq_z(op, "Loop")) {
        return k == 0 ? ONNX_NONE : k;
    }
    if (str_eq_z(op, "Scan")) {
        return k + (holder->n_inputs == n_inner + 1);
    }
    return str_eq_z(op, "SequenceMap") ? k : ONNX_NONE;
}

bool view_is_given(const struct view_build *b, uint32_t value) {
    const struct graph_net *net = &b->model->net;
    const struct graph_value *v = &net->values[value];
    uint32_t holder = v->graph ? net->holder[v->graph] : ONNX_NONE;

    return v->kind == GRAPH_VALUE_INPUT && holder != ONNX_NONE &&
           outer_slot(&net->nodes[holder], net->graphs[v->graph].n_inputs, v->slot) != ONNX_NONE;
}

uint32_t view_given(const struct view_build *b, uint32_t value) {
    const struct graph_net *net = &b->model->net;
    const struct graph_value *v = &net->values[value];
    const struct graph_net_node *holder = &net->nodes[net->holder[v->graph]];
    uint32_t slot = outer_slot(holder, net->graphs[v->graph].n_inputs, v->slot);

    return slot < holder->n_inputs ? holder->inputs[slot] : ONNX_NONE;
}

static int resolve_branch_inputs(struct view_build *b, struct view_outer *outer, uint32_t g,
                                 struct error *err) {
    const struct graph_net *net = &b->model->net;

    for (uint32_t k = 0; k < net->graphs[g].n_inputs; k++) {
        uint32_t inner = net->graphs[g].inputs[k], found = ONNX_NONE;
        int rc;

        if (inner == ONNX_NONE || net->values[inner].kind != GRAPH_VALUE_INPUT) {
            continue;
        }
        rc = view_outer_value(outer, &found, g, net->values[inner].name, err);
        if (rc < 0) {
            return rc;
        }
        if (found != ONNX_NONE) {
            b->resolved[inner] = b->resolved[found];
        }
    }
    return 0;
}

static void resolve_body_inputs(struct view_build *b, uint32_t g) {
    const struct graph_net *net = &b->model->net;
    const struct graph_net_graph *graph = &net->graphs[g];
    const struct graph_net_node *holder = &net->nodes[net->holder[g]];

    for (uint32_t k = 0; k < graph->n_inputs; k++) {
        uint32_t slot = outer_slot(holder, graph->n_inputs, k), inner = graph->inputs[k];

        if (slot < holder->n_inputs && holder->inputs[slot] != ONNX_NONE && inner != ONNX_NONE &&
            net->values[inner].kind == GRAPH_VALUE_INPUT) {
            b->resolved[inner] = b->resolved[holder->inputs[slot]];
        }
    }
}

// Graphs come after the graphs of their holders, so an outer value is resolved before the inner.
static int resolve_inputs(struct view_build *b, struct error *err) {
    const struct graph_net *net = &b->model->net;
    struct view_outer outer = {.net = net, .arena = &b->work};
    int rc = 0;

    for (uint32_t v = 0; v < net->n_values; v++) {
        b->resolved[v] =
            net->values[v].kind == GRAPH_VALUE_INPUT && net->values[v].graph ? ONNX_NONE : v;
    }
    for (uint32_t g = 1; g < net->model->n_graphs && rc == 0; g++) {
        if (net->holder[g] == ONNX_NONE) {
            continue;
        }
        if (str_eq_z(net->nodes[net->holder[g]].proto->op, "If")) {
            rc = resolve_branch_inputs(b, &outer, g, err);
        } else {
            resolve_body_inputs(b, g);
        }
    }
    view_outer_release(&outer);
    return rc;
}

bool view_carries(const struct view_build *b, uint32_t value) {
    const struct graph_net *net = &b->model->net;
    const struct graph_value *v = &net->values[value];

    if (v->kind == GRAPH_VALUE_INPUT || v->kind == GRAPH_VALUE_MISSING) {
        return true;
    }
    return v->kind == GRAPH_VALUE_NODE && !b->hidden[v->producer] &&
           !graph_value_is_fixed(net, &b->model->plumbing, value);
}

static void add_read(struct view_build *b, uint32_t own, uint32_t node, uint32_t inner) {
    uint32_t value = own == ONNX_NONE ? ONNX_NONE : b->resolved[own];

    if (value != ONNX_NONE && view_carries(b, value)) {
        b->reads[b->n_reads++] = (struct view_read){value, own, node, inner};
    }
}

// The body's input that stands for an input of its holder.
static uint32_t inner_input(const struct view_build *b, uint32_t node, uint32_t body,
                            uint32_t slot) {
    const struct graph_net_graph *graph;
    const struct graph_net_node *holder = &b->model->net.nodes[node];
    uint32_t k = slot;

    if (body == ONNX_NONE) {
        return ONNX_NONE;
    }
    graph = &b->model->net.graphs[body];
    if (outer_slot(holder, graph->n_inputs, k) == slot + 1) {
        k--;
    }
    if (k >= graph->n_inputs || outer_slot(holder, graph->n_inputs, k) != slot) {
        return ONNX_NONE;
    }
    return graph->inputs[k];
}

static void collect_reads(struct view_build *b) {
    const struct graph_net *net = &b->model->net;

    for (size_t i = 0; i < net->n_nodes; i++) {
        uint32_t n = net->order[i];
        const struct graph_net_node *node = &net->nodes[n];
        uint32_t body = b->first_body[n];

        // What a function is given, its body reads.
        if (b->model->plumbing.nodes[n] == GRAPH_PLUMBING_CALL) {
            continue;
        }
        for (uint32_t s = 0; s < node->n_inputs; s++) {
            add_read(b, node->inputs[s], n, inner_input(b, n, body, s));
        }
        for (; body != ONNX_NONE; body = b->next_body[body]) {
            for (uint32_t o = 0; o < net->graphs[body].n_outputs; o++) {
                add_read(b, net->graphs[body].outputs[o], n, ONNX_NONE);
            }
        }
    }
}

int view_reads(struct view_build *b, struct error *err) {
    const struct graph_net *net = &b->model->net;
    size_t reads = 0;
    int rc;

    for (size_t i = 0; i < net->n_nodes; i++) {
        reads += net->nodes[i].n_inputs;
    }
    for (size_t g = 1; g < net->model->n_graphs; g++) {
        reads += net->graphs[g].n_outputs;
    }
    b->hidden = arena_array(&b->work, net->n_nodes, sizeof(*b->hidden));
    b->resolved = arena_array(&b->work, net->n_values, sizeof(*b->resolved));
    b->reads = arena_array(&b->work, reads, sizeof(*b->reads));
    if (!b->hidden || !b->resolved || !b->reads || reads >= ONNX_NONE) {
        return arena_error(&b->work, "the edges of a view", err);
    }
    rc = find_bodies(b, err);
    if (rc == 0) {
        rc = find_hidden(b, err);
    }
    if (rc < 0) {
        return rc;
    }
    rc = resolve_inputs(b, err);
    if (rc == 0) {
        collect_reads(b);
    }
    return rc;
}

static bool is_drawn_or_inside(const struct view_build *b, uint32_t node) {
    const struct view_region *region = &b->regions[b->node_region[node]];

    return region->closer != ONNX_NONE || !b->hidden[node];
}

static bool is_taken_inside(const struct view_build *b, uint32_t inner) {
    const struct graph_net *net = &b->model->net;
    uint32_t body = b->body_region[net->values[inner].graph];

    if (body == ONNX_NONE || b->regions[body].closer != ONNX_NONE) {
        return false;
    }
    for (uint32_t u = net->first_use[inner]; u < net->first_use[inner + 1]; u++) {
        const struct graph_use *use = &net->uses[u];

        if (use->slot < net->nodes[use->node].n_inputs && is_drawn_or_inside(b, use->node)) {
            return true;
        }
    }
    return false;
}

bool view_read_counts(const struct view_build *b, const struct view_read *read) {
    if (read->inner != ONNX_NONE && is_taken_inside(b, read->inner)) {
        return false;
    }
    return is_drawn_or_inside(b, read->node);
}
