// Labels of edges: beside their edge, away from boxes and from each other where there is room.
#pragma once

#include "base/attr.h"
#include "base/error.h"
#include "graph/layout.h"

// Lines and boxes looked at, for one label and for all (a label may pass either by what lies in one
// place). Past the first a label stays at the best place it knows, past the second at the first one
// it tries.
#define LAYOUT_LABEL_WORK 5000u
#define LAYOUT_LABELS_WORK 4000000u

// Sets the place of every label of an edge that has routes; *work is what was looked at. Errors:
// ERR_NOMEM.
int graph_layout_labels(struct graph_layout *layout, const struct graph_view *view,
                        const struct graph_labels *labels, uint64_t *work,
                        struct error *err) WARN_UNUSED;
