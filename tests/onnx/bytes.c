#include "tests/onnx/bytes.h"

#include <stdio.h>
#include <string.h>

#define BYTES_MAX ((size_t)64 << 20)

static struct buf *out(struct bytes *b) {
    b->out.max = BYTES_MAX;
    return &b->out;
}

void bytes_free(struct bytes *b) {
    buf_release(&b->out);
}

struct slice bytes_slice(const struct bytes *b) {
    return buf_slice(&b->out);
}

void put_raw(struct bytes *b, const void *p, size_t n) {
    buf_add(out(b), p, n);
}

void put_zeros(struct bytes *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        buf_add_char(out(b), '\0');
    }
}

void put_varint(struct bytes *b, uint64_t v) {
    uint8_t p[ONNX_VARINT_BYTES];
    put_raw(b, p, onnx_varint_put(p, v));
}

void put_long_varint(struct bytes *b, uint64_t v, size_t n) {
    for (size_t i = 0; i + 1 < n; i++, v >>= 7) {
        buf_add_char(out(b), (char)(v | 0x80));
    }
    buf_add_char(out(b), (char)(v & 0x7F));
}

void put_tag(struct bytes *b, uint32_t number, enum onnx_wire wire) {
    put_varint(b, onnx_tag(number, wire));
}

void put_int(struct bytes *b, uint32_t number, uint64_t v) {
    put_tag(b, number, ONNX_WIRE_VARINT);
    put_varint(b, v);
}

void put_data(struct bytes *b, uint32_t number, const void *p, size_t n) {
    put_tag(b, number, ONNX_WIRE_BYTES);
    put_varint(b, n);
    put_raw(b, p, n);
}

void put_text(struct bytes *b, uint32_t number, const char *z) {
    put_data(b, number, z, strlen(z));
}

void put_float(struct bytes *b, uint32_t number, float v) {
    put_tag(b, number, ONNX_WIRE_FIXED32);
    put_raw(b, &v, sizeof(v));
}

void put_message(struct bytes *b, uint32_t number, const struct bytes *message) {
    put_data(b, number, message->out.p, message->out.n);
}

void open_field(struct bytes *b, uint32_t number) {
    put_tag(b, number, ONNX_WIRE_BYTES);
    b->open[b->depth++] = b->out.n;
}

void close_field(struct bytes *b) {
    size_t at = b->open[--b->depth];
    size_t body = b->out.n - at;
    size_t n = onnx_varint_size(body);
    put_zeros(b, n);
    memmove(b->out.p + at + n, b->out.p + at, body);
    (void)onnx_varint_put(b->out.p + at, body);
}

void put_node(struct bytes *b, const char *op, const char *input, const char *output) {
    open_field(b, 1);
    put_text(b, 1, input);
    put_text(b, 2, output);
    put_text(b, 4, op);
    close_field(b);
}

void put_property(struct bytes *b, uint32_t number, const char *key, const char *value) {
    open_field(b, number);
    put_text(b, 1, key);
    put_text(b, 2, value);
    close_field(b);
}

static void put_value(struct bytes *b, uint32_t number, const char *name) {
    open_field(b, number);
    put_text(b, 1, name);
    open_field(b, 2);  // type
    open_field(b, 1);  // tensor_type
    put_int(b, 1, 1);
    open_field(b, 2);  // shape
    open_field(b, 1);  // dim
    put_int(b, 1, 3);
    close_field(b);
    close_field(b);
    close_field(b);
    close_field(b);
    close_field(b);
}

static void put_chain(struct bytes *b, size_t nodes) {
    char from[32], to[32];
    for (size_t i = 0; i < nodes; i++) {
        (void)snprintf(from, sizeof(from), "t%zu", i);
        (void)snprintf(to, sizeof(to), "t%zu", i + 1);
        put_node(b, "Relu", from, to);
    }
}

void put_chain_model(struct bytes *b, size_t nodes) {
    put_int(b, 1, 8);
    put_text(b, 2, "pytorch");
    open_field(b, 7);
    put_chain(b, nodes);
    put_text(b, 2, "main");
    open_field(b, 5);  // initializer
    put_int(b, 1, 2);
    put_int(b, 2, 1);
    put_text(b, 8, "w");
    put_data(b, 9, "12345678", 8);
    close_field(b);
    put_value(b, 11, "t0");
    put_value(b, 12, "y");
    close_field(b);
    open_field(b, 8);
    put_int(b, 2, 17);
    close_field(b);
}
