// Which rank of its container every vertex stands on, so that arcs lead downwards and are short.
//
// In-ports are on rank 0 alone, out-ports on the last rank alone; a container without in-ports (or
// out-ports) has no such rank. Ranks are dense. Every step is bounded by the number of arcs.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "graph/layout_local.h"

#define LAYOUT_ROW \
    40u  // sources (or sinks) that stand side by side; more go into rows of their own

struct layout_ranks {
    uint32_t n;  // vertices
    uint32_t n_ranks;
    uint32_t *of;       // per vertex
    uint32_t *through;  // per vertex: vertices on the longest path through it
    uint32_t wrapped;   // vertices that were moved into rows
};

// Arcs run from lower to higher ranks afterwards. False: no memory.
bool graph_layout_rank(struct layout_ranks *out, const struct layout_local *local,
                       struct arena *arena);
