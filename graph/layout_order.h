// The order of the vertices on every rank of a container, so that few links cross.
//
// Sweeps up and down the ranks sort each by where its neighbours stand; then neighbours change
// places while that helps. The best order seen is kept; ties go by index. How many sweeps there are
// depends on the size alone.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "graph/layout_layers.h"

// Where the ports of one side of a cluster stand: place[p] from left to right, 0 .. n - 1.
struct layout_ports {
    const uint32_t *place;
    uint32_t n;  // 0: a node, or a cluster without ports on this side
};

// What is known before.
struct layout_fixed {
    const struct layout_ports *in, *out;  // per item: ports of a cluster; both sides may be
                                          // mirrored together
    struct layout_ports own_in, own_out;  // of the container itself, n = 0: free
};

struct layout_order {
    uint32_t *vertices;  // rank by rank
    uint32_t *pos;       // per vertex: place on its rank
    bool *is_mirrored;   // per item
    uint64_t crossings;
};

// *start is an order to begin with, or NULL. False: no memory.
bool graph_layout_order(struct layout_order *out, const struct layout_layers *layers,
                        const struct layout_fixed *fixed, const struct layout_order *start,
                        struct arena *arena);

// Where the ports of an item should stand, given the order around it: in the order of what they
// are linked to. Fills place[0 .. n - 1].
bool graph_layout_order_ports(uint32_t *place, const struct layout_layers *layers,
                              const struct layout_order *order, const struct layout_fixed *fixed,
                              uint32_t item, bool is_in, struct arena *arena);
