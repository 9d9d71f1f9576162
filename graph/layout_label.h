// Labels of edges: beside their edge, away from boxes and from each other where there is room.
#pragma once

#include "base/attr.h"
#include "base/error.h"
#include "graph/layout.h"

// Sets the place of every label of an edge that has routes. Errors: ERR_NOMEM.
int graph_layout_labels(struct graph_layout *layout, const struct graph_view *view,
                        const struct graph_labels *labels, struct error *err) WARN_UNUSED;
