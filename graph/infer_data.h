// Values of small tensors, as rules on them share: private to graph/infer_data*.c.
#pragma once

#include "graph/infer.h"

// The known elements of an input whose shape is known and fits them, else NULL.
const struct infer_data *data_in(struct infer *c, uint32_t slot);
// Type of output `slot` as it was just stated; *n elements. NULL when that is not known, or more
// than INFER_DATA_MAX.
const struct graph_tensor_type *data_out_type(const struct infer *c, uint32_t slot, uint32_t *n);
// Place in `in` of element `flat` of `out`, when `in` is repeated or broadcast to `out`.
uint32_t data_source(const struct graph_tensor_type *out, const struct graph_tensor_type *in,
                     uint32_t flat);
// As the element type stores it: float rounds, an integer type cuts.
struct dim_num data_as(struct dim_num num, int32_t dtype);
