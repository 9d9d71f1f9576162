// Shape and element type of every value, and where they were learned.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/net.h"

struct graph_dim {
    int64_t value;      // >= 0 when known, else -1
    struct str symbol;  // symbolic name, "" when none; a dim with neither is unknown
};

enum graph_shape_source {
    GRAPH_SHAPE_NONE,
    GRAPH_SHAPE_DECLARED,
    GRAPH_SHAPE_INFERRED,
    GRAPH_SHAPE_INITIALIZER,
};

struct graph_tensor_type {
    int32_t dtype;  // onnx/dtype.h, 0 = unknown
    bool has_rank;
    uint32_t rank;
    const struct graph_dim *dims;
    enum graph_shape_source source;
};

struct graph_shapes {
    struct arena arena;
    struct graph_tensor_type *values;  // per net value
};

// Declared types (inputs, outputs, value_info), initializers, and aliases of initializers.
int graph_shapes_init(struct graph_shapes *out, const struct graph_net *net,
                      struct warnings *warnings, struct error *err) WARN_UNUSED;
void graph_shapes_release(struct graph_shapes *shapes);

// Appends "(1, 64, 56, 56)", "(batch, 3, ?)", "()" for rank 0; "?" for an unknown rank. Symbols are
// foreign text: the caller's buffer is plain text, not markup.
void graph_shape_text(struct buf *out, const struct graph_tensor_type *type);
