#include "graph/view_internal.h"

// Share of the budget that inputs, outputs and missing values may take each when they alone would
// fill the picture.
#define END_SHARE 4u

static struct graph_view_node end(enum graph_view_kind kind, uint32_t value)
{
    return (struct graph_view_node){
        .kind = kind, .node = ONNX_NONE, .value = value, .count = 1, .cluster = ONNX_NONE};
}

// How many get a node of their own before the rest shares one.
static uint32_t own_nodes(const struct view_build *b, uint32_t n)
{
    uint32_t share = b->max_nodes / END_SHARE;

    return b->merge_ends && n > share ? share - 1 : n;
}

// Adds end i of a kind, or counts it in the node that stands for the rest.
static uint32_t add_end(struct view_build *b, enum graph_view_kind kind, uint32_t value, uint32_t i,
                        uint32_t own)
{
    if (i > own && b->n_nodes > 0 && b->nodes[b->n_nodes - 1].kind == kind) {
        b->nodes[b->n_nodes - 1].count++;
        b->nodes[b->n_nodes - 1].value = ONNX_NONE;
        return b->n_nodes - 1;
    }
    return view_add(b, end(kind, value), ONNX_NONE);
}

static void add_inputs(struct view_build *b)
{
    const struct graph_net_graph *main = &b->model->net.graphs[0];
    uint32_t own = own_nodes(b, main->n_inputs);

    for (uint32_t i = 0; i < main->n_inputs; i++) {
        uint32_t value = main->inputs[i];
        uint32_t node = add_end(b, GRAPH_VIEW_INPUT, value, i, own);

        if (value != ONNX_NONE && b->end_node[value] == ONNX_NONE)
            b->end_node[value] = node;
    }
}

static void add_missing(struct view_build *b, uint32_t value, uint32_t *n)
{
    if (value == ONNX_NONE || b->model->net.values[value].kind != GRAPH_VALUE_MISSING ||
        b->end_node[value] != ONNX_NONE)
        return;
    b->end_node[value] = add_end(b, GRAPH_VIEW_MISSING, value, *n, own_nodes(b, UINT32_MAX));
    ++*n;
}

// An output that nothing makes stands alone.
void view_first_ends(struct view_build *b)
{
    uint32_t missing = 0;

    add_inputs(b);
    for (uint32_t i = 0; i < b->n_reads; i++)
        if (view_read_counts(b, &b->reads[i]))
            add_missing(b, b->reads[i].value, &missing);
}

void view_last_ends(struct view_build *b)
{
    const struct graph_net_graph *main = &b->model->net.graphs[0];
    uint32_t own = own_nodes(b, main->n_outputs);

    for (uint32_t i = 0; i < main->n_outputs; i++)
        b->out_node[i] = add_end(b, GRAPH_VIEW_OUTPUT, main->outputs[i], i, own);
}
