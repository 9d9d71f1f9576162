// Which links of an ordered container should be straight: at most one on each side of a vertex, so
// that they form columns. The trunk of a network is one column, its rails are columns beside it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "graph/layout_order.h"

struct layout_columns {
    uint32_t *down, *up;  // per vertex: its main link on that side, LAYOUT_NONE = none stands out
    bool *is_straight;    // per link: main on both ends and crossing no other such link
};

bool graph_layout_align(struct layout_columns *out, const struct layout_layers *layers,
                        const struct layout_order *order, struct arena *arena);

// What a link weighs when vertices are pulled along it: rails stay straight, trunks nearly so, and
// what hangs on a rail gives way.
double graph_layout_weight(const struct layout_layers *layers, const struct layout_link *link);
