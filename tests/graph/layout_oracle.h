// What must hold of every layout, looked at without the engine's knowledge: boxes do not overlap
// and hold each other as the view says, routes run from border to border, piece by piece, and
// through nothing that is none of their ends.
#pragma once

#include "base/buf.h"
#include "graph/layout.h"

// Appends one line for each fault, "through: edge 3 passes through node 5". Nothing: all is well.
void layout_oracle(struct buf *out, const struct graph_layout *layout,
                   const struct graph_view *view);
