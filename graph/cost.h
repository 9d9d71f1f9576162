// What modules cost: parameters and their bytes, multiply-accumulates, bytes of activations.
//
// A parameter is an element of a tensor of the file that a node reads; aliases and weight chains
// are followed, so a tensor counts once in each subtree however often it is read. What PyTorch
// keeps in buffers is none: tables of int64, bool or string, running statistics, scales and zero
// points, numbers without a module's name, masks that the exporter computed. A Constant counts
// where the operator takes a weight. A vector that the exporter left out because an equal one was
// there counts all the same; a matrix does not, it is one parameter with two names. Packed weights
// (MatMulNBits) count their numbers, not their bytes.
//
// Multiply-accumulates are those of one run of the model: a body counts as often as it runs, of an
// If with an unknown condition one branch, when both cost the same. Activations are the values that
// nodes make, plumbing left out; a value of a body counts once. Numbers are symbolic where shapes
// are, and unknown where a part of them is.
//
// Products and sums saturate at INT64_MAX with a warning.
#pragma once

#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/dim.h"
#include "graph/hierarchy.h"
#include "graph/shape.h"

struct graph_costs {
    uint64_t *parameters;         // per call: elements of the distinct tensors read in its subtree
    uint64_t *parameter_bytes;    // per call
    uint64_t *module_parameters;  // per module: of all its calls together, each tensor once
    uint64_t *module_bytes;       // per module
    struct dim_num *macs;         // per call, its subtree included; call 0 is the total
    struct dim_num *activation_bytes;  // per call, its subtree included; call 0 is the total
    struct dim_num *module_macs;       // per module: of all its calls
    uint64_t total_parameters;         // over all initializers of the model that are read
    uint64_t total_bytes;
};

// Symbolic totals go into the numbers of `shapes`, which must outlive the costs.
int graph_costs_init(struct graph_costs *out, const struct graph_net *net,
                     const struct graph_plumbing_map *plumbing,
                     const struct graph_hierarchy *hierarchy, struct graph_shapes *shapes,
                     struct warnings *warnings, struct error *err) WARN_UNUSED;
void graph_costs_release(struct graph_costs *costs);
