// Sources of shapes and types, tried one after the other: private to graph/shape*.c.
#pragma once

#include "graph/shape.h"

struct shape_job {
    struct graph_shapes *shapes;
    const struct graph_net *net;
    struct warnings *warnings;
};

// A source fills in what it knows and nobody before it knew. Errors: ERR_NOMEM.
typedef int shape_source(struct shape_job *job, struct error *err);

shape_source shape_declared;      // graph inputs and outputs, value_info
shape_source shape_initializers;  // weights: exact, so they also correct a declaration
shape_source shape_infer;         // everything that nodes make (graph/infer.h)

// Type that a value is declared to have; of a sequence or optional that of its elements.
int shape_of_declared(struct shape_job *job, struct graph_tensor_type *type,
                      const struct onnx_type *declared, struct error *err) WARN_UNUSED;
// Sets one value back to what it is declared to be, if it is.
int shape_declare(struct shape_job *job, uint32_t value, struct error *err) WARN_UNUSED;
// Type of a tensor of the file: its dims, those that are negative unknown. Returns 0 or ERR_NOMEM.
int shape_of_tensor(struct shape_job *job, struct graph_tensor_type *type,
                    const struct onnx_tensor *tensor, struct error *err) WARN_UNUSED;
