// Small values as a reader writes them: "1.0", "(1, -1, 64)", "nearest".
//
// One element stands alone, more are a tuple; a real number always has a point or an exponent; the
// largest integers, which stand for "to the end" in slices, are "max" and "min"; what a bool tensor
// holds is "true" or "false". A list that gets too long ends with U+2026 in the place of whole
// elements: "(0.125, 0.25, ...)".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "graph/net.h"
#include "graph/plumbing.h"

// Both write nothing and return false when there are more than `most` elements, or none that could
// be written (graphs, types, tensors whose content is not in the file). Texts are foreign.
bool graph_attr_text(struct buf *out, const struct onnx_attr *attr, size_t most);

// The elements of a constant, also behind nodes that only change its form.
bool graph_constant_text(struct buf *out, const struct graph_net *net,
                         const struct graph_plumbing_map *plumbing, uint32_t value, size_t most);

// The same as integers, at most `most` of them; false when they are not all here or none.
bool graph_constant_ints(int64_t *out, size_t *n, const struct graph_net *net,
                         const struct graph_plumbing_map *plumbing, uint32_t value, size_t most);
