// Protobuf bytes written field by field, for tests that care about each of them.
//
//     struct bytes b = {0};
//     put_int(&b, 1, 8);
//     open_field(&b, 7);                 // graph
//     put_node(&b, "Relu", "x", "y");    // a whole field 1
//     close_field(&b);
//     ... bytes_slice(&b) ...
//     bytes_free(&b);
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "onnx/wire.h"

#define BYTES_DEPTH 200

struct bytes {
    struct buf out;
    size_t open[BYTES_DEPTH];
    size_t depth;
};

void bytes_free(struct bytes *b);
struct slice bytes_slice(const struct bytes *b);

void put_raw(struct bytes *b, const void *p, size_t n);
void put_zeros(struct bytes *b, size_t n);
void put_varint(struct bytes *b, uint64_t v);
void put_long_varint(struct bytes *b, uint64_t v, size_t n);  // in n bytes, more than it needs
void put_tag(struct bytes *b, uint32_t number, enum onnx_wire wire);

void put_int(struct bytes *b, uint32_t number, uint64_t v);
void put_text(struct bytes *b, uint32_t number, const char *z);
void put_data(struct bytes *b, uint32_t number, const void *p, size_t n);
void put_float(struct bytes *b, uint32_t number, float v);
void put_message(struct bytes *b, uint32_t number, const struct bytes *message);

// A length-delimited field whose length is found when it is closed. They nest.
void open_field(struct bytes *b, uint32_t number);
void close_field(struct bytes *b);

// Whole fields of a graph or function (field 1 of it): a node with one input and one output.
void put_node(struct bytes *b, const char *op, const char *input, const char *output);

// A property {key, value}.
void put_property(struct bytes *b, uint32_t number, const char *key, const char *value);

// A small model: ir_version, a chain of `nodes` nodes "Relu", one initializer, input, output,
// opset.
void put_chain_model(struct bytes *b, size_t nodes);
