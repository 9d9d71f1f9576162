#include "graph/view_internal.h"

int view_room_for_regions(struct view_build *b, uint32_t more, struct error *err) {
    size_t cap = (size_t)b->n_regions + more;
    struct view_region *regions;

    if (cap <= b->cap_regions) {
        return 0;
    }
    if (cap < 2 * (size_t)b->cap_regions) {
        cap = 2 * (size_t)b->cap_regions;
    }
    regions = arena_array(&b->work, cap, sizeof(*regions));
    if (!regions || cap >= ONNX_NONE) {
        return arena_error(&b->work, "the regions of a view", err);
    }
    memcpy(regions, b->regions, b->n_regions * sizeof(*regions));
    b->regions = regions;
    b->cap_regions = (uint32_t)cap;
    return 0;
}

// A region goes in behind those around it. Groups have been put at the end of the table, so that an
// index says nothing of what lies in what.
int view_order_regions(struct view_build *b, struct error *err) {
    bool *done = arena_array(&b->work, b->n_regions, sizeof(*done));
    uint32_t *climb = arena_array(&b->work, b->n_regions, sizeof(*climb)), n = 0;

    b->order = arena_array(&b->work, b->n_regions, sizeof(*b->order));
    if (!done || !climb || !b->order) {
        return arena_error(&b->work, "the regions of a view", err);
    }
    for (uint32_t i = 0; i < b->n_regions; i++) {
        uint32_t up = 0;

        for (uint32_t r = i; r != ONNX_NONE && !done[r]; r = b->regions[r].parent) {
            done[r] = true;
            climb[up++] = r;
        }
        while (up > 0) {
            b->order[n++] = climb[--up];
        }
    }
    return 0;
}
