#include "graph/view_internal.h"

static void count(bool *once, bool *repeats, uint32_t module) {
    repeats[module] |= once[module];
    once[module] = true;
}

int view_repeats(struct view_build *b, struct error *err) {
    const struct graph_hierarchy *h = &b->model->hierarchy;
    struct graph_view *view = b->view;
    bool *once = arena_array(&b->work, h->n_modules, sizeof(*once));
    bool *repeats = arena_array(&view->arena, h->n_modules, sizeof(*repeats));

    if (!once || !repeats) {
        return arena_error(&view->arena, "the calls of a view", err);
    }
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        if (b->nodes[i].kind == GRAPH_VIEW_MODULE) {
            count(once, repeats, h->calls[b->nodes[i].call].module);
        }
    }
    for (size_t i = 0; i < view->n_clusters; i++) {
        if (view->clusters[i].kind == GRAPH_CLUSTER_MODULE) {
            count(once, repeats, h->calls[view->clusters[i].call].module);
        }
    }
    view->repeats = repeats;
    return 0;
}
