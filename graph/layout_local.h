// What every box of a view has to lay out by itself: its direct content, and the ports through
// which edges enter and leave it. The first step of our own engine; nothing here knows positions.
//
// A container is a cluster, or the picture itself (the last one). Its vertices are its items (nodes
// and clusters, in execution order), then its in-ports, then its out-ports. An edge of the view
// climbs from both ends to the innermost container of both; every cluster on the way has a port for
// it. All edges of one net (the same values of the same node) share their ports and arcs, so that a
// tensor is one tree.
//
// Between two items of a container the arcs run one way: an edge that would close a cycle is turned
// round from end to end, drawn upwards, and marked.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "graph/layout.h"
#include "graph/view.h"

#define LAYOUT_NONE UINT32_MAX
#define LAYOUT_ARCS_MAX ((size_t)2 << 20)    // of all containers
#define LAYOUT_PIECES_MAX ((size_t)4 << 20)  // of all edges

// A slot is where an arc leaves or reaches a vertex: of a node the number of the net, of a cluster
// its port, of a port 0. Arcs that leave one slot share their way.
struct layout_arc {
    uint32_t from, to;
    uint32_t from_slot, to_slot;
};

struct layout_local {
    uint32_t n_items, n_in, n_out;
    uint32_t *items;          // view node, or number of nodes + cluster
    struct layout_arc *arcs;  // those of one net in a row
    uint32_t n_arcs;
};

struct layout_piece {
    uint32_t container, arc;
};

struct layout_locals {
    struct layout_local *of;  // per container
    uint32_t n_containers;
    uint32_t *parent;             // per container; of the picture LAYOUT_NONE
    uint32_t *level;              // per container: clusters around and including it
    uint32_t *place;              // per item: its vertex in its container
    struct layout_piece *pieces;  // of all edges, each from its upper end down
    uint32_t *first_piece;        // per edge
    uint32_t *n_pieces;           // per edge; none: it leads to where it comes from
    bool *is_up;                  // per edge: turned round, its upper end is what it leads to
    uint32_t merged;              // nets that found no port of their own
};

// Allocated in `arena`. Errors: ERR_NOMEM, ERR_LIMIT (too many arcs, or boxes in boxes).
int graph_layout_local(struct layout_locals *out, const struct graph_view *view,
                       struct arena *arena, struct error *err) WARN_UNUSED;
