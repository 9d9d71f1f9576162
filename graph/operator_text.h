// What an operator is called in a picture: its type and, with option consts=inline, the constants
// that it reads.
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "graph/view.h"

// Appends "Add 1.0", "Sub 1.0, x", "Clip -, 6.0", "Where ..., 0.0, x" (one too large), "Slice [...,
// 4:]". Foreign text: the caller escapes.
void graph_operator_text(struct buf *out, const struct graph_view *view, uint32_t node);
