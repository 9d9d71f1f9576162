// The steps of our own engine, with the switches that only measurements and tests need;
// graph_layout_run() of graph/layout.h is what everything else calls.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "graph/layout.h"

#define LAYOUT_WORK_BYTES ((size_t)512 << 20)  // of everything but the layout itself
#define LAYOUT_VIRTUAL_TOTAL 600000u           // virtual vertices of all containers

struct layout_switches {
    bool no_memo;  // every box is laid out, whether it equals another or not
};

// How much was done.
struct layout_work {
    uint32_t containers, shapes, variants;
    size_t bytes;
    uint64_t crossings;
    uint64_t labels;  // lines and boxes looked at to place them (graph/layout_label.h)
};

// `work` may be NULL.
int graph_layout_engine(struct graph_layout *out, const struct graph_view *view,
                        const struct graph_labels *labels, const struct layout_switches *switches,
                        struct layout_work *work, struct error *err) WARN_UNUSED;
