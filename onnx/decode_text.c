#include "onnx.pb-c.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "onnx/decode_internal.h"

// U+FFFD takes three bytes in the place of one.
#define REPAIR_GROWTH 3

static struct str repair(struct decode *d, struct str text) {
    struct buf repaired;
    buf_init(&repaired, text.n * REPAIR_GROWTH);
    utf8_add_valid(&repaired, text);
    char *p = onnx_memory_alloc(d->memory, repaired.n);
    struct str out = {NULL, 0};
    if (p && !repaired.failed) {
        memcpy(p, repaired.p, repaired.n);
        out = (struct str){p, repaired.n};
    }
    d->memory->failed |= repaired.failed != 0;
    buf_release(&repaired);
    return out;
}

struct str decode_text(struct decode *d, const struct ProtobufCBinaryData *bytes) {
    struct str text = {(const char *)bytes->data, bytes->len};
    return utf8_valid(text) ? text : repair(d, text);
}

const struct str *decode_texts(struct decode *d, const struct ProtobufCBinaryData *items, size_t n,
                               size_t *out_n) {
    struct str *out = onnx_memory_array(d->memory, n, sizeof(*out));
    if (!out) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = decode_text(d, &items[i]);
    }
    *out_n = n;
    return out;
}

struct onnx_props decode_props(struct decode *d, struct Onnx__StringStringEntryProto *const *items,
                               size_t n) {
    struct onnx_prop *out = onnx_memory_array(d->memory, n, sizeof(*out));
    if (!out) {
        return (struct onnx_props){NULL, 0};
    }
    for (size_t i = 0; i < n; i++) {
        out[i] =
            (struct onnx_prop){decode_text(d, &items[i]->key), decode_text(d, &items[i]->value)};
    }
    return (struct onnx_props){out, n};
}
