#include "graph/view_internal.h"

// Net nodes of each view node, by counting: what a label tells of it comes out of them.

static uint32_t owner_of(const struct view_build *b, uint32_t node) {
    uint32_t region = b->node_region[node], closer = b->regions[region].closer;
    uint32_t drawn = view_carrier(b, node), view;

    if (view_stand_in(b, node) != node || drawn == ONNX_NONE ||
        graph_plumbing_is_fixed(b->model->plumbing.nodes[node]) ||
        (b->op_node[node] != drawn && closer != region)) {
        return ONNX_NONE;
    }
    view = b->as ? b->as[drawn] : drawn;
    return b->first && b->first[view] != drawn ? ONNX_NONE : view;
}

int view_own(struct view_build *b, struct error *err) {
    const struct graph_net *net = &b->model->net;
    uint32_t *pool, n = 0;

    if (!b->options->attrs && b->options->params != GRAPH_PARAMS_LIST) {
        return 0;
    }
    pool = arena_array(&b->view->arena, net->n_nodes, sizeof(*pool));
    if (!pool) {
        return arena_error(&b->view->arena, "the nodes of a view", err);
    }
    for (size_t i = 0; i < net->n_nodes; i++) {
        uint32_t owner = owner_of(b, net->order[i]);

        if (owner != ONNX_NONE) {
            b->nodes[owner].n_own++;
        }
    }
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        b->nodes[i].own = pool + n;
        n += b->nodes[i].n_own;
        b->nodes[i].n_own = 0;
    }
    for (size_t i = 0; i < net->n_nodes; i++) {
        uint32_t owner = owner_of(b, net->order[i]);

        if (owner != ONNX_NONE) {
            pool[(size_t)(b->nodes[owner].own - pool) + b->nodes[owner].n_own++] = net->order[i];
        }
    }
    return 0;
}
