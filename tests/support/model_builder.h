// Small ONNX models for tests, written call by call; what is built is real protobuf, read back by
// onnx/decode.
//
//     struct model_builder *b = mb_new();
//     mb_input(b, "x", "float[1,3,batch,?]");
//     mb_init(b, "w", "float[64,3,7,7]");
//     mb_node(b, "Conv", "/conv/Conv", "x,w", "y");      // node name "" = none
//     mb_attr_ints(b, "pads", "1,1,1,1");                // belongs to the last node
//     mb_output(b, "y", "float[1,64,?,?]");
//     struct onnx_model *model = mb_finish(b);           // onnx_model_free(model)
//
// Lists are comma-separated; "a,,b" leaves one out. Types are "dtype[dim,...]": a number, a symbol
// or "?"; without brackets the rank is unknown, "" is no type at all. Whatever goes wrong aborts
// the test with a message.
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "onnx/model.h"

struct model_builder;

struct model_builder *mb_new(void);

// The model that was built; frees the builder.
struct onnx_model *mb_finish(struct model_builder *b);

// The same as bytes (a valid skeleton), appended to `out`; frees the builder.
void mb_finish_bytes(struct model_builder *b, struct buf *out);

// Of the model. Without calls: ir_version 8, producer pytorch 2.1.0, opset 17.
void mb_ir_version(struct model_builder *b, int64_t version);
void mb_producer(struct model_builder *b, const char *name, const char *version);
void mb_opset(struct model_builder *b, const char *domain,
              int64_t version);  // the first call replaces opset 17
void mb_model_meta(struct model_builder *b, const char *key, const char *value);

// Of the graph that is open: the main graph, a body or a function.
void mb_graph_name(struct model_builder *b, const char *name);
void mb_input(struct model_builder *b, const char *name, const char *type);
void mb_output(struct model_builder *b, const char *name, const char *type);
void mb_value(struct model_builder *b, const char *name, const char *type);  // value_info
void mb_init(struct model_builder *b, const char *name, const char *type);   // without payload
void mb_init_ints(struct model_builder *b, const char *name,
                  const char *values);  // int64[n], with payload
void mb_node(struct model_builder *b, const char *op, const char *name, const char *inputs,
             const char *outputs);

// Of the last node.
void mb_domain(struct model_builder *b, const char *domain);
void mb_meta(struct model_builder *b, const char *key, const char *value);
void mb_attr_int(struct model_builder *b, const char *name, int64_t value);
void mb_attr_float(struct model_builder *b, const char *name, float value);
void mb_attr_str(struct model_builder *b, const char *name, const char *value);
void mb_attr_ints(struct model_builder *b, const char *name, const char *values);
void mb_attr_floats(struct model_builder *b, const char *name, const char *values);
void mb_attr_tensor(struct model_builder *b, const char *name,
                    const char *type);  // without payload
void mb_attr_tensor_ints(struct model_builder *b, const char *name,
                         const char *values);  // int64[n]
void mb_attr_ref(struct model_builder *b, const char *name, const char *ref);

// A body of the last node: what follows goes into it, until it is closed. Bodies nest.
void mb_open_body(struct model_builder *b, const char *attribute, const char *graph_name);
void mb_close_body(struct model_builder *b);

// A local function; only where no body is open. The main graph goes on afterwards.
void mb_open_function(struct model_builder *b, const char *domain, const char *name,
                      const char *inputs, const char *outputs);
void mb_close_function(struct model_builder *b);
