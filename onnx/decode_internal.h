// One run of the decoder, shared by decode*.c. Those files alone see onnx.pb-c.h: here its messages
// are only names.
//
// A message that is given as parts is one message: protobuf merges repetitions of it. A failed
// allocation sticks in the memory; what it was for stays empty, and onnx_decode() tells in the end.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/str.h"
#include "base/warnings.h"
#include "onnx/limits.h"
#include "onnx/memory.h"
#include "onnx/model.h"

struct Onnx__AttributeProto;
struct Onnx__FunctionProto;
struct Onnx__GraphProto;
struct Onnx__ModelProto;
struct Onnx__NodeProto;
struct Onnx__SparseTensorProto;
struct Onnx__StringStringEntryProto;
struct Onnx__TensorProto;
struct Onnx__TypeProto;
struct ProtobufCBinaryData;

// A graph, or the body of a function, that was found and waits for its turn.
struct decode_source {
    struct Onnx__GraphProto *const *parts;
    size_t n_parts;
    const struct Onnx__FunctionProto *body;  // instead of parts
    uint32_t holder;                         // see struct onnx_graph
    struct str holder_attr;
    uint32_t function;
    unsigned depth;
};

struct decode {
    struct onnx_memory *memory;
    struct onnx_model *model;
    struct warnings *warnings;
    const struct onnx_limits *limits;
    struct error *err;

    struct decode_source *sources;  // index = index of the graph
    size_t n_sources, cap_sources;
    struct onnx_node *nodes;  // model->nodes, writable
    size_t n_nodes;
    uint32_t next_graph;  // that the next graph attribute gets
    bool in_defaults;     // attributes belong to no node: graphs among them get none
};

// ---- decode_text.c

struct str decode_text(struct decode *d, const struct ProtobufCBinaryData *bytes);
const struct str *decode_texts(struct decode *d, const struct ProtobufCBinaryData *items, size_t n,
                               size_t *out_n);
struct onnx_props decode_props(struct decode *d, struct Onnx__StringStringEntryProto *const *items,
                               size_t n);

// ---- decode_value.c

void decode_type(struct decode *d, struct onnx_type *out, struct Onnx__TypeProto *const *parts,
                 size_t n);

// ---- decode_tensor.c

void decode_tensor(struct decode *d, struct onnx_tensor *out,
                   struct Onnx__TensorProto *const *parts, size_t n);
// The values under their dense dims, without payload.
void decode_sparse(struct decode *d, struct onnx_tensor *out,
                   struct Onnx__SparseTensorProto *const *parts, size_t n);

// ---- decode_node.c

// What an attribute is, by its content; the declared type decides where the content does not.
int32_t decode_attr_type(const struct Onnx__AttributeProto *attr);
// The graphs of an attribute get the next indexes.
const struct onnx_attr *decode_attrs(struct decode *d, struct Onnx__AttributeProto *const *items,
                                     size_t n, size_t *out_n);
void decode_node(struct decode *d, struct onnx_node *out, const struct Onnx__NodeProto *node,
                 uint32_t graph);

// ---- decode_graph.c

// Finds all graphs and functions of the model, then fills model->graphs and model->nodes. Errors
// are those of onnx_decode().
int decode_graphs(struct decode *d, const struct Onnx__ModelProto *proto) WARN_UNUSED;
