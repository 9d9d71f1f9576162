// The ranked content of a container as layers: every arc is cut into links between neighbouring
// ranks, by virtual vertices on the ranks in between. All arcs of a net share one chain of virtual
// vertices down to its farthest reader; each reader hangs on the chain by one link.
//
// How many virtual vertices there are is bounded, and how long all ways are: where it would be too
// much, the arcs that cross the most ranks are no part of it. They are lanes, drawn beside the
// content.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "graph/layout_local.h"
#include "graph/layout_rank.h"

#define LAYOUT_VIRTUAL_MAX 300000u  // virtual vertices of one container
#define LAYOUT_STEPS_MAX 400000u    // ranks that the ways of all its arcs cross

struct layout_link {
    uint32_t u, v;            // upper and lower vertex
    uint32_t u_slot, v_slot;  // of real vertices (layout_arc), else 0
    uint32_t arc;             // one that passes here
};

// Vertices: those of the local graph, then the virtual ones. Links of a vertex are
// down[down_first[v]] .. down[down_first[v + 1] - 1], likewise up.
struct layout_layers {
    const struct layout_local *local;
    struct layout_ranks ranks;  // of the real vertices
    uint32_t n;                 // vertices
    uint32_t *rank;             // per vertex
    struct layout_link *links;
    uint32_t n_links;
    uint32_t *down_first, *down, *up_first, *up;
    uint32_t *rank_first;  // per rank, and one past the last: place of its vertices in an order
    uint32_t *last;        // per arc: link that reaches its head; LAYOUT_NONE: a lane
    uint32_t n_lanes;
};

// Virtual vertices are taken from *budget. False: no memory.
bool graph_layout_layers(struct layout_layers *out, const struct layout_local *local,
                         uint32_t *budget, struct arena *arena);

static inline uint32_t layout_n_real(const struct layout_layers *l) {
    return l->ranks.n;
}
