#include "onnx/dtype.h"

#include <criterion/criterion.h>

// Numbers, names and widths of TensorProto.DataType in onnx.proto.
Test(dtype, names_and_sizes_are_those_of_onnx) {
    static const struct {
        int32_t dtype;
        const char *name;
        unsigned bits;
    } some[] = {
        {1, "float", 32},
        {2, "uint8", 8},
        {7, "int64", 64},
        {8, "string", 0},
        {9, "bool", 8},
        {10, "float16", 16},
        {11, "double", 64},
        {15, "complex128", 128},
        {16, "bfloat16", 16},
        {17, "float8e4m3fn", 8},
        {20, "float8e5m2fnuz", 8},
        {21, "uint4", 4},
        {22, "int4", 4},
        {23, "float4e2m1", 4},
        {24, "float8e8m0", 8},
    };
    for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
        cr_expect_str_eq(onnx_dtype_name(some[i].dtype), some[i].name);
        cr_expect_eq(onnx_dtype_bits(some[i].dtype), some[i].bits, "%s", some[i].name);
    }
}

Test(dtype, unknown_numbers_have_no_name) {
    static const int32_t unknown[] = {0, -1, 27, 999, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
        cr_expect(onnx_dtype_name(unknown[i]) == NULL);
        cr_expect_eq(onnx_dtype_bits(unknown[i]), 0);
    }
}
