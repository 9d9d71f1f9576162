#include "graph/view_fold_internal.h"

#define UNION_MAX 16u  // types of all calls of what is rolled in full

// The node as drawn that a value comes out of.
static uint32_t source_of(const struct view_build *b, uint32_t value) {
    const struct graph_value *v = &b->model->net.values[value];

    if (v->kind == GRAPH_VALUE_NODE) {
        return view_carrier(b, v->producer);
    }
    return b->end_node[value];
}

static uint32_t shown_as(const struct view_build *b, uint32_t drawn) {
    return b->as ? b->as[drawn] : drawn;
}

// What is drawn as one thing has no edge to itself; what is rolled into one thing has.
static void add_link(const struct view_build *b, struct view_links *l, uint32_t value, uint32_t own,
                     uint32_t to, bool is_copy) {
    uint32_t from = source_of(b, value);

    if (from != ONNX_NONE && to != ONNX_NONE && from != to) {
        l->items[l->n++] =
            (struct view_link){{shown_as(b, from), shown_as(b, to), value, to}, own, is_copy};
    }
}

static bool is_in_run(const struct view_fold *f, uint32_t run, uint32_t node) {
    uint32_t place = f->line.place[node];

    return place != ONNX_NONE && place - f->runs[run].lo < f->runs[run].n * f->runs[run].count;
}

// What an instance reads inside its run is drawn in the first instance, or is the way from one
// instance to the next, which the box says.
static bool is_inside_run(const struct view_build *b, const struct view_read *read) {
    const struct view_fold *f = b->fold;
    const struct graph_value *v = &b->model->net.values[read->value];
    uint32_t run = f->folded_in[read->node];

    if (v->kind != GRAPH_VALUE_NODE) {
        return false;
    }
    if (run != ONNX_NONE) {
        return is_in_run(f, run, v->producer);
    }
    run = f->folded_in[v->producer];
    return run != ONNX_NONE && is_in_run(f, run, read->node);
}

// Scan gives its body a slice of what it reads, so what a node reads is told as it is in the node's
// own body. A body that is drawn as its holder reads what the holder does.
static uint32_t own_value(const struct view_build *b, const struct view_read *read, uint32_t to) {
    const struct graph_net *net = &b->model->net;
    uint32_t own = read->own;

    // Each step goes to a graph further out.
    while (own != ONNX_NONE && view_is_given(b, own)) {
        if (view_carrier(b, net->holder[net->values[own].graph]) != to) {
            return own;
        }
        own = view_given(b, own);
    }
    return read->value;
}

static void collect(const struct view_build *b, struct view_links *l) {
    const struct graph_net_graph *main = &b->model->net.graphs[0];

    for (uint32_t i = 0; i < b->n_reads; i++) {
        const struct view_read *read = &b->reads[i];

        if (view_read_counts(b, read) && !is_inside_run(b, read)) {
            uint32_t to = view_carrier(b, read->node);

            add_link(b, l, read->value, own_value(b, read, to), to,
                     b->fold->folded_in[read->node] != ONNX_NONE);
        }
    }
    for (uint32_t i = 0; i < main->n_outputs; i++) {
        if (main->outputs[i] != ONNX_NONE && view_carries(b, main->outputs[i])) {
            add_link(b, l, main->outputs[i], main->outputs[i], b->out_node[i], false);
        }
    }
}

// Stable counting sort: linear, and the same order on every machine.
static void sort_by(struct view_links *l, enum view_link_key key, size_t n_keys) {
    uint32_t *at = l->counts;
    struct view_link *sorted = l->spare;

    memset(at, 0, (n_keys + 1) * sizeof(*at));
    for (size_t i = 0; i < l->n; i++) {
        at[l->items[i].key[key] + 1]++;
    }
    for (size_t k = 0; k < n_keys; k++) {
        at[k + 1] += at[k];
    }
    for (size_t i = 0; i < l->n; i++) {
        sorted[at[l->items[i].key[key]]++] = l->items[i];
    }
    l->spare = l->items;
    l->items = sorted;
}

static size_t same_end(const struct view_links *l, size_t from, enum view_link_key key) {
    size_t to = from;

    while (to < l->n && l->items[to].key[key] == l->items[from].key[key]) {
        to++;
    }
    return to;
}

// torchview tells the shapes of the last call of what it has rolled.
static bool tells_shapes(const struct view_build *b, const struct view_link *link,
                         enum view_link_key end) {
    uint32_t node = link->key[end], drawn = link->key[VIEW_LINK_READER];

    if (b->nodes[link->key[VIEW_LINK_FROM]].kind == GRAPH_VIEW_PARAMETER ||
        b->nodes[link->key[VIEW_LINK_FROM]].kind == GRAPH_VIEW_CONSTANT) {
        return end == VIEW_LINK_FROM;
    }
    if (b->options->roll != GRAPH_ROLL_TORCHVIEW || b->nodes[node].n_calls < 2) {
        return true;
    }
    if (end == VIEW_LINK_FROM) {
        drawn = source_of(b, link->key[VIEW_LINK_VALUE]);
    }
    return drawn == b->last[node];
}

static bool same_type(const struct view_build *b, uint32_t x, uint32_t y) {
    const struct graph_tensor_type *s = &b->model->shapes.values[x];
    const struct graph_tensor_type *t = &b->model->shapes.values[y];

    if (s->dtype != t->dtype || s->has_rank != t->has_rank || s->rank != t->rank) {
        return false;
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->dims[i].value != t->dims[i].value || !str_eq(s->dims[i].symbol, t->dims[i].symbol)) {
            return false;
        }
    }
    return true;
}

// Rolled in full, later calls add only what no call before had: the union of the types.
static bool adds_type(const struct view_build *b, const struct view_link *link,
                      enum view_link_key end, const uint32_t *taken, uint32_t n) {
    uint32_t value = end == VIEW_LINK_TO ? link->own : link->key[VIEW_LINK_VALUE];
    uint32_t drawn = end == VIEW_LINK_TO ? link->key[VIEW_LINK_READER]
                                         : source_of(b, link->key[VIEW_LINK_VALUE]);
    uint32_t node = link->key[end];

    if (b->options->roll != GRAPH_ROLL_FULL || b->nodes[node].n_calls < 2 ||
        drawn == b->first[node]) {
        return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (same_type(b, taken[i], value)) {
            return false;
        }
    }
    return n < UNION_MAX;
}

// `seen` holds, per value, the last mark that it was taken with; marks are node + 1 on the way in,
// and go on from there on the way out.
struct taking {
    const struct view_build *b;
    const struct view_links *l;
    uint32_t *seen;
    enum view_link_key end;
    uint32_t mark;  // of node 0
};

// Values of the links from..to of one node, in order; one that it has already is left out. A run
// shows what one of its instances reads and makes.
static uint32_t take_values(struct taking *t, size_t from, size_t to, uint32_t *out) {
    uint32_t n = 0;

    for (size_t i = from; i < to; i++) {
        const struct view_link *link = &t->l->items[i];
        uint32_t value = t->end == VIEW_LINK_TO ? link->own : link->key[VIEW_LINK_VALUE];
        uint32_t mark = t->mark + link->key[t->end];

        if (t->end == VIEW_LINK_FROM) {
            value = view_value_as(t->b, value);
        } else if (link->is_copy) {
            continue;
        }
        if (t->seen[value] == mark || !tells_shapes(t->b, link, t->end) ||
            !adds_type(t->b, link, t->end, out, n)) {
            continue;
        }
        t->seen[value] = mark;
        out[n++] = value;
    }
    return n;
}

static void take_inputs(struct view_build *b, struct view_links *l, uint32_t *pool,
                        uint32_t *seen) {
    struct taking t = {b, l, seen, VIEW_LINK_TO, 1};

    sort_by(l, VIEW_LINK_TO, b->n_nodes);
    for (size_t i = 0, end; i < l->n; i = end) {
        struct graph_view_node *node = &b->nodes[l->items[i].key[VIEW_LINK_TO]];

        end = same_end(l, i, VIEW_LINK_TO);
        node->inputs = pool;
        node->n_inputs = take_values(&t, i, end, pool);
        pool += node->n_inputs;
    }
}

static void take_outputs(struct view_build *b, struct view_links *l, uint32_t *pool,
                         uint32_t *seen) {
    struct taking t = {b, l, seen, VIEW_LINK_FROM, b->n_nodes + 1};

    sort_by(l, VIEW_LINK_VALUE, b->model->net.n_values);
    sort_by(l, VIEW_LINK_FROM, b->n_nodes);
    for (size_t i = 0, end; i < l->n; i = end) {
        struct graph_view_node *node = &b->nodes[l->items[i].key[VIEW_LINK_FROM]];

        end = same_end(l, i, VIEW_LINK_FROM);
        node->outputs = pool;
        node->n_outputs = take_values(&t, i, end, pool);
        pool += node->n_outputs;
    }
}

// What no edge tells: the value of an input that nobody reads, of an output that hidden plumbing
// makes, of an operator without readers.
static void take_own(struct view_build *b) {
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        struct graph_view_node *node = &b->nodes[i];
        const struct graph_net_node *op;

        if (node->value != ONNX_NONE && node->kind == GRAPH_VIEW_OUTPUT) {
            node->inputs = &node->value;
            node->n_inputs = 1;
        } else if (node->value != ONNX_NONE) {
            node->outputs = &node->value;
            node->n_outputs = 1;
        } else if (node->kind == GRAPH_VIEW_OPERATOR && node->n_outputs == 0) {
            op = &b->model->net.nodes[node->node];
            node->outputs = op->outputs;
            for (; node->n_outputs < op->n_outputs; node->n_outputs++) {
                if (op->outputs[node->n_outputs] == ONNX_NONE) {
                    break;
                }
            }
        }
    }
}

static bool same_edge(const struct view_build *b, const struct view_link *x,
                      const struct view_link *y) {
    return x->key[VIEW_LINK_FROM] == y->key[VIEW_LINK_FROM] &&
           x->key[VIEW_LINK_TO] == y->key[VIEW_LINK_TO] && b->options->strict;
}

// The links are sorted by (from, to, value, reader): equal ones are one reading.
static void take_edges(struct view_build *b, const struct view_links *l,
                       struct graph_view_edge *edges, uint32_t *pool) {
    const struct view_link *last = NULL;
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct view_link *link = &l->items[i];
        struct graph_view_edge *edge = n ? &edges[n - 1] : NULL;

        if (last && memcmp(last->key, link->key, sizeof(link->key)) == 0) {
            continue;
        }
        if (!last || !same_edge(b, last, link)) {
            edge = &edges[n++];
            *edge = (struct graph_view_edge){.from = link->key[VIEW_LINK_FROM],
                                             .to = link->key[VIEW_LINK_TO],
                                             .values = pool};
        }
        if (!edge->n_values || pool[-1] != link->key[VIEW_LINK_VALUE]) {
            *pool++ = link->key[VIEW_LINK_VALUE];
            edge->n_values++;
        }
        edge->count++;
        last = link;
    }
    b->view->edges = edges;
    b->view->n_edges = n;
}

static int allocate(struct view_build *b, struct view_links *l, struct error *err) {
    size_t most = view_links_most(b);

    l->items = arena_array(&b->work, most, sizeof(*l->items));
    l->spare = arena_array(&b->work, most, sizeof(*l->spare));
    return l->items && l->spare ? 0 : arena_error(&b->work, "the edges of a view", err);
}

static int take_all(struct view_build *b, struct view_links *l, struct error *err) {
    size_t values = b->model->net.n_values;
    size_t keys = values > l->n_readers ? values : l->n_readers;
    uint32_t *pool = arena_array(&b->view->arena, 3 * l->n, sizeof(*pool));
    uint32_t *seen = arena_array(&b->work, values, sizeof(*seen));
    struct graph_view_edge *edges = arena_array(&b->view->arena, l->n, sizeof(*edges));

    l->counts = arena_array(&b->work, keys + 1, sizeof(*l->counts));
    if (!pool || !seen || !edges || !l->counts) {
        return arena_error(&b->view->arena, "the edges of a view", err);
    }
    take_inputs(b, l, pool, seen);
    take_outputs(b, l, pool + l->n, seen);
    sort_by(l, VIEW_LINK_READER, l->n_readers);
    sort_by(l, VIEW_LINK_VALUE, values);
    sort_by(l, VIEW_LINK_TO, b->n_nodes);
    sort_by(l, VIEW_LINK_FROM, b->n_nodes);
    take_edges(b, l, edges, pool + 2 * l->n);
    take_own(b);
    return 0;
}

int view_edges(struct view_build *b, struct error *err) {
    struct view_links l = {.n_readers = b->n_drawn};
    int rc = allocate(b, &l, err);

    if (rc < 0) {
        return rc;
    }
    collect(b, &l);
    rc = view_extras(b, &l, err);
    return rc < 0 ? rc : take_all(b, &l, err);
}
