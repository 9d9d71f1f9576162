#include "tests/graph/layout_oracle.h"

#include <math.h>

#define EPS 0.5    // points that a box or a line may reach into a box
#define TOUCH 1.0  // points between an end and its border
#define PARTS 8    // straight pieces of a curve

struct oracle {
    struct buf *out;
    const struct graph_layout *l;
    const struct graph_view *view;
};

// ---- boxes

static bool overlap(struct graph_box a, struct graph_box b) {
    return fmin(a.x + a.w, b.x + b.w) - fmax(a.x, b.x) > EPS &&
           fmin(a.y + a.h, b.y + b.h) - fmax(a.y, b.y) > EPS;
}

static bool inside(struct graph_box in, struct graph_box out) {
    return in.x >= out.x - EPS && in.y >= out.y - EPS && in.x + in.w <= out.x + out.w + EPS &&
           in.y + in.h <= out.y + out.h + EPS;
}

// Nodes, then clusters.
static struct graph_box box_of(const struct oracle *o, size_t item) {
    size_t n = o->view->n_nodes;

    return item < n ? o->l->nodes[item] : o->l->clusters[item - n];
}

static uint32_t parent_of(const struct oracle *o, size_t item) {
    size_t n = o->view->n_nodes;

    return item < n ? o->view->nodes[item].cluster : o->view->clusters[item - n].parent;
}

static void check_boxes(const struct oracle *o) {
    struct graph_box picture = {0, 0, o->l->w, o->l->h};
    size_t n = o->view->n_nodes + o->view->n_clusters;

    for (size_t i = 0; i < n; i++) {
        uint32_t parent = parent_of(o, i);

        if (!inside(box_of(o, i), parent == ONNX_NONE ? picture : o->l->clusters[parent])) {
            buf_printf(o->out, "outside: item %zu\n", i);
        }
        for (size_t k = i + 1; k < n; k++) {
            if (parent_of(o, k) == parent && overlap(box_of(o, i), box_of(o, k))) {
                buf_printf(o->out, "overlap: items %zu and %zu\n", i, k);
            }
        }
    }
}

// ---- lines

static struct graph_point at(const struct graph_point *p, double t) {
    double s = 1 - t;

    return (struct graph_point){
        s * s * s * p[0].x + 3 * s * s * t * p[1].x + 3 * s * t * t * p[2].x + t * t * t * p[3].x,
        s * s * s * p[0].y + 3 * s * s * t * p[1].y + 3 * s * t * t * p[2].y + t * t * t * p[3].y};
}

static bool clip(double from, double way, double low, double high, double *first, double *last) {
    if (way == 0) {
        return from > low && from < high;
    }
    *first = fmax(*first, fmin((low - from) / way, (high - from) / way));
    *last = fmin(*last, fmax((low - from) / way, (high - from) / way));
    return *first < *last;
}

static bool cuts(struct graph_point a, struct graph_point b, struct graph_box box) {
    double first = 0, last = 1;

    return clip(a.x, b.x - a.x, box.x + EPS, box.x + box.w - EPS, &first, &last) &&
           clip(a.y, b.y - a.y, box.y + EPS, box.y + box.h - EPS, &first, &last);
}

static bool route_cuts(const struct graph_route *route, struct graph_box box) {
    for (uint32_t k = 0; k + 3 < route->n; k += 3) {
        for (int i = 0; i < PARTS; i++) {
            if (cuts(at(&route->points[k], (double)i / PARTS),
                     at(&route->points[k], (double)(i + 1) / PARTS), box)) {
                return true;
            }
        }
    }
    return false;
}

static bool holds(const struct oracle *o, uint32_t cluster, uint32_t node) {
    uint32_t c = o->view->nodes[node].cluster;

    while (c != ONNX_NONE && c != cluster) {
        c = o->view->clusters[c].parent;
    }
    return c == cluster;
}

static void check_through(const struct oracle *o, size_t edge, const struct graph_route *route) {
    uint32_t from = o->view->edges[edge].from, to = o->view->edges[edge].to;

    for (uint32_t i = 0; i < o->view->n_nodes; i++) {
        if (i != from && i != to && route_cuts(route, o->l->nodes[i])) {
            buf_printf(o->out, "through: edge %zu passes through node %u\n", edge, i);
        }
    }
    for (uint32_t i = 0; i < o->view->n_clusters; i++) {
        if (!holds(o, i, from) && !holds(o, i, to) && route_cuts(route, o->l->clusters[i])) {
            buf_printf(o->out, "through: edge %zu passes through cluster %u\n", edge, i);
        }
    }
}

// ---- ends

static double to_border(struct graph_point p, struct graph_box b) {
    double dx = fmax(b.x - p.x, p.x - b.x - b.w), dy = fmax(b.y - p.y, p.y - b.y - b.h);

    if (dx <= 0 && dy <= 0) {
        return -fmax(dx, dy);
    }
    return hypot(fmax(dx, 0), fmax(dy, 0));
}

static bool is_port(const struct oracle *o, size_t edge, struct graph_point p) {
    uint32_t from = o->view->edges[edge].from, to = o->view->edges[edge].to;

    for (uint32_t i = 0; i < o->view->n_clusters; i++) {
        if (holds(o, i, from) != holds(o, i, to) && to_border(p, o->l->clusters[i]) <= TOUCH) {
            return true;
        }
    }
    return false;
}

static struct graph_point end_of(const struct graph_route *route) {
    return route->points[route->n - 1];
}

static void check_pieces(const struct oracle *o, size_t edge,
                         const struct graph_edge_place *place) {
    const struct graph_route *first = &place->routes[0],
                             *last = &place->routes[place->n_routes - 1];

    if (to_border(first->points[0], o->l->nodes[o->view->edges[edge].from]) > TOUCH ||
        to_border(end_of(last), o->l->nodes[o->view->edges[edge].to]) > TOUCH) {
        buf_printf(o->out, "loose: edge %zu ends at no border\n", edge);
    }
    for (uint32_t i = 0; i + 1 < place->n_routes; i++) {
        struct graph_point a = end_of(&place->routes[i]), b = place->routes[i + 1].points[0];

        if (hypot(a.x - b.x, a.y - b.y) > TOUCH || !is_port(o, edge, a)) {
            buf_printf(o->out, "loose: edge %zu, piece %u\n", edge, i);
        }
    }
    for (uint32_t i = 0; i < place->n_routes; i++) {
        if (place->routes[i].arrow != (i + 1 == place->n_routes)) {
            buf_printf(o->out, "arrow: edge %zu, piece %u\n", edge, i);
        }
    }
}

void layout_oracle(struct buf *out, const struct graph_layout *layout,
                   const struct graph_view *view) {
    struct oracle o = {out, layout, view};

    check_boxes(&o);
    for (size_t i = 0; i < view->n_edges; i++) {
        const struct graph_edge_place *place = &layout->edges[i];

        if (!place->n_routes) {
            buf_printf(out, "loose: edge %zu has no route\n", i);
            continue;
        }
        check_pieces(&o, i, place);
        for (uint32_t k = 0; k < place->n_routes; k++) {
            check_through(&o, i, &place->routes[k]);
        }
    }
}
