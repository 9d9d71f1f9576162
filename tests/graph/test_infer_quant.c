#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_quant, the_zero_point_gives_the_type) {
    infer_expect(infer_op("QuantizeLinear", "float[2,n]", "float[]", "int8[]", NULL), "int8 (2, n)",
                 NULL);
    infer_expect(infer_op("QuantizeLinear", "float[2]", "float[]", NULL), "uint8 (2)", NULL);
    infer_expect(infer_op("DequantizeLinear", "int8[2]", "float16[]", NULL), "float16 (2)", NULL);
    struct model_builder *b = infer_op_of("", 21, "QuantizeLinear", "float[2]", "float[]", NULL);
    mb_attr_int(b, "output_dtype", 22);
    infer_expect(b, "int4 (2)", NULL);
}

Test(infer_quant, scale_and_zero_point_may_be_computed) {
    infer_expect(infer_op("DynamicQuantizeLinear", "float[2,3]", NULL), "uint8 (2, 3)", "float ()",
                 "uint8 ()", NULL);
}

Test(infer_quant, operators_of_onnx_runtime) {
    infer_expect(infer_op_of("com.microsoft", 1, "QLinearAdd", "uint8[2,1]", "float[]", "uint8[]",
                             "uint8[3]", "float[]", "uint8[]", "float[]", "uint8[]", NULL),
                 "uint8 (2, 3)", NULL);
    struct model_builder *b =
        infer_op_of("com.microsoft", 1, "QLinearConcat", "float[]", "uint8[]", "uint8[2,3]",
                    "float[]", "uint8[]", "uint8[2,4]", "float[]", "uint8[]", NULL);
    mb_attr_int(b, "axis", 1);
    infer_expect(b, "uint8 (2, 7)", NULL);
    b = infer_op_of("com.microsoft", 1, "QLinearGlobalAveragePool", "uint8[1,7,7,8]", NULL);
    mb_attr_int(b, "channels_last", 1);
    infer_expect(b, "uint8 (1, 1, 1, 8)", NULL);
    b = infer_op_of("com.microsoft", 1, "QGemm", "uint8[2,3]", "float[]", "uint8[]", "int8[4,3]",
                    "float[]", "int8[]", NULL);
    mb_attr_int(b, "transB", 1);
    infer_expect(b, "float (2, 4)", NULL);
}
