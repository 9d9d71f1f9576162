#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_create, a_tensor_of_a_known_shape) {
    infer_expect(infer_op("ConstantOfShape", "=2,3", NULL), "float (2, 3)", NULL);
    infer_expect(infer_op("ConstantOfShape", "=", NULL), "float ()", NULL);
    struct model_builder *b = infer_op("ConstantOfShape", "int64[2]", NULL);
    mb_attr_tensor_ints(b, "value", "1");
    infer_expect(b, "int64 (?, ?)", NULL);
    infer_expect(infer_op("ConstantOfShape", "int64", NULL), "float ?", NULL);
}

Test(infer_create, shape_counts_dims) {
    infer_expect(infer_op("Shape", "float[2,n,4]", NULL), "int64 (3)", NULL);
    infer_expect(infer_op("Shape", "float[]", NULL), "int64 (0)", NULL);
    infer_expect(infer_op("Shape", "float", NULL), "int64 (?)", NULL);
    struct model_builder *b = infer_op("Shape", "float[2,3,4]", NULL);
    mb_attr_int(b, "start", -2);
    mb_attr_int(b, "end", 9);
    infer_expect(b, "int64 (2)", NULL);
    infer_expect(infer_op("Size", "float[2,3]", NULL), "int64 ()", NULL);
}

Test(infer_create, range_rounds_up) {
    infer_expect(infer_op("Range", "#0", "#10", "#3", NULL), "int64 (4)", NULL);
    infer_expect(infer_op("Range", "#10", "#4", "#-2", NULL), "int64 (3)", NULL);
    infer_expect(infer_op("Range", "#5", "#0", "#1", NULL), "int64 (0)", NULL);
    infer_expect(infer_op("Range", "~0", "~1", "~0.25", NULL), "float (4)", NULL);
    infer_expect(infer_op("Range", "#0", "int64[]", "#1", NULL), "int64 (?)", NULL);
}

Test(infer_create, attributes_may_hold_the_shape) {
    struct model_builder *b = infer_op("RandomNormal", NULL);
    mb_attr_ints(b, "shape", "2,5");
    mb_attr_int(b, "dtype", 10);
    infer_expect(b, "float16 (2, 5)", NULL);
    b = infer_op("EyeLike", "float[3,3]", NULL);
    mb_attr_int(b, "dtype", 7);
    infer_expect(b, "int64 (3, 3)", NULL);
    b = infer_op("Multinomial", "float[4,10]", NULL);
    mb_attr_int(b, "sample_size", 6);
    infer_expect(b, "int32 (4, 6)", NULL);
    infer_expect(infer_op("HannWindow", "#400", NULL), "float (400)", NULL);
}

Test(infer_create, spectra) {
    // 400 samples, one side of the spectrum: 201 bins; (1000 - 400) / 160 + 1 = 4 frames
    infer_expect(infer_op("STFT", "float[2,1000,1]", "#160", "", "#400", NULL),
                 "float (2, 4, 201, 2)", NULL);
    infer_expect(infer_op("DFT", "float[2,100,1]", NULL), "float (2, 100, 2)", NULL);
    struct model_builder *b = infer_op("DFT", "float[2,100,1]", "#64", NULL);
    mb_attr_int(b, "onesided", 1);
    infer_expect(b, "float (2, 33, 2)", NULL);
    infer_expect(infer_op("MelWeightMatrix", "#80", "#400", "#16000", "float[]", NULL),
                 "float (201, 80)", NULL);
}
