// The legend of a view: one small box for each kind of node and cluster that is there, in rows
// below the picture.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "graph/label.h"
#include "graph/layout.h"
#include "graph/theme.h"
#include "graph/view.h"

#define GRAPH_LEGEND_MAX (GRAPH_VIEW_KINDS + GRAPH_CLUSTER_KINDS)

struct graph_legend_item {
    bool is_cluster;
    unsigned kind;     // enum graph_view_kind or enum graph_cluster_kind
    const char *text;  // "operator"
    struct graph_label label;
    struct graph_box box;
};

struct graph_legend {
    struct graph_legend_item items[GRAPH_LEGEND_MAX];
    uint32_t n;   // 0 without the option
    double w, h;  // of the picture with its legend
};

// Which kinds there are; labels and places are left out.
void graph_legend_kinds(struct graph_legend *out, const struct graph_view *view);

// The legend below a picture of w times h points; labels come out of the arena.
int graph_legend_place(struct graph_legend *out, const struct graph_view *view,
                       const struct graph_theme *theme, double w, double h, struct arena *arena,
                       struct error *err) WARN_UNUSED;

// Paint of an item.
const struct graph_paint *graph_legend_paint(const struct graph_theme *theme,
                                             const struct graph_legend_item *item);
const char *graph_legend_fill(const struct graph_theme *theme,
                              const struct graph_legend_item *item);
