// Windows that slide over the spatial dims of (N, C, D1, ...): shared by convolution and pooling.
#pragma once

#include "graph/infer.h"

enum infer_auto_pad { INFER_PAD_GIVEN, INFER_PAD_SAME, INFER_PAD_VALID };

struct infer_window {
    uint32_t n;  // spatial dims
    enum infer_auto_pad auto_pad;
    bool ceil;
    int64_t kernel[INFER_RANK_MAX];  // -1 = unknown
    int64_t stride[INFER_RANK_MAX];
    int64_t dilation[INFER_RANK_MAX];
    int64_t begin[INFER_RANK_MAX];
    int64_t end[INFER_RANK_MAX];
};

// Operators and attributes of ONNX Runtime that put the channels last: (N, D1, ..., C).
#define INFER_NHWC 1  // data_arg of such an operator's row
bool infer_channels_last(const struct infer *c);
static inline uint32_t infer_spatial_at(bool channels_last, uint32_t i) {
    return i + (channels_last ? 1 : 2);
}
static inline uint32_t infer_channels_at(bool channels_last, uint32_t rank) {
    return channels_last ? rank - 1 : 1;
}

// Reads kernel_shape, strides, dilations, pads, auto_pad and ceil_mode for `n` spatial dims; false
// when a list has another length.
bool infer_window_read(const struct infer *c, uint32_t n, struct infer_window *out);

// Places of window `i` on a dim, and the size that it covers.
struct graph_dim infer_window_dim(struct infer *c, const struct infer_window *w, uint32_t i,
                                  struct graph_dim in);
bool infer_window_extent(const struct infer_window *w, uint32_t i, int64_t *out);
