#include "graph/view_fold_internal.h"

// Share of the budget that inputs, outputs and missing values may take each when they alone would
// fill the picture.
#define END_SHARE 4u
#define SHARE_LEAST 2u

static struct graph_view_node end(enum graph_view_kind kind, uint32_t value) {
    return (struct graph_view_node){
        .kind = kind, .node = ONNX_NONE, .value = value, .count = 1, .cluster = ONNX_NONE};
}

// How many get a node of their own before the rest shares one.
static uint32_t own_nodes(const struct view_build *b, uint32_t n) {
    uint32_t share = b->end_budget / END_SHARE;

    if (share < SHARE_LEAST) {
        share = SHARE_LEAST;
    }
    return b->end_budget && n > share ? share - 1 : n;
}

// The input or output that stands for this one.
static uint32_t input_as(const struct view_build *b, uint32_t value) {
    return b->fold->input_as && value != ONNX_NONE ? b->fold->input_as[value] : value;
}

static uint32_t output_as(const struct view_build *b, uint32_t i) {
    return b->fold->output_as ? b->fold->output_as[i] : i;
}

static uint32_t count_inputs(const struct view_build *b) {
    const struct graph_net_graph *main = &b->model->net.graphs[0];
    uint32_t n = 0;

    for (uint32_t i = 0; i < main->n_inputs; i++) {
        n += input_as(b, main->inputs[i]) == main->inputs[i];
    }
    return n;
}

static uint32_t count_outputs(const struct view_build *b) {
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->model->net.graphs[0].n_outputs; i++) {
        n += output_as(b, i) == i;
    }
    return n;
}

static uint32_t shared(const struct view_build *b, uint32_t n) {
    uint32_t own = own_nodes(b, n);

    return own < n ? own + 1 : n;
}

uint32_t view_count_ends(const struct view_build *b, uint32_t n_missing) {
    return shared(b, count_inputs(b)) + shared(b, count_outputs(b)) + shared(b, n_missing);
}

// Adds end i of a kind, or counts it in the node that stands for the rest.
static uint32_t add_end(struct view_build *b, enum graph_view_kind kind, uint32_t value, uint32_t i,
                        uint32_t own) {
    if (i > own && b->n_nodes > 0 && b->nodes[b->n_nodes - 1].kind == kind) {
        b->nodes[b->n_nodes - 1].value = ONNX_NONE;
        b->nodes[b->n_nodes - 1].merged = NULL;
        b->nodes[b->n_nodes - 1].count++;
        return b->n_nodes - 1;
    }
    return view_add(b, end(kind, value), ONNX_NONE);
}

// Makes a node stand for the values of all instances of a run.
static void add_merged(struct view_build *b, uint32_t node, const uint32_t *values, uint32_t n) {
    struct graph_view_node *to = node == ONNX_NONE ? NULL : &b->nodes[node];

    if (!to || n < 2) {
        return;
    }
    to->count += n - 1;
    to->merged = to->value == ONNX_NONE ? NULL : values;
    to->n_merged = to->merged ? n : 0;
}

static void add_inputs(struct view_build *b) {
    const struct graph_net_graph *main = &b->model->net.graphs[0];
    const struct view_fold *f = b->fold;
    uint32_t own = own_nodes(b, count_inputs(b)), n = 0;

    for (uint32_t i = 0; i < main->n_inputs; i++) {
        uint32_t value = main->inputs[i], node;

        if (input_as(b, value) != value) {
            continue;
        }
        node = add_end(b, GRAPH_VIEW_INPUT, value, n++, own);
        if (value == ONNX_NONE) {
            continue;
        }
        if (b->end_node[value] == ONNX_NONE) {
            b->end_node[value] = node;
        }
        if (f->input_as) {
            add_merged(b, node, f->merged + f->first_merged[value], f->n_merged[value]);
        }
    }
    for (uint32_t i = 0; i < main->n_inputs; i++) {
        if (main->inputs[i] != ONNX_NONE) {
            b->end_node[main->inputs[i]] = b->end_node[input_as(b, main->inputs[i])];
        }
    }
}

static void add_missing(struct view_build *b, uint32_t value, uint32_t *n) {
    if (value == ONNX_NONE || b->model->net.values[value].kind != GRAPH_VALUE_MISSING ||
        b->end_node[value] != ONNX_NONE) {
        return;
    }
    b->end_node[value] = add_end(b, GRAPH_VIEW_MISSING, value, *n, own_nodes(b, UINT32_MAX));
    ++*n;
}

// An output that nothing makes stands alone.
void view_first_ends(struct view_build *b) {
    uint32_t missing = 0;

    add_inputs(b);
    for (uint32_t i = 0; i < b->n_reads; i++) {
        if (view_read_counts(b, &b->reads[i])) {
            add_missing(b, b->reads[i].value, &missing);
        }
    }
}

void view_last_ends(struct view_build *b) {
    const struct graph_net_graph *main = &b->model->net.graphs[0];
    const struct view_fold *f = b->fold;
    uint32_t own = own_nodes(b, count_outputs(b)), n = 0;

    for (uint32_t i = 0; i < main->n_outputs; i++) {
        if (output_as(b, i) != i) {
            continue;
        }
        b->out_node[i] = add_end(b, GRAPH_VIEW_OUTPUT, main->outputs[i], n++, own);
        if (f->output_as) {
            add_merged(b, b->out_node[i], f->merged_outputs + f->first_output[i], f->n_outputs[i]);
        }
    }
    for (uint32_t i = 0; i < main->n_outputs; i++) {
        b->out_node[i] = b->out_node[output_as(b, i)];
    }
}
