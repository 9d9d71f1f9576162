// Where everything of a view stands: the interface between whatever chooses positions and whatever
// draws them.
//
// Points, origin at the top left, y down, already in the direction that the options ask for.
// Coordinates are finite and rounded to 1/8 point, so that a picture is the same on every machine.
// Node boxes do not overlap, lie inside their cluster's box, and clusters inside their parent's; a
// route starts and ends on the borders of its nodes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "graph/label.h"
#include "graph/view.h"

struct graph_point {
    double x, y;
};

struct graph_box {
    double x, y, w, h;  // top left corner and size
};

// One piece of an edge, drawn as a cubic Bezier spline: n = 3k + 1 points.
struct graph_route {
    const struct graph_point *points;
    uint32_t n;
    bool arrow;  // ends in an arrowhead (the last piece of an edge)
};

struct graph_edge_place {
    const struct graph_route *routes;
    uint32_t n_routes;
    struct graph_point label;  // centre of the edge's label, when it has one
};

struct graph_layout {
    struct arena arena;
    double w, h;
    struct graph_box *nodes;             // per view node
    struct graph_box *clusters;          // per view cluster
    struct graph_point *cluster_labels;  // centre of a cluster's caption
    struct graph_edge_place *edges;      // per view edge
};

// Positions by libgvc's dot. For views of at most GRAPH_LAYOUT_DOT_MAX nodes; the caller's CPU
// limit is what bounds its time. Errors: ERR_LIMIT (too many nodes), ERR_BUG with libgvc's message.
#define GRAPH_LAYOUT_DOT_MAX 2000
int graph_layout_dot(struct graph_layout *out, const struct graph_view *view,
                     const struct graph_labels *labels, struct error *err) WARN_UNUSED;
void graph_layout_release(struct graph_layout *layout);

// Whether every number is finite and sane, every route 3k + 1 points, every box inside its cluster
// and the picture. ERR_BUG names the first fault. Called before anything is drawn.
int graph_layout_check(const struct graph_layout *layout, const struct graph_view *view,
                       struct error *err) WARN_UNUSED;
