#include "graph/view_internal.h"

enum link_key { LINK_FROM, LINK_TO, LINK_VALUE };

// One value on its way from node to node.
struct link {
    uint32_t key[3];  // by enum link_key
};

struct links {
    struct link *items, *spare;
    uint32_t *counts;  // room to sort by any key
    size_t n;
};

static uint32_t source_of(const struct view_build *b, uint32_t value)
{
    const struct graph_value *v = &b->model->net.values[value];

    if (v->kind == GRAPH_VALUE_NODE)
        return view_carrier(b, v->producer);
    return b->end_node[value];
}

static void add_link(const struct view_build *b, struct links *l, uint32_t value, uint32_t to)
{
    uint32_t from = source_of(b, value);

    if (from != ONNX_NONE && to != ONNX_NONE && from != to)
        l->items[l->n++] = (struct link){{from, to, value}};
}

static void collect(const struct view_build *b, struct links *l)
{
    const struct graph_net_graph *main = &b->model->net.graphs[0];

    for (uint32_t i = 0; i < b->n_reads; i++)
        if (view_read_counts(b, &b->reads[i]))
            add_link(b, l, b->reads[i].value, view_carrier(b, b->reads[i].node));
    for (uint32_t i = 0; i < main->n_outputs; i++)
        if (main->outputs[i] != ONNX_NONE && view_carries(b, main->outputs[i]))
            add_link(b, l, main->outputs[i], b->out_node[i]);
}

// Stable counting sort: linear, and the same order on every machine.
static void sort_by(struct links *l, enum link_key key, size_t n_keys)
{
    uint32_t *at = l->counts;
    struct link *sorted = l->spare;

    memset(at, 0, (n_keys + 1) * sizeof(*at));
    for (size_t i = 0; i < l->n; i++)
        at[l->items[i].key[key] + 1]++;
    for (size_t k = 0; k < n_keys; k++)
        at[k + 1] += at[k];
    for (size_t i = 0; i < l->n; i++)
        sorted[at[l->items[i].key[key]]++] = l->items[i];
    l->spare = l->items;
    l->items = sorted;
}

static size_t same_end(const struct links *l, size_t from, enum link_key key)
{
    size_t to = from;

    while (to < l->n && l->items[to].key[key] == l->items[from].key[key])
        to++;
    return to;
}

// Values of links[from..to) in order; one that the last call for this node has seen is left out.
static uint32_t take_values(const struct links *l, size_t from, size_t to, uint32_t *out,
                            uint32_t *seen, uint32_t mark)
{
    uint32_t n = 0;

    for (size_t i = from; i < to; i++) {
        uint32_t value = l->items[i].key[LINK_VALUE];

        if (seen[value] == mark)
            continue;
        seen[value] = mark;
        out[n++] = value;
    }
    return n;
}

// `seen` holds, per value, the last mark that it was taken with; marks are node + 1 on the way in,
// and go on from there on the way out.
static void take_inputs(struct view_build *b, struct links *l, uint32_t *pool, uint32_t *seen)
{
    sort_by(l, LINK_TO, b->n_nodes);
    for (size_t i = 0, end; i < l->n; i = end) {
        uint32_t to = l->items[i].key[LINK_TO];
        struct graph_view_node *node = &b->nodes[to];

        end = same_end(l, i, LINK_TO);
        node->inputs = pool;
        node->n_inputs = take_values(l, i, end, pool, seen, to + 1);
        pool += node->n_inputs;
    }
}

static void take_outputs(struct view_build *b, struct links *l, uint32_t *pool, uint32_t *seen)
{
    sort_by(l, LINK_VALUE, b->model->net.n_values);
    sort_by(l, LINK_FROM, b->n_nodes);
    for (size_t i = 0, end; i < l->n; i = end) {
        uint32_t from = l->items[i].key[LINK_FROM];
        struct graph_view_node *node = &b->nodes[from];

        end = same_end(l, i, LINK_FROM);
        node->outputs = pool;
        node->n_outputs = take_values(l, i, end, pool, seen, b->n_nodes + from + 1);
        pool += node->n_outputs;
    }
}

// What no edge tells: the value of an input that nobody reads, of an output that hidden plumbing
// makes, of an operator without readers.
static void take_own(struct view_build *b)
{
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
            for (; node->n_outputs < op->n_outputs; node->n_outputs++)
                if (op->outputs[node->n_outputs] == ONNX_NONE)
                    break;
        }
    }
}

static bool same_edge(const struct view_build *b, const struct link *x, const struct link *y)
{
    return x->key[LINK_FROM] == y->key[LINK_FROM] && x->key[LINK_TO] == y->key[LINK_TO] &&
           (b->options->strict || x->key[LINK_VALUE] == y->key[LINK_VALUE]);
}

// The links are sorted by (from, to, value).
static void take_edges(struct view_build *b, const struct links *l, struct graph_view_edge *edges,
                       uint32_t *pool)
{
    const struct link *last = NULL;
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct link *link = &l->items[i];

        if (!last || !same_edge(b, last, link))
            edges[n++] = (struct graph_view_edge){.from = link->key[LINK_FROM],
                                                  .to = link->key[LINK_TO],
                                                  .values = pool};
        else if (last->key[LINK_VALUE] == link->key[LINK_VALUE])
            continue;
        *pool++ = link->key[LINK_VALUE];
        edges[n - 1].count++;
        edges[n - 1].n_values++;
        last = link;
    }
    b->view->edges = edges;
    b->view->n_edges = n;
}

int view_edges(struct view_build *b, struct error *err)
{
    size_t most = (size_t)b->n_reads + b->model->net.graphs[0].n_outputs;
    size_t values = b->model->net.n_values, keys = values > b->n_nodes ? values : b->n_nodes;
    struct links l = {0};
    struct graph_view_edge *edges;
    uint32_t *seen, *pool;

    l.items = arena_array(&b->work, most, sizeof(*l.items));
    l.spare = arena_array(&b->work, most, sizeof(*l.spare));
    l.counts = arena_array(&b->work, keys + 1, sizeof(*l.counts));
    seen = arena_array(&b->work, values, sizeof(*seen));
    if (!l.items || !l.spare || !l.counts || !seen)
        return arena_error(&b->work, "the edges of a view", err);
    collect(b, &l);
    pool = arena_array(&b->view->arena, 3 * l.n, sizeof(*pool));
    edges = arena_array(&b->view->arena, l.n, sizeof(*edges));
    if (!pool || !edges)
        return arena_error(&b->view->arena, "the edges of a view", err);
    take_inputs(b, &l, pool, seen);
    take_outputs(b, &l, pool + l.n, seen);
    sort_by(&l, LINK_TO, b->n_nodes);
    sort_by(&l, LINK_FROM, b->n_nodes);
    take_edges(b, &l, edges, pool + 2 * l.n);
    take_own(b);
    return 0;
}
