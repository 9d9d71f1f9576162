// Which boxes hold an operator whose shapes contradict each other: there a model is broken.
#include "graph/view_internal.h"

void view_conflicts(struct view_build *b) {
    for (uint32_t i = 0; i < b->model->net.n_nodes; i++) {
        if (!b->model->shapes.conflicts[i]) {
            continue;
        }
        uint32_t drawn = view_carrier(b, i);
        if (drawn != ONNX_NONE) {
            b->nodes[b->as ? b->as[drawn] : drawn].conflict = true;
        }
    }
}
