#include "graph/layout_pull.h"

#define GAP_NODES 16.0  // between two boxes
#define GAP_LINES 9.0   // between two edges
#define GAP_MIXED 11.0  // between a box and an edge
#define GAP_PORTS 10.0
#define DAMPING 0.3  // of the pull on a cluster whose trunk does not go straight through it
#define ANCHOR 0.8   // weight of the middle for such a cluster
#define IDLE 0.05    // weight of staying for what nothing pulls
#define RAIL 2.0     // factor of virtual vertices
#define HOLD 24.0    // weight of a column's line, against that of a link of the trunk
#define FIXED 1e9    // weight of what stays

bool graph_layout_pull_init(struct layout_pull *p, struct arena *arena) {
    size_t n = p->layers->n;

    p->x = arena_array(arena, n, sizeof(*p->x));
    p->column = arena_array(arena, n, sizeof(*p->column));
    p->next = arena_array(arena, n, sizeof(*p->next));
    p->shift = arena_array(arena, n, sizeof(*p->shift));
    p->line = arena_array(arena, n, sizeof(*p->line));
    p->is_fixed = arena_array(arena, n, sizeof(*p->is_fixed));
    p->scratch_sum = arena_array(arena, n, sizeof(*p->scratch_sum));
    p->scratch_weight = arena_array(arena, n, sizeof(*p->scratch_weight));
    p->scratch_offset = arena_array(arena, n, sizeof(*p->scratch_offset));
    p->scratch_count = arena_array(arena, n, sizeof(*p->scratch_count));
    return p->x && p->column && p->next && p->shift && p->line && p->is_fixed && p->scratch_sum &&
           p->scratch_weight && p->scratch_offset && p->scratch_count;
}

enum breadth { BREADTH_ITEM, BREADTH_PORT, BREADTH_LINE };

static enum breadth breadth_of(const struct layout_layers *l, uint32_t v) {
    if (v < l->local->n_items) {
        return BREADTH_ITEM;
    }
    return v < layout_n_real(l) ? BREADTH_PORT : BREADTH_LINE;
}

static double half_width(const struct layout_pull *p, uint32_t v) {
    return v < p->layers->local->n_items ? p->items[v].w / 2 + p->items[v].side : 0;
}

double graph_layout_distance(const struct layout_pull *p, uint32_t left, uint32_t right) {
    static const double gaps[3][3] = {
        {GAP_NODES, GAP_NODES, GAP_MIXED},
        {GAP_NODES, GAP_PORTS, GAP_PORTS},
        {GAP_MIXED, GAP_PORTS, GAP_LINES},
    };

    return half_width(p, left) + half_width(p, right) +
           gaps[breadth_of(p->layers, left)][breadth_of(p->layers, right)];
}

void graph_layout_pull_start(struct layout_pull *p) {
    const struct layout_layers *l = p->layers;

    for (uint32_t r = 0; r < l->ranks.n_ranks; r++) {
        const uint32_t *vertices = &p->order->vertices[l->rank_first[r]];
        uint32_t n = l->rank_first[r + 1] - l->rank_first[r];
        double at = 0;

        for (uint32_t i = 0; i < n; i++) {
            at += i ? graph_layout_distance(p, vertices[i - 1], vertices[i]) : 0;
            p->x[vertices[i]] = at;
        }
        for (uint32_t i = 0; i < n; i++) {
            p->x[vertices[i]] -= at / 2;
        }
    }
}

// ---- one vertex

// A cluster whose trunk enters and leaves it at one x is as good as a node.
static bool is_twisted(const struct layout_pull *p, uint32_t v) {
    uint32_t up, down;

    if (v >= p->layers->local->n_items || !p->items[v].is_cluster) {
        return false;
    }
    up = p->columns->up[v];
    down = p->columns->down[v];
    return up == LAYOUT_NONE || down == LAYOUT_NONE ||
           p->attach->lower[up] != p->attach->upper[down];
}

struct force {
    double sum, weight;
};

static void add_up(const struct layout_pull *p, uint32_t v, double damping, struct force *f) {
    const struct layout_layers *l = p->layers;

    for (uint32_t k = l->up_first[v]; k < l->up_first[v + 1]; k++) {
        uint32_t i = l->up[k];
        double w = graph_layout_weight(l, &l->links[i]);

        f->sum += w * (p->x[l->links[i].u] + damping * (p->attach->upper[i] - p->attach->lower[i]));
        f->weight += w;
    }
}

static void add_down(const struct layout_pull *p, uint32_t v, double damping, struct force *f) {
    const struct layout_layers *l = p->layers;

    for (uint32_t k = l->down_first[v]; k < l->down_first[v + 1]; k++) {
        uint32_t i = l->down[k];
        double w = graph_layout_weight(l, &l->links[i]);

        f->sum += w * (p->x[l->links[i].v] + damping * (p->attach->lower[i] - p->attach->upper[i]));
        f->weight += w;
    }
}

static struct force force_on(const struct layout_pull *p, uint32_t v, enum layout_pull_side side,
                             bool holds) {
    bool twisted = is_twisted(p, v);
    double damping = twisted ? DAMPING : 1;
    struct force f = {0, 0};

    if (p->is_fixed[v]) {
        return (struct force){(p->line[v] + p->shift[v]) * FIXED, FIXED};
    }
    if (side & LAYOUT_PULL_UP) {
        add_up(p, v, damping, &f);
    }
    if (side & LAYOUT_PULL_DOWN) {
        add_down(p, v, damping, &f);
    }
    if (twisted) {
        f.weight *= 1 + ANCHOR;
    }
    if (f.weight <= 0) {
        f = (struct force){p->x[v] * IDLE, IDLE};
    }
    if (v >= layout_n_real(p->layers)) {
        f.sum *= RAIL;
        f.weight *= RAIL;
    }
    if (holds && p->column[v] != LAYOUT_NONE) {
        f.sum += HOLD * (p->line[p->column[v]] + p->shift[v]);
        f.weight += HOLD;
    }
    return f;
}

// ---- one rank

static void place_blocks(struct layout_pull *p, const uint32_t *vertices, uint32_t blocks) {
    uint32_t i = 0;

    for (uint32_t b = 0; b < blocks; b++) {
        double at = p->scratch_sum[b] / p->scratch_weight[b];

        for (uint32_t k = 0; k < p->scratch_count[b]; k++, i++) {
            p->x[vertices[i]] = at + p->scratch_offset[i];
        }
    }
    // As good as fixed is not exactly so.
    for (uint32_t k = 0; k < i; k++) {
        if (p->is_fixed[vertices[k]]) {
            p->x[vertices[k]] = p->line[vertices[k]] + p->shift[vertices[k]];
        }
    }
}

static bool is_out_of_order(const struct layout_pull *p, uint32_t b) {
    return p->scratch_sum[b - 1] * p->scratch_weight[b] >
           p->scratch_sum[b] * p->scratch_weight[b - 1];
}

// Pool adjacent violators.
static void place_rank(struct layout_pull *p, uint32_t rank, enum layout_pull_side side,
                       bool holds) {
    const struct layout_layers *l = p->layers;
    const uint32_t *vertices = &p->order->vertices[l->rank_first[rank]];
    uint32_t n = l->rank_first[rank + 1] - l->rank_first[rank], blocks = 0;
    double offset = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct force f = force_on(p, vertices[i], side, holds);

        offset += i ? graph_layout_distance(p, vertices[i - 1], vertices[i]) : 0;
        p->scratch_offset[i] = offset;
        p->scratch_sum[blocks] = f.sum - offset * f.weight;
        p->scratch_weight[blocks] = f.weight;
        p->scratch_count[blocks++] = 1;
        while (blocks > 1 && is_out_of_order(p, blocks - 1)) {
            blocks--;
            p->scratch_sum[blocks - 1] += p->scratch_sum[blocks];
            p->scratch_weight[blocks - 1] += p->scratch_weight[blocks];
            p->scratch_count[blocks - 1] += p->scratch_count[blocks];
        }
    }
    place_blocks(p, vertices, blocks);
}

void graph_layout_pull(struct layout_pull *p, enum layout_pull_side side, bool downwards,
                       bool holds) {
    uint32_t ranks = p->layers->ranks.n_ranks;

    for (uint32_t i = 0; i < ranks; i++) {
        place_rank(p, downwards ? i : ranks - 1 - i, side, holds);
    }
}
