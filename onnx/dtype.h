// Element types: numbers of TensorProto.DataType, names as in the ONNX documents in lower case,
// sizes.
#pragma once

#include <stdint.h>

// "float", "int64", "float16", "bfloat16", "float8e4m3fn", "int4", ...; NULL for 0 and unknown
// numbers.
const char *onnx_dtype_name(int32_t dtype);

// Bits of one element (int4: 4, string: 0, unknown: 0).
unsigned onnx_dtype_bits(int32_t dtype);
