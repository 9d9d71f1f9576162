#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_reduce, axes_may_be_an_attribute_or_an_input) {
    struct model_builder *b = infer_op("ReduceMean", "float[2,3,4]", NULL);
    mb_attr_ints(b, "axes", "-1");
    infer_expect(b, "float (2, 3, 1)", NULL);
    infer_expect(infer_op("ReduceSum", "float[2,3,4]", "=0,-1", NULL), "float (1, 3, 1)", NULL);
    b = infer_op("ReduceSum", "float[2,n,4]", "=0,2", NULL);
    mb_attr_int(b, "keepdims", 0);
    infer_expect(b, "float (n)", NULL);
}

Test(infer_reduce, without_axes_all_of_them_go) {
    struct model_builder *b = infer_op("ReduceMax", "float[2,3]", NULL);
    infer_expect(b, "float (1, 1)", NULL);
    b = infer_op("ReduceMax", "float[2,3]", NULL);
    mb_attr_int(b, "keepdims", 0);
    infer_expect(b, "float ()", NULL);
    b = infer_op("ReduceSum", "float[2,3]", NULL);
    mb_attr_int(b, "noop_with_empty_axes", 1);
    mb_attr_int(b, "keepdims", 0);
    infer_expect(b, "float (2, 3)", NULL);
    infer_expect(infer_op("ReduceMax", "float[]", NULL), "float ()", NULL);
}

Test(infer_reduce, of_unknown_axes_the_number_tells_the_rank) {
    struct model_builder *b = infer_op("ReduceSum", "float[2,1,4]", "int64[2]", NULL);
    infer_expect(b, "float (?, 1, ?)", NULL);
    b = infer_op("ReduceSum", "float[2,3,4]", "int64[2]", NULL);
    mb_attr_int(b, "keepdims", 0);
    infer_expect(b, "float (?)", NULL);
    b = infer_op("ReduceSum", "float[2,3,4]", "int64[?]", NULL);
    mb_attr_int(b, "keepdims", 0);
    infer_expect(b, "float ?", NULL);
}

Test(infer_reduce, positions_are_int64) {
    struct model_builder *b = infer_op("ArgMax", "float[2,3]", NULL);
    mb_attr_int(b, "axis", -1);
    mb_attr_int(b, "keepdims", 0);
    infer_expect(b, "int64 (2)", NULL);
    infer_expect(infer_op("ArgMin", "float[2,3]", NULL), "int64 (1, 3)", NULL);
}

Test(infer_reduce, an_axis_out_of_range_makes_nothing_known) {
    struct model_builder *b = infer_op("ArgMax", "float[2,3]", NULL);
    mb_attr_int(b, "axis", 2);
    infer_expect(b, "int64 ?", NULL);
    infer_expect(infer_op("ReduceSum", "float[2,3]", "=5", NULL), "float (?, ?)", NULL);
}

Test(infer_reduce, top_k_has_values_and_indices) {
    infer_expect(infer_op("TopK", "float[2,9]", "=5", NULL), "float (2, 5)", "int64 (2, 5)", NULL);
    struct model_builder *b = infer_op_of("", 9, "TopK", "float[2,9]", NULL);
    mb_attr_int(b, "k", 3);
    mb_attr_int(b, "axis", 0);
    infer_expect(b, "float (3, 9)", "int64 (3, 9)", NULL);
    infer_expect(infer_op("TopK", "float[2,9]", "int64[1]", NULL), "float (2, ?)", NULL);
}
