// Strongly connected parts of a directed graph, without recursion.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

// Edges of vertex v are heads[first[v]] .. heads[first[v + 1] - 1]. Fills part[v]: equal numbers
// for vertices of one part. Scratch memory comes from the arena. False: no memory.
bool graph_layout_parts(uint32_t *part, uint32_t n, const uint32_t *first, const uint32_t *heads,
                        struct arena *arena);
