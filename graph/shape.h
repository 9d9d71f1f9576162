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
#include "graph/dim.h"
#include "graph/net.h"

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
    struct dim_pool *dims;  // the symbolic sizes, in the arena; who adds numbers up adds to it
    struct graph_tensor_type *values;  // per net value
    uint8_t *conflicts;  // per net node: 1 when its inputs contradict each other, or an output
                         // contradicts its declaration (a warning `shape-conflict` says how)
    // Multiply-accumulates of one execution, per net node; of a call of a local function those of
    // its body; 0 for If, Loop and Scan, whose bodies' nodes have their own. Formulas: macs.c.
    struct dim_num *macs;
    // How often a body runs when its holder runs, per onnx graph: the trips of a Loop, 1 and 0 for
    // the branches of an If whose condition is known.
    struct dim_num *repeats;
};

// Declared types (inputs, outputs, value_info), initializers, and what follows from them by the
// rules of the operators. A declared dim stays unless it is unknown or symbolic where a number
// follows; a declaration that contradicts stays, too, with a warning: so one broken place is one
// conflict.
int graph_shapes_init(struct graph_shapes *out, const struct graph_net *net,
                      struct warnings *warnings, struct error *err) WARN_UNUSED;
void graph_shapes_release(struct graph_shapes *shapes);

// Appends "(1, 64, 56, 56)", "(batch, 3, ?)", "()" for rank 0; "?" for an unknown rank, and for a
// dim whose name a program made up. Symbols are foreign text: the caller's buffer is plain text,
// not markup.
void graph_shape_text(struct buf *out, const struct graph_tensor_type *type);
