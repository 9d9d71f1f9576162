#include "graph/legend.h"

#include <math.h>
#include <string.h>

#include "graph/label_internal.h"

#define MARGIN 8.0
#define GAP 6.0
#define PAD 8.0
#define ITEM_HEIGHT 18.0
#define WIDTH_MIN 240.0  // of a row that is not broken

static const char *const node_texts[GRAPH_VIEW_KINDS] = {
    [GRAPH_VIEW_INPUT] = "input",       [GRAPH_VIEW_OUTPUT] = "output",
    [GRAPH_VIEW_TENSOR] = "tensor",     [GRAPH_VIEW_MODULE] = "module",
    [GRAPH_VIEW_OPERATOR] = "operator", [GRAPH_VIEW_CONSTANT] = "constant",
    [GRAPH_VIEW_PARAMETER] = "weight",  [GRAPH_VIEW_FOLD] = "repeated layers",
    [GRAPH_VIEW_SECTION] = "section",   [GRAPH_VIEW_MISSING] = "missing value",
};

static const char *const cluster_texts[GRAPH_CLUSTER_KINDS] = {
    [GRAPH_CLUSTER_MODULE] = "open module",   [GRAPH_CLUSTER_FOLD] = "open repeated layers",
    [GRAPH_CLUSTER_BRANCH] = "body, branch",  [GRAPH_CLUSTER_FUNCTION] = "open function",
    [GRAPH_CLUSTER_SECTION] = "open section",
};

static void add(struct graph_legend *out, bool is_cluster, unsigned kind) {
    out->items[out->n++] = (struct graph_legend_item){
        .is_cluster = is_cluster,
        .kind = kind,
        .text = is_cluster ? cluster_texts[kind] : node_texts[kind],
    };
}

void graph_legend_kinds(struct graph_legend *out, const struct graph_view *view) {
    bool nodes[GRAPH_VIEW_KINDS] = {false}, clusters[GRAPH_CLUSTER_KINDS] = {false};

    *out = (struct graph_legend){0};
    if (!view->options->legend) {
        return;
    }
    for (size_t i = 0; i < view->n_nodes; i++) {
        nodes[view->nodes[i].kind] = true;
    }
    for (size_t i = 0; i < view->n_clusters; i++) {
        clusters[view->clusters[i].kind] = true;
    }
    for (unsigned k = 0; k < GRAPH_VIEW_KINDS; k++) {
        if (nodes[k]) {
            add(out, false, k);
        }
    }
    for (unsigned k = 0; k < GRAPH_CLUSTER_KINDS; k++) {
        if (clusters[k]) {
            add(out, true, k);
        }
    }
}

const struct graph_paint *graph_legend_paint(const struct graph_theme *theme,
                                             const struct graph_legend_item *item) {
    return item->is_cluster ? &theme->clusters[item->kind] : &theme->nodes[item->kind];
}

const char *graph_legend_fill(const struct graph_theme *theme,
                              const struct graph_legend_item *item) {
    const char *fill = graph_legend_paint(theme, item)->fill;

    return fill ? fill : theme->tints[0];
}

static int label_item(struct graph_legend_item *item, const struct graph_view *view,
                      const struct graph_theme *theme, struct arena *arena, struct error *err) {
    struct label_builder b;
    struct str text = str_from(item->text);
    int rc;

    label_builder_init(&b, view, theme, arena);
    label_markup(&b, "<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\">"
                     "<tr><td>");
    label_add_detail(&b, text, graph_legend_paint(theme, item)->text);
    label_markup(&b, "</td></tr></table>");
    item->label.w = label_even(label_detail_width(text) + 2 * PAD);
    item->label.h = ITEM_HEIGHT;
    rc = label_take(&b, &item->label, err);
    label_builder_release(&b);
    return rc;
}

int graph_legend_place(struct graph_legend *out, const struct graph_view *view,
                       const struct graph_theme *theme, double w, double h, struct arena *arena,
                       struct error *err) {
    double width = fmax(w, WIDTH_MIN), x = MARGIN, y = h;

    graph_legend_kinds(out, view);
    out->w = w;
    out->h = h;
    for (uint32_t i = 0; i < out->n; i++) {
        struct graph_legend_item *item = &out->items[i];
        int rc = label_item(item, view, theme, arena, err);

        if (rc < 0) {
            return rc;
        }
        if (x > MARGIN && x + item->label.w + MARGIN > width) {
            x = MARGIN;
            y += ITEM_HEIGHT + GAP;
        }
        item->box = (struct graph_box){x, y, item->label.w, ITEM_HEIGHT};
        x += item->label.w + GAP;
        out->w = fmax(out->w, x - GAP + MARGIN);
        out->h = y + ITEM_HEIGHT + MARGIN;
    }
    return 0;
}
