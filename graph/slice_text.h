// A Slice as Python writes it.
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "graph/view.h"

// Appends " [:, 1:, ::2]", " [..., :-1]" or, where a bound is computed, " [:?]"; false and nothing
// when it is no Slice, or its axes or steps are not in the file, or many.
bool graph_slice_text(struct buf *out, const struct graph_view *view,
                      const struct graph_net_node *node);
