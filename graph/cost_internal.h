// Parts of the costs: private to graph/cost*.c.
#pragma once

#include "graph/cost.h"

struct cost_input {
    const struct graph_net *net;
    const struct graph_plumbing_map *plumbing;
    const struct graph_hierarchy *hierarchy;
    struct graph_shapes *shapes;
};

// The parameter that a node reads when it reads a value in a slot, or ONNX_NONE: the value that
// stands for it, the same in each reading of the parameter. Its element type and shape are those of
// cost_tensor_of(), which is the value itself unless the exporter merged equal parameters.
uint32_t cost_parameter(const struct cost_input *in, uint32_t value, struct graph_use use);
uint32_t cost_tensor_of(const struct cost_input *in, uint32_t tensor);

// Numbers in each element of the parameter: 1, or 2 to 4 when the operator that reads it takes
// bytes apart.
uint32_t cost_numbers_per_byte(const struct cost_input *in, uint32_t tensor, struct graph_use use);

// Fills macs, activation_bytes and module_macs.
int cost_work(struct graph_costs *costs, const struct cost_input *in, struct warnings *warnings,
              struct error *err) WARN_UNUSED;
