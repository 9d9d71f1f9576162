#include "graph/finish_svg.h"

#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "graph/finish_svg_internal.h"
#include "graph/label.h"
#include "graph/legend.h"
#include "graph/metrics.h"

#define TEXT_MAX_BYTES ((size_t)1 << 20)
#define POINTS_MAX 16384  // of one path
#define GROUPS_MAX 3      // the graph, an item, and one that we do not know

enum item_kind { ITEM_NONE, ITEM_NODE, ITEM_CLUSTER, ITEM_EDGE, ITEM_LEGEND, ITEM_KINDS };

struct finisher {
    struct buf *out;
    const struct graph_view *view;
    const struct graph_theme *theme;
    double dx, dy;  // the transform of libgvc's graph, which is dropped
    double w, h;
    bool has_root;
    unsigned depth;       // open groups
    enum item_kind item;  // the group that is open
    uint32_t index;       // of the item in its table
    bool has_box;         // its box is written: what follows is decoration
    double centre;        // of the box
    struct svg_line line;
    struct buf captions;  // of clusters, until the edges are drawn
    struct buf hover;
    struct buf points;  // int64_t pairs of tenths
};

// ---- root

// viewBox="0.00 0.00 200.00 170.00"
static bool open_root(struct finisher *f, const struct svg_token *tag) {
    struct str viewbox = graph_svg_attr(tag, "viewBox");
    double skipped;

    return graph_svg_number(&viewbox, &skipped) && graph_svg_number(&viewbox, &skipped) &&
           graph_svg_number(&viewbox, &f->w) && graph_svg_number(&viewbox, &f->h);
}

static void write_description(struct finisher *f) {
    const struct onnx_model *model = f->view->model->onnx;

    buf_printf(f->out, "<desc>%zu nodes, %zu edges, %zu boxes", f->view->n_nodes, f->view->n_edges,
               f->view->n_clusters);
    if (f->view->depth != GRAPH_DEPTH_INF) {
        buf_printf(f->out, " at depth %u", f->view->depth);
    }
    buf_add_z(f->out, ", drawn by onnxscope");
    if (model->producer.n) {
        buf_add_z(f->out, " from a model of ");
        utf8_add_shown(&f->hover, model->producer, GRAPH_LABEL_CHARS, GRAPH_LABEL_BYTES);
        buf_add_char(&f->hover, ' ');
        utf8_add_shown(&f->hover, model->producer_version, GRAPH_LABEL_CHARS, GRAPH_LABEL_BYTES);
        graph_svg_escape(f->out, str_trim(buf_str(&f->hover)));
        buf_reset(&f->hover);
    }
    buf_add_z(f->out, "</desc>");
}

static void write_title(struct finisher *f) {
    buf_add_z(f->out, "<title>");
    graph_svg_escape(f->out, buf_str(&f->hover));
    buf_add_z(f->out, "</title>");
    buf_reset(&f->hover);
}

static void write_size(struct finisher *f, const char *name, double points) {
    buf_add_char(f->out, ' ');
    buf_add_z(f->out, name);
    buf_add_z(f->out, "=\"");
    graph_svg_tenths(f->out, graph_svg_to_tenths(points));
    buf_add_z(f->out, "pt\"");
}

static void write_root(struct finisher *f) {
    buf_add_z(f->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"" SVG_ROOT_CLASS);
    buf_add_z(f->out, f->theme->name);
    buf_add_z(f->out, "\" role=\"img\" viewBox=\"0 0 ");
    graph_svg_tenths(f->out, graph_svg_to_tenths(f->w));
    buf_add_char(f->out, ' ');
    graph_svg_tenths(f->out, graph_svg_to_tenths(f->h));
    buf_add_char(f->out, '"');
    write_size(f, "width", f->w);
    write_size(f, "height", f->h);
    buf_add_z(f->out, " font-family=\"" GRAPH_FONT_FAMILY "\">\n");
    graph_hover_title(&f->hover, f->view);
    write_title(f);
    write_description(f);
    buf_add_z(f->out, "\n<style>");
    graph_svg_style(f->out, f->view, f->theme);
    buf_add_z(f->out, "</style>\n<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
    f->has_root = true;
}

// ---- groups

struct item_row {
    char letter;  // of its ids
    const char *name;
    size_t (*count)(const struct graph_view *view);
    void (*hover)(struct buf *out, const struct graph_view *view, uint32_t i);
};

static size_t count_nodes(const struct graph_view *view) {
    return view->n_nodes;
}

static size_t count_clusters(const struct graph_view *view) {
    return view->n_clusters;
}

static size_t count_edges(const struct graph_view *view) {
    return view->n_edges;
}

static size_t count_legend(const struct graph_view *view) {
    struct graph_legend legend;

    graph_legend_kinds(&legend, view);
    return legend.n;
}

static void hover_nothing(struct buf *out, const struct graph_view *view, uint32_t i) {
    (void)out;
    (void)view;
    (void)i;
}

static const struct item_row items[ITEM_KINDS] = {
    [ITEM_NODE] = {'n', "node", count_nodes, graph_hover_node},
    [ITEM_CLUSTER] = {'m', "cluster", count_clusters, graph_hover_cluster},
    [ITEM_EDGE] = {'e', "edge", count_edges, graph_hover_edge},
    [ITEM_LEGEND] = {'l', "legend", count_legend, hover_nothing},
};

static bool find_item(const struct finisher *f, struct str id, enum item_kind *kind, uint32_t *i) {
    uint64_t number;

    for (unsigned k = ITEM_NODE; k < ITEM_KINDS; k++) {
        if (!id.n || id.p[0] != items[k].letter || !num_parse_u64(str_skip(id, 1), &number)) {
            continue;
        }
        *kind = (enum item_kind)k;
        *i = (uint32_t)number;
        return number < items[k].count(f->view);
    }
    return false;
}

static void write_cluster_class(struct finisher *f, struct buf *out, uint32_t i) {
    buf_add_char(out, ' ');
    buf_add_z(out, graph_cluster_kind_name(f->view->clusters[i].kind));
    buf_printf(out, " d%u", graph_theme_tint(f->view->clusters[i].depth) + 1);
}

static void write_class(struct finisher *f, enum item_kind kind, uint32_t i) {
    buf_add_z(f->out, items[kind].name);
    if (kind == ITEM_NODE) {
        buf_add_char(f->out, ' ');
        buf_add_z(f->out, graph_view_kind_name(f->view->nodes[i].kind));
        buf_add_z(f->out, f->view->nodes[i].highlight ? " hl" : "");
        buf_add_z(f->out, f->view->nodes[i].conflict ? " bad" : "");
    } else if (kind == ITEM_CLUSTER) {
        write_cluster_class(f, f->out, i);
        buf_add_z(f->out, f->view->clusters[i].highlight ? " hl" : "");
    } else if (kind == ITEM_LEGEND) {
        buf_printf(f->out, " l%u", i);
    }
}

static void write_captions(struct finisher *f) {
    buf_add_str(f->out, buf_str(&f->captions));
    buf_reset(&f->captions);
}

static bool open_item(struct finisher *f, const struct svg_token *tag) {
    struct str id = graph_svg_attr(tag, "id");
    uint32_t i;

    if (!find_item(f, id, &f->item, &i)) {
        return false;
    }
    if (f->item == ITEM_NODE || f->item == ITEM_LEGEND) {
        write_captions(f);
    }
    buf_add_z(f->out, "<g id=\"");
    buf_add_str(f->out, id);
    buf_add_z(f->out, "\" class=\"");
    write_class(f, f->item, i);
    buf_add_z(f->out, "\">");
    items[f->item].hover(&f->hover, f->view, i);
    if (f->hover.n) {
        write_title(f);
    }
    f->has_box = false;
    f->index = i;
    return true;
}

// transform="scale(1 1) rotate(0) translate(4 266)"
static bool open_graph(struct finisher *f, const struct svg_token *tag) {
    struct str transform = graph_svg_attr(tag, "transform");
    double skipped;

    if (!graph_svg_number(&transform, &skipped) || !graph_svg_number(&transform, &skipped) ||
        !graph_svg_number(&transform, &skipped) || !graph_svg_number(&transform, &f->dx) ||
        !graph_svg_number(&transform, &f->dy)) {
        return false;
    }
    write_root(f);
    return true;
}

static bool open_group(struct finisher *f, const struct svg_token *tag) {
    f->depth++;
    if (f->depth == 1) {
        return open_graph(f, tag);
    }
    return f->depth < GROUPS_MAX && open_item(f, tag);
}

// libgvc rounds the place of a text to whole points: in a box it is better known.
static void write_line(struct finisher *f) {
    double x = f->has_box ? f->centre : f->line.runs[0].x + graph_svg_line_width(&f->line) / 2;

    if (!f->line.n) {
        return;
    }
    graph_svg_line_write(&f->line, x, f->out);
}

// A cluster has one line, which waits until the edges are drawn.
static void close_item(struct finisher *f) {
    if (f->item != ITEM_CLUSTER) {
        write_line(f);
    } else if (f->line.n) {
        buf_add_z(&f->captions, "<g class=\"caption");
        write_cluster_class(f, &f->captions, f->index);
        buf_add_z(&f->captions, "\">");
        graph_svg_line_patch(&f->line, &f->captions);
        graph_svg_line_write(&f->line, f->line.runs[0].x, &f->captions);
        buf_add_z(&f->captions, "</g>\n");
    }
    buf_add_z(f->out, "</g>\n");
    f->item = ITEM_NONE;
}

static bool close_group(struct finisher *f) {
    if (f->depth == 2) {
        close_item(f);
    }
    if (!f->depth) {
        return false;
    }
    f->depth--;
    return true;
}

// ---- shapes

struct point {
    int64_t x, y;  // tenths
};

static struct point point_at(const struct finisher *f, size_t i) {
    struct point p;

    memcpy(&p, f->points.p + i * sizeof(p), sizeof(p));
    return p;
}

static size_t read_points(struct finisher *f, struct str text) {
    double x, y;

    buf_reset(&f->points);
    while (graph_svg_number(&text, &x) && graph_svg_number(&text, &y)) {
        struct point p = {graph_svg_to_tenths(x + f->dx), graph_svg_to_tenths(y + f->dy)};

        buf_add(&f->points, &p, sizeof(p));
    }
    return f->points.failed ? 0 : f->points.n / sizeof(struct point);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// libgvc draws a rounded box as a path of curves; its extent is the box.
static void write_box(struct finisher *f, size_t n) {
    struct point low = point_at(f, 0), high = low;
    double radius = f->item == ITEM_CLUSTER ? f->theme->cluster_corner : f->theme->corner;

    for (size_t i = 1; i < n; i++) {
        struct point p = point_at(f, i);

        low = (struct point){least(low.x, p.x), least(low.y, p.y)};
        high = (struct point){most(high.x, p.x), most(high.y, p.y)};
    }
    buf_add_z(f->out, f->has_box ? "<rect class=\"c\"" : "<rect");
    graph_svg_add(f->out, "x", low.x);
    graph_svg_add(f->out, "y", low.y);
    graph_svg_add(f->out, "width", high.x - low.x);
    graph_svg_add(f->out, "height", high.y - low.y);
    if (radius > 0) {
        graph_svg_add(f->out, "rx", graph_svg_to_tenths(radius));
    }
    buf_add_z(f->out, "/>");
    f->has_box = true;
    f->centre = (double)(low.x + high.x) / 20;  // of tenths
}

static void write_pair(struct finisher *f, int64_t x, int64_t y, bool spaced) {
    if (spaced && x >= 0) {
        buf_add_char(f->out, ' ');
    }
    graph_svg_tenths(f->out, x);
    if (y >= 0) {
        buf_add_char(f->out, ' ');
    }
    graph_svg_tenths(f->out, y);
}

static bool is_straight(const struct finisher *f, size_t n, bool upright) {
    struct point first = point_at(f, 0);

    for (size_t i = 1; i < n; i++) {
        struct point p = point_at(f, i);

        if (upright ? p.x != first.x : p.y != first.y) {
            return false;
        }
    }
    return true;
}

// Control points relative to the start of their curve: shorter, and exact in tenths.
static void write_curves(struct finisher *f, size_t n) {
    struct point start = point_at(f, 0);

    buf_add_char(f->out, 'c');
    for (size_t i = 1; i < n; i++) {
        struct point p = point_at(f, i);

        write_pair(f, p.x - start.x, p.y - start.y, i > 1);
        if (i % 3 == 0) {
            start = p;
        }
    }
}

static void write_route(struct finisher *f, size_t n) {
    struct point first = point_at(f, 0), last = point_at(f, n - 1);

    buf_add_z(f->out, "<path d=\"M");
    write_pair(f, first.x, first.y, false);
    if (is_straight(f, n, true)) {
        buf_add_char(f->out, 'V');
        graph_svg_tenths(f->out, last.y);
    } else if (is_straight(f, n, false)) {
        buf_add_char(f->out, 'H');
        graph_svg_tenths(f->out, last.x);
    } else {
        write_curves(f, n);
    }
    buf_add_z(f->out, "\"/>");
}

// The last point repeats the first.
static void write_arrow(struct finisher *f, size_t n) {
    buf_add_z(f->out, "<polygon points=\"");
    for (size_t i = 0; i + 1 < n; i++) {
        struct point p = point_at(f, i);

        write_pair(f, p.x, p.y, i > 0);
    }
    buf_add_z(f->out, "\"/>");
}

static bool write_shape(struct finisher *f, const struct svg_token *tag) {
    bool is_path = str_eq(tag->name, STR("path"));
    size_t n = read_points(f, graph_svg_attr(tag, is_path ? "d" : "points"));

    if (f->item == ITEM_NONE) {
        return true;
    }
    if (n < 2) {
        return false;
    }
    if (f->item != ITEM_EDGE) {
        if (f->has_box && !f->theme->tables) {
            return true;
        }
        write_line(f);
        write_box(f, n);
        return true;
    }
    if (is_path && n % 3 != 1) {
        return false;
    }
    if (is_path) {
        write_route(f, n);
    } else {
        write_arrow(f, n);
    }
    return true;
}

// ---- text

// The text is the token behind the tag.
static bool read_text(struct finisher *f, const struct svg_token *tag, struct str raw,
                      size_t *pos) {
    struct str x_text = graph_svg_attr(tag, "x"), y_text = graph_svg_attr(tag, "y");
    struct svg_token token;
    double x, y;

    if (tag->kind == SVG_EMPTY || f->item == ITEM_NONE) {
        return true;
    }
    if (!graph_svg_number(&x_text, &x) || !graph_svg_number(&y_text, &y)) {
        return false;
    }
    if (graph_svg_next(raw, pos, &token) <= 0) {
        return false;
    }
    if (token.kind != SVG_TEXT) {
        return token.kind == SVG_CLOSE;
    }
    x += f->dx;
    y += f->dy;
    if (graph_svg_line_is_other(&f->line, y)) {
        write_line(f);
    }
    graph_svg_line_add(&f->line, tag, token.text, x, y);
    return true;
}

// ---- the pass

static bool take_tag(struct finisher *f, const struct svg_token *token, struct str raw,
                     size_t *pos) {
    bool is_group = str_eq(token->name, STR("g"));

    if (token->kind == SVG_CLOSE) {
        return !is_group || close_group(f);
    }
    if (is_group) {
        return token->kind == SVG_OPEN && open_group(f, token);
    }
    if (str_eq(token->name, STR("svg"))) {
        return open_root(f, token);
    }
    if (str_eq(token->name, STR("path")) || str_eq(token->name, STR("polygon"))) {
        return write_shape(f, token);
    }
    if (str_eq(token->name, STR("text"))) {
        return read_text(f, token, raw, pos);
    }
    return str_eq(token->name, STR("title"));
}

static int pass(struct finisher *f, struct str raw, struct error *err) {
    struct svg_token token;
    size_t pos = 0;
    int got;

    while ((got = graph_svg_next(raw, &pos, &token)) > 0) {
        if (token.kind != SVG_TEXT && !take_tag(f, &token, raw, &pos)) {
            return error_set_at(err, ERR_BUG, pos, NULL, "the raw SVG is not as libgvc writes it");
        }
    }
    if (got < 0 || f->depth || !f->has_root) {
        return error_set(err, ERR_BUG, "the raw SVG does not end");
    }
    write_captions(f);
    buf_add_z(f->out, "</svg>\n");
    return buf_check(f->out, "the picture", "max-output", err);
}

int graph_finish_svg(struct buf *out, struct str raw, const struct graph_view *view,
                     const struct graph_theme *theme, struct error *err) {
    struct finisher f = {.out = out, .view = view, .theme = theme};
    size_t before = out->n;
    int rc;

    buf_init(&f.line.text, TEXT_MAX_BYTES);
    buf_init(&f.captions, out->max);
    buf_init(&f.hover, TEXT_MAX_BYTES);
    buf_init(&f.points, POINTS_MAX * sizeof(struct point));
    rc = pass(&f, raw, err);
    if (rc == 0) {
        rc = buf_check(&f.captions, "the picture", "max-output", err);
    }
    if (rc < 0) {
        buf_truncate(out, before);
    }
    buf_release(&f.line.text);
    buf_release(&f.captions);
    buf_release(&f.hover);
    buf_release(&f.points);
    return rc;
}
