// What modules cost: parameters and their bytes.
//
// A parameter is an element of an initializer that a node reads; aliases and weight chains are
// followed, so a tensor counts once in each subtree however often it is read. What PyTorch keeps in
// buffers is none: tables of int64, bool or string, running statistics, and what only plumbing
// reads (scales, zero points, sizes). Products and sums saturate at INT64_MAX with a warning.
#pragma once

#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/hierarchy.h"

struct graph_costs {
    uint64_t *parameters;         // per call: elements of the distinct tensors read in its subtree
    uint64_t *parameter_bytes;    // per call
    uint64_t *module_parameters;  // per module: of all its calls together, each tensor once
    uint64_t *module_bytes;       // per module
    uint64_t total_parameters;    // over all initializers of the model that are read
    uint64_t total_bytes;
};

int graph_costs_init(struct graph_costs *out, const struct graph_net *net,
                     const struct graph_plumbing_map *plumbing,
                     const struct graph_hierarchy *hierarchy, struct warnings *warnings,
                     struct error *err) WARN_UNUSED;
void graph_costs_release(struct graph_costs *costs);
