#include "graph/tensor_values.h"

#include <math.h>
#include <string.h>

#include "base/attr.h"
#include "base/num.h"

#define HALF_BIAS 24  // exponent of the smallest half, 2^-24
#define HALF_SPECIAL 31

// Rows by number of TensorProto.DataType; size 0 = not read (strings have no raw form, complex
// numbers and the 4 and 8 bit floats no use yet).
static const struct {
    int32_t dtype;
    unsigned size;  // bytes of an element in raw_data
    enum graph_tensor_kind kind;
    bool is_signed;
} formats[] = {
    {1, 4, GRAPH_TENSOR_REAL, true},    // float
    {2, 1, GRAPH_TENSOR_INT, false},    // uint8
    {3, 1, GRAPH_TENSOR_INT, true},     // int8
    {4, 2, GRAPH_TENSOR_INT, false},    // uint16
    {5, 2, GRAPH_TENSOR_INT, true},     // int16
    {6, 4, GRAPH_TENSOR_INT, true},     // int32
    {7, 8, GRAPH_TENSOR_INT, true},     // int64
    {8, 0, GRAPH_TENSOR_TEXT, false},   // string
    {9, 1, GRAPH_TENSOR_INT, false},    // bool
    {10, 2, GRAPH_TENSOR_REAL, true},   // float16
    {11, 8, GRAPH_TENSOR_REAL, true},   // double
    {12, 4, GRAPH_TENSOR_INT, false},   // uint32
    {13, 8, GRAPH_TENSOR_UINT, false},  // uint64
    {16, 2, GRAPH_TENSOR_REAL, true},   // bfloat16
};

#define DTYPE_FLOAT 1
#define DTYPE_FLOAT16 10
#define DTYPE_BFLOAT16 16

static bool count_elements(const struct onnx_tensor *tensor, size_t *n) {
    *n = 1;
    for (size_t i = 0; i < tensor->n_dims; i++) {
        if (tensor->dims[i] < 0 || !num_mul(n, *n, (uint64_t)tensor->dims[i])) {
            return false;
        }
    }
    return true;
}

static bool find_format(int32_t dtype, unsigned *format) {
    for (*format = 0; *format < ARRAY_LEN(formats); ++*format) {
        if (formats[*format].dtype == dtype) {
            return true;
        }
    }
    return false;
}

bool graph_tensor_open(struct graph_tensor_reader *reader, const struct onnx_tensor *tensor,
                       size_t *n) {
    size_t bytes;
    reader->tensor = tensor;
    if (!tensor->has_data || !find_format(tensor->dtype, &reader->format) ||
        !count_elements(tensor, n)) {
        return false;
    }
    unsigned size = formats[reader->format].size;
    if (tensor->raw.n) {
        return size && num_mul(&bytes, *n, (size_t)size) && bytes == tensor->raw.n;
    }
    if (formats[reader->format].kind == GRAPH_TENSOR_TEXT) {
        return tensor->n_strings == *n;
    }
    return tensor->n_ints == *n || tensor->n_reals == *n;
}

static uint64_t little_endian(const uint8_t *p, unsigned size) {
    uint64_t bits = 0;
    for (unsigned i = size; i-- > 0;) {
        bits = bits << 8 | p[i];
    }
    return bits;
}

static double from_half(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double value;
    if (exponent == HALF_SPECIAL) {
        value = fraction > 0 ? (double)NAN : (double)INFINITY;
    } else {
        value = exponent ? ldexp(fraction + 1024, exponent - HALF_BIAS - 1)
                         : ldexp(fraction, -HALF_BIAS);
    }
    return bits & 0x8000 ? -value : value;
}

static double real_from_bits(int32_t dtype, uint64_t bits) {
    float narrow;
    double wide;
    if (dtype == DTYPE_FLOAT16) {
        return from_half(bits);
    }
    if (dtype == DTYPE_FLOAT || dtype == DTYPE_BFLOAT16) {
        uint32_t word = (uint32_t)(dtype == DTYPE_BFLOAT16 ? bits << 16 : bits);
        memcpy(&narrow, &word, sizeof(narrow));
        return (double)narrow;
    }
    memcpy(&wide, &bits, sizeof(wide));
    return wide;
}

static int64_t int_from_bits(uint64_t bits, unsigned size, bool is_signed) {
    if (!is_signed || size == 0 || size >= sizeof(bits)) {
        return (int64_t)bits;
    }
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return (int64_t)(bits & sign ? bits | ~(sign - 1) : bits);
}

static struct graph_tensor_value from_raw(const struct graph_tensor_reader *reader, size_t i) {
    unsigned size = formats[reader->format].size;
    uint64_t bits = little_endian(reader->tensor->raw.p + i * size, size);
    enum graph_tensor_kind kind = formats[reader->format].kind;
    if (kind == GRAPH_TENSOR_REAL) {
        return (struct graph_tensor_value){.kind = kind,
                                           .real = real_from_bits(reader->tensor->dtype, bits)};
    }
    return (struct graph_tensor_value){
        .kind = kind, .i = int_from_bits(bits, size, formats[reader->format].is_signed)};
}

struct graph_tensor_value graph_tensor_at(const struct graph_tensor_reader *reader, size_t i) {
    const struct onnx_tensor *tensor = reader->tensor;
    enum graph_tensor_kind kind = formats[reader->format].kind;
    if (tensor->raw.n) {
        return from_raw(reader, i);
    }
    if (kind == GRAPH_TENSOR_TEXT) {
        return (struct graph_tensor_value){.kind = kind, .text = tensor->strings[i]};
    }
    if (kind != GRAPH_TENSOR_REAL) {
        return (struct graph_tensor_value){.kind = kind,
                                           .i = i < tensor->n_ints ? tensor->ints[i] : 0};
    }
    // int32_data holds the bits of the 16 bit floats.
    bool in_bits = i < tensor->n_ints;
    return (struct graph_tensor_value){
        .kind = kind,
        .real = in_bits ? real_from_bits(tensor->dtype, (uint64_t)tensor->ints[i] & 0xFFFF)
                        : tensor->reals[i]};
}
