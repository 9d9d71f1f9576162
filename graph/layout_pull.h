// Where the vertices of an ordered container stand across its ranks: every vertex is pulled to
// where its links would be straight, and kept at a distance from its neighbours. Shared by
// layout_pull.c and layout_straight.c; layout_place.c runs them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "graph/layout_attach.h"

struct layout_pull {
    const struct layout_layers *layers;
    const struct layout_order *order;
    const struct layout_item *items;
    const struct layout_columns *columns;
    const struct layout_attach *attach;
    double *x;  // per vertex: its centre
    // A column: vertices joined by straight links. column[v] is its first vertex, LAYOUT_NONE when
    // v is in none; its line is at x[v] - shift[v]; next[v] is the vertex below.
    uint32_t *column, *next;
    double *shift;
    double *line;    // per first vertex: where the column wants to be; of what is fixed its own
    bool *is_fixed;  // has been straightened
    double *scratch_sum, *scratch_weight, *scratch_offset;
    uint32_t *scratch_count;
};

bool graph_layout_pull_init(struct layout_pull *p, struct arena *arena);

// The least distance between the centres of neighbours.
double graph_layout_distance(const struct layout_pull *p, uint32_t left, uint32_t right);

// Ranks packed around 0.
void graph_layout_pull_start(struct layout_pull *p);

enum layout_pull_side { LAYOUT_PULL_UP = 1, LAYOUT_PULL_DOWN = 2, LAYOUT_PULL_BOTH = 3 };

// One pass over the ranks. Each is placed by isotonic regression: the least sum of weighted squares
// of distances to where its vertices are pulled, in order and at their distances. Vertices of a
// column are held by its line when `holds` is set; what is fixed stays.
void graph_layout_pull(struct layout_pull *p, enum layout_pull_side side, bool downwards,
                       bool holds);

// Finds the columns; sets their lines to where they are on the average.
void graph_layout_find_columns(struct layout_pull *p);
void graph_layout_aim(struct layout_pull *p);

// Moves the vertices of every column to one line and fixes them, long columns first; what stands in
// the way is pushed aside unless it is fixed. False: no memory.
bool graph_layout_straighten(struct layout_pull *p, struct arena *arena);
