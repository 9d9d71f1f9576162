#include "graph/layout_label.h"

#include "graph/layout_space.h"

#define GAP 4.0  // between an edge and its label
#define SPACE_BYTES ((size_t)64 << 20)
#define CURVE_PARTS 8
#define CLEAR 1.0        // points around a label that count as its own
#define PIECES_TRIED 6u  // of an edge: the last ones, which no other edge shares
#define WORST UINT32_MAX

struct labeller {
    struct graph_layout *layout;
    const struct graph_view *view;
    const struct graph_labels *labels;
    struct layout_space space;
    // Of the label at hand.
    const struct graph_label *label;
    struct graph_point best;
    uint32_t least;  // what lies under it at the best place
    uint64_t work;   // of the space when it is given up; 0: the first place will do
};

static struct graph_point at(const struct graph_point *p, double t) {
    double s = 1 - t;
    double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;

    return (struct graph_point){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                                a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

// ---- what is there

static void add_route(struct layout_space *space, const struct graph_route *route) {
    uint32_t first = route->shared ? route->shared - 1 : 0;

    for (uint32_t k = first; k + 3 < route->n; k += 3) {
        const struct graph_point *p = &route->points[k];
        bool is_line =
            (p[0].x == p[3].x && p[0].x == p[1].x) || (p[0].y == p[3].y && p[0].y == p[1].y);
        int parts = is_line ? 1 : CURVE_PARTS;

        for (int i = 0; i < parts; i++) {
            graph_layout_space_add_line(space, at(p, (double)i / parts),
                                        at(p, (double)(i + 1) / parts));
        }
    }
}

static void add_border(struct layout_space *space, struct graph_box box) {
    struct graph_point corners[4] = {{box.x, box.y},
                                     {box.x + box.w, box.y},
                                     {box.x + box.w, box.y + box.h},
                                     {box.x, box.y + box.h}};

    for (int i = 0; i < 4; i++) {
        graph_layout_space_add_line(space, corners[i], corners[(i + 1) % 4]);
    }
}

static void add_arrow(struct layout_space *space, const struct graph_edge_place *edge) {
    const struct graph_route *last;
    struct graph_point tip;

    if (!edge->n_routes) {
        return;
    }
    last = &edge->routes[edge->n_routes - 1];
    tip = last->points[last->n - 1];
    graph_layout_space_add_box(space, (struct graph_box){tip.x - GRAPH_ARROW_LENGTH / 2,
                                                         tip.y - GRAPH_ARROW_LENGTH / 2,
                                                         GRAPH_ARROW_LENGTH, GRAPH_ARROW_LENGTH});
}

static void fill(struct labeller *l) {
    for (size_t i = 0; i < l->view->n_nodes; i++) {
        graph_layout_space_add_box(&l->space, l->layout->nodes[i]);
    }
    for (size_t i = 0; i < l->view->n_clusters; i++) {
        const struct graph_label *label = &l->labels->clusters[i];
        struct graph_point c = l->layout->cluster_labels[i];

        graph_layout_space_add_box(&l->space,
                                   (struct graph_box){c.x - label->w / 2, c.y - label->h / 2,
                                                      label->w, label->h});
        add_border(&l->space, l->layout->clusters[i]);
    }
    for (size_t i = 0; i < l->view->n_edges; i++) {
        for (uint32_t k = 0; k < l->layout->edges[i].n_routes; k++) {
            add_route(&l->space, &l->layout->edges[i].routes[k]);
        }
        add_arrow(&l->space, &l->layout->edges[i]);
    }
}

// ---- trying places

static struct graph_box box_at(const struct labeller *l, struct graph_point centre) {
    return (struct graph_box){centre.x - l->label->w / 2, centre.y - l->label->h / 2, l->label->w,
                              l->label->h};
}

static struct graph_box grown(struct graph_box box) {
    return (struct graph_box){box.x - CLEAR, box.y - CLEAR, box.w + 2 * CLEAR, box.h + 2 * CLEAR};
}

static void try_place(struct labeller *l, double x, double y) {
    struct graph_point centre = {graph_layout_round(x), graph_layout_round(y)};
    struct graph_box box = box_at(l, centre);
    uint32_t n;

    if (l->least < WORST && l->space.work > l->work) {
        return;
    }
    if (box.x < 0 || box.y < 0 || box.x + box.w > l->layout->w || box.y + box.h > l->layout->h) {
        return;
    }
    n = l->work ? graph_layout_space_count(&l->space, grown(box), l->least) : 0;
    if (n >= l->least) {
        return;
    }
    l->least = n;
    l->best = centre;
}

// Beside a point of the edge: right and left of it, or above and below.
static void try_beside(struct labeller *l, struct graph_point p, bool is_flat) {
    double dx = is_flat ? 0 : l->label->w / 2 + GAP, dy = is_flat ? l->label->h / 2 + GAP : 0;

    try_place(l, p.x + dx, p.y - dy);
    if (l->least) {
        try_place(l, p.x - dx, p.y + dy);
    }
}

// How a curve runs at t, up to a factor.
static bool is_flat_at(const struct graph_point *p, double t) {
    double s = 1 - t, a = s * s, b = 2 * s * t, c = t * t;
    double dx = a * (p[1].x - p[0].x) + b * (p[2].x - p[1].x) + c * (p[3].x - p[2].x);
    double dy = a * (p[1].y - p[0].y) + b * (p[2].y - p[1].y) + c * (p[3].y - p[2].y);

    return dx * dx > dy * dy;
}

// First along the way it runs, then along the other one.
static void try_piece(struct labeller *l, const struct graph_point *p) {
    static const double places[] = {0.5, 0.65, 0.35, 0.8, 0.2, 0.9, 0.1, 0.97, 0.03};

    for (int turned = 0; turned < 2; turned++) {
        for (size_t i = 0; i < ARRAY_LEN(places) && l->least; i++) {
            try_beside(l, at(p, places[i]), is_flat_at(p, places[i]) != turned);
        }
    }
}

// From the end on: near what it leads to an edge is alone.
static void place(struct labeller *l, struct graph_edge_place *edge) {
    uint32_t tried = 0;

    l->least = WORST;
    l->work = l->space.work < LAYOUT_LABELS_WORK ? l->space.work + LAYOUT_LABEL_WORK : 0;
    for (uint32_t i = edge->n_routes; i-- > 0 && l->least;) {
        const struct graph_route *route = &edge->routes[i];
        uint32_t first = route->shared ? route->shared - 1 : 0;

        for (uint32_t k = route->n - 1; k > first && l->least && tried < PIECES_TRIED; tried++) {
            k -= 3;
            try_piece(l, &route->points[k]);
        }
    }
    edge->label = l->best;
    graph_layout_space_add_box(&l->space, box_at(l, l->best));
}

static bool is_labelled(const struct labeller *l, size_t edge) {
    return l->labels->edges[edge].html && l->layout->edges[edge].n_routes;
}

static void place_all(struct labeller *l) {
    for (size_t i = 0; i < l->view->n_edges; i++) {
        struct graph_edge_place *edge = &l->layout->edges[i];

        if (!is_labelled(l, i)) {
            continue;
        }
        l->label = &l->labels->edges[i];
        l->best = edge->routes[edge->n_routes - 1].points[0];
        place(l, edge);
    }
}

int graph_layout_labels(struct graph_layout *layout, const struct graph_view *view,
                        const struct graph_labels *labels, uint64_t *work, struct error *err) {
    struct labeller l = {.layout = layout, .view = view, .labels = labels};
    struct arena arena;
    size_t first = 0;

    *work = 0;
    while (first < view->n_edges && !is_labelled(&l, first)) {
        first++;
    }
    if (first == view->n_edges) {
        return 0;
    }
    arena_init(&arena, SPACE_BYTES);
    if (!graph_layout_space_init(&l.space, layout->w, layout->h, &arena)) {
        (void)arena_error(&arena, "the labels of edges", err);
        arena_release(&arena);
        return ERR_NOMEM;
    }
    fill(&l);
    place_all(&l);
    *work = l.space.work;
    graph_layout_space_release(&l.space);
    arena_release(&arena);
    return 0;
}
