#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_resize, by_sizes_or_scales) {
    infer_expect(infer_op("Resize", "float[1,3,8,8]", "", "", "=1,3,20,21", NULL),
                 "float (1, 3, 20, 21)", NULL);
    infer_expect(infer_op("Resize", "float[1,3,7,8]", "", "~1,1,1.5,0.5", NULL),
                 "float (1, 3, 10, 4)", NULL);
    infer_expect(infer_op("Resize", "float[n,3,h,w]", "", "~1,1,2,0.5", NULL),
                 "float (n, 3, 2*h, floor(w/2))", NULL);
    infer_expect(infer_op("Resize", "float[1,3,8,8]", "", "float[4]", NULL), "float (?, ?, ?, ?)",
                 NULL);
}

Test(infer_resize, axes_name_what_changes) {
    struct model_builder *b =
        infer_op_of("", 18, "Resize", "float[1,3,8,8]", "", "", "=20,21", NULL);
    mb_attr_ints(b, "axes", "2,-1");
    infer_expect(b, "float (1, 3, 20, 21)", NULL);
    b = infer_op_of("", 18, "Resize", "float[1,3,8,8]", "", "", "=1,3,20,21", NULL);
    mb_attr_str(b, "keep_aspect_ratio_policy", "not_larger");
    infer_expect(b, "float (?, ?, ?, ?)", NULL);
}

Test(infer_resize, older_opsets) {
    infer_expect(infer_op_of("", 10, "Resize", "float[1,3,8,8]", "~1,1,2,2", NULL),
                 "float (1, 3, 16, 16)", NULL);
    infer_expect(infer_op_of("", 9, "Upsample", "float[1,3,8,8]", "~1,1,2,2", NULL),
                 "float (1, 3, 16, 16)", NULL);
    struct model_builder *b = infer_op_of("", 7, "Upsample", "float[1,3,8,8]", NULL);
    mb_attr_floats(b, "scales", "1,1,2,3");
    infer_expect(b, "float (1, 3, 16, 24)", NULL);
}

Test(infer_resize, grids) {
    infer_expect(infer_op("GridSample", "float[n,3,8,8]", "float[n,5,6,2]", NULL),
                 "float (n, 3, 5, 6)", NULL);
    infer_expect(infer_op("AffineGrid", "float[2,2,3]", "=2,3,5,6", NULL), "float (2, 5, 6, 2)",
                 NULL);
}
