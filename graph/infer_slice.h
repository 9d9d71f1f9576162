// Start, end and step per axis: shared by the shape and the values of a Slice.
#pragma once

#include "graph/infer.h"

struct infer_range {
    bool sliced;
    struct dim_num start, end;
    int64_t step;  // 0 = unknown
};

// ranges[rank of input 0]. false when it is not known which axes are sliced.
bool infer_slice_read(struct infer *c, struct infer_range *ranges);
// Clamps known bounds to a known size: *start is the first place taken, *n how many.
void infer_slice_clamp(const struct infer_range *range, int64_t size, int64_t *start, int64_t *n);
