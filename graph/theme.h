// Colours, fonts and measures of a picture: constant tables by theme. Nothing out of a model is
// ever a colour or a font.
#pragma once

#include <stdbool.h>

#include "graph/options.h"
#include "graph/view.h"

#define GRAPH_THEME_TINTS 6      // cluster fills by depth; deeper ones keep the last
#define GRAPH_CAPTION_SIZE 10.0  // points: captions of nodes and clusters, set in bold
#define GRAPH_DETAIL_SIZE 8.0    // points: shapes, counts, edge labels
#define GRAPH_LINE_HEIGHT 1.2    // of a line, in font sizes
#define GRAPH_ARROW_LENGTH 5.0   // points
#define GRAPH_EDGE_WIDTH 0.8

struct graph_paint {
    const char *fill;  // "#rrggbb"
    const char *stroke;
    const char *text;
};

struct graph_theme {
    const char *name;  // "light": the suffix of the picture's root class
    const char *background;
    const char *detail;  // text of the second line
    struct graph_paint nodes[GRAPH_VIEW_KINDS];
    struct graph_paint clusters[GRAPH_CLUSTER_KINDS];  // fill NULL: the tint of its depth
    const char *tints[GRAPH_THEME_TINTS];
    const char *edge;
    const char *edge_text;
    const char *highlight;  // border of what stands out
    const char *border;     // width of borders, points
    const char *emphasis;   // width of the borders of what stands out
    double corner;          // radius of node boxes
    double cluster_corner;
    bool tables;  // torchview's labels
    bool dashed;  // clusters have dashed borders
};

// A number that is no theme gives the light one.
const struct graph_theme *graph_theme_get(uint32_t name);  // enum graph_theme_name

// Fill of a cluster: its kind's, else its depth's.
const char *graph_theme_cluster_fill(const struct graph_theme *theme,
                                     const struct graph_view_cluster *cluster);

// Index of the tint that a depth gets: 0..GRAPH_THEME_TINTS - 1.
uint32_t graph_theme_tint(uint32_t depth);
