// Element types: numbers of TensorProto.DataType, names as in the ONNX documents in lower case,
// sizes.
#pragma once

#include <stdint.h>

// The numbers that rules speak of; any other number is kept as it is.
enum onnx_dtype {
    ONNX_FLOAT = 1,
    ONNX_UINT8 = 2,
    ONNX_INT8 = 3,
    ONNX_INT32 = 6,
    ONNX_INT64 = 7,
    ONNX_STRING = 8,
    ONNX_BOOL = 9,
    ONNX_FLOAT16 = 10,
    ONNX_DOUBLE = 11,
    ONNX_COMPLEX64 = 14,
    ONNX_COMPLEX128 = 15,
    ONNX_BFLOAT16 = 16,
};

// "float", "int64", "float16", "bfloat16", "float8e4m3fn", "int4", ...; NULL for 0 and unknown
// numbers.
const char *onnx_dtype_name(int32_t dtype);

// Bits of one element (int4: 4, string: 0, unknown: 0).
unsigned onnx_dtype_bits(int32_t dtype);
