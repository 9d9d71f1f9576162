// The messages of onnx.proto (IR version 11) as the stripper sees them: what becomes of each field.
// What is kept here is what onnx/onnx.proto declares.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "onnx/wire.h"

enum onnx_message {
    ONNX_MODEL,
    ONNX_GRAPH,
    ONNX_NODE,
    ONNX_ATTRIBUTE,
    ONNX_TENSOR,
    ONNX_SPARSE_TENSOR,
    ONNX_VALUE_INFO,
    ONNX_TYPE,
    ONNX_TYPE_TENSOR,   // also the sparse one: the same fields
    ONNX_TYPE_ELEMENT,  // sequence and optional
    ONNX_TYPE_MAP,
    ONNX_TYPE_OPAQUE,
    ONNX_SHAPE,
    ONNX_DIMENSION,
    ONNX_OPSET,
    ONNX_FUNCTION,
    ONNX_PROPERTY,
    ONNX_MESSAGES,
};

enum onnx_field_kind {
    ONNX_FIELD_DROP,  // known, but nothing we read
    ONNX_FIELD_VARINT,
    ONNX_FIELD_FIXED32,
    ONNX_FIELD_BYTES,    // text, too
    ONNX_FIELD_VARINTS,  // repeated, packed or not
    ONNX_FIELD_FLOATS,
    ONNX_FIELD_DOUBLES,
    ONNX_FIELD_MESSAGE,
};

// Field numbers run up to this one.
#define ONNX_FIELD_MAX 26

// NodeProto.op_type
#define ONNX_NODE_OP_TYPE 4

struct onnx_field {
    const char *name;  // as in onnx.proto, for field paths
    enum onnx_field_kind kind;
    enum onnx_message message;  // of a MESSAGE
    bool repeated;              // of a MESSAGE: it has an index in field paths
    bool payload;               // values of a tensor: dropped when there are many
};

// NULL when the message has no such field.
const struct onnx_field *onnx_schema_field(enum onnx_message message, uint32_t number);

// Whether a field of this kind may come with this wire type; if not, it is an unknown field.
bool onnx_schema_accepts(const struct onnx_field *field, enum onnx_wire wire);

// Bytes of one element of a packed field of fixed size, else 0.
unsigned onnx_schema_element(const struct onnx_field *field);
