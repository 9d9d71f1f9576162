// Crossings of the links between neighbouring ranks, and where links end on a rank: shared by what
// orders the vertices.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "graph/layout_order.h"

#define LAYOUT_KEYS GRAPH_LAYOUT_PORTS_MAX  // of one vertex: its ports

struct layout_cross {
    const struct layout_layers *layers;
    const struct layout_fixed *fixed;
    const uint32_t *vertices, *pos;
    const bool *is_mirrored;
    uint32_t *by_rank_first, *by_rank;         // links by the rank of their upper end
    uint32_t *key, *by_port, *sorted, *count;  // scratch
    uint32_t *tree;
};

bool graph_layout_cross_init(struct layout_cross *c, const struct layout_layers *layers,
                             const struct layout_fixed *fixed, struct arena *arena);

// Where the end of a link stands on its rank: LAYOUT_KEYS for each vertex before it, and its port.
uint32_t graph_layout_key_up(const struct layout_cross *c, const struct layout_link *link);
uint32_t graph_layout_key_down(const struct layout_cross *c, const struct layout_link *link);

// Links that share an end do not cross. Stops counting once it is more than `limit`.
uint64_t graph_layout_crossings(struct layout_cross *c, uint64_t limit);
