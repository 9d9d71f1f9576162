// Which tensors of a file a reader takes for weights, which for constants, and what both are
// called.
//
// A weight is a table of numbers that a model was trained to: an initializer that does not index,
// choose or name (int64, bool, string), and has more than one element or a qualified name
// ("act.weight"). Whatever else is known from the file alone is a constant. Aliases and chains of a
// weight (casts, dequantization) stand for the tensor behind them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "graph/net.h"
#include "graph/plumbing.h"

// The value of the tensor that a weight is, or ONNX_NONE.
uint32_t graph_weight_root(const struct graph_net *net, const struct graph_plumbing_map *plumbing,
                           uint32_t value);

// Whether a value is a constant: known from the file alone, but no weight.
bool graph_is_constant(const struct graph_net *net, const struct graph_plumbing_map *plumbing,
                       uint32_t value);

// What a module calls a weight that one of its nodes reads in a slot: "weight" for
// "layer1.0.conv1.weight" below "layer1.0.conv1"; the role in the operator when an exporter has
// made the name up ("onnx::Conv_193"); else the name. Foreign text.
void graph_weight_caption(struct buf *out, const struct graph_net *net, uint32_t root,
                          uint32_t node, uint32_t slot, struct str path);
