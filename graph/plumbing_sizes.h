// Which inputs of operators are sizes and places, not data; and the chains that only make such.
#pragma once

#include "base/attr.h"
#include "base/error.h"
#include "graph/plumbing.h"

// Whether an operator of the standard reads a shape, a position, an axis or a count there: Python
// numbers in PyTorch.
bool graph_takes_size(const struct onnx_node *node, uint32_t slot);

// Whether the same inputs give the same outputs, and nothing but the inputs counts: an operator of
// the standard without bodies that draws no random numbers.
bool graph_is_computed(const struct onnx_model *model, const struct onnx_node *node);

// Finds shape arithmetic by its readers: nodes made of sizes, constants and each other whose
// results are read, and read as sizes only. `map` holds what is known otherwise; `ends`, per value,
// which are outputs of a graph.
int graph_plumbing_sizes(struct graph_plumbing_map *map, const struct graph_net *net,
                         const bool *ends, struct error *err) WARN_UNUSED;
