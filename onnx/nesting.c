#include "onnx/nesting.h"

#include "onnx/schema.h"
#include "onnx/wire.h"

struct level {
    enum onnx_message message;
    struct slice rest;
};

static const struct onnx_field *as_message(const struct level *level,
                                           const struct onnx_wire_field *field) {
    const struct onnx_field *known = onnx_schema_field(level->message, field->number);
    if (!known || known->kind != ONNX_FIELD_MESSAGE || field->wire != ONNX_WIRE_BYTES) {
        return NULL;
    }
    return known;
}

int onnx_nesting_check(struct slice model, uint64_t max_depth, struct error *err) {
    struct level levels[ONNX_NESTING_MAX];
    size_t max = max_depth < ONNX_NESTING_MAX ? (size_t)max_depth : ONNX_NESTING_MAX;
    size_t n = 1;
    levels[0] = (struct level){ONNX_MODEL, model};
    while (n) {
        struct level *top = &levels[n - 1];
        struct onnx_wire_field field;
        if (top->rest.n == 0) {
            n--;
            continue;
        }
        if (!onnx_wire_next(&top->rest, &field)) {
            return error_set_at(err, ERR_FORMAT, (uint64_t)(top->rest.p - model.p), NULL,
                                "the skeleton is no well-formed protobuf message");
        }
        const struct onnx_field *known = as_message(top, &field);
        if (!known) {
            continue;
        }
        if (n >= max) {
            return error_set_limit(err, "max-depth", "messages are nested deeper than %zu", max);
        }
        levels[n++] = (struct level){known->message, field.bytes};
    }
    return 0;
}
