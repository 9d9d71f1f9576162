// What is drawn where: boxes and lines of a picture in a grid, to find room for labels.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "graph/layout.h"

struct layout_space {
    struct arena *arena;
    double cell;  // points
    uint32_t columns, rows;
    uint32_t *first;  // per cell: its first entry, UINT32_MAX = none
    struct layout_space_entry *entries;
    size_t n_entries, cap_entries;
    bool failed;    // no memory: what was not added is not seen
    uint64_t work;  // entries that graph_layout_space_count() has looked at so far
};

bool graph_layout_space_init(struct layout_space *s, double w, double h, struct arena *arena);
void graph_layout_space_release(struct layout_space *s);

void graph_layout_space_add_box(struct layout_space *s, struct graph_box box);
void graph_layout_space_add_line(struct layout_space *s, struct graph_point a,
                                 struct graph_point b);

// How much is in a box: lines that cross it count 1, boxes that overlap it 8. Stops at `limit`.
uint32_t graph_layout_space_count(struct layout_space *s, struct graph_box box, uint32_t limit);
