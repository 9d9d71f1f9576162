#include <math.h>
#include <stdlib.h>

#include <gvc.h>

#include "graph/layout.h"
#include "graph/layout_cost.h"
#include "graph/render_gv_internal.h"

#define MARGIN 8.0     // around the picture
#define LABEL_GAP 3.0  // between an edge and its label
#define CAPTION_MAX_BYTES 192
#define VALUE_MAX_BYTES 32
// Iterations per node of the network simplex that places nodes, where nine tenths of dot's time go:
// small views get all they ask for, large ones stop early.
#define SIMPLEX_WORK 1.2e8
#define SIMPLEX_MIN 0.02
#define SIMPLEX_MAX 20.0
// Share of its passes that dot makes to undo crossings.
#define CROSSING_WORK 2e5
#define CROSSING_MIN 0.1

// Edge labels would double the ranks: they are placed afterwards. Arrows are added when drawn.
static const struct graph_gv_default defaults[] = {
    {AGRAPH, "nodesep", "0.25"}, {AGRAPH, "ranksep", "0.3"}, {AGRAPH, "splines", "true"},
    {AGRAPH, "labeljust", "l"},  {AGRAPH, "labelloc", "t"},  {AGRAPH, "margin", "10"},
    {AGRAPH, "nslimit1", "2"},   {AGEDGE, "dir", "none"},    {0, NULL, NULL},
};

static const char *const rankdirs[] = {
    [GRAPH_DIR_TB] = "TB",
    [GRAPH_DIR_LR] = "LR",
    [GRAPH_DIR_BT] = "BT",
    [GRAPH_DIR_RL] = "RL",
};

int graph_layout_dot_fits(const struct graph_view *view, bool *fits, struct error *err) {
    struct graph_layout_cost cost;
    int rc;

    *fits = false;
    if (view->n_nodes > GRAPH_LAYOUT_DOT_MAX || view->n_clusters > GRAPH_LAYOUT_DOT_MAX ||
        view->n_edges > GRAPH_LAYOUT_DOT_MAX_EDGES) {
        return 0;
    }
    rc = graph_layout_cost(&cost, view, err);
    if (rc == 0) {
        *fits = cost.vertices <= GRAPH_LAYOUT_DOT_MAX_VERTICES &&
                cost.squares <= GRAPH_LAYOUT_DOT_MAX_SQUARES;
    }
    return rc;
}

// ---- reading the positions back

struct reader {
    const struct graph_view *view;
    const struct graph_labels *labels;
    const struct graph_gv_graph *g;
    struct graph_layout *out;
    double h;  // of dot's drawing: its y goes up
};

static struct graph_point read_point(const struct reader *r, pointf p) {
    return (struct graph_point){graph_layout_round(p.x + MARGIN),
                                graph_layout_round(r->h - p.y + MARGIN)};
}

static void read_size(struct reader *r) {
    boxf bb = GD_bb(r->g->g);

    r->h = bb.UR.y;
    r->out->w = ceil(bb.UR.x + 2 * MARGIN);
    r->out->h = ceil(bb.UR.y + 2 * MARGIN);
}

static void read_node(struct reader *r, uint32_t i) {
    const struct graph_label *label = &r->labels->nodes[i];
    struct graph_point centre = read_point(r, ND_coord(r->g->nodes[i]));

    r->out->nodes[i] =
        (struct graph_box){centre.x - label->w / 2, centre.y - label->h / 2, label->w, label->h};
}

static void read_cluster(struct reader *r, uint32_t i) {
    boxf bb = GD_bb(r->g->clusters[i]);
    struct graph_point low = read_point(r, bb.LL), high = read_point(r, bb.UR);
    const struct graph_label *label = &r->labels->clusters[i];

    r->out->clusters[i] = (struct graph_box){low.x, high.y, high.x - low.x, low.y - high.y};
    r->out->cluster_labels[i] = (struct graph_point){
        graph_layout_round(low.x + MARGIN + label->w / 2),
        graph_layout_round(high.y + MARGIN / 2 + label->h / 2),
    };
}

// dot can lose an edge: then it goes straight from box to box.
static uint32_t straight(const struct reader *r, uint32_t i, struct graph_point *points) {
    const struct graph_view_edge *edge = &r->view->edges[i];
    struct graph_box from = r->out->nodes[edge->from], to = r->out->nodes[edge->to];
    struct graph_point a = {from.x + from.w / 2, from.y + from.h};
    struct graph_point b = {to.x + to.w / 2, to.y};

    for (uint32_t k = 0; k < 4; k++) {
        points[k] = (struct graph_point){graph_layout_round(a.x + (b.x - a.x) * k / 3),
                                         graph_layout_round(a.y + (b.y - a.y) * k / 3)};
    }
    return 4;
}

// Middle of the curve; the label stands to its right.
static struct graph_point label_place(const struct graph_route *route,
                                      const struct graph_label *label) {
    const struct graph_point *p = &route->points[(size_t)(route->n - 1) / 6 * 3];

    return (struct graph_point){
        graph_layout_round((p[0].x + 3 * p[1].x + 3 * p[2].x + p[3].x) / 8 + label->w / 2 +
                           LABEL_GAP),
        graph_layout_round((p[0].y + 3 * p[1].y + 3 * p[2].y + p[3].y) / 8),
    };
}

static bool read_edge(struct reader *r, uint32_t i) {
    const splines *spl = ED_spl(r->g->edges[i]);
    const bezier *curve = spl && spl->size > 0 ? &spl->list[spl->size - 1] : NULL;
    uint32_t n = curve && curve->size >= 4 ? (uint32_t)curve->size : 4;
    struct graph_point *points = arena_array(&r->out->arena, n, sizeof(*points));
    struct graph_route *route = arena_alloc(&r->out->arena, sizeof(*route));

    if (!points || !route) {
        return false;
    }
    if (curve && curve->size >= 4) {
        for (uint32_t k = 0; k < n; k++) {
            points[k] = read_point(r, curve->list[k]);
        }
    } else {
        n = straight(r, i, points);
    }
    *route = (struct graph_route){.points = points, .n = n, .arrow = true};
    r->out->edges[i] = (struct graph_edge_place){.routes = route,
                                                 .n_routes = 1,
                                                 .label = label_place(route, &r->labels->edges[i])};
    return true;
}

static int read_all(struct reader *r, struct error *err) {
    read_size(r);
    for (uint32_t i = 0; i < r->view->n_nodes; i++) {
        read_node(r, i);
    }
    for (uint32_t i = 0; i < r->view->n_clusters; i++) {
        read_cluster(r, i);
    }
    for (uint32_t i = 0; i < r->view->n_edges; i++) {
        if (!read_edge(r, i)) {
            return arena_error(&r->out->arena, "the layout", err);
        }
    }
    return 0;
}

// ---- running dot

static void set_default_number(struct graph_gv_graph *g, const char *name, double v) {
    struct buf text;

    buf_init(&text, VALUE_MAX_BYTES);
    graph_gv_number(&text, v);
    buf_add_char(&text, '\0');
    if (text.failed) {
        g->failed = true;
    } else {
        const struct graph_gv_default own[] = {{AGRAPH, name, (const char *)text.p},
                                               {0, NULL, NULL}};
        graph_gv_defaults(g, own);
    }
    buf_release(&text);
}

static void set_direction(struct graph_gv_graph *g, const struct graph_view *view) {
    uint32_t dir = view->options->graph_dir;
    const struct graph_gv_default own[] = {
        {AGRAPH, "rankdir", rankdirs[dir < ARRAY_LEN(rankdirs) ? dir : GRAPH_DIR_TB]},
        {0, NULL, NULL},
    };

    graph_gv_defaults(g, own);
}

static void set_limits(struct graph_gv_graph *g, const struct graph_layout_cost *cost) {
    double vertices = (double)cost->vertices + 1, squares = (double)cost->squares + 1;

    set_default_number(g, "nslimit",
                       fmax(SIMPLEX_MIN, fmin(SIMPLEX_MAX, SIMPLEX_WORK / (vertices * vertices))));
    set_default_number(g, "mclimit", fmax(CROSSING_MIN, fmin(1.0, CROSSING_WORK / squares)));
}

// dot only needs the room of a caption.
static void reserve_captions(struct graph_gv_graph *g, const struct graph_view *view,
                             const struct graph_labels *labels) {
    struct buf html;

    buf_init(&html, CAPTION_MAX_BYTES);
    for (size_t i = 0; i < view->n_clusters; i++) {
        const struct graph_label *label = &labels->clusters[i];

        buf_reset(&html);
        buf_printf(&html,
                   "<table border=\"0\" cellspacing=\"0\" cellpadding=\"0\"><tr><td width=\"%d\""
                   " height=\"%d\"></td></tr></table>",
                   (int)label->w, (int)label->h);
        buf_add_char(&html, '\0');
        if (html.failed) {
            g->failed = true;
        } else {
            graph_gv_set_label(g, g->clusters[i], (const char *)html.p);
        }
    }
    buf_release(&html);
}

// dot complains of edges that it loses and of curves that it cannot bend: what it has placed all
// the same is good enough, unless the check says otherwise. Then its message says why.
static int check(const struct graph_layout *layout, const struct graph_view *view,
                 struct error *err) {
    int rc = graph_layout_check(layout, view, err);

    if (rc == ERR_BUG) {
        (void)!graph_gv_messages_check("dot", err);
    }
    return rc;
}

static int run(struct graph_layout *out, const struct graph_view *view,
               const struct graph_labels *labels, struct graph_gv_graph *g, struct error *err) {
    struct reader r = {.view = view, .labels = labels, .g = g, .out = out};
    GVC_t *gvc = graph_gv_context();
    int rc;

    if (g->failed || !gvc) {
        return error_set(err, ERR_NOMEM, "no memory for dot");
    }
    graph_gv_messages_reset();
    if (gvLayout(gvc, g->g, "dot") != 0) {
        return error_set(err, ERR_BUG, "dot failed");
    }
    rc = read_all(&r, err);
    (void)gvFreeLayout(gvc, g->g);
    return rc < 0 ? rc : check(out, view, err);
}

static int place(struct graph_layout *out, const struct graph_view *view,
                 const struct graph_labels *labels, const struct graph_layout_cost *cost,
                 struct error *err) {
    struct graph_gv_graph g;
    const struct graph_gv_extent extent = {.nests = true};
    int rc = graph_gv_graph_init(&g, view, labels, &extent, err);

    if (rc < 0) {
        return rc;
    }
    graph_gv_defaults(&g, defaults);
    set_direction(&g, view);
    set_limits(&g, cost);
    reserve_captions(&g, view, labels);
    rc = run(out, view, labels, &g, err);
    graph_gv_graph_release(&g);
    return rc;
}

int graph_layout_dot(struct graph_layout *out, const struct graph_view *view,
                     const struct graph_labels *labels, struct error *err) {
    struct graph_layout layout;
    struct graph_layout_cost cost;
    bool fits;
    int rc = graph_layout_dot_fits(view, &fits, err);

    if (rc < 0) {
        return rc;
    }
    if (!fits) {
        return error_set(err, ERR_LIMIT, "the view is too large for dot");
    }
    rc = graph_layout_cost(&cost, view, err);
    if (rc < 0) {
        return rc;
    }
    rc = graph_layout_init(&layout, view, err);
    if (rc < 0) {
        return rc;
    }
    rc = place(&layout, view, labels, &cost, err);
    if (rc < 0) {
        graph_layout_release(&layout);
    } else {
        *out = layout;
    }
    return rc;
}
