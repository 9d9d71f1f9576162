// Colours, fonts and measures of a picture: constant tables by theme. Nothing out of a model is
// ever a colour or a font.
#pragma once

#include "graph/options.h"
#include "graph/view.h"

struct graph_paint {
    const char *fill;  // "#RRGGBB"
    const char *stroke;
    const char *text;
};

struct graph_theme {
    const char *background;
    struct graph_paint nodes[GRAPH_VIEW_KINDS];
    struct graph_paint clusters[GRAPH_CLUSTER_KINDS];
    const char *edge;
    const char *edge_text;
};

const struct graph_theme *graph_theme_get(uint32_t name);  // enum graph_theme_name
