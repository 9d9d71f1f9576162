#include "graph/tensor_values.h"

#include <criterion/criterion.h>
#include <math.h>

static struct onnx_tensor raw_tensor(int32_t dtype, const int64_t *dims, size_t n_dims,
                                     const char *bytes, size_t n) {
    return (struct onnx_tensor){.dtype = dtype,
                                .dims = dims,
                                .n_dims = n_dims,
                                .has_data = true,
                                .raw = {(const uint8_t *)bytes, n}};
}

static const int64_t one[] = {1};
static const int64_t two[] = {2};

Test(tensor_values, reads_every_format_of_raw_data) {
    // dtype, bytes little endian, value: IEEE 754 and two's complement by hand.
    static const struct {
        int32_t dtype;
        const char *bytes;
        size_t n;
        enum graph_tensor_kind kind;
        int64_t i;
        double real;
    } rows[] = {
        {1, "\x00\x00\xC0\x3F", 4, GRAPH_TENSOR_REAL, 0, 1.5},
        {2, "\xFF", 1, GRAPH_TENSOR_INT, 255, 0},
        {3, "\xFF", 1, GRAPH_TENSOR_INT, -1, 0},
        {4, "\xFE\xFF", 2, GRAPH_TENSOR_INT, 65534, 0},
        {5, "\xFE\xFF", 2, GRAPH_TENSOR_INT, -2, 0},
        {6, "\xFD\xFF\xFF\xFF", 4, GRAPH_TENSOR_INT, -3, 0},
        {7, "\x00\x00\x00\x00\x00\x00\x00\x80", 8, GRAPH_TENSOR_INT, INT64_MIN, 0},
        {9, "\x01", 1, GRAPH_TENSOR_INT, 1, 0},
        {10, "\x00\xC0", 2, GRAPH_TENSOR_REAL, 0, -2.0},
        {10, "\x01\x00", 2, GRAPH_TENSOR_REAL, 0, 0x1p-24},
        {10, "\xFF\x7B", 2, GRAPH_TENSOR_REAL, 0, 65504.0},
        {11, "\x00\x00\x00\x00\x00\x00\xE0\x3F", 8, GRAPH_TENSOR_REAL, 0, 0.5},
        {12, "\xFD\xFF\xFF\xFF", 4, GRAPH_TENSOR_INT, 4294967293, 0},
        {13, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8, GRAPH_TENSOR_UINT, -1, 0},
        {16, "\x80\x3F", 2, GRAPH_TENSOR_REAL, 0, 1.0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct onnx_tensor tensor = raw_tensor(rows[i].dtype, one, 1, rows[i].bytes, rows[i].n);
        struct graph_tensor_reader reader;
        size_t n;
        cr_assert(graph_tensor_open(&reader, &tensor, &n), "row %zu", i);
        struct graph_tensor_value value = graph_tensor_at(&reader, 0);
        cr_expect_eq(value.kind, rows[i].kind, "row %zu", i);
        cr_expect_eq(value.i, rows[i].i, "row %zu", i);
        cr_expect_eq(value.real, rows[i].real, "row %zu", i);
    }
}

Test(tensor_values, half_knows_infinity_and_not_a_number) {
    struct onnx_tensor tensor = raw_tensor(10, two, 1, "\x00\xFC\x01\x7E", 4);
    struct graph_tensor_reader reader;
    size_t n;
    cr_assert(graph_tensor_open(&reader, &tensor, &n));
    cr_expect_eq(graph_tensor_at(&reader, 0).real, -INFINITY);
    cr_expect(isnan(graph_tensor_at(&reader, 1).real));
}

Test(tensor_values, reads_typed_fields) {
    static const int64_t ints[] = {-4, 5};
    static const int64_t halves[] = {0x3C00, 0xC000};
    static const double reals[] = {0.25, -8};
    struct onnx_tensor tensor = {.dtype = 7, .dims = two, .n_dims = 1, .has_data = true};
    struct graph_tensor_reader reader;
    size_t n;

    tensor.ints = ints;
    tensor.n_ints = 2;
    cr_assert(graph_tensor_open(&reader, &tensor, &n));
    cr_expect_eq(n, 2);
    cr_expect_eq(graph_tensor_at(&reader, 0).i, -4);

    tensor.dtype = 10;
    tensor.ints = halves;
    cr_assert(graph_tensor_open(&reader, &tensor, &n));
    cr_expect_eq(graph_tensor_at(&reader, 0).real, 1.0);
    cr_expect_eq(graph_tensor_at(&reader, 1).real, -2.0);

    tensor = (struct onnx_tensor){
        .dtype = 1, .dims = two, .n_dims = 1, .has_data = true, .reals = reals, .n_reals = 2};
    cr_assert(graph_tensor_open(&reader, &tensor, &n));
    cr_expect_eq(graph_tensor_at(&reader, 1).real, -8.0);
}

Test(tensor_values, refuses_what_is_not_whole) {
    static const int64_t overflow[] = {INT64_MAX, 4};
    static const int64_t negative[] = {-1};
    struct graph_tensor_reader reader;
    size_t n;
    struct onnx_tensor tensor = raw_tensor(1, two, 1, "\0\0\0\0\0\0\0", 7);
    cr_expect_not(graph_tensor_open(&reader, &tensor, &n), "a byte is missing");
    tensor = raw_tensor(1, overflow, 2, "\0\0\0\0", 4);
    cr_expect_not(graph_tensor_open(&reader, &tensor, &n), "the product of the dims overflows");
    tensor = raw_tensor(1, negative, 1, "\0\0\0\0", 4);
    cr_expect_not(graph_tensor_open(&reader, &tensor, &n), "a dim is negative");
    tensor = raw_tensor(99, one, 1, "\0", 1);
    cr_expect_not(graph_tensor_open(&reader, &tensor, &n), "the element type is unknown");
    tensor = raw_tensor(1, one, 1, "\0\0\0\0", 4);
    tensor.has_data = false;
    cr_expect_not(graph_tensor_open(&reader, &tensor, &n), "the payload was stripped");
}
