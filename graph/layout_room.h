// The room that labels of edges want between ranks: where an edge reaches what it leads to, the gap
// opens as far as its label needs.
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "graph/label.h"
#include "graph/layout_local.h"
#include "graph/view.h"

// Fills *out with points along the flow, per arc of all containers (those of container c begin at
// first_arc[c], n_arcs are all): 0 where no labelled edge ends. NULL when no edge has a label.
// Allocated in `arena`. Errors: ERR_NOMEM.
int graph_layout_room(double **out, const struct layout_locals *locals, const size_t *first_arc,
                      size_t n_arcs, const struct graph_view *view,
                      const struct graph_labels *labels, struct arena *arena,
                      struct error *err) WARN_UNUSED;
