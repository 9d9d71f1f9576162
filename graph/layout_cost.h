// How much work dot would have with a view, from its shape alone: decided before it is asked, so
// that no picture depends on a clock.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "graph/view.h"

// dot makes a vertex of every rank that an edge crosses. Clusters are ranked on their own, from the
// inside out, as dot does.
struct graph_layout_cost {
    uint64_t vertices;  // nodes, and ranks crossed by all edges
    uint64_t squares;   // sum over the ranks of the square of how many edges cross: what ordering
                        // a rank costs
};

// Linear in the view times its nesting. Saturates. Errors: ERR_NOMEM.
int graph_layout_cost(struct graph_layout_cost *out, const struct graph_view *view,
                      struct error *err) WARN_UNUSED;
