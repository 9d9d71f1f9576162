#include "graph/layout_route.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

#define NEAR 0.06          // points: closer is the same
#define BEND 0.55          // of a gap: how far a curve's handles reach
#define BRANCHES_MAX 256u  // of a net: more are not told apart, lest a long rail cost their square
#define LANES_SHOWN 64u    // as in layout_place.c
#define LANE_STEP 3.0
#define CORNER 4.0  // where lanes leave and reach a node, from its right side

void graph_layout_points_release(struct layout_points *points) {
    free(points->items);
    *points = (struct layout_points){0};
}

struct router {
    const struct layout_layers *l;
    const struct layout_placed *p;
    const struct layout_item *items;
    struct layout_points *points;
    struct error *err;
    bool *is_drawn;    // per link
    uint32_t *chain;   // links of an arc, from the lowest up
    uint32_t *branch;  // per link: readers of its net
    uint32_t lanes;    // so far
    size_t first;      // point of the arc
    double x, y;       // where the pen is
    double from;       // where its vertical run began
    int rc;
};

// ---- the pen

static void add_point(struct router *r, double x, double y) {
    struct layout_points *points = r->points;

    if (r->rc < 0) {
        return;
    }
    r->rc = array_grow(&points->items, &points->cap, points->n + 1, sizeof(*points->items),
                       LAYOUT_POINTS_MAX, "points of the routes", r->err);
    if (r->rc == 0) {
        points->items[points->n++] =
            (struct graph_point){graph_layout_round(x), graph_layout_round(y)};
    }
}

static void pen_start(struct router *r, double x, double y) {
    r->first = r->points->n;
    r->x = x;
    r->y = r->from = y;
    add_point(r, x, y);
}

// Draws the vertical run so far.
static void pen_flush(struct router *r) {
    double third = (r->y - r->from) / 3;

    if (r->y - r->from < NEAR) {
        return;
    }
    add_point(r, r->x, r->from + third);
    add_point(r, r->x, r->from + 2 * third);
    add_point(r, r->x, r->y);
    r->from = r->y;
}

static void pen_down(struct router *r, double y) {
    if (y > r->y) {
        r->y = y;
    }
}

static void pen_curve(struct router *r, double x, double y) {
    double reach = (y - r->y) * BEND;

    if (fabs(x - r->x) < NEAR) {
        pen_down(r, y);
        return;
    }
    pen_flush(r);
    add_point(r, r->x, r->y + reach);
    add_point(r, x, y - reach);
    add_point(r, x, y);
    r->x = x;
    r->y = r->from = y;
}

// A spline has at least one piece.
static void pen_end(struct router *r, struct layout_way *way) {
    pen_flush(r);
    if (r->rc == 0 && r->points->n == r->first + 1) {
        for (uint32_t i = 0; i < 3; i++) {
            add_point(r, r->x, r->y);
        }
    }
    way->first = r->first;
    way->n = (uint32_t)(r->points->n - r->first);
}

// ---- arcs

static bool is_virtual(const struct router *r, uint32_t v) {
    return v >= layout_n_real(r->l);
}

static double bottom_of(const struct router *r, uint32_t v) {
    return r->p->top[v] + (v < r->l->local->n_items ? r->items[v].h : 0);
}

static uint32_t list_links(struct router *r, uint32_t arc) {
    uint32_t n = 0;

    for (uint32_t link = r->l->last[arc];; link = r->l->up[r->l->up_first[r->l->links[link].u]]) {
        r->chain[n++] = link;
        if (!is_virtual(r, r->l->links[link].u)) {
            return n;
        }
    }
}

static bool branches(const struct router *r, uint32_t v, uint32_t link) {
    return r->l->down_first[v + 1] - r->l->down_first[v] > 1 && r->branch[link] <= BRANCHES_MAX;
}

static void draw_link(struct router *r, uint32_t link) {
    const struct layout_link *k = &r->l->links[link];
    uint32_t above = r->l->rank[k->u], below = r->l->rank[k->v];

    pen_down(r, r->p->rank_bottom[above]);
    if (branches(r, k->u, link)) {
        pen_flush(r);
    }
    pen_curve(r, r->p->x[k->v] + r->p->attach.lower[link], r->p->rank_top[below]);
    pen_down(r, is_virtual(r, k->v) ? r->p->rank_bottom[below] : r->p->top[k->v]);
}

static void draw_chain(struct router *r, uint32_t arc, struct layout_way *way) {
    uint32_t n = list_links(r, arc);
    const struct layout_link *top = &r->l->links[r->chain[n - 1]];
    bool shares = true;

    way->shared = 0;
    pen_start(r, r->p->x[top->u] + r->p->attach.upper[r->chain[n - 1]], bottom_of(r, top->u));
    while (n-- > 0) {
        uint32_t link = r->chain[n];

        if (shares && !r->is_drawn[link]) {
            shares = false;
            if (branches(r, r->l->links[link].u, link) && is_virtual(r, r->l->links[link].u)) {
                pen_flush(r);
                way->shared = (uint32_t)(r->points->n - r->first);
            }
        }
        r->is_drawn[link] = true;
        draw_link(r, link);
    }
}

static double lane_end(const struct router *r, uint32_t v, uint32_t slot, bool is_above) {
    const struct layout_item *item;

    if (v >= r->l->local->n_items) {
        return r->p->x[v];
    }
    item = &r->items[v];
    if (!item->is_cluster) {
        return r->p->x[v] + item->w / 2 - CORNER;
    }
    return r->p->x[v] - item->w / 2 + (is_above ? item->in_x[slot] : item->out_x[slot]);
}

// Beside everything, from the gap below one end to the gap above the other.
static void draw_lane(struct router *r, const struct layout_arc *arc) {
    uint32_t above = r->l->rank[arc->from], below = r->l->rank[arc->to];
    double x = r->p->lane_x + (r->lanes++ % LANES_SHOWN + 1) * LANE_STEP;

    pen_start(r, lane_end(r, arc->from, arc->from_slot, false), bottom_of(r, arc->from));
    pen_down(r, r->p->rank_bottom[above]);
    pen_curve(r, x, r->p->rank_top[above + 1]);
    pen_down(r, r->p->rank_bottom[below - 1]);
    pen_curve(r, lane_end(r, arc->to, arc->to_slot, true), r->p->rank_top[below]);
    pen_down(r, r->p->top[arc->to]);
}

static bool opens_net(const struct router *r, uint32_t link) {
    const struct layout_link *k = &r->l->links[link];

    return link == 0 || (!is_virtual(r, k->u) && (k[-1].u != k->u || k[-1].u_slot != k->u_slot));
}

// Links of a net follow each other.
static void count_branches(struct router *r) {
    uint32_t first = 0, heads = 0;

    for (uint32_t i = 0; i < r->l->n_links; i++) {
        heads += !is_virtual(r, r->l->links[i].v);
        if (i + 1 < r->l->n_links && !opens_net(r, i + 1)) {
            continue;
        }
        for (; first <= i; first++) {
            r->branch[first] = heads;
        }
        heads = 0;
    }
}

int graph_layout_route(struct layout_way *ways, struct layout_points *points,
                       const struct layout_layers *layers, const struct layout_placed *placed,
                       const struct layout_item *items, struct arena *arena, struct error *err) {
    struct router r = {.l = layers, .p = placed, .items = items, .points = points, .err = err};

    r.is_drawn = arena_array(arena, layers->n_links, sizeof(*r.is_drawn));
    r.branch = arena_array(arena, layers->n_links, sizeof(*r.branch));
    r.chain = arena_array(arena, layers->ranks.n_ranks, sizeof(*r.chain));
    if (!r.is_drawn || !r.branch || !r.chain) {
        return arena_error(arena, "the layout", err);
    }
    count_branches(&r);
    for (uint32_t i = 0; i < layers->local->n_arcs && r.rc == 0; i++) {
        ways[i] = (struct layout_way){0};
        if (layers->last[i] == LAYOUT_NONE) {
            draw_lane(&r, &layers->local->arcs[i]);
        } else {
            draw_chain(&r, i, &ways[i]);
        }
        pen_end(&r, &ways[i]);
    }
    return r.rc;
}
