// Coordinates of an ordered container, its flow downwards: a place for every vertex, straight
// columns where there can be some, and room for the caption.
//
// Points from the top left corner of the container, y down, on the grid of graph_layout_round().
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "graph/layout_attach.h"

// Side of the container that keeps a band free for its caption: the upper one of the picture, as
// seen while the flow runs downwards.
enum layout_band { LAYOUT_BAND_NONE, LAYOUT_BAND_TOP, LAYOUT_BAND_BOTTOM, LAYOUT_BAND_LEFT };

struct layout_caption {
    enum layout_band band;
    double w, h;  // along the flow's ranks, and across: already turned
};

struct layout_placed {
    double w, h;
    double *x;                       // per vertex: its centre
    double *top;                     // per real vertex
    double *rank_top, *rank_bottom;  // per rank
    double caption_x, caption_y;     // top left corner of the caption
    struct layout_attach attach;
    struct layout_columns columns;
    double *in_x, *out_x;  // ports, from the left border
    double lane_x;         // first lane for arcs that have no links
};

// room[arc] are points along the flow that the label of an edge wants above what its arc leads to;
// NULL: no edge has a label. False: no memory.
bool graph_layout_place(struct layout_placed *out, const struct layout_layers *layers,
                        const struct layout_order *order, const struct layout_fixed *fixed,
                        const struct layout_item *items, const struct layout_caption *caption,
                        const double *room, struct arena *arena);
