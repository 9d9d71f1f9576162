// Shared by graph/layout_engine.c and graph/layout_picture.c alone: what the engine knows of a
// view.
#pragma once

#include "graph/layout_dir.h"
#include "graph/layout_engine.h"
#include "graph/layout_local.h"
#include "graph/layout_memo.h"
#include "graph/layout_route.h"

#define LAYOUT_LOOP_SIDE 16.0  // points beside a node for an edge back to itself

// A container without the order of its ports: what is ranked once for all that are alike.
struct layout_shape {
    struct layout_layers layers;
    struct layout_fixed fixed;  // ports of the clusters in it, in the order they would like
    struct layout_order order;
    struct layout_ports in, out;  // its own, likewise
};

// A shape with the order of its ports that those around it ask for: what is placed.
struct layout_variant {
    uint32_t shape;
    struct layout_fixed fixed;
    struct layout_order order;
    uint32_t *children;  // per item: variant of a cluster
    struct layout_item *items;
    struct layout_placed placed;
    struct layout_way *ways;  // per arc; NULL: not placed yet
};

struct layout_engine {
    const struct graph_view *view;
    const struct graph_labels *labels;
    const struct layout_switches *switches;
    struct graph_layout *out;
    struct arena arena;
    struct layout_locals locals;
    struct layout_memo shape_memo, variant_memo;
    struct layout_shape *shapes;
    size_t n_shapes, cap_shapes;
    struct layout_variant *variants;
    size_t n_variants, cap_variants;
    uint32_t *shape_of, *variant_of;  // per container
    bool *has_loop;                   // per node
    struct layout_points points;
    struct graph_point *origin;  // per container
    struct layout_turn turn;
    uint32_t virtual_left;
    size_t *first_arc;  // per container: into is_drawn
    bool *is_drawn;     // per arc of every container: an edge before has drawn it
    uint64_t label_work;
    double *room;  // per arc of every container (graph/layout_room.h)
};

static inline uint32_t layout_root_of(const struct layout_engine *e) {
    return e->locals.n_containers - 1;
}

// Items are nodes, then clusters.
static inline bool layout_is_cluster(const struct layout_engine *e, uint32_t item) {
    return item >= e->view->n_nodes;
}

static inline uint32_t layout_cluster_of(const struct layout_engine *e, uint32_t item) {
    return item - (uint32_t)e->view->n_nodes;
}

static inline const struct layout_variant *layout_variant_at(const struct layout_engine *e,
                                                             uint32_t container) {
    return &e->variants[e->variant_of[container]];
}

// Everything placed becomes one picture, in the direction that was asked for. Errors: ERR_NOMEM.
int graph_layout_picture(struct layout_engine *e, struct error *err) WARN_UNUSED;
