#include "onnx/wire.h"

static bool take_varint(struct slice *rest, uint64_t *value) {
    struct onnx_varint v = {0, 0};
    for (size_t i = 0; i < rest->n; i++) {
        enum onnx_varint_step step = onnx_varint_push(&v, rest->p[i]);
        if (step == ONNX_VARINT_MORE) {
            continue;
        }
        *value = v.value;
        *rest = (struct slice){rest->p + i + 1, rest->n - i - 1};
        return step == ONNX_VARINT_DONE;
    }
    return false;
}

static bool take_bytes(struct slice *rest, uint64_t n, struct slice *bytes) {
    if (n > rest->n) {
        return false;
    }
    *bytes = (struct slice){rest->p, (size_t)n};
    *rest = (struct slice){rest->p + n, rest->n - (size_t)n};
    return true;
}

static bool take_value(struct slice *rest, struct onnx_wire_field *field) {
    uint64_t n;
    switch (field->wire) {
    case ONNX_WIRE_VARINT:
        return take_varint(rest, &field->value);
    case ONNX_WIRE_FIXED64:
        return take_bytes(rest, 8, &field->bytes);
    case ONNX_WIRE_FIXED32:
        return take_bytes(rest, 4, &field->bytes);
    case ONNX_WIRE_BYTES:
        return take_varint(rest, &n) && take_bytes(rest, n, &field->bytes);
    case ONNX_WIRE_GROUP:
    case ONNX_WIRE_GROUP_END:
        break;
    }
    return false;
}

bool onnx_wire_next(struct slice *rest, struct onnx_wire_field *field) {
    struct slice at = *rest;
    uint64_t tag;
    *field = (struct onnx_wire_field){0};
    if (!take_varint(&at, &tag) || tag > UINT32_MAX || tag >> 3 == 0) {
        return false;
    }
    field->number = (uint32_t)(tag >> 3);
    field->wire = (enum onnx_wire)(tag & 7);
    if (!take_value(&at, field)) {
        return false;
    }
    field->whole = (struct slice){rest->p, rest->n - at.n};
    *rest = at;
    return true;
}
