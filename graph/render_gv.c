#include "graph/render_gv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gvc.h>

#include "graph/legend.h"
#include "graph/render_gv_internal.h"

#define POS_MAX_BYTES ((size_t)16 << 20)
#define LEGEND_MAX_BYTES ((size_t)1 << 20)
#define NAME_MAX_BYTES 16
#define CORNER_INSET 0.5  // points: half of the least node of libgvc, 0.01 inch, rounded up

// `bb` is what nop2 wants to see; what it draws is the extent of what is there, hence the corners.
static const struct graph_gv_default defaults[] = {
    {AGRAPH, "bb", ""},
    {AGRAPH, "lp", ""},
    {AGRAPH, "pad", "0"},
    {AGRAPH, "outputorder", "edgesfirst"},
    {AGRAPH, "class", ""},
    {AGRAPH, "style", "rounded,filled"},
    {AGRAPH, "fillcolor", "white"},
    {AGRAPH, "color", "black"},
    {AGRAPH, "penwidth", "0.8"},
    {AGNODE, "pos", ""},
    {AGNODE, "class", ""},
    {AGNODE, "style", "rounded,filled"},
    {AGNODE, "fillcolor", "white"},
    {AGNODE, "color", "black"},
    {AGNODE, "penwidth", "0.8"},
    {AGEDGE, "pos", ""},
    {AGEDGE, "lp", ""},
    {AGEDGE, "arrowsize", "0.5"},
    {AGEDGE, "penwidth", "0.8"},
    {0, NULL, NULL},
};

#define SIDE_MAX 32000.0    // pixels; cairo's images end at 32767
#define PAGE_MAX "200,200"  // inches: readers of PDF end at 14400 points

struct painter {
    const char *format;         // of libgvc
    struct graph_cairo *cairo;  // NULL: SVG, whose text is not set here
    const struct graph_view *view;
    const struct graph_layout *layout;
    const struct graph_labels *labels;
    const struct graph_theme *theme;
    struct graph_gv_graph g;
    struct graph_legend legend;
    struct buf text;  // one attribute's value
};

// libgvc's y goes up.
static void add_point(struct painter *p, double x, double y) {
    graph_gv_pair(&p->text, x, p->legend.h - y);
}

static void set_text(struct painter *p, void *object, const char *name) {
    graph_gv_set_buf(&p->g, object, name, &p->text);
    buf_reset(&p->text);
}

// By roundness and dashes.
static const char *const styles[2][2] = {{"filled", "filled,dashed"},
                                         {"rounded,filled", "rounded,filled,dashed"}};

static void emphasize(struct painter *p, void *object) {
    graph_gv_set(&p->g, object, "color", p->theme->highlight);
    graph_gv_set(&p->g, object, "penwidth", p->theme->emphasis);
}

static void place_graph(struct painter *p) {
    const struct graph_gv_default own[] = {
        {AGRAPH, "bgcolor", p->theme->background},
        {AGEDGE, "color", p->theme->edge},
        {AGRAPH, "penwidth", p->theme->border},
        {AGNODE, "penwidth", p->theme->border},
        {AGRAPH, "style", styles[p->theme->cluster_corner > 0][p->theme->dashed]},
        {AGNODE, "style", styles[p->theme->corner > 0][false]},
        {0, NULL, NULL},
    };

    graph_gv_defaults(&p->g, defaults);
    graph_gv_defaults(&p->g, own);
    buf_add_z(&p->text, "0,0,");
    graph_gv_pair(&p->text, p->legend.w, p->legend.h);
    set_text(p, p->g.g, "bb");
}

static void place_corner(struct painter *p, char *name, double x, double y) {
    struct Agnode_s *corner = agnode(p->g.g, name, 1);

    graph_gv_set(&p->g, corner, "style", "invis");
    graph_gv_set(&p->g, corner, "width", "0.01");
    graph_gv_set(&p->g, corner, "height", "0.01");
    add_point(p, x, y);
    set_text(p, corner, "pos");
}

static void place_cluster(struct painter *p, uint32_t i) {
    const struct graph_view_cluster *cluster = &p->view->clusters[i];
    struct graph_box place = p->layout->clusters[i];
    struct Agraph_s *object = p->g.clusters[i];

    add_point(p, place.x, place.y + place.h);
    buf_add_char(&p->text, ',');
    add_point(p, place.x + place.w, place.y);
    set_text(p, object, "bb");
    add_point(p, p->layout->cluster_labels[i].x, p->layout->cluster_labels[i].y);
    set_text(p, object, "lp");
    buf_add_z(&p->text, graph_cluster_kind_name(cluster->kind));
    buf_printf(&p->text, " d%u", graph_theme_tint(cluster->depth) + 1);
    set_text(p, object, "class");
    graph_gv_set_label(&p->g, object, p->labels->clusters[i].html);
    graph_gv_set(&p->g, object, "fillcolor", graph_theme_cluster_fill(p->theme, cluster));
    graph_gv_set(&p->g, object, "color", p->theme->clusters[cluster->kind].stroke);
    if (cluster->highlight) {
        emphasize(p, object);
    }
}

static void place_node(struct painter *p, uint32_t i) {
    const struct graph_view_node *node = &p->view->nodes[i];
    const struct graph_paint *paint = &p->theme->nodes[node->kind];
    struct graph_box place = p->layout->nodes[i];
    struct Agnode_s *object = p->g.nodes[i];

    add_point(p, place.x + place.w / 2, place.y + place.h / 2);
    set_text(p, object, "pos");
    graph_gv_set_label(&p->g, object, p->labels->nodes[i].html);
    graph_gv_set(&p->g, object, "class", graph_view_kind_name(node->kind));
    graph_gv_set(&p->g, object, "fillcolor", paint->fill);
    graph_gv_set(&p->g, object, "color", paint->stroke);
    if (p->cairo && p->theme->tables) {
        graph_gv_set(&p->g, object, "penwidth", "0");  // the table has borders of its own
    }
    if (node->kind == GRAPH_VIEW_MISSING || node->conflict) {
        graph_gv_set(&p->g, object, "style", styles[p->theme->corner > 0][true]);
    }
    if (node->highlight || node->conflict) {
        emphasize(p, object);
    }
    if (node->conflict) {
        graph_gv_set(&p->g, object, "color", p->theme->nodes[GRAPH_VIEW_MISSING].stroke);
    }
}

// Unit vector in which a route ends. A spline whose last control points coincide ends in the
// direction of the ones before.
static struct graph_point end_direction(const struct graph_route *route) {
    struct graph_point end = route->points[route->n - 1];

    for (uint32_t i = route->n - 1; i-- > 0;) {
        double dx = end.x - route->points[i].x, dy = end.y - route->points[i].y;
        double length = sqrt(dx * dx + dy * dy);

        if (length > 0) {
            return (struct graph_point){dx / length, dy / length};
        }
    }
    return (struct graph_point){0, 1};
}

static double distance(struct graph_point a, struct graph_point b) {
    double dx = a.x - b.x, dy = a.y - b.y;

    return sqrt(dx * dx + dy * dy);
}

// What an earlier route of the same node covers is not drawn again.
static uint32_t first_drawn(const struct graph_route *route) {
    return route->shared ? route->shared - 1 : 0;
}

// "e,TIP" and the points, the last two moved back along the tangent to leave room for the arrow.
static void add_arrow_route(struct painter *p, const struct graph_route *route) {
    struct graph_point tip = route->points[route->n - 1];
    struct graph_point direction = end_direction(route);
    double back = fmin(GRAPH_ARROW_LENGTH, distance(tip, route->points[route->n - 4]) * 0.75);

    buf_add_z(&p->text, "e,");
    add_point(p, tip.x, tip.y);
    for (uint32_t i = first_drawn(route); i < route->n; i++) {
        double by = i + 2 >= route->n ? back : 0;

        buf_add_char(&p->text, ' ');
        add_point(p, route->points[i].x - direction.x * by, route->points[i].y - direction.y * by);
    }
}

static void add_plain_route(struct painter *p, const struct graph_route *route) {
    uint32_t first = first_drawn(route);

    for (uint32_t i = first; i < route->n; i++) {
        if (i > first) {
            buf_add_char(&p->text, ' ');
        }
        add_point(p, route->points[i].x, route->points[i].y);
    }
}

static void place_edge(struct painter *p, uint32_t i) {
    const struct graph_edge_place *place = &p->layout->edges[i];
    struct Agedge_s *object = p->g.edges[i];

    if (!object) {
        return;
    }
    for (uint32_t k = 0; k < place->n_routes; k++) {
        const struct graph_route *route = &place->routes[k];

        if (route->shared == route->n) {
            continue;
        }
        if (p->text.n) {
            buf_add_char(&p->text, ';');
        }
        if (route->arrow) {
            add_arrow_route(p, route);
        } else {
            add_plain_route(p, route);
        }
    }
    set_text(p, object, "pos");
    if (!p->labels->edges[i].html) {
        return;
    }
    graph_gv_set_label(&p->g, object, p->labels->edges[i].html);
    add_point(p, place->label.x, place->label.y);
    set_text(p, object, "lp");
}

static void place_legend(struct painter *p, uint32_t i) {
    const struct graph_legend_item *item = &p->legend.items[i];
    struct graph_box place = item->box;
    char name[NAME_MAX_BYTES];
    struct Agnode_s *object;

    snprintf(name, sizeof(name), "l%u", i);
    object = agnode(p->g.g, name, 1);
    graph_gv_set(&p->g, object, "id", name);
    graph_gv_set_inches(&p->g, object, "width", place.w);
    graph_gv_set_inches(&p->g, object, "height", place.h);
    add_point(p, place.x + place.w / 2, place.y + place.h / 2);
    set_text(p, object, "pos");
    graph_gv_set_label(&p->g, object, item->label.html);
    graph_gv_set(&p->g, object, "class", "legend");
    graph_gv_set(&p->g, object, "fillcolor", graph_legend_fill(p->theme, item));
    graph_gv_set(&p->g, object, "color", graph_legend_paint(p->theme, item)->stroke);
}

// Nothing is left to draw of an edge that others cover from end to end.
static bool is_covered(const struct graph_edge_place *place) {
    for (uint32_t k = 0; k < place->n_routes; k++) {
        if (place->routes[k].shared != place->routes[k].n) {
            return false;
        }
    }
    return true;
}

static int open_graph(struct painter *p, struct error *err) {
    bool *is_left_out = calloc(p->view->n_edges + 1, sizeof(*is_left_out));
    const struct graph_gv_extent extent = {.left_out = is_left_out};
    int rc;

    if (!is_left_out) {
        return error_set(err, ERR_NOMEM, "no memory to draw");
    }
    for (size_t i = 0; i < p->view->n_edges; i++) {
        is_left_out[i] = is_covered(&p->layout->edges[i]);
    }
    rc = graph_gv_graph_init(&p->g, p->view, p->labels, &extent, err);
    free(is_left_out);
    return rc;
}

static int place_all(struct painter *p, struct arena *arena, struct error *err) {
    char low[] = "c0", high[] = "c1";
    int rc =
        graph_legend_place(&p->legend, p->view, p->theme, p->layout->w, p->layout->h, arena, err);

    if (rc == 0) {
        rc = open_graph(p, err);
    }
    if (rc < 0) {
        return rc;
    }
    place_graph(p);
    for (uint32_t i = 0; i < p->view->n_clusters; i++) {
        place_cluster(p, i);
    }
    for (uint32_t i = 0; i < p->view->n_nodes; i++) {
        place_node(p, i);
    }
    for (uint32_t i = 0; i < p->view->n_edges; i++) {
        place_edge(p, i);
    }
    for (uint32_t i = 0; i < p->legend.n; i++) {
        place_legend(p, i);
    }
    place_corner(p, low, CORNER_INSET, CORNER_INSET);
    place_corner(p, high, p->legend.w - CORNER_INSET, p->legend.h - CORNER_INSET);
    return p->g.failed ? error_set(err, ERR_NOMEM, "no memory to draw") : 0;
}

// ---- formats

// As many dots an inch as were asked for, as long as sides and area stay within their limits.
static void set_resolution(struct painter *p) {
    struct graph_cairo *cairo = p->cairo;
    double inches_w = p->legend.w / (double)POINTS_PER_INCH;
    double inches_h = p->legend.h / (double)POINTS_PER_INCH;
    double by_area = floor(sqrt((double)cairo->max_pixels / (inches_w * inches_h)));
    double by_side = floor(SIDE_MAX / fmax(inches_w, inches_h));
    const struct graph_gv_default none[] = {{AGRAPH, "dpi", ""}, {0, NULL, NULL}};

    cairo->used_dpi = fmax(fmin(cairo->dpi, fmin(by_area, by_side)), 1);
    graph_gv_defaults(&p->g, none);
    graph_gv_number(&p->text, cairo->used_dpi);
    set_text(p, p->g.g, "dpi");
}

static void set_page(struct painter *p) {
    static const struct graph_gv_default page[] = {{AGRAPH, "size", PAGE_MAX},
                                                   {AGRAPH, "margin", "0"},
                                                   {0, NULL, NULL}};

    graph_gv_defaults(&p->g, page);
}

static int run(struct painter *p, struct buf *out, struct error *err) {
    GVC_t *gvc = graph_gv_context();
    char *data = NULL;
    unsigned n = 0;
    int rc;

    if (!gvc) {
        return error_set(err, ERR_NOMEM, "no memory for libgvc");
    }
    graph_gv_messages_reset();
    if (gvLayout(gvc, p->g.g, "nop2") != 0 ||
        gvRenderData(gvc, p->g.g, p->format, &data, &n) != 0) {
        rc = graph_gv_messages_check("nop2", err);
        return rc < 0 ? rc : error_set(err, ERR_BUG, "nop2 failed without a message");
    }
    rc = graph_gv_messages_check("nop2", err);
    if (rc == 0) {
        buf_add(out, data, n);
    }
    gvFreeRenderData(data);
    graph_gv_close_clusters(&p->g);
    gvFreeLayout(gvc, p->g.g);
    return rc < 0 ? rc : buf_check(out, "the picture", "max-output", err);
}

static int run_with_text(struct painter *p, struct buf *out, struct error *err) {
    int rc;

    graph_gv_pango_start();
    graph_gv_corners(p->theme->corner, p->theme->cluster_corner);
    rc = run(p, out, err);
    p->cairo->missing = graph_gv_pango_stop();
    return rc;
}

static int draw(struct painter *p, struct buf *out, void (*adapt)(struct painter *),
                struct error *err) {
    struct arena arena;
    int rc = graph_layout_check(p->layout, p->view, err);

    if (rc < 0) {
        return rc;
    }
    arena_init(&arena, LEGEND_MAX_BYTES);
    buf_init(&p->text, POS_MAX_BYTES);
    rc = place_all(p, &arena, err);
    if (rc == 0 && adapt) {
        adapt(p);
    }
    if (rc == 0) {
        rc = p->cairo ? run_with_text(p, out, err) : run(p, out, err);
    }
    graph_gv_graph_release(&p->g);
    buf_release(&p->text);
    arena_release(&arena);
    return rc;
}

static struct painter painter_of(const struct graph_drawing *d, const char *format,
                                 struct graph_cairo *cairo) {
    return (struct painter){
        .format = format,
        .cairo = cairo,
        .view = d->view,
        .layout = d->layout,
        .labels = d->labels,
        .theme = d->theme,
    };
}

static int draw_with_text(struct painter *p, struct buf *out, void (*adapt)(struct painter *),
                          struct error *err) {
    if (!graph_gv_pango_has_fonts()) {
        return error_set(err, ERR_UNSUPPORTED,
                         "PNG and PDF need a font and this machine has none: install one, such as "
                         "Debian's fonts-liberation, or take SVG, which needs none");
    }
    return draw(p, out, adapt, err);
}

int graph_render_gv_svg(struct buf *out, const struct graph_drawing *drawing, struct error *err) {
    struct painter p = painter_of(drawing, "svg", NULL);

    return draw(&p, out, NULL, err);
}

int graph_render_gv_png(struct buf *out, const struct graph_drawing *drawing,
                        struct graph_cairo *cairo, struct error *err) {
    struct painter p = painter_of(drawing, "png", cairo);

    return draw_with_text(&p, out, set_resolution, err);
}

int graph_render_gv_pdf(struct buf *out, const struct graph_drawing *drawing,
                        struct graph_cairo *cairo, struct error *err) {
    struct painter p = painter_of(drawing, "pdf", cairo);

    return draw_with_text(&p, out, set_page, err);
}
