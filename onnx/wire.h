// The protobuf wire format (https://protobuf.dev/programming-guides/encoding/): numbers and tags,
// without any memory of its own.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum onnx_wire {
    ONNX_WIRE_VARINT = 0,
    ONNX_WIRE_FIXED64 = 1,
    ONNX_WIRE_BYTES = 2,
    ONNX_WIRE_GROUP = 3,
    ONNX_WIRE_GROUP_END = 4,
    ONNX_WIRE_FIXED32 = 5,
};

#define ONNX_VARINT_BYTES 10

// A varint that arrives byte by byte. Zeroed: nothing has come yet.
struct onnx_varint {
    uint64_t value;
    unsigned n;  // bytes so far
};

enum onnx_varint_step { ONNX_VARINT_MORE, ONNX_VARINT_DONE, ONNX_VARINT_BAD };

// BAD: it is longer than ten bytes or does not fit 64 bits.
static inline enum onnx_varint_step onnx_varint_push(struct onnx_varint *v, uint8_t byte) {
    if (v->n == ONNX_VARINT_BYTES - 1 && byte > 1) {
        return ONNX_VARINT_BAD;
    }
    v->value |= (uint64_t)(byte & 0x7F) << (7 * v->n);
    v->n++;
    return byte & 0x80 ? ONNX_VARINT_MORE : ONNX_VARINT_DONE;
}

// Bytes of the shortest form, 1 to 10.
static inline size_t onnx_varint_size(uint64_t v) {
    size_t n = 1;
    for (; v >= 0x80; v >>= 7) {
        n++;
    }
    return n;
}

// Writes the shortest form and returns its size; `to` has room for ONNX_VARINT_BYTES.
static inline size_t onnx_varint_put(uint8_t *to, uint64_t v) {
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) {
        to[n++] = (uint8_t)(v | 0x80);
    }
    to[n++] = (uint8_t)v;
    return n;
}

static inline uint64_t onnx_tag(uint32_t number, enum onnx_wire wire) {
    return (uint64_t)number << 3 | (uint64_t)wire;
}

// One field of a message that is wholly in memory.
struct onnx_wire_field {
    uint32_t number;
    enum onnx_wire wire;
    uint64_t value;      // VARINT only
    struct slice bytes;  // content of a BYTES field
    struct slice whole;  // the field with its tag
};

// Takes the next field off *rest. false at the end, and at anything that is not well-formed or a
// group: then *rest is not empty.
bool onnx_wire_next(struct slice *rest, struct onnx_wire_field *field);
