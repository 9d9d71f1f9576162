// What an operator is called in a picture: its type and, with option consts=inline, the constants
// that it reads.
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "graph/view.h"

// Appends "Add 1.0", "Sub 1.0, _", "Clip -, 6.0", "Where ..., 0.0, _" (one too large; "_" is what
// an edge brings), "Slice [..., 4:]", "Loop 3 times", "Loop at most 3 times" (its condition may end
// it before). Scales and zero points of quantized operators are not written. Foreign text: the
// caller escapes.
void graph_operator_text(struct buf *out, const struct graph_view *view, uint32_t node);
