// Number of dimensions of a value before shapes are known: what the file says next to it.
#pragma once

#include <stdint.h>

#include "graph/net.h"
#include "graph/plumbing.h"

#define GRAPH_RANK_UNKNOWN UINT32_MAX

// From its tensor, its declaration, or the operators it went through.
uint32_t graph_class_rank(const struct graph_net *net, const struct graph_plumbing_map *plumbing,
                          uint32_t value);
