// Where links leave and reach their vertices, as offsets from the centres: on nodes spread evenly
// in the order of what is at their other ends, the main one in the middle; on clusters at the
// ports.
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "graph/layout_align.h"
#include "graph/layout_order.h"

// What stands in a container, by its size: one per item.
struct layout_item {
    double w, h;
    double side;  // kept free on either side, for edges that lead back to the same node
    bool is_cluster;
    const double *in_x, *out_x;  // of a cluster's ports, from its left border
};

struct layout_attach {
    double *upper, *lower;  // per link: at its upper and at its lower vertex
};

bool graph_layout_attach(struct layout_attach *out, const struct layout_layers *layers,
                         const struct layout_order *order, const struct layout_fixed *fixed,
                         const struct layout_columns *columns, const struct layout_item *items,
                         struct arena *arena);
