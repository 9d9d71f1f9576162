#include "onnx/wire.h"

#include <criterion/criterion.h>
#include <string.h>

// Examples of https://protobuf.dev/programming-guides/encoding/: 150 and -2.
Test(wire, varints_are_those_of_the_encoding_guide) {
    uint8_t p[ONNX_VARINT_BYTES];
    cr_expect_eq(onnx_varint_put(p, 150), 2);
    cr_expect_arr_eq(p, "\x96\x01", 2);
    cr_expect_eq(onnx_varint_put(p, (uint64_t)-2), 10);
    cr_expect_arr_eq(p, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
}

static enum onnx_varint_step push_all(struct onnx_varint *v, const char *p, size_t n) {
    enum onnx_varint_step step = ONNX_VARINT_MORE;
    *v = (struct onnx_varint){0, 0};
    for (size_t i = 0; i < n && step == ONNX_VARINT_MORE; i++) {
        step = onnx_varint_push(v, (uint8_t)p[i]);
    }
    return step;
}

Test(wire, varints_come_byte_by_byte) {
    struct onnx_varint v;
    cr_expect_eq(push_all(&v, "\x96\x01", 2), ONNX_VARINT_DONE);
    cr_expect_eq(v.value, 150);
    cr_expect_eq(push_all(&v, "\x96", 1), ONNX_VARINT_MORE);
    cr_expect_eq(push_all(&v, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10), ONNX_VARINT_DONE);
    cr_expect_eq(v.value, UINT64_MAX);
    cr_expect_eq(push_all(&v, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10), ONNX_VARINT_DONE);
    cr_expect_eq(v.value, 0);
    cr_expect_eq(push_all(&v, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10), ONNX_VARINT_BAD);
    cr_expect_eq(push_all(&v, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11), ONNX_VARINT_BAD);
}

Test(wire, size_agrees_with_what_is_written) {
    uint8_t p[ONNX_VARINT_BYTES];
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t v = UINT64_C(1) << bit;
        cr_expect_eq(onnx_varint_size(v), onnx_varint_put(p, v));
        cr_expect_eq(onnx_varint_size(v - 1), onnx_varint_put(p, v - 1));
    }
}

Test(wire, fields_come_off_one_by_one) {
    // 1: 150, 2: "testing" (both of the guide), 3: fixed32, 4: fixed64
    static const char message[] = "\x08\x96\x01\x12\x07testing\x1d"
                                  "abcd\x21"
                                  "abcdefgh";
    struct slice rest = {(const uint8_t *)message, sizeof(message) - 1};
    struct onnx_wire_field f;
    cr_assert(onnx_wire_next(&rest, &f));
    cr_expect(f.number == 1 && f.wire == ONNX_WIRE_VARINT && f.value == 150);
    cr_assert(onnx_wire_next(&rest, &f));
    cr_expect(f.number == 2 && f.bytes.n == 7 && !memcmp(f.bytes.p, "testing", 7));
    cr_expect_eq(f.whole.n, 9);
    cr_assert(onnx_wire_next(&rest, &f));
    cr_expect(f.number == 3 && f.wire == ONNX_WIRE_FIXED32 && f.whole.n == 5);
    cr_assert(onnx_wire_next(&rest, &f));
    cr_expect(f.number == 4 && f.wire == ONNX_WIRE_FIXED64 && f.whole.n == 9);
    cr_expect(!onnx_wire_next(&rest, &f));
    cr_expect_eq(rest.n, 0);
}

static void expect_malformed(const char *p, size_t n) {
    struct slice rest = {(const uint8_t *)p, n};
    struct onnx_wire_field f;
    cr_expect(!onnx_wire_next(&rest, &f));
    cr_expect_eq(rest.n, n, "nothing is taken");
}

Test(wire, malformed_fields_are_not_taken) {
    expect_malformed("\x08", 1);
    expect_malformed("\x12\x02x", 3);
    expect_malformed("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x", 12);
    expect_malformed("\x00\x01", 2);
    expect_malformed("\x0b\x0c", 2);
    expect_malformed("\x0e\x01", 2);
    expect_malformed("\x1d"
                     "abc",
                     4);
    expect_malformed("\x88\x80\x80\x80\x80\x01\x01", 7);
}
