#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_pool, places_of_the_window) {
    struct model_builder *b = infer_op("MaxPool", "float[1,64,112,112]", NULL);
    mb_attr_ints(b, "kernel_shape", "3,3");
    mb_attr_ints(b, "pads", "1,1,1,1");
    mb_attr_ints(b, "strides", "2,2");
    infer_expect(b, "float (1, 64, 56, 56)", "int64 (1, 64, 56, 56)", NULL);
}

// ceil((6 - 3) / 2) + 1 = 3; with a pad at the end of 5 + 1 the third window would start past the
// input, at 4 of 4, and does not count.
Test(infer_pool, rounded_up) {
    struct model_builder *b = infer_op("AveragePool", "float[1,1,6]", NULL);
    mb_attr_ints(b, "kernel_shape", "3");
    mb_attr_ints(b, "strides", "2");
    mb_attr_int(b, "ceil_mode", 1);
    infer_expect(b, "float (1, 1, 3)", NULL);
    b = infer_op("MaxPool", "float[1,1,4]", NULL);
    mb_attr_ints(b, "kernel_shape", "2");
    mb_attr_ints(b, "strides", "2");
    mb_attr_ints(b, "pads", "0,1");
    mb_attr_int(b, "ceil_mode", 1);
    infer_expect(b, "float (1, 1, 2)", NULL);
}

Test(infer_pool, without_a_kernel_the_places_are_unknown) {
    infer_expect(infer_op("MaxPool", "float[1,2,8,8]", NULL), "float (1, 2, ?, ?)", NULL);
    infer_expect(infer_op("MaxPool", "float", NULL), "float ?", "int64 ?", NULL);
}

Test(infer_pool, a_global_pool_leaves_one_place) {
    infer_expect(infer_op("GlobalAveragePool", "float[n,8,7,7]", NULL), "float (n, 8, 1, 1)", NULL);
}

Test(infer_pool, unpooling_goes_back) {
    struct model_builder *b = infer_op("MaxUnpool", "float[1,1,4,4]", "int64[1,1,4,4]", NULL);
    mb_attr_ints(b, "kernel_shape", "2,2");
    mb_attr_ints(b, "strides", "2,2");
    infer_expect(b, "float (1, 1, 8, 8)", NULL);
    b = infer_op("MaxUnpool", "float[1,1,4,4]", "int64[1,1,4,4]", "=1,1,9,9", NULL);
    mb_attr_ints(b, "kernel_shape", "2,2");
    infer_expect(b, "float (1, 1, 9, 9)", NULL);
}

Test(infer_pool, regions) {
    struct model_builder *b =
        infer_op("RoiAlign", "float[1,256,50,50]", "float[r,4]", "int64[r]", NULL);
    mb_attr_int(b, "output_height", 7);
    mb_attr_int(b, "output_width", 7);
    infer_expect(b, "float (r, 256, 7, 7)", NULL);
    infer_expect(infer_op("Col2Im", "float[1,12,9]", "=5,5", "=2,3", NULL), "float (1, 2, 5, 5)",
                 NULL);
}
