// Parts of the costs: private to graph/cost*.c.
#pragma once

#include "graph/cost.h"

// Fills macs, activation_bytes and module_macs.
int cost_work(struct graph_costs *costs, const struct graph_net *net,
              const struct graph_plumbing_map *plumbing, const struct graph_hierarchy *hierarchy,
              struct graph_shapes *shapes, struct warnings *warnings,
              struct error *err) WARN_UNUSED;
