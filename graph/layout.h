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

#define GRAPH_LAYOUT_EXTENT_MAX 4e6  // points: no picture is wider or higher
#define GRAPH_LAYOUT_PORTS_MAX 64u   // on each side of a box; the last one takes the rest
#define GRAPH_LAYOUT_MAX_BYTES ((size_t)256 << 20)

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
    // Points 0 .. shared - 1 (3k + 1 of them, 0 = none) lie on a route of another edge from the
    // same node: they need not be drawn again. Of a route that runs upwards nothing is shared.
    uint32_t shared;
};

struct graph_edge_place {
    const struct graph_route *routes;  // none: the edge is not drawn
    uint32_t n_routes;
    struct graph_point label;  // centre of the edge's label, when it has one
};

// Where a limit changed the picture: how many edges or nodes it met.
struct graph_layout_cuts {
    uint32_t lanes;    // edges across so many ranks that they run beside the content
    uint32_t merged;   // edges that share the last port of a box
    uint32_t wrapped;  // nodes without inputs (or readers) that stand in rows
};

struct graph_layout {
    struct arena arena;
    double w, h;                         // of the picture, margins included
    struct graph_box *nodes;             // per view node
    struct graph_box *clusters;          // per view cluster
    struct graph_point *cluster_labels;  // centre of a cluster's caption
    struct graph_edge_place *edges;      // per view edge
    struct graph_layout_cuts cuts;
};

// An empty layout of the view's size, everything at 0. Errors: ERR_NOMEM.
int graph_layout_init(struct graph_layout *out, const struct graph_view *view,
                      struct error *err) WARN_UNUSED;
void graph_layout_release(struct graph_layout *layout);

// To the grid of 1/8 point.
double graph_layout_round(double v);

// Whether every number is finite and sane, every route 3k + 1 points, every box inside its cluster
// and the picture. ERR_BUG names the first fault. Called before anything is drawn.
int graph_layout_check(const struct graph_layout *layout, const struct graph_view *view,
                       struct error *err) WARN_UNUSED;

// Positions by our own engine: layered, box by box from the inside out (graph/layout_engine.c).
// Every limit counts work, so that a view has one picture. Errors: ERR_NOMEM; ERR_LIMIT when the
// view has too many edges across too many boxes: the caller draws a coarser one.
int graph_layout_run(struct graph_layout *out, const struct graph_view *view,
                     const struct graph_labels *labels, struct error *err) WARN_UNUSED;

// Positions by libgvc's dot. Its time does not follow the size of a view but the length of its
// edges: hence two limits, and the caller draws a coarser view when one is passed.
// Errors: ERR_LIMIT (graph_layout_dot_fits() says no), ERR_NOMEM, ERR_BUG with libgvc's message.
int graph_layout_dot(struct graph_layout *out, const struct graph_view *view,
                     const struct graph_labels *labels, struct error *err) WARN_UNUSED;

// Beyond these dot is not asked: nodes or clusters (a chain of 5,000 overflows its stack), edges,
// and what graph/layout_cost.h estimates (the worst graphs at this limit take 4 s).
#define GRAPH_LAYOUT_DOT_MAX 2500
#define GRAPH_LAYOUT_DOT_MAX_EDGES 10000
#define GRAPH_LAYOUT_DOT_MAX_VERTICES 40000
#define GRAPH_LAYOUT_DOT_MAX_SQUARES 2500000

int graph_layout_dot_fits(const struct graph_view *view, bool *fits, struct error *err) WARN_UNUSED;
