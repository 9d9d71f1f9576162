#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_gather, indices_take_the_place_of_the_axis) {
    infer_expect(infer_op("Gather", "float[256,64]", "int64[b,s]", NULL), "float (b, s, 64)", NULL);
    struct model_builder *b = infer_op("Gather", "float[2,3,4]", "#1", NULL);
    mb_attr_int(b, "axis", -2);
    infer_expect(b, "float (2, 4)", NULL);
    infer_expect(infer_op("Gather", "float[]", "int64[2]", NULL), "float ?", NULL);
}

Test(infer_gather, single_elements) {
    infer_expect(infer_op("GatherElements", "float[3,3]", "int64[2,3]", NULL), "float (2, 3)",
                 NULL);
    infer_expect(infer_op("GatherND", "float[2,3,4]", "int64[5,2]", NULL), "float (5, 4)", NULL);
    struct model_builder *b = infer_op("GatherND", "float[2,3,4]", "int64[2,1]", NULL);
    mb_attr_int(b, "batch_dims", 1);
    infer_expect(b, "float (2, 4)", NULL);
    infer_expect(infer_op("GatherND", "float[2,3]", "int64[5,3]", NULL), "float ?", NULL);
}

Test(infer_gather, what_only_the_data_counts_is_unknown) {
    infer_expect(infer_op("NonZero", "bool[2,3]", NULL), "int64 (2, ?)", NULL);
    infer_expect(infer_op("NonZero", "=0,5,7", NULL), "int64 (1, 2)", NULL);
    infer_expect(infer_op("Compress", "float[2,3]", "bool[3]", NULL), "float (?)", NULL);
    struct model_builder *b = infer_op("Compress", "float[2,3]", "bool[3]", NULL);
    mb_attr_int(b, "axis", 1);
    infer_expect(b, "float (2, ?)", NULL);
    infer_expect(infer_op("Unique", "float[6]", NULL), "float (?)", "int64 (?)", "int64 (?)",
                 "int64 (?)", NULL);
    infer_expect(infer_op("NonMaxSuppression", "float[1,6,4]", "float[1,1,6]", NULL),
                 "int64 (?, 3)", NULL);
}

Test(infer_gather, one_hot_has_one_more_dim) {
    infer_expect(infer_op("OneHot", "int64[2,3]", "#10", "float[2]", NULL), "float (2, 3, 10)",
                 NULL);
    struct model_builder *b = infer_op("OneHot", "int64[2,3]", "=10", "int32[2]", NULL);
    mb_attr_int(b, "axis", 0);
    infer_expect(b, "int32 (10, 2, 3)", NULL);
}
