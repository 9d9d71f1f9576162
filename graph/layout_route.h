// The ways of the arcs of a placed container: vertical beside the boxes of a rank, curved only in
// the gaps between ranks. By construction no way crosses a box.
//
// Points as in struct graph_route: cubic splines of 3k + 1 points, from the upper end down.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "graph/layout.h"
#include "graph/layout_place.h"

#define LAYOUT_POINTS_MAX ((size_t)4 << 20)  // of all containers

struct layout_way {
    size_t first;  // into the points
    uint32_t n;
    uint32_t shared;  // leading points that the ways of earlier arcs of the same net cover: 3k + 1,
                      // or 0
};

struct layout_points {
    struct graph_point *items;
    size_t n, cap;
};

void graph_layout_points_release(struct layout_points *points);

// Fills ways[arc] for all arcs, appends to *points. Errors: ERR_NOMEM, ERR_LIMIT.
int graph_layout_route(struct layout_way *ways, struct layout_points *points,
                       const struct layout_layers *layers, const struct layout_placed *placed,
                       const struct layout_item *items, struct arena *arena,
                       struct error *err) WARN_UNUSED;
