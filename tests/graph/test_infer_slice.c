#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_slice, bounds_are_clamped) {
    infer_expect(infer_op("Slice", "float[20,10,5]", "=0,0", "=3,10", "=0,1", NULL),
                 "float (3, 10, 5)", NULL);
    infer_expect(infer_op("Slice", "float[20]", "=2", "=1000", NULL), "float (18)", NULL);
    infer_expect(infer_op("Slice", "float[20]", "=1000", "=2000", NULL), "float (0)", NULL);
    infer_expect(infer_op("Slice", "float[20]", "=-5", "=-1", NULL), "float (4)", NULL);
    infer_expect(infer_op("Slice", "float[20]", "=7", "=3", NULL), "float (0)", NULL);
    infer_expect(infer_op("Slice", "float[2,20]", "=0", "=9223372036854775807", "=-1", NULL),
                 "float (2, 20)", NULL);
}

Test(infer_slice, steps_may_go_back) {
    infer_expect(infer_op("Slice", "float[10]", "=1", "=9", "=0", "=3", NULL), "float (3)", NULL);
    infer_expect(infer_op("Slice", "float[20]", "=20", "=0", "=0", "=-4", NULL), "float (5)", NULL);
    infer_expect(infer_op("Slice", "float[7]", "=-1", "=-9223372036854775807", "=0", "=-1", NULL),
                 "float (7)", NULL);
    infer_expect(infer_op("Slice", "float[7]", "=0", "=7", "=0", "=0", NULL), "float (?)", NULL);
}

Test(infer_slice, symbolic_dims_lose_what_is_cut_off) {
    infer_expect(infer_op("Slice", "float[seq,4]", "=1", "=2147483647", "=0", NULL),
                 "float (seq - 1, 4)", NULL);
    infer_expect(infer_op("Slice", "float[seq,4]", "=0", "=-2", "=0", NULL), "float (seq - 2, 4)",
                 NULL);
    infer_expect(infer_op("Slice", "float[seq,4]", "=0", "=5", "=0", NULL), "float (?, 4)", NULL);
    infer_expect(infer_op("Slice", "float[seq,4]", "=-1", "=2147483647", "=0", NULL),
                 "float (1, 4)", NULL);
}

Test(infer_slice, unknown_bounds_leave_the_other_axes) {
    infer_expect(infer_op("Slice", "float[8,4]", "=0", "int64[1]", "=0", NULL), "float (?, 4)",
                 NULL);
    infer_expect(infer_op("Slice", "float[8,4]", "int64[1]", "int64[1]", "int64[1]", NULL),
                 "float (?, ?)", NULL);
}

Test(infer_slice, before_opset_10_bounds_are_attributes) {
    struct model_builder *b = infer_op_of("", 9, "Slice", "float[8,4]", NULL);
    mb_attr_ints(b, "starts", "1");
    mb_attr_ints(b, "ends", "3");
    mb_attr_ints(b, "axes", "1");
    infer_expect(b, "float (8, 2)", NULL);
}
