// A net while it is being built: private to graph/net*.c.
#pragma once

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/net.h"

// Warnings of one kind that are written out; the rest is counted in one sentence.
#define NET_WARNINGS_MAX 16

enum net_warning {
    NET_WARNING_DUPLICATE,
    NET_WARNING_MISSING,
    NET_WARNING_CYCLE,
    NET_WARNINGS,
};

struct net_build {
    const struct onnx_model *model;
    struct graph_net *net;         // what is being built; its arena holds what stays
    struct arena scratch;          // what goes when the net is done
    struct graph_net_node *nodes;  // net->nodes and so on, writable
    struct graph_net_graph *graphs;
    struct graph_value *values;
    size_t n_values;
    uint32_t *holder;
    uint32_t *first_body;  // per node: first of its bodies, ONNX_NONE = none
    uint32_t *next_body;   // per onnx graph: next body of the same holder
    struct warnings *warnings;
    size_t warned[NET_WARNINGS];
};

// A named thing is wrong: `kind` gives code and sentence. Bounded by NET_WARNINGS_MAX.
void net_warn(struct net_build *b, enum net_warning kind, struct str name);

// Whether the graph belongs to the net: bodies of local functions do not.
static inline bool net_covers(const struct onnx_graph *graph) {
    return graph->function == ONNX_NONE;
}

// Names -> values; fills values and every node's and graph's inputs and outputs.
int net_resolve(struct net_build *b, struct error *err) WARN_UNUSED;

// What bodies read from outside, then the readers of every value.
int net_capture(struct net_build *b, struct error *err) WARN_UNUSED;
int net_uses(struct net_build *b, struct error *err) WARN_UNUSED;

// Execution order; breaks cycles.
int net_order(struct net_build *b, struct error *err) WARN_UNUSED;
