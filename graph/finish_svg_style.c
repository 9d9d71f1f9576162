#include <stdio.h>

#include "graph/finish_svg_internal.h"
#include "graph/legend.h"

// Starts a rule: ".onnxscope-light SELECTOR{".
static void open_rule(struct buf *out, const struct graph_theme *theme, const char *selector) {
    buf_add_z(out, "." SVG_ROOT_CLASS);
    buf_add_z(out, theme->name);
    buf_add_char(out, ' ');
    buf_add_z(out, selector);
    buf_add_char(out, '{');
}

static void add_property(struct buf *out, const char *name, const char *value) {
    if (!value) {
        return;
    }
    buf_add_z(out, name);
    buf_add_char(out, ':');
    buf_add_z(out, value);
    buf_add_char(out, ';');
}

static void add_rule(struct buf *out, const struct graph_theme *theme, const char *selector,
                     const char *properties) {
    open_rule(out, theme, selector);
    buf_add_z(out, properties);
    buf_add_char(out, '}');
}

// ".onnxscope-light .node.module rect{"
static void open_kind_rule(struct buf *out, const struct graph_theme *theme, const char *group,
                           const char *kind, const char *element) {
    buf_add_z(out, "." SVG_ROOT_CLASS);
    buf_add_z(out, theme->name);
    buf_add_char(out, ' ');
    buf_add_z(out, group);
    buf_add_z(out, kind);
    buf_add_z(out, element);
    buf_add_char(out, '{');
}

// Nothing for a kind whose fill is that of its depth and that has no border.
static void add_box(struct buf *out, const struct graph_theme *theme, const char *group,
                    const char *kind, const struct graph_paint *paint) {
    if (!paint->fill && !paint->stroke) {
        return;
    }
    open_kind_rule(out, theme, group, kind, " rect");
    add_property(out, "fill", paint->fill);
    add_property(out, "stroke", theme->tables && !strcmp(group, ".node.") ? "none" : paint->stroke);
    buf_add_char(out, '}');
}

static void add_text(struct buf *out, const struct graph_theme *theme, const char *group,
                     const char *kind, const struct graph_paint *paint) {
    open_kind_rule(out, theme, group, kind, " text");
    add_property(out, "fill", paint->text);
    buf_add_char(out, '}');
}

static void add_node_kinds(struct buf *out, const struct graph_view *view,
                           const struct graph_theme *theme) {
    bool present[GRAPH_VIEW_KINDS] = {false};

    for (size_t i = 0; i < view->n_nodes; i++) {
        present[view->nodes[i].kind] = true;
    }
    for (unsigned kind = 0; kind < GRAPH_VIEW_KINDS; kind++) {
        const char *name = graph_view_kind_name((enum graph_view_kind)kind);

        if (!present[kind]) {
            continue;
        }
        add_box(out, theme, ".node.", name, &theme->nodes[kind]);
        add_text(out, theme, ".node.", name, &theme->nodes[kind]);
    }
}

static void add_tints(struct buf *out, const struct graph_theme *theme, const bool *present) {
    for (unsigned i = 0; i < GRAPH_THEME_TINTS; i++) {
        if (!present[i]) {
            continue;
        }
        buf_add_z(out, "." SVG_ROOT_CLASS);
        buf_add_z(out, theme->name);
        buf_printf(out, " .d%u rect{fill:", i + 1);
        buf_add_z(out, theme->tints[i]);
        buf_add_char(out, '}');
    }
}

static void add_cluster_kinds(struct buf *out, const struct graph_view *view,
                              const struct graph_theme *theme) {
    bool present[GRAPH_CLUSTER_KINDS] = {false}, tints[GRAPH_THEME_TINTS] = {false};

    for (size_t i = 0; i < view->n_clusters; i++) {
        present[view->clusters[i].kind] = true;
        tints[graph_theme_tint(view->clusters[i].depth)] = true;
    }
    add_tints(out, theme, tints);
    for (unsigned kind = 0; kind < GRAPH_CLUSTER_KINDS; kind++) {
        const char *name = graph_cluster_kind_name((enum graph_cluster_kind)kind);
        const struct graph_paint patch = {.fill = theme->clusters[kind].fill};

        if (!present[kind]) {
            continue;
        }
        add_box(out, theme, ".cluster.", name, &theme->clusters[kind]);
        add_box(out, theme, ".caption.", name, &patch);
        add_text(out, theme, ".caption.", name, &theme->clusters[kind]);
    }
}

static void add_edges(struct buf *out, const struct graph_theme *theme) {
    open_rule(out, theme, ".edge path");
    buf_add_z(out, "fill:none;stroke-width:.8;");
    add_property(out, "stroke", theme->edge);
    buf_add_char(out, '}');
    open_rule(out, theme, ".edge polygon");
    add_property(out, "fill", theme->edge);
    buf_add_char(out, '}');
    open_rule(out, theme, ".edge text");
    buf_add_z(out, "font-size:8px;font-weight:normal;");
    add_property(out, "fill", theme->edge_text);
    buf_add_char(out, '}');
}

static void add_width(struct buf *out, const struct graph_theme *theme, const char *selector,
                      const char *width) {
    open_rule(out, theme, selector);
    add_property(out, "stroke-width", width);
    buf_add_char(out, '}');
}

// Weighs more than the colours of a kind: an element and three classes.
static void add_highlight(struct buf *out, const struct graph_view *view,
                          const struct graph_theme *theme) {
    bool any = false;

    for (size_t i = 0; i < view->n_nodes; i++) {
        any |= view->nodes[i].highlight;
    }
    for (size_t i = 0; i < view->n_clusters; i++) {
        any |= view->clusters[i].highlight;
    }
    if (!any) {
        return;
    }
    open_rule(out, theme, ".hl.hl rect");
    add_property(out, "stroke", theme->highlight);
    add_property(out, "stroke-width", theme->emphasis);
    buf_add_char(out, '}');
}

// As what is missing, but louder.
static void add_conflict(struct buf *out, const struct graph_view *view,
                         const struct graph_theme *theme) {
    bool any = false;

    for (size_t i = 0; i < view->n_nodes; i++) {
        any |= view->nodes[i].conflict;
    }
    if (!any) {
        return;
    }
    open_rule(out, theme, ".bad.bad rect");
    add_property(out, "stroke", theme->nodes[GRAPH_VIEW_MISSING].stroke);
    add_property(out, "stroke-width", theme->emphasis);
    buf_add_z(out, "stroke-dasharray:4 2}");
}

static void add_legend(struct buf *out, const struct graph_view *view,
                       const struct graph_theme *theme) {
    struct graph_legend legend;

    graph_legend_kinds(&legend, view);
    for (uint32_t i = 0; i < legend.n; i++) {
        const struct graph_paint *paint = graph_legend_paint(theme, &legend.items[i]);
        char name[16];

        snprintf(name, sizeof(name), "l%u", i);
        open_kind_rule(out, theme, ".legend.", name, " rect");
        add_property(out, "fill", graph_legend_fill(theme, &legend.items[i]));
        add_property(out, "stroke", paint->stroke);
        add_property(out, "stroke-width", theme->border);
        buf_add_char(out, '}');
        open_kind_rule(out, theme, ".legend.", name, " text");
        add_property(out, "fill", paint->text);
        buf_add_char(out, '}');
    }
    if (legend.n) {
        add_rule(out, theme, ".legend text", "font-size:8px;font-weight:normal");
    }
}

// Captions are the default; `text.s` weighs as much as the colour of a kind and comes after it.
void graph_svg_style(struct buf *out, const struct graph_view *view,
                     const struct graph_theme *theme) {
    open_rule(out, theme, ".bg");
    add_property(out, "fill", theme->background);
    buf_add_char(out, '}');
    add_rule(out, theme, "text", "font-size:10px;font-weight:bold;text-anchor:middle");
    add_rule(out, theme, ".i", "font-style:italic");
    add_rule(out, theme, ".caption text", "text-anchor:start");
    add_width(out, theme, ".node rect", theme->border);
    add_width(out, theme, ".cluster rect", theme->border);
    if (theme->dashed) {
        add_rule(out, theme, ".cluster rect", "stroke-dasharray:5 2");
    }
    add_rule(out, theme, ".node:hover rect", "stroke-width:1.6");
    add_rule(out, theme, ".edge:hover path", "stroke-width:1.8");
    add_rule(out, theme, ".node.missing rect", "stroke-dasharray:4 2");
    add_cluster_kinds(out, view, theme);
    add_node_kinds(out, view, theme);
    if (theme->tables) {
        add_rule(out, theme, ".node.node rect.c", "fill:none;stroke:#000");
    }
    open_rule(out, theme, ".node text.s");
    buf_add_z(out, "font-size:8px;font-weight:normal;");
    add_property(out, "fill", theme->detail);
    buf_add_char(out, '}');
    open_rule(out, theme, ".caption tspan.s");
    buf_add_z(out, "font-size:8px;font-weight:normal;");
    add_property(out, "fill", theme->detail);
    buf_add_char(out, '}');
    add_edges(out, theme);
    add_highlight(out, view, theme);
    add_conflict(out, view, theme);
    add_legend(out, view, theme);
}
