#include "graph/view_internal.h"
#include "graph/weights.h"

// Nodes that stand between or before the others: tensors behind what makes them, weights and
// constants before what reads them first. They come last, so that they count nowhere else.

struct extra {
    enum graph_view_kind kind;
    uint32_t value;
    uint32_t reader;  // net node that reads a weight or a constant, else ONNX_NONE
    uint32_t anchor;  // view node it stands next to: behind a tensor's, before the others'
    uint32_t cluster;
    uint32_t next;   // extra at the same anchor, in order
    uint32_t index;  // as view node
};

struct extras {
    struct view_build *b;
    struct view_links *l;
    struct extra *items;
    uint32_t n, most;
    uint32_t *of_value;  // per value: extra + 1
    uint32_t *level;     // per cluster: how many are around it
    bool full;
};

size_t view_links_most(const struct view_build *b) {
    size_t n = (size_t)b->n_reads + b->model->net.graphs[0].n_outputs;

    if (!b->options->hide_inner_tensors) {
        n *= 2;
    }
    if (b->options->params == GRAPH_PARAMS_NODE || b->options->consts == GRAPH_CONSTS_NODE) {
        for (size_t i = 0; i < b->model->net.n_nodes; i++) {
            n += b->model->net.nodes[i].n_inputs;
        }
    }
    return n;
}

static uint32_t add_extra(struct extras *x, struct extra extra) {
    if (x->n == x->most) {
        x->full = true;
        return ONNX_NONE;
    }
    extra.next = ONNX_NONE;
    x->items[x->n] = extra;
    return x->n++;
}

// Innermost cluster around two.
static uint32_t join(const struct extras *x, uint32_t a, uint32_t b) {
    const struct graph_view_cluster *clusters = x->b->view->clusters;

    while (a != b) {
        if (a == ONNX_NONE || b == ONNX_NONE) {
            return ONNX_NONE;
        }
        if (x->level[a] >= x->level[b]) {
            a = clusters[a].parent;
        } else {
            b = clusters[b].parent;
        }
    }
    return a;
}

// ---- tensors

// Values that something else than outputs of the model reads.
static void add_tensors(struct extras *x) {
    struct view_build *b = x->b;

    for (size_t i = 0; i < x->l->n && !x->full; i++) {
        const uint32_t *key = x->l->items[i].key;
        uint32_t value = view_value_as(b, key[VIEW_LINK_VALUE]), from = key[VIEW_LINK_FROM];

        if (b->model->net.values[value].kind != GRAPH_VALUE_NODE ||
            b->nodes[key[VIEW_LINK_TO]].kind == GRAPH_VIEW_OUTPUT || x->of_value[value]) {
            continue;
        }
        x->of_value[value] = add_extra(x, (struct extra){.kind = GRAPH_VIEW_TENSOR,
                                                         .value = value,
                                                         .reader = ONNX_NONE,
                                                         .anchor = from,
                                                         .cluster = b->nodes[from].cluster}) +
                             1;
    }
}

// Links of extras lead to or from n_nodes + extra until the order is known.
static void split_links(struct extras *x) {
    struct view_build *b = x->b;
    size_t n = x->l->n;

    for (size_t i = 0; i < n; i++) {
        struct view_link *link = &x->l->items[i];
        uint32_t extra = x->of_value[view_value_as(b, link->key[VIEW_LINK_VALUE])];
        struct extra *tensor;

        if (!extra || x->items[--extra].kind != GRAPH_VIEW_TENSOR) {
            continue;
        }
        tensor = &x->items[extra];
        tensor->cluster = join(x, tensor->cluster, b->nodes[link->key[VIEW_LINK_TO]].cluster);
        x->l->items[x->l->n] = *link;
        x->l->items[x->l->n].key[VIEW_LINK_TO] = b->n_nodes + extra;
        x->l->items[x->l->n].key[VIEW_LINK_READER] = b->n_drawn + extra;
        x->l->items[x->l->n].own = link->key[VIEW_LINK_VALUE];
        x->l->n++;
        link->key[VIEW_LINK_FROM] = b->n_nodes + extra;
    }
}

// ---- weights and constants

static void link_fixed(struct extras *x, uint32_t extra, uint32_t to) {
    if (extra == ONNX_NONE) {
        return;
    }
    x->l->items[x->l->n++] = (struct view_link){{x->b->n_nodes + extra, to, x->items[extra].value,
                                                 x->b->last ? x->b->last[to] : to},
                                                x->items[extra].value,
                                                false};
    x->items[extra].cluster = join(x, x->items[extra].cluster, x->b->nodes[to].cluster);
}

// A weight is one node however many read it.
static void add_weight(struct extras *x, uint32_t value, uint32_t node, uint32_t to) {
    struct view_build *b = x->b;
    uint32_t root = graph_weight_root(&b->model->net, &b->model->plumbing, value);

    if (root == ONNX_NONE) {
        return;
    }
    if (!x->of_value[root]) {
        x->of_value[root] = add_extra(x, (struct extra){.kind = GRAPH_VIEW_PARAMETER,
                                                        .value = root,
                                                        .reader = node,
                                                        .anchor = to,
                                                        .cluster = b->nodes[to].cluster}) +
                            1;
    }
    link_fixed(x, x->of_value[root] - 1, to);
}

// Exporters keep equal constants once, however far apart they are read: each reader gets its own.
static void add_constant(struct extras *x, uint32_t value, uint32_t node, uint32_t to) {
    struct view_build *b = x->b;

    if (!graph_is_constant(&b->model->net, &b->model->plumbing, value)) {
        return;
    }
    link_fixed(x,
               add_extra(x, (struct extra){.kind = GRAPH_VIEW_CONSTANT,
                                           .value = value,
                                           .reader = node,
                                           .anchor = to,
                                           .cluster = b->nodes[to].cluster}),
               to);
}

// A closed module shows what its own code reads, not what its child modules do.
static bool reads_itself(const struct view_build *b, uint32_t node) {
    uint32_t region = b->node_region[node], closer = b->regions[region].closer;

    return b->model->plumbing.nodes[node] == GRAPH_PLUMBING_NONE &&
           (closer == ONNX_NONE || closer == region);
}

static void add_fixed_of(struct extras *x, uint32_t node) {
    struct view_build *b = x->b;
    const struct graph_net_node *n = &b->model->net.nodes[node];
    uint32_t drawn = view_carrier(b, node), to;

    if (view_stand_in(b, node) != node || drawn == ONNX_NONE ||
        (!reads_itself(b, node) && b->op_node[node] != drawn)) {
        return;
    }
    to = b->as ? b->as[drawn] : drawn;
    for (uint32_t s = 0; s < n->n_inputs; s++) {
        if (n->inputs[s] == ONNX_NONE) {
            continue;
        }
        if (b->options->params == GRAPH_PARAMS_NODE) {
            add_weight(x, n->inputs[s], node, to);
        }
        if (b->options->consts == GRAPH_CONSTS_NODE && b->op_node[node] == drawn &&
            (!b->last || b->last[to] == drawn)) {
            add_constant(x, n->inputs[s], node, to);
        }
    }
}

// ---- their place among the others

static void order_nodes(struct extras *x, const uint32_t *first, uint32_t *place) {
    struct view_build *b = x->b;
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->n_nodes; i++) {
        for (uint32_t e = first[i]; e != ONNX_NONE; e = x->items[e].next) {
            if (x->items[e].kind != GRAPH_VIEW_TENSOR) {
                x->items[e].index = n++;
            }
        }
        place[i] = n++;
        for (uint32_t e = first[i]; e != ONNX_NONE; e = x->items[e].next) {
            if (x->items[e].kind == GRAPH_VIEW_TENSOR) {
                x->items[e].index = n++;
            }
        }
    }
}

static struct graph_view_node node_of(const struct extras *x, const struct extra *extra) {
    const struct graph_view_node *anchor = &x->b->nodes[extra->anchor];

    return (struct graph_view_node){.kind = extra->kind,
                                    .call = anchor->call,
                                    .node = extra->reader,
                                    .value = extra->value,
                                    .depth = anchor->depth,
                                    .count = 1,
                                    .cluster = extra->cluster};
}

static uint32_t moved(const struct extras *x, const uint32_t *place, uint32_t node) {
    return node < x->b->n_nodes ? place[node] : x->items[node - x->b->n_nodes].index;
}

static void move_all(struct extras *x, const uint32_t *place, struct graph_view_node *nodes,
                     uint32_t *as) {
    struct view_build *b = x->b;

    for (uint32_t i = 0; i < b->n_nodes; i++) {
        nodes[place[i]] = b->nodes[i];
    }
    for (uint32_t i = 0; i < x->n; i++) {
        nodes[x->items[i].index] = node_of(x, &x->items[i]);
    }
    for (size_t i = 0; i < x->l->n; i++) {
        uint32_t *key = x->l->items[i].key;

        key[VIEW_LINK_FROM] = moved(x, place, key[VIEW_LINK_FROM]);
        key[VIEW_LINK_TO] = moved(x, place, key[VIEW_LINK_TO]);
    }
    for (uint32_t i = 0; i < b->n_drawn; i++) {
        as[i] = place[b->as ? b->as[i] : i];
    }
}

// What is behind a view node may have moved; extras stand for themselves.
static void list_members(struct extras *x, const uint32_t *as, uint32_t *first, uint32_t *last) {
    struct view_build *b = x->b;

    for (uint32_t i = b->n_drawn; i-- > 0;) {
        first[as[i]] = i;
    }
    for (uint32_t i = 0; i < b->n_drawn; i++) {
        last[as[i]] = i;
    }
}

static int place_extras(struct extras *x, struct error *err) {
    struct view_build *b = x->b;
    uint32_t total = b->n_nodes + x->n;
    uint32_t *at = arena_array(&b->work, b->n_nodes, sizeof(*at));
    uint32_t *place = arena_array(&b->work, b->n_nodes, sizeof(*place));
    uint32_t *as = arena_array(&b->work, b->n_drawn, sizeof(*as));
    uint32_t *first = arena_array(&b->work, total, sizeof(*first));
    uint32_t *last = arena_array(&b->work, total, sizeof(*last));
    struct graph_view_node *nodes = arena_array(&b->view->arena, total, sizeof(*nodes));

    if (!at || !place || !as || !first || !last || !nodes) {
        return arena_error(&b->view->arena, "the nodes of a view", err);
    }
    memset(at, 0xFF, b->n_nodes * sizeof(*at));
    for (uint32_t i = x->n; i-- > 0;) {
        x->items[i].next = at[x->items[i].anchor];
        at[x->items[i].anchor] = i;
    }
    order_nodes(x, at, place);
    move_all(x, place, nodes, as);
    list_members(x, as, first, last);
    b->nodes = nodes;
    b->as = as;
    b->first = first;
    b->last = last;
    b->n_nodes = total;
    x->l->n_readers += x->n;
    return 0;
}

// ---- the pass

static int prepare(struct extras *x, struct error *err) {
    struct view_build *b = x->b;
    const struct graph_view *view = b->view;

    x->most = b->max_nodes > b->n_nodes ? b->max_nodes - b->n_nodes : 0;
    x->items = arena_array(&b->work, x->most, sizeof(*x->items));
    x->of_value = arena_array(&b->work, b->model->net.n_values, sizeof(*x->of_value));
    x->level = arena_array(&b->work, view->n_clusters, sizeof(*x->level));
    if (!x->items || !x->of_value || !x->level) {
        return arena_error(&b->work, "the nodes of a view", err);
    }
    for (size_t c = 0; c < view->n_clusters; c++) {
        if (view->clusters[c].parent != ONNX_NONE) {
            x->level[c] = x->level[view->clusters[c].parent] + 1;
        }
    }
    return 0;
}

static bool are_wanted(const struct graph_options *o) {
    return !o->hide_inner_tensors || o->params == GRAPH_PARAMS_NODE ||
           o->consts == GRAPH_CONSTS_NODE;
}

int view_extras(struct view_build *b, struct view_links *links, struct error *err) {
    struct extras x = {.b = b, .l = links};
    size_t before = links->n;
    int rc;

    if (!are_wanted(b->options)) {
        return 0;
    }
    rc = prepare(&x, err);
    if (rc < 0) {
        return rc;
    }
    if (!b->options->hide_inner_tensors) {
        add_tensors(&x);
    }
    for (size_t i = 0; i < b->model->net.n_nodes && !x.full; i++) {
        if (b->options->params == GRAPH_PARAMS_NODE || b->options->consts == GRAPH_CONSTS_NODE) {
            add_fixed_of(&x, b->model->net.order[i]);
        }
    }
    if (x.full) {
        links->n = before;
        warnings_add(&b->view->warnings, "view-coarser", "depth",
                     "tensors, weights and constants would make more than %u boxes: they are left "
                     "out",
                     b->max_nodes);
        return 0;
    }
    if (!b->options->hide_inner_tensors) {
        split_links(&x);
    }
    return place_extras(&x, err);
}
