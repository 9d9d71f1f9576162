// Which nodes are plumbing: there for the file's sake, not the reader's. Hidden by default, never
// lost.
//
// Rules: design 4 and 6, and the torchview comparison (sizes are Python integers there): Shape and
// Size, and integer operators all of whose inputs are such values or constants with at least one
// such value (Gather: its data input must be one), are shape arithmetic; so is whatever is made of
// such values and of what the file holds, when all its readers take it as a size (the pads of Pad,
// the shape of Expand) or are shape arithmetic themselves. What constant folding would remove, and
// no graph hands out, is a constant. Identity of an initializer is an alias. Q/DQ of a weight
// belongs to the weight.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "graph/net.h"

enum graph_plumbing {
    GRAPH_PLUMBING_NONE = 0,
    GRAPH_PLUMBING_CONSTANT,  // Constant, or computed from constants only
    GRAPH_PLUMBING_ALIAS,     // Identity of an initializer or of another alias
    GRAPH_PLUMBING_WEIGHT,    // Quantize/Dequantize/Cast/Transpose... of a weight
    GRAPH_PLUMBING_SHAPE,     // shape arithmetic
    GRAPH_PLUMBING_CALL,      // call of a function that is written out: its body does the work
};

struct graph_plumbing_map {
    uint8_t *nodes;  // enum graph_plumbing per net node
    uint32_t *root;  // per value: the initializer value it is an alias of (through aliases and
                     // weight chains), else itself
};

// *out is owned by the caller (graph_plumbing_release).
int graph_plumbing_init(struct graph_plumbing_map *out, const struct graph_net *net,
                        struct error *err) WARN_UNUSED;
void graph_plumbing_release(struct graph_plumbing_map *map);

// true for what is there for the file's sake: all kinds but a call, which does what its body does.
bool graph_plumbing_is_listed(enum graph_plumbing plumbing);

// true for the kinds whose results are known from the file alone: constants, aliases, weight
// chains. Exporters put such nodes wherever they like, so that their place says nothing about when
// a module runs.
bool graph_plumbing_is_fixed(enum graph_plumbing plumbing);

// true when the value can be known from the file alone: initializer, constant, alias or weight
// chain.
bool graph_value_is_fixed(const struct graph_net *net, const struct graph_plumbing_map *map,
                          uint32_t value);
