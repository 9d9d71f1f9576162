#include "graph/view_fold_internal.h"

// A file whose names say nothing of modules (Conv_0, Relu_1) may have had some: its root is no leaf
// module, only a graph. The automatic depth draws what has no modules in full.
static bool is_closed_root(const struct view_build *b) {
    const size_t *sources = b->model->hierarchy.sources;

    return b->regions[0].leaf && b->options->hide_module_functions &&
           b->options->depth != GRAPH_DEPTH_AUTO &&
           sources[GRAPH_SCOPE_METADATA] + sources[GRAPH_SCOPE_FUNCTION] +
                   sources[GRAPH_SCOPE_NAME] >
               0;
}

bool view_is_closed_leaf(const struct view_build *b, const struct view_region *region) {
    if (b->open_leaf != ONNX_NONE && region == &b->regions[b->open_leaf]) {
        return false;
    }
    if (region->parent == ONNX_NONE) {
        return is_closed_root(b);
    }
    if (b->in_library && !region->is_body && !region->is_group &&
        b->in_library[b->model->hierarchy.calls[region->call].module]) {
        return true;
    }
    return region->leaf && b->options->hide_module_functions;
}

static bool is_closed(const struct view_build *b, const struct view_region *r, uint32_t limit) {
    if (b->use_overrides && r->override != VIEW_AS_DEPTH_SAYS) {
        return r->override == VIEW_COLLAPSE;
    }
    if (r->is_group) {
        return r->shut;
    }
    return r->depth >= limit || view_is_closed_leaf(b, r);
}

static void open_region(struct view_build *b, uint32_t index) {
    struct view_region *r = &b->regions[index];
    const struct view_region *parent = index ? &b->regions[r->parent] : NULL;

    r->node = ONNX_NONE;
    r->cluster = ONNX_NONE;
    r->same = index;
    r->inhabited = false;
    r->n_around = parent ? parent->n_around + 1 : 0;
    if (parent && parent->closer != ONNX_NONE) {
        r->state = VIEW_HIDDEN;
        r->closer = parent->closer;
        return;
    }
    r->limit = parent ? parent->limit : b->depth;
    if (is_closed(b, r, r->limit)) {
        r->state = VIEW_CLOSED;
        r->closer = index;
        return;
    }
    r->state = VIEW_OPEN;
    r->closer = ONNX_NONE;
    if (r->limit <= r->depth) {
        r->limit = r->depth + 1;
    }
}

// A later instance of a run is open where the first one is.
static void copy_state(struct view_build *b, uint32_t index) {
    struct view_region *r = &b->regions[index];
    const struct view_region *from = &b->regions[r->stand_in];

    if (from == r) {
        return;
    }
    r->state = from->state == VIEW_CLOSED ? VIEW_HIDDEN : from->state;
    r->closer = from->closer;
    r->limit = from->limit;
}

void view_open(struct view_build *b) {
    for (uint32_t i = 0; i < b->n_regions; i++) {
        open_region(b, b->order ? b->order[i] : i);
    }
    for (uint32_t i = 0; i < b->n_regions; i++) {
        copy_state(b, i);
    }
}

uint32_t view_add(struct view_build *b, struct graph_view_node node, uint32_t home) {
    if (b->n_nodes == b->cap_nodes) {
        return ONNX_NONE;
    }
    b->nodes[b->n_nodes] = node;
    b->home[b->n_nodes] = home;
    return b->n_nodes++;
}

static enum graph_view_kind kind_of(const struct graph_view_group *group,
                                    enum graph_view_kind without) {
    if (!group) {
        return without;
    }
    return group->kind == GRAPH_CLUSTER_SECTION ? GRAPH_VIEW_SECTION : GRAPH_VIEW_FOLD;
}

static uint32_t count_of(const struct graph_view_group *group) {
    return group && group->kind == GRAPH_CLUSTER_FOLD ? group->count : 1;
}

static bool add_closed(struct view_build *b, uint32_t region) {
    struct view_region *r = &b->regions[region];

    r->node = view_add(b,
                       (struct graph_view_node){
                           .kind = kind_of(r->group, GRAPH_VIEW_MODULE),
                           .call = r->call,
                           .node = ONNX_NONE,
                           .value = ONNX_NONE,
                           .depth = r->depth + r->is_group,
                           .count = count_of(r->group),
                           .group = r->group,
                           .cluster = ONNX_NONE,
                       },
                       r->parent);
    return r->node != ONNX_NONE;
}

static bool add_operator(struct view_build *b, uint32_t node) {
    uint32_t region = b->node_region[node];
    const struct graph_view_group *group = b->fold->node_group[node];

    b->op_node[node] = view_add(b,
                                (struct graph_view_node){
                                    .kind = kind_of(group, GRAPH_VIEW_OPERATOR),
                                    .call = b->model->hierarchy.node_call[node],
                                    .node = node,
                                    .value = ONNX_NONE,
                                    .depth = b->regions[region].depth + 1,
                                    .count = count_of(group),
                                    .group = group,
                                    .cluster = ONNX_NONE,
                                },
                                region);
    return b->op_node[node] != ONNX_NONE;
}

// A module stands where the first node that computes anything of it runs.
static bool add_node(struct view_build *b, uint32_t node) {
    uint32_t closer = b->regions[b->node_region[node]].closer;
    struct view_region *r;

    if (view_stand_in(b, node) != node) {
        return true;
    }
    if (closer == ONNX_NONE) {
        return b->hidden[node] || add_operator(b, node);
    }
    r = &b->regions[closer];
    if (r->is_body || r->node != ONNX_NONE || !r->owns ||
        graph_plumbing_is_fixed(b->model->plumbing.nodes[node])) {
        return true;
    }
    return add_closed(b, closer);
}

// Modules that compute nothing but what is known from the file. None is in a run.
static bool add_leftovers(struct view_build *b) {
    for (uint32_t i = 0; i < b->n_regions; i++) {
        const struct view_region *r = &b->regions[i];

        if (r->state == VIEW_CLOSED && !r->is_body && r->owns && r->node == ONNX_NONE &&
            !add_closed(b, i)) {
            return false;
        }
    }
    return true;
}

static bool add_all(struct view_build *b) {
    const struct graph_net *net = &b->model->net;

    view_first_ends(b);
    for (size_t i = 0; i < net->n_nodes; i++) {
        if (!add_node(b, net->order[i])) {
            return false;
        }
    }
    if (!add_leftovers(b)) {
        return false;
    }
    view_last_ends(b);
    return b->n_nodes < b->cap_nodes;
}

static bool boxes_fit(const struct view_build *b) {
    uint32_t n = 0, deepest = 0;

    if (!b->options->expand_nested) {
        return true;
    }
    for (uint32_t i = 1; i < b->n_regions; i++) {
        const struct view_region *r = &b->regions[i];

        if (r->state != VIEW_OPEN || !r->owns || r->stand_in != i) {
            continue;
        }
        n++;
        deepest = r->n_around > deepest ? r->n_around : deepest;
    }
    return n <= b->max_nodes && deepest <= GRAPH_VIEW_NESTING_MAX;
}

// One more than fits, so that a full table means too many.
static int allocate(struct view_build *b, struct error *err) {
    const struct graph_net *net = &b->model->net;
    size_t most = net->n_nodes + b->n_regions + net->n_values + net->graphs[0].n_inputs +
                  net->graphs[0].n_outputs;

    if (b->nodes) {
        return 0;
    }
    b->cap_nodes = (uint32_t)(most < b->max_nodes ? most : b->max_nodes) + 1;
    b->nodes = arena_array(&b->view->arena, b->cap_nodes, sizeof(*b->nodes));
    b->home = arena_array(&b->work, b->cap_nodes, sizeof(*b->home));
    b->op_node = arena_array(&b->work, net->n_nodes, sizeof(*b->op_node));
    b->end_node = arena_array(&b->work, net->n_values, sizeof(*b->end_node));
    b->out_node = arena_array(&b->work, net->graphs[0].n_outputs, sizeof(*b->out_node));
    if (!b->nodes) {
        return arena_error(&b->view->arena, "the nodes of a view", err);
    }
    if (!b->home || !b->op_node || !b->end_node || !b->out_node) {
        return arena_error(&b->work, "the nodes of a view", err);
    }
    return 0;
}

int view_nodes(struct view_build *b, bool *fits, struct error *err) {
    const struct graph_net *net = &b->model->net;
    int rc = allocate(b, err);

    if (rc < 0) {
        return rc;
    }
    b->n_nodes = 0;
    b->as = b->first = b->last = NULL;
    memset(b->op_node, 0xFF, net->n_nodes * sizeof(*b->op_node));
    memset(b->end_node, 0xFF, net->n_values * sizeof(*b->end_node));
    *fits = boxes_fit(b) && add_all(b);
    b->n_drawn = b->n_nodes;
    return 0;
}

uint32_t view_carrier(const struct view_build *b, uint32_t node) {
    uint32_t closer;
    const struct view_region *r;

    node = view_stand_in(b, node);
    closer = b->regions[b->node_region[node]].closer;
    if (closer == ONNX_NONE) {
        return b->op_node[node];
    }
    r = &b->regions[closer];
    return r->is_body ? b->op_node[b->model->net.holder[r->graph]] : r->node;
}
