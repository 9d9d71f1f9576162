// Elements of a small tensor, whichever of the many ways the file stores them in.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "onnx/model.h"

enum graph_tensor_kind {
    GRAPH_TENSOR_INT,   // also bool: 0 or 1
    GRAPH_TENSOR_UINT,  // 64 bits unsigned, in `i` as two's complement
    GRAPH_TENSOR_REAL,  // half and bfloat16 are widened
    GRAPH_TENSOR_TEXT,
};

struct graph_tensor_value {
    enum graph_tensor_kind kind;
    int64_t i;
    double real;
    struct str text;
};

struct graph_tensor_reader {
    const struct onnx_tensor *tensor;
    unsigned format;  // row of the table of formats
};

// Whether the elements are here and can be read: payload complete for the dims, element type known.
// *n is their number.
bool graph_tensor_open(struct graph_tensor_reader *reader, const struct onnx_tensor *tensor,
                       size_t *n);

// Element i < *n.
struct graph_tensor_value graph_tensor_at(const struct graph_tensor_reader *reader, size_t i);
