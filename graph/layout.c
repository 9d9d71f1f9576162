#include "graph/layout.h"

#include <math.h>

#define GRID 8.0
#define SLACK 0.5  // points that rounding may move a border

int graph_layout_init(struct graph_layout *out, const struct graph_view *view, struct error *err) {
    struct graph_layout l = {0};

    arena_init(&l.arena, GRAPH_LAYOUT_MAX_BYTES);
    l.nodes = arena_array(&l.arena, view->n_nodes, sizeof(*l.nodes));
    l.clusters = arena_array(&l.arena, view->n_clusters, sizeof(*l.clusters));
    l.cluster_labels = arena_array(&l.arena, view->n_clusters, sizeof(*l.cluster_labels));
    l.edges = arena_array(&l.arena, view->n_edges, sizeof(*l.edges));
    if (!l.nodes || !l.clusters || !l.cluster_labels || !l.edges) {
        (void)arena_error(&l.arena, "the layout", err);
        graph_layout_release(&l);
        return ERR_NOMEM;
    }
    *out = l;
    return 0;
}

void graph_layout_release(struct graph_layout *layout) {
    if (!layout) {
        return;
    }
    arena_release(&layout->arena);
    *layout = (struct graph_layout){0};
}

double graph_layout_round(double v) {
    // Adding 0 turns -0 into 0: both would be printed.
    return floor(v * GRID + 0.5) / GRID + 0.0;
}

static bool is_sane(double v) {
    return isfinite(v) && fabs(v) <= GRAPH_LAYOUT_EXTENT_MAX;
}

static bool is_point(struct graph_point p) {
    return is_sane(p.x) && is_sane(p.y);
}

static bool is_box(struct graph_box b) {
    return is_sane(b.x) && is_sane(b.y) && is_sane(b.w) && is_sane(b.h) && b.w > 0 && b.h > 0;
}

static bool is_inside(struct graph_box in, struct graph_box out) {
    return in.x >= out.x - SLACK && in.y >= out.y - SLACK && in.x + in.w <= out.x + out.w + SLACK &&
           in.y + in.h <= out.y + out.h + SLACK;
}

static int check_box(const struct graph_layout *l, const struct graph_view *view, const char *what,
                     size_t i, struct graph_box box, uint32_t cluster, struct error *err) {
    struct graph_box picture = {0, 0, l->w, l->h};

    if (!is_box(box)) {
        return error_set(err, ERR_BUG, "layout: %s %zu has no sane box", what, i);
    }
    if (!is_inside(box, picture)) {
        return error_set(err, ERR_BUG, "layout: %s %zu is outside of the picture", what, i);
    }
    if (cluster == ONNX_NONE) {
        return 0;
    }
    if (cluster >= view->n_clusters) {
        return error_set(err, ERR_BUG, "layout: %s %zu is in no cluster", what, i);
    }
    if (!is_inside(box, l->clusters[cluster])) {
        return error_set(err, ERR_BUG, "layout: %s %zu is outside of cluster %u", what, i, cluster);
    }
    return 0;
}

static bool is_route(const struct graph_route *route) {
    if (route->n < 4 || route->n % 3 != 1 || route->shared > route->n ||
        (route->shared > 0 && route->shared % 3 != 1)) {
        return false;
    }
    for (uint32_t i = 0; i < route->n; i++) {
        if (!is_point(route->points[i])) {
            return false;
        }
    }
    return true;
}

static int check_edge(const struct graph_layout *l, size_t i, struct error *err) {
    const struct graph_edge_place *edge = &l->edges[i];

    for (uint32_t k = 0; k < edge->n_routes; k++) {
        if (!is_route(&edge->routes[k])) {
            return error_set(err, ERR_BUG, "layout: route %u of edge %zu is no spline", k, i);
        }
    }
    if (!is_point(edge->label)) {
        return error_set(err, ERR_BUG, "layout: edge %zu has no place for its label", i);
    }
    return 0;
}

int graph_layout_check(const struct graph_layout *l, const struct graph_view *view,
                       struct error *err) {
    int rc = 0;

    if (!is_box((struct graph_box){0, 0, l->w, l->h})) {
        return error_set(err, ERR_BUG, "layout: the picture has no sane size");
    }
    for (size_t i = 0; rc == 0 && i < view->n_clusters; i++) {
        rc = check_box(l, view, "cluster", i, l->clusters[i], view->clusters[i].parent, err);
        if (rc == 0 && !is_point(l->cluster_labels[i])) {
            rc = error_set(err, ERR_BUG, "layout: cluster %zu has no place for its caption", i);
        }
    }
    for (size_t i = 0; rc == 0 && i < view->n_nodes; i++) {
        rc = check_box(l, view, "node", i, l->nodes[i], view->nodes[i].cluster, err);
    }
    for (size_t i = 0; rc == 0 && i < view->n_edges; i++) {
        rc = check_edge(l, i, err);
    }
    return rc;
}
