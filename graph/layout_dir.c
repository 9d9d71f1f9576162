#include "graph/layout_dir.h"

static bool lies(uint32_t dir) {
    return dir == GRAPH_DIR_LR || dir == GRAPH_DIR_RL;
}

void graph_layout_turn_size(uint32_t dir, double *w, double *h) {
    double swap = *w;

    if (!lies(dir)) {
        return;
    }
    *w = *h;
    *h = swap;
}

struct graph_point graph_layout_turn_point(const struct layout_turn *turn, struct graph_point p) {
    switch (turn->dir) {
    case GRAPH_DIR_LR:
        return (struct graph_point){p.y, p.x};
    case GRAPH_DIR_RL:
        return (struct graph_point){turn->h - p.y, p.x};
    case GRAPH_DIR_BT:
        return (struct graph_point){p.x, turn->h - p.y};
    default:
        return p;
    }
}

struct graph_box graph_layout_turn_box(const struct layout_turn *turn, struct graph_box box) {
    struct graph_point a = graph_layout_turn_point(turn, (struct graph_point){box.x, box.y});
    struct graph_point b =
        graph_layout_turn_point(turn, (struct graph_point){box.x + box.w, box.y + box.h});
    double x = a.x < b.x ? a.x : b.x, y = a.y < b.y ? a.y : b.y;

    return lies(turn->dir) ? (struct graph_box){x, y, box.h, box.w}
                           : (struct graph_box){x, y, box.w, box.h};
}

enum layout_band graph_layout_band(uint32_t dir) {
    if (lies(dir)) {
        return LAYOUT_BAND_LEFT;
    }
    return dir == GRAPH_DIR_BT ? LAYOUT_BAND_BOTTOM : LAYOUT_BAND_TOP;
}
