#include "graph/layout_place.h"

#include <math.h>

#include "graph/layout.h"
#include "graph/layout_pull.h"

#define PAD 10.0           // between the border of a container and what is in it
#define CAPTION_PAD 4.0    // around a caption
#define CAPTION_CLEAR 6.0  // between a caption and an edge
#define GAP_RANKS 20.0
#define GAP_STRAIGHT 18.0  // where nothing goes sideways
#define GAP_PORTS 10.0     // below in-ports and above out-ports
#define GAP_MAX 70.0
#define LABEL_CLEAR 8.0   // above and below the label of a straight edge
#define TRAVEL_FREE 60.0  // sideways points that cost no height
#define TRAVEL_SHARE 0.06
#define TALL 60.0  // rank whose lower vertices stand at its upper side
#define LANE_GAP 12.0
#define LANES_SHOWN 64u  // lanes side by side; more share them
#define LANE_STEP 3.0

// Passes over all ranks, by number of vertices.
static const struct {
    uint32_t size, passes;
} efforts[] = {{3000, 10}, {30000, 6}, {UINT32_MAX, 3}};

#define HOLD_PASSES 4u
#define LAST_PASSES 2u

struct placer {
    const struct layout_layers *l;
    const struct layout_order *order;
    const struct layout_item *items;
    const struct layout_caption *caption;
    const double *room;  // per arc, or NULL
    struct layout_placed *out;
};

// ---- across the flow

static uint32_t passes_for(uint32_t n) {
    size_t i = 0;

    while (efforts[i].size < n) {
        i++;
    }
    return efforts[i].passes;
}

static bool run_pull(struct layout_pull *p, struct arena *arena) {
    uint32_t passes = passes_for(p->layers->n);

    graph_layout_pull_start(p);
    graph_layout_find_columns(p);
    for (uint32_t i = 0; i < passes; i++) {
        graph_layout_pull(p, i % 2 ? LAYOUT_PULL_DOWN : LAYOUT_PULL_UP, i % 2 == 0, false);
    }
    for (uint32_t i = 0; i < HOLD_PASSES; i++) {
        graph_layout_aim(p);
        graph_layout_pull(p, LAYOUT_PULL_BOTH, i % 2 == 0, true);
    }
    if (!graph_layout_straighten(p, arena)) {
        return false;
    }
    for (uint32_t i = 0; i < LAST_PASSES; i++) {
        graph_layout_pull(p, LAYOUT_PULL_BOTH, i % 2 == 0, false);
    }
    return true;
}

static bool pull(struct placer *c, struct arena *arena) {
    struct layout_pull p = {.layers = c->l,
                            .order = c->order,
                            .items = c->items,
                            .columns = &c->out->columns,
                            .attach = &c->out->attach};

    c->out->x = NULL;
    if (!graph_layout_pull_init(&p, arena) || !run_pull(&p, arena)) {
        return false;
    }
    c->out->x = p.x;
    return true;
}

// Left and right end of all vertices.
static void extent(const struct placer *c, double *low, double *high) {
    *low = *high = 0;
    for (uint32_t v = 0; v < c->l->n; v++) {
        const struct layout_item *item = v < c->l->local->n_items ? &c->items[v] : NULL;
        double half = item ? item->w / 2 + item->side : 0, x = c->out->x[v];

        *low = v ? fmin(*low, x - half) : x - half;
        *high = v ? fmax(*high, x + half) : x + half;
    }
}

// Even, so that halves are on the grid.
static double even(double v) {
    return ceil(v / 2) * 2;
}

static void shift(struct placer *c, double by) {
    for (uint32_t v = 0; v < c->l->n; v++) {
        c->out->x[v] = graph_layout_round(c->out->x[v] + by);
    }
}

static double lanes_width(const struct placer *c) {
    uint32_t n = c->l->n_lanes < LANES_SHOWN ? c->l->n_lanes : LANES_SHOWN;

    return n ? LANE_GAP + n * LANE_STEP : 0;
}

static double band_left(const struct placer *c) {
    return c->caption->band == LAYOUT_BAND_LEFT ? c->caption->h + CAPTION_PAD : 0;
}

// ---- the caption beside the edges that cross its band

// Ports that the band has: those of the side it lies on.
static const uint32_t *band_ports(const struct placer *c, uint32_t *n) {
    const struct layout_local *local = c->l->local;
    bool is_top = c->caption->band == LAYOUT_BAND_TOP;
    uint32_t rank = is_top ? 0 : c->l->ranks.n_ranks - 1;

    *n = is_top ? local->n_in : local->n_out;
    return &c->order->vertices[c->l->rank_first[*n ? rank : 0]];
}

// The place between two ports (or a port and a border) where the least room is missing: from the
// left; *at is the number of ports before it.
static double find_place(const struct placer *c, uint32_t *at) {
    double best = 0, need = c->caption->w + CAPTION_CLEAR;
    uint32_t n;
    const uint32_t *ports = band_ports(c, &n);

    *at = 0;
    for (uint32_t i = 0; i <= n; i++) {
        double low = i ? c->out->x[ports[i - 1]] + CAPTION_CLEAR : CAPTION_PAD + 2;
        double high = i < n ? c->out->x[ports[i]] : c->out->w - CAPTION_PAD - 2;
        double missing = need - (high - low);

        if (i && i < n && missing > 0) {
            continue;  // what lies between two ports cannot be made wider
        }
        if (i == 0 || missing < best) {
            best = missing;
            *at = i;
        }
        if (missing <= 0) {
            break;
        }
    }
    return fmax(best, 0);
}

static void place_caption(struct placer *c) {
    uint32_t at, n;
    double missing = find_place(c, &at);
    const uint32_t *ports = band_ports(c, &n);

    missing = even(missing);
    c->out->w += missing;
    if (at == 0 && n > 0) {
        shift(c, missing);
    }
    c->out->caption_x =
        graph_layout_round(at ? c->out->x[ports[at - 1]] + CAPTION_CLEAR : CAPTION_PAD + 2);
}

static void set_width(struct placer *c) {
    double low, high, need;

    extent(c, &low, &high);
    c->out->w = even(high - low + 2 * PAD + band_left(c));
    shift(c, PAD + band_left(c) - low);
    need = c->caption->band == LAYOUT_BAND_NONE || c->caption->band == LAYOUT_BAND_LEFT
               ? 0
               : even(c->caption->w + 2 * CAPTION_PAD + 4);
    if (c->out->w < need) {
        shift(c, (need - c->out->w) / 2);
        c->out->w = need;
    }
    if (c->caption->band == LAYOUT_BAND_TOP || c->caption->band == LAYOUT_BAND_BOTTOM) {
        place_caption(c);
    }
    c->out->lane_x = c->out->w - PAD / 2;
    c->out->w += even(lanes_width(c));
}

// ---- along the flow

static void rank_heights(struct placer *c, double *height) {
    const struct layout_layers *l = c->l;

    for (uint32_t v = 0; v < l->local->n_items; v++) {
        if (height[l->rank[v]] < c->items[v].h) {
            height[l->rank[v]] = c->items[v].h;
        }
    }
}

// The widest way that a link below each rank goes sideways.
static void measure_travel(struct placer *c, double *travel) {
    const struct layout_layers *l = c->l;

    for (uint32_t i = 0; i < l->n_links; i++) {
        const struct layout_link *k = &l->links[i];
        double d = fabs(c->out->x[k->u] + c->out->attach.upper[i] - c->out->x[k->v] -
                        c->out->attach.lower[i]);

        if (travel[l->rank[k->u]] < d) {
            travel[l->rank[k->u]] = d;
        }
    }
}

// The room for labels below each rank.
static void measure_labels(struct placer *c, double *label) {
    const struct layout_layers *l = c->l;

    for (uint32_t i = 0; c->room && i < l->local->n_arcs; i++) {
        double *of;

        if (l->last[i] == LAYOUT_NONE) {
            continue;
        }
        of = &label[l->rank[l->links[l->last[i]].u]];
        *of = fmax(*of, c->room[i]);
    }
}

static double gap_below(const struct placer *c, uint32_t rank, double travel, double label) {
    const struct layout_local *local = c->l->local;
    bool is_port = (rank == 0 && local->n_in) || (rank + 2 == c->l->ranks.n_ranks && local->n_out);
    double straight = is_port ? GAP_PORTS : GAP_STRAIGHT;
    double gap = travel < 1 ? straight : GAP_RANKS;

    if (travel > TRAVEL_FREE) {
        gap += (travel - TRAVEL_FREE) * TRAVEL_SHARE;
    }
    gap = fmin(gap, GAP_MAX);
    if (label > 0) {
        gap = travel < 1 ? fmax(gap, label + LABEL_CLEAR) : gap + label + LABEL_CLEAR / 2;
    }
    return graph_layout_round(gap);
}

static double band_height(const struct placer *c, enum layout_band band) {
    return c->caption->band == band ? c->caption->h + 2 * CAPTION_PAD : 0;
}

// Ports stand on the border itself, and a band beside them is part of their rank.
static void set_ranks(struct placer *c, const double *height, const double *travel,
                      const double *label) {
    const struct layout_local *local = c->l->local;
    uint32_t ranks = c->l->ranks.n_ranks;
    double y = local->n_in ? 0 : PAD, low = band_height(c, LAYOUT_BAND_TOP);

    if (!local->n_in) {
        y = fmax(y, low > 0 ? low + 2 : 0);
    }
    for (uint32_t r = 0; r < ranks; r++) {
        c->out->rank_top[r] = y;
        y += height[r];
        if (r == 0 && local->n_in) {
            y += low;
        }
        if (r + 1 == ranks && local->n_out) {
            y += band_height(c, LAYOUT_BAND_BOTTOM);
        }
        c->out->rank_bottom[r] = y;
        y += r + 1 < ranks ? gap_below(c, r, travel[r], label[r]) : 0;
    }
    if (!local->n_out) {
        y += fmax(PAD, band_height(c, LAYOUT_BAND_BOTTOM));
    }
    c->out->h = even(y);
}

// What the caption wants beside the flow; what is left over goes below the last items.
static void stretch(struct placer *c) {
    uint32_t ranks = c->l->ranks.n_ranks;
    double need =
        c->caption->band == LAYOUT_BAND_LEFT ? even(c->caption->w + 2 * CAPTION_PAD + 4) : 0;

    if (c->out->h < need) {
        c->out->h = need;
    }
    if (!ranks || !c->l->local->n_out) {
        return;
    }
    c->out->rank_top[ranks - 1] += c->out->h - c->out->rank_bottom[ranks - 1];
    c->out->rank_bottom[ranks - 1] = c->out->h;
}

// Sources stand above what they lead to; in a tall rank the rest stands below what leads to it.
static double top_of(const struct placer *c, uint32_t v) {
    const struct layout_layers *l = c->l;
    uint32_t rank = l->rank[v];
    double low = c->out->rank_top[rank], room = c->out->rank_bottom[rank] - low;
    double h = v < l->local->n_items ? c->items[v].h : 0;

    if (v >= l->local->n_items + l->local->n_in) {
        return c->out->h;
    }
    if (v >= l->local->n_items) {
        return 0;
    }
    if (l->up_first[v + 1] == l->up_first[v] && l->down_first[v + 1] > l->down_first[v]) {
        return low + room - h;
    }
    return graph_layout_round(room > TALL ? low : low + (room - h) / 2);
}

static void caption_y(struct placer *c) {
    switch (c->caption->band) {
    case LAYOUT_BAND_TOP:
        c->out->caption_y = CAPTION_PAD;
        break;
    case LAYOUT_BAND_BOTTOM:
        c->out->caption_y = c->out->h - CAPTION_PAD - c->caption->h;
        break;
    case LAYOUT_BAND_LEFT:
        c->out->caption_x = CAPTION_PAD;
        c->out->caption_y = CAPTION_PAD + 2;
        break;
    case LAYOUT_BAND_NONE:
        break;
    }
}

static bool set_heights(struct placer *c, struct arena *arena) {
    uint32_t ranks = c->l->ranks.n_ranks;
    double *height = arena_array(arena, ranks, sizeof(*height));
    double *travel = arena_array(arena, ranks, sizeof(*travel));
    double *label = arena_array(arena, ranks, sizeof(*label));

    c->out->rank_top = arena_array(arena, ranks, sizeof(*c->out->rank_top));
    c->out->rank_bottom = arena_array(arena, ranks, sizeof(*c->out->rank_bottom));
    c->out->top = arena_array(arena, layout_n_real(c->l), sizeof(*c->out->top));
    if (!height || !travel || !label || !c->out->rank_top || !c->out->rank_bottom || !c->out->top) {
        return false;
    }
    rank_heights(c, height);
    measure_travel(c, travel);
    measure_labels(c, label);
    set_ranks(c, height, travel, label);
    stretch(c);
    for (uint32_t v = 0; v < layout_n_real(c->l); v++) {
        c->out->top[v] = top_of(c, v);
    }
    caption_y(c);
    return true;
}

static bool list_ports(struct placer *c, struct arena *arena) {
    const struct layout_local *local = c->l->local;

    c->out->in_x = arena_array(arena, local->n_in, sizeof(*c->out->in_x));
    c->out->out_x = arena_array(arena, local->n_out, sizeof(*c->out->out_x));
    if (!c->out->in_x || !c->out->out_x) {
        return false;
    }
    for (uint32_t p = 0; p < local->n_in; p++) {
        c->out->in_x[p] = c->out->x[local->n_items + p];
    }
    for (uint32_t p = 0; p < local->n_out; p++) {
        c->out->out_x[p] = c->out->x[local->n_items + local->n_in + p];
    }
    return true;
}

bool graph_layout_place(struct layout_placed *out, const struct layout_layers *layers,
                        const struct layout_order *order, const struct layout_fixed *fixed,
                        const struct layout_item *items, const struct layout_caption *caption,
                        const double *room, struct arena *arena) {
    struct placer c = {
        .l = layers, .order = order, .items = items, .caption = caption, .room = room, .out = out};

    *out = (struct layout_placed){0};
    if (!graph_layout_align(&out->columns, layers, order, arena) ||
        !graph_layout_attach(&out->attach, layers, order, fixed, &out->columns, items, arena) ||
        !pull(&c, arena)) {
        return false;
    }
    set_width(&c);
    return set_heights(&c, arena) && list_ports(&c, arena);
}
