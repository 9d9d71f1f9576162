#include "graph/view_internal.h"

struct boxes {
    struct graph_view_cluster *items;
    uint32_t n;
    uint32_t *climb;  // regions on the way up that have no box yet
};

static enum graph_cluster_kind kind_of(const struct view_build *b, const struct view_region *r) {
    const struct graph_hierarchy *h = &b->model->hierarchy;

    if (r->group) {
        return r->group->kind;
    }
    if (r->is_body) {
        return GRAPH_CLUSTER_BRANCH;
    }
    return h->modules[h->calls[r->call].module].kind == GRAPH_MODULE ? GRAPH_CLUSTER_MODULE
                                                                     : GRAPH_CLUSTER_FUNCTION;
}

// Without boxes around modules, those around runs and sections stay: they say how often.
static void add_box(struct view_build *b, struct boxes *boxes, uint32_t region) {
    struct view_region *r = &b->regions[region];

    if (!b->options->expand_nested && !r->group) {
        r->cluster = b->regions[b->regions[r->parent].same].cluster;
        return;
    }
    boxes->items[boxes->n] = (struct graph_view_cluster){
        .kind = kind_of(b, r),
        .call = r->call,
        .graph = r->is_body ? r->graph : ONNX_NONE,
        .parent = b->regions[b->regions[r->parent].same].cluster,
        .depth = r->depth + r->is_group,
        .group = r->group,
    };
    r->cluster = boxes->n++;
}

// A box exists when a node lies in it, and comes with the boxes around it.
static uint32_t box_of(struct view_build *b, struct boxes *boxes, uint32_t region) {
    uint32_t n = 0, r;

    if (region == ONNX_NONE) {
        return ONNX_NONE;
    }
    region = b->regions[region].same;
    for (r = region; r != 0 && b->regions[r].cluster == ONNX_NONE;
         r = b->regions[b->regions[r].parent].same) {
        boxes->climb[n++] = r;
    }
    while (n > 0) {
        add_box(b, boxes, boxes->climb[--n]);
    }
    return b->regions[region].cluster;
}

// Those of open regions that something was drawn in: rolling leaves only the first of each.
static int list_calls(struct view_build *b, struct boxes *boxes, struct error *err) {
    uint32_t *calls = arena_array(&b->view->arena, b->n_regions, sizeof(*calls));
    uint32_t n = 0;

    if (!calls) {
        return arena_error(&b->view->arena, "the boxes of a view", err);
    }
    for (uint32_t i = 1; i < b->n_regions; i++) {
        if (b->regions[i].inhabited && b->regions[b->regions[i].same].cluster != ONNX_NONE) {
            boxes->items[b->regions[b->regions[i].same].cluster].n_calls++;
        }
    }
    for (uint32_t i = 0; i < boxes->n; i++) {
        boxes->items[i].calls = calls + n;
        n += boxes->items[i].n_calls;
        boxes->items[i].n_calls = 0;
    }
    for (uint32_t i = 1; i < b->n_regions; i++) {
        uint32_t cluster = b->regions[b->regions[i].same].cluster;

        if (b->regions[i].inhabited && cluster != ONNX_NONE) {
            calls[(size_t)(boxes->items[cluster].calls - calls) + boxes->items[cluster].n_calls++] =
                b->regions[i].call;
        }
    }
    return 0;
}

int view_clusters(struct view_build *b, struct error *err) {
    struct boxes boxes = {0};
    uint32_t open = 0;

    for (uint32_t i = 1; i < b->n_regions; i++) {
        open += b->regions[i].state == VIEW_OPEN;
    }
    boxes.items = arena_array(&b->view->arena, open, sizeof(*boxes.items));
    boxes.climb = arena_array(&b->work, open, sizeof(*boxes.climb));
    if (!boxes.items || !boxes.climb) {
        return arena_error(&b->work, "the boxes of a view", err);
    }
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        b->nodes[i].cluster = box_of(b, &boxes, b->home[i]);
    }
    b->clusters = boxes.items;
    b->n_clusters = boxes.n;
    b->view->clusters = boxes.items;
    b->view->n_clusters = boxes.n;
    return b->options->roll == GRAPH_ROLL_NONE || !b->options->expand_nested
               ? 0
               : list_calls(b, &boxes, err);
}
