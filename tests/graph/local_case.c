#include "tests/graph/local_case.h"

#include <stdlib.h>
#include <string.h>

struct layout_local local_case(struct arena *arena, uint32_t n_items, uint32_t n_in, uint32_t n_out,
                               const struct layout_arc *arcs, uint32_t n_arcs) {
    struct layout_local local = {
        .n_items = n_items, .n_in = n_in, .n_out = n_out, .n_arcs = n_arcs};

    local.items = arena_array(arena, n_items, sizeof(*local.items));
    local.arcs = arena_array(arena, n_arcs, sizeof(*local.arcs));
    if (!local.items || !local.arcs) {
        abort();
    }
    if (n_arcs) {
        memcpy(local.arcs, arcs, n_arcs * sizeof(*arcs));
    }
    return local;
}
