// The content of one box, written down: vertices are n items, then in-ports, then out-ports.
//
//     struct layout_local local = local_case(&arena, 3, 1, 1, (const struct layout_arc[]){
//         {3, 0, 0, 0}, {0, 4, 0, 0}}, 2);
#pragma once

#include "graph/layout_local.h"

// Arcs are copied; aborts without memory.
struct layout_local local_case(struct arena *arena, uint32_t n_items, uint32_t n_in, uint32_t n_out,
                               const struct layout_arc *arcs, uint32_t n_arcs);
