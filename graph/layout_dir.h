// The four directions: a view is laid out with its flow downwards and turned afterwards.
#pragma once

#include "graph/layout.h"
#include "graph/layout_place.h"
#include "graph/options.h"

struct layout_turn {
    uint32_t dir;  // enum graph_dir
    double w, h;   // of the picture before it is turned
};

// The size that something has while the flow runs downwards.
void graph_layout_turn_size(uint32_t dir, double *w, double *h);

struct graph_point graph_layout_turn_point(const struct layout_turn *turn, struct graph_point p);
struct graph_box graph_layout_turn_box(const struct layout_turn *turn, struct graph_box box);

// The side of a container, while its flow runs downwards, that is the upper one of the picture.
enum layout_band graph_layout_band(uint32_t dir);
