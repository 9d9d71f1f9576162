#include "graph/view_internal.h"

// A thing is drawn at one depth, or from one depth on: both are differences, summed up at the end.
struct differences {
    int64_t *nodes;
    int64_t *clusters;
    uint32_t n;
};

// Marks regions whose content no depth shows: leaf modules and what lies in them.
static bool *find_shut(struct view_build *b)
{
    bool *shut = arena_array(&b->work, b->n_regions, sizeof(*shut));

    if (!shut)
        return NULL;
    for (uint32_t r = 1; r < b->n_regions; r++)
        shut[r] = view_is_closed_leaf(b, &b->regions[r]) || shut[b->regions[r].parent];
    return shut;
}

// Number of depths that differ: the last opens the deepest region that opens at all.
static uint32_t count_depths(const struct view_build *b, const bool *shut)
{
    uint32_t most = 0;

    for (uint32_t r = 0; r < b->n_regions; r++)
        if (!shut[r] && b->regions[r].owns && b->regions[r].depth > most)
            most = b->regions[r].depth;
    return most + 2;
}

static void add_from(int64_t *differences, uint32_t n, uint32_t depth, int64_t by)
{
    if (depth < n)
        differences[depth] += by;
}

static void add_region(struct differences *d, const struct view_build *b, const bool *shut,
                       uint32_t region)
{
    const struct view_region *r = &b->regions[region];

    if (!r->owns || (region && shut[r->parent]))
        return;
    if (!r->is_body)
        add_from(d->nodes, d->n, r->depth, 1);
    if (shut[region])
        return;
    if (!r->is_body)
        add_from(d->nodes, d->n, r->depth + 1, -1);
    if (region)
        add_from(d->clusters, d->n, r->depth + 1, 1);
}

static void add_operators(struct differences *d, const struct view_build *b, const bool *shut)
{
    for (size_t i = 0; i < b->model->net.n_nodes; i++) {
        uint32_t region = b->node_region[i];

        if (!b->hidden[i] && !shut[region])
            add_from(d->nodes, d->n, b->regions[region].depth + 1, 1);
    }
}

static int add_ends(struct differences *d, struct view_build *b, struct error *err)
{
    const struct graph_net *net = &b->model->net;
    bool *seen = arena_array(&b->work, net->n_values, sizeof(*seen));

    if (!seen)
        return arena_error(&b->work, "the depths of a view", err);
    d->nodes[0] += net->graphs[0].n_inputs;
    d->nodes[0] += net->graphs[0].n_outputs;
    for (uint32_t i = 0; i < b->n_reads; i++) {
        uint32_t v = b->reads[i].value;

        if (net->values[v].kind == GRAPH_VALUE_MISSING && !seen[v])
            d->nodes[0]++;
        seen[v] = true;
    }
    return 0;
}

static void sum_up(struct view_build *b, const struct differences *d)
{
    int64_t nodes = 0, clusters = 0;

    for (uint32_t i = 0; i < d->n; i++) {
        nodes += d->nodes[i];
        clusters += d->clusters[i];
        b->counts[i] = (struct view_counts){(uint64_t)nodes, (uint64_t)clusters};
    }
    b->n_counts = d->n;
}

int view_count_depths(struct view_build *b, struct error *err)
{
    struct differences d;
    bool *shut;
    int rc;

    if (b->counts)
        return 0;
    shut = find_shut(b);
    if (!shut)
        return arena_error(&b->work, "the depths of a view", err);
    d.n = count_depths(b, shut);
    d.nodes = arena_array(&b->work, d.n, sizeof(*d.nodes));
    d.clusters = arena_array(&b->work, d.n, sizeof(*d.clusters));
    b->counts = arena_array(&b->work, d.n, sizeof(*b->counts));
    if (!d.nodes || !d.clusters || !b->counts)
        return arena_error(&b->work, "the depths of a view", err);
    rc = add_ends(&d, b, err);
    if (rc < 0)
        return rc;
    for (uint32_t r = 0; r < b->n_regions; r++)
        add_region(&d, b, shut, r);
    add_operators(&d, b, shut);
    sum_up(b, &d);
    return 0;
}

static bool boxes_fit(const struct view_build *b, uint32_t depth)
{
    return !b->options->expand_nested ||
           (b->counts[depth].clusters <= b->max_nodes && depth <= GRAPH_VIEW_NESTING_MAX + 1);
}

static bool has_content(const struct view_build *b)
{
    uint32_t visible = 0;

    if (!b->regions[0].leaf)
        return true;
    for (size_t i = 0; i < b->model->net.n_nodes && visible < 2; i++)
        visible += !b->hidden[i];
    return visible > 1;
}

int view_depth_auto(struct view_build *b, uint32_t *depth, struct error *err)
{
    int rc = view_count_depths(b, err);
    uint32_t d;

    if (rc < 0)
        return rc;
    for (d = b->n_counts - 1; d > 0; d--)
        if (b->counts[d].nodes <= b->options->max_boxes && boxes_fit(b, d))
            break;
    *depth = d == 0 && has_content(b) ? 1 : d;
    return 0;
}

static bool fits(const struct view_build *b, uint32_t depth)
{
    return b->counts[depth].nodes <= b->max_nodes && boxes_fit(b, depth);
}

int view_depth_coarser(struct view_build *b, uint32_t *depth, struct error *err)
{
    int rc = view_count_depths(b, err);
    uint32_t d;

    if (rc < 0)
        return rc;
    d = *depth < b->n_counts - 1 ? *depth : b->n_counts - 1;
    while (d > 0 && !fits(b, d))
        d--;
    *depth = d;
    return 0;
}
