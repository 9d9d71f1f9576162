#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_elementwise, keeps_the_shape_of_its_input) {
    infer_expect(infer_op("Relu", "float16[2,n,?]", NULL), "float16 (2, n, ?)", NULL);
    infer_expect(infer_op("Softmax", "float[]", NULL), "float ()", NULL);
    infer_expect(infer_op("Relu", "float", NULL), "float ?", NULL);
    infer_expect(infer_op("Relu", "", NULL), "? ?", NULL);
    infer_expect(infer_op("IsNaN", "float[2]", NULL), "bool (2)", NULL);
}

Test(infer_elementwise, inputs_broadcast) {
    infer_expect(infer_op("Add", "float[2,1,4]", "float[3,1]", NULL), "float (2, 3, 4)", NULL);
    infer_expect(infer_op("Add", "float[]", "float[5]", NULL), "float (5)", NULL);
    infer_expect(infer_op("Add", "float[]", "float[]", NULL), "float ()", NULL);
    infer_expect(infer_op("Mul", "float[0,3]", "float[1,3]", NULL), "float (0, 3)", NULL);
    infer_expect(infer_op("Less", "float[2,3]", "float[3]", NULL), "bool (2, 3)", NULL);
    infer_expect(infer_op("Max", "float[2,1]", "float[3]", "float[4,1,1]", NULL), "float (4, 2, 3)",
                 NULL);
    infer_expect(infer_op("Add", "float[2]", "float", NULL), "float ?", NULL);
}

// Of two dims that are not known to be equal only a number above 1 decides.
Test(infer_elementwise, symbols_broadcast_as_far_as_they_can) {
    infer_expect(infer_op("Add", "float[n,1]", "float[1,m]", NULL), "float (n, m)", NULL);
    infer_expect(infer_op("Add", "float[n]", "float[n]", NULL), "float (n)", NULL);
    infer_expect(infer_op("Add", "float[n]", "float[m]", NULL), "float (?)", NULL);
    infer_expect(infer_op("Add", "float[n]", "float[7]", NULL), "float (7)", NULL);
    infer_expect(infer_op("Add", "float[?]", "float[n]", NULL), "float (?)", NULL);
}

Test(infer_elementwise, inputs_that_do_not_fit_are_a_conflict) {
    struct infer_case c;
    infer_case_init(&c, infer_op("Add", "float[2,3]", "float[4]", NULL));
    infer_case_expect(&c, "y0", "float ?");
    cr_assert_eq(c.warnings.n, 1);
    cr_expect_str_eq(c.warnings.items[0].code, "shape-conflict");
    cr_expect_str_eq(c.warnings.items[0].message,
                     "these inputs do not fit each other: float (2, 3) and float (4)");
    cr_expect_str_eq(c.warnings.items[0].where, "node");
    cr_expect_eq(c.shapes.conflicts[0], 1);
    infer_case_release(&c);
}

Test(infer_elementwise, before_opset_7_the_second_fits_itself_to_the_first) {
    struct model_builder *b = infer_op_of("", 6, "Add", "float[2,3,4]", "float[3]", NULL);
    mb_attr_int(b, "broadcast", 1);
    mb_attr_int(b, "axis", 1);
    infer_expect(b, "float (2, 3, 4)", NULL);
}

Test(infer_elementwise, where_takes_its_type_from_the_choices) {
    infer_expect(infer_op("Where", "bool[2,1]", "float16[3]", "float16[]", NULL), "float16 (2, 3)",
                 NULL);
}

Test(infer_elementwise, cast_changes_the_type) {
    struct model_builder *b = infer_op("Cast", "float[2]", NULL);
    mb_attr_int(b, "to", 7);
    infer_expect(b, "int64 (2)", NULL);
    infer_expect(infer_op("CastLike", "float[2]", "int8[]", NULL), "int8 (2)", NULL);
}

Test(infer_elementwise, dropout_has_a_mask) {
    infer_expect(infer_op("Dropout", "float[2,3]", NULL), "float (2, 3)", "bool (2, 3)", NULL);
    infer_expect(infer_op_of("", 7, "Dropout", "float[2,3]", NULL), "float (2, 3)", "float (2, 3)",
                 NULL);
}

Test(infer_elementwise, norms_have_statistics) {
    struct model_builder *b = infer_op("LayerNormalization", "float16[2,3,4]", "float16[4]", NULL);
    infer_expect(b, "float16 (2, 3, 4)", "float (2, 3, 1)", "float (2, 3, 1)", NULL);
    b = infer_op("LayerNormalization", "float[2,3,4]", "float[3,4]", NULL);
    mb_attr_int(b, "axis", -2);
    infer_expect(b, "float (2, 3, 4)", "float (2, 1, 1)", NULL);
    b = infer_op("BatchNormalization", "float[2,3,4]", "float[3]", "float[3]", "float[3]",
                 "float[3]", NULL);
    infer_expect(b, "float (2, 3, 4)", "float (3)", "float (3)", NULL);
}

Test(infer_elementwise, unknown_operators_make_unknown_outputs) {
    infer_expect(infer_op("Frobnicate", "float[2]", NULL), "? ?", NULL);
    infer_expect(infer_op_of("my.domain", 1, "Relu", "float[2]", NULL), "? ?", NULL);
}
