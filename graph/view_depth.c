#include "graph/view_internal.h"

// A thing is drawn at one depth, or from one depth on: both are differences, summed up at the end.
struct differences {
    int64_t *nodes;
    int64_t *clusters;
    uint32_t n;
};

// Marks regions whose content no depth shows: leaf modules and what lies in them.
static bool *find_shut(struct view_build *b) {
    bool *shut = arena_array(&b->work, b->n_regions, sizeof(*shut));

    if (!shut) {
        return NULL;
    }
    for (uint32_t i = 0; i < b->n_regions; i++) {
        uint32_t r = b->order ? b->order[i] : i;

        if (r != 0) {
            shut[r] = view_is_closed_leaf(b, &b->regions[r]) || b->regions[r].shut ||
                      shut[b->regions[r].parent];
        }
    }
    return shut;
}

// Number of depths that differ: the last opens the deepest region that opens at all.
static uint32_t count_depths(const struct view_build *b, const bool *shut) {
    uint32_t most = 0;

    for (uint32_t r = 0; r < b->n_regions; r++) {
        if (!shut[r] && b->regions[r].owns && b->regions[r].depth > most) {
            most = b->regions[r].depth;
        }
    }
    return most + 2;
}

static void add_from(int64_t *differences, uint32_t n, uint32_t depth, int64_t by) {
    if (depth < n) {
        differences[depth] += by;
    }
}

// A group is there when what is around it is open.
static void add_group(struct differences *d, const struct view_region *r) {
    add_from(r->shut ? d->nodes : d->clusters, d->n, r->depth + 1, 1);
}

static void add_region(struct differences *d, const struct view_build *b, const bool *shut,
                       uint32_t region) {
    const struct view_region *r = &b->regions[region];

    if (!r->owns || (region && shut[r->parent]) || r->stand_in != region) {
        return;
    }
    if (r->is_group) {
        add_group(d, r);
        return;
    }
    if (!r->is_body) {
        add_from(d->nodes, d->n, r->depth, 1);
    }
    if (shut[region]) {
        return;
    }
    if (!r->is_body) {
        add_from(d->nodes, d->n, r->depth + 1, -1);
    }
    if (region) {
        add_from(d->clusters, d->n, r->depth + 1, 1);
    }
}

static void add_operators(struct differences *d, const struct view_build *b, const bool *shut) {
    for (uint32_t i = 0; i < b->model->net.n_nodes; i++) {
        uint32_t region = b->node_region[i];

        if (!b->hidden[i] && !shut[region] && view_stand_in(b, i) == i) {
            add_from(d->nodes, d->n, b->regions[region].depth + 1, 1);
        }
    }
}

static int add_ends(struct differences *d, struct view_build *b, struct error *err) {
    const struct graph_net *net = &b->model->net;
    bool *seen = arena_array(&b->work, net->n_values, sizeof(*seen));
    uint32_t n_missing = 0;

    if (!seen) {
        return arena_error(&b->work, "the depths of a view", err);
    }
    for (uint32_t i = 0; i < b->n_reads; i++) {
        uint32_t v = b->reads[i].value;

        n_missing += net->values[v].kind == GRAPH_VALUE_MISSING && !seen[v];
        seen[v] = true;
    }
    d->nodes[0] += view_count_ends(b, n_missing);
    return 0;
}

static void sum_up(struct view_build *b, const struct differences *d) {
    int64_t nodes = 0, clusters = 0;

    for (uint32_t i = 0; i < d->n; i++) {
        nodes += d->nodes[i];
        clusters += d->clusters[i];
        b->counts[i] = (struct view_counts){(uint64_t)nodes, (uint64_t)clusters};
    }
    b->n_counts = d->n;
}

int view_count_depths(struct view_build *b, struct error *err) {
    struct differences d;
    bool *shut;
    int rc;

    if (b->counts) {
        return 0;
    }
    shut = find_shut(b);
    if (!shut) {
        return arena_error(&b->work, "the depths of a view", err);
    }
    d.n = count_depths(b, shut);
    d.nodes = arena_array(&b->work, d.n, sizeof(*d.nodes));
    d.clusters = arena_array(&b->work, d.n, sizeof(*d.clusters));
    b->counts = arena_array(&b->work, d.n, sizeof(*b->counts));
    if (!d.nodes || !d.clusters || !b->counts) {
        return arena_error(&b->work, "the depths of a view", err);
    }
    rc = add_ends(&d, b, err);
    if (rc < 0) {
        return rc;
    }
    for (uint32_t r = 0; r < b->n_regions; r++) {
        add_region(&d, b, shut, r);
    }
    add_operators(&d, b, shut);
    sum_up(b, &d);
    return 0;
}

static bool boxes_fit(const struct view_build *b, uint32_t depth) {
    return !b->options->expand_nested ||
           (b->counts[depth].clusters <= b->max_nodes && depth <= GRAPH_VIEW_NESTING_MAX + 1);
}

static bool has_content(const struct view_build *b) {
    uint32_t visible = 0;

    if (!b->regions[0].leaf) {
        return true;
    }
    for (size_t i = 0; i < b->model->net.n_nodes && visible < 2; i++) {
        visible += !b->hidden[i];
    }
    return visible > 1;
}

// Where even the least depth shows too much.
static int squeezed(struct view_build *b, uint32_t *depth, uint32_t least, uint32_t budget,
                    struct error *err) {
    *depth = has_content(b) ? least : 0;
    return *depth ? view_squeeze(b, budget, err) : 0;
}

// What rolling leaves of a depth is known only when it is drawn.
static int rolled_fits(struct view_build *b, uint32_t depth, bool *fits, struct error *err) {
    int rc;

    *fits = false;
    if (b->options->roll == GRAPH_ROLL_NONE || b->counts[depth].nodes > b->max_nodes) {
        return 0;
    }
    b->depth = depth;
    view_open(b);
    rc = view_nodes(b, fits, err);
    if (rc < 0 || !*fits) {
        return rc;
    }
    rc = view_roll(b, err);
    *fits = b->n_nodes <= b->options->max_boxes;
    return rc;
}

int view_depth_auto(struct view_build *b, uint32_t *depth, struct error *err) {
    uint32_t least = view_depth_least(b), d;
    int rc = view_count_depths(b, err);

    if (rc < 0) {
        return rc;
    }
    for (d = b->n_counts - 1; d > 0; d--) {
        bool fits = b->counts[d].nodes <= b->options->max_boxes;

        if (!fits) {
            rc = rolled_fits(b, d, &fits, err);
        }
        if (rc < 0) {
            return rc;
        }
        if (fits && boxes_fit(b, d)) {
            break;
        }
    }
    if (d < least || d == 0) {
        return squeezed(b, depth, least, b->options->max_boxes, err);
    }
    *depth = d;
    return 0;
}

static bool fits(const struct view_build *b, uint32_t depth) {
    return b->counts[depth].nodes <= b->max_nodes && boxes_fit(b, depth);
}

int view_depth_coarser(struct view_build *b, uint32_t *depth, struct error *err) {
    uint32_t least = view_depth_least(b), d;
    int rc;

    b->counts = NULL;
    rc = view_count_depths(b, err);
    if (rc < 0) {
        return rc;
    }
    d = *depth < b->n_counts - 1 ? *depth : b->n_counts - 1;
    while (d > 0 && !fits(b, d)) {
        d--;
    }
    if (d<least && * depth> 0) {
        return squeezed(b, depth, least, b->max_nodes, err);
    }
    *depth = d;
    return 0;
}
