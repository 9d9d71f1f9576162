#include "graph/highlight.h"
#include "graph/view_internal.h"

struct lights {
    struct view_build *b;
    struct graph_highlight list;
    bool *hit;  // per item of the list
};

static const struct graph_module *module_of(const struct view_build *b, uint32_t call) {
    const struct graph_hierarchy *h = &b->model->hierarchy;

    return &h->modules[h->calls[call].module];
}

static bool is_picked_call(struct lights *l, uint32_t call) {
    const struct graph_module *m = module_of(l->b, call);
    uint32_t number = l->b->model->hierarchy.calls[call].number;
    bool picked = false;

    for (size_t i = 0; i < l->list.n; i++) {
        if (!graph_highlight_path(&l->list, i, m->path, m->class_name, number)) {
            continue;
        }
        l->hit[i] = true;
        picked = true;
    }
    return picked;
}

static bool is_picked_name(struct lights *l, struct str name) {
    bool picked = false;

    for (size_t i = 0; i < l->list.n; i++) {
        if (!graph_highlight_name(&l->list, i, name)) {
            continue;
        }
        l->hit[i] = true;
        picked = true;
    }
    return picked;
}

static bool is_picked_op(struct lights *l, struct str op) {
    bool picked = false;

    for (size_t i = 0; i < l->list.n; i++) {
        if (!graph_highlight_op(&l->list, i, op)) {
            continue;
        }
        l->hit[i] = true;
        picked = true;
    }
    return picked;
}

// Both are asked: a pattern that picks something counts as used.
static bool is_picked_module(struct lights *l, uint32_t call) {
    bool by_call = is_picked_call(l, call);

    return is_picked_name(l, module_of(l->b, call)->path) || by_call;
}

// A run is picked by any of its members.
static bool is_picked_group(struct lights *l, const struct graph_view_group *group) {
    const struct graph_net *net = &l->b->model->net;
    bool picked = false;

    if (group->kind != GRAPH_CLUSTER_FOLD) {
        return false;
    }
    for (uint32_t i = 0; i < group->n_members; i++) {
        const struct graph_view_member *member = &group->members[i];

        if (member->node != ONNX_NONE) {
            picked |= is_picked_name(l, net->nodes[member->node].proto->name);
        } else {
            picked |= is_picked_module(l, member->call);
        }
    }
    return picked;
}

static bool is_picked_node(struct lights *l, const struct graph_view_node *node) {
    const struct graph_net *net = &l->b->model->net;
    bool picked = false;

    if (node->group) {
        return is_picked_group(l, node->group);
    }
    if (node->kind == GRAPH_VIEW_OPERATOR) {
        picked = is_picked_name(l, net->nodes[node->node].proto->name);
    }
    if (node->value != ONNX_NONE) {
        return is_picked_name(l, net->values[node->value].name) || picked;
    }
    if (node->kind == GRAPH_VIEW_MODULE) {
        picked |= is_picked_name(l, module_of(l->b, node->call)->path);
    }
    for (uint32_t i = 0; i < node->n_calls; i++) {
        picked |= is_picked_call(l, node->calls[i]);
    }
    return (!node->n_calls && is_picked_call(l, node->call)) || picked;
}

// A box without child modules is its operators; a larger one would nearly always be picked.
static void pick_operators(struct lights *l) {
    struct view_build *b = l->b;

    for (uint32_t i = 0; i < b->model->net.n_nodes; i++) {
        uint32_t drawn = view_carrier(b, i);
        uint32_t closer = b->regions[b->node_region[i]].closer;

        if (drawn == ONNX_NONE || (closer != ONNX_NONE && !b->regions[closer].leaf) ||
            !is_picked_op(l, b->model->net.nodes[i].proto->op)) {
            continue;
        }
        b->nodes[b->as ? b->as[drawn] : drawn].highlight = true;
    }
}

static void warn(struct lights *l) {
    for (size_t i = 0; i < l->list.n; i++) {
        struct str text = str_sub(graph_highlight_text(&l->list, i), 0, 128);

        if (!l->hit[i]) {
            warnings_add(&l->b->view->warnings, "pattern-unmatched", "highlight",
                         "nothing in this view matches '%.*s'", STR_ARG(text));
        }
    }
}

int view_highlight(struct view_build *b, struct error *err) {
    struct lights l = {.b = b};
    int rc = graph_highlight_init(&l.list, str_from(b->options->highlight), err);

    if (rc < 0 || l.list.n == 0) {
        return rc;
    }
    l.hit = arena_array(&b->work, l.list.n, sizeof(*l.hit));
    if (!l.hit) {
        graph_highlight_release(&l.list);
        return arena_error(&b->work, "highlight", err);
    }
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        b->nodes[i].highlight = is_picked_node(&l, &b->nodes[i]);
    }
    for (uint32_t i = 0; i < b->n_clusters; i++) {
        if (b->clusters[i].group) {
            b->clusters[i].highlight = is_picked_group(&l, b->clusters[i].group);
        } else if (graph_cluster_is_call(b->clusters[i].kind)) {
            b->clusters[i].highlight = is_picked_call(&l, b->clusters[i].call);
        }
    }
    pick_operators(&l);
    warn(&l);
    graph_highlight_release(&l.list);
    return 0;
}
