// Tests of one operator each: inputs, attributes, expected outputs.
//
//     struct model_builder *b = infer_op("Concat", "float[2,3]", "float[2,n]", NULL);
//     mb_attr_int(b, "axis", 1);
//     infer_expect(b, "float (2, n + 3)", NULL);
#pragma once

#include "graph/cost.h"
#include "graph/net.h"
#include "graph/shape.h"
#include "tests/support/model_builder.h"

struct infer_case {
    struct onnx_model *model;
    struct graph_net net;
    struct graph_shapes shapes;
    struct warnings warnings;
};

// A model of one node with the outputs y0 to y3. Inputs are i0, i1, ...: a type of the builder is a
// graph input, "=1,2" an int64 list with these values, "#3" an int64 scalar, "~0.5,2" a float list,
// "" is left out. Ends with NULL. What the builder takes next belongs to the node.
struct model_builder *infer_op(const char *op, ...) __attribute__((sentinel));
// The same in another domain or opset.
struct model_builder *infer_op_of(const char *domain, int64_t opset, const char *op, ...)
    __attribute__((sentinel));

// Expected types of y0, y1, ...: "float (2, 3)", "int64 ()", "float ?", "? ?". Ends with NULL.
// Frees the builder. No warning may arise.
void infer_expect(struct model_builder *b, ...) __attribute__((sentinel));

// A whole model: then the type of any value.
void infer_case_init(struct infer_case *c, struct model_builder *b);
void infer_case_release(struct infer_case *c);
void infer_case_expect(const struct infer_case *c, const char *name, const char *type);
bool infer_case_warned(const struct infer_case *c, const char *code);

// A count as text: "12", "12*n", "?".
void infer_count_text(struct buf *out, struct dim_num count);
// Multiply-accumulates of the only node of an infer_op() model. Frees the builder.
void infer_expect_macs(struct model_builder *b, const char *macs);
