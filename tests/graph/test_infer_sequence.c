#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

static void expect(struct model_builder *b, const char *name, const char *type) {
    struct infer_case c;
    infer_case_init(&c, b);
    infer_case_expect(&c, name, type);
    cr_expect_eq(c.warnings.total, 0);
    infer_case_release(&c);
}

static struct model_builder *pair(void) {
    struct model_builder *b = mb_new();
    mb_input(b, "a", "float[2,3]");
    mb_input(b, "b", "float[4,3]");
    mb_node(b, "SequenceConstruct", "", "a,b", "s");
    return b;
}

Test(infer_sequence, elements_are_known_one_by_one) {
    struct model_builder *b = pair();
    mb_init_ints(b, "last", "-1");
    mb_node(b, "SequenceAt", "", "s,last", "y");
    expect(b, "y", "float (4, 3)");
    b = pair();
    mb_input(b, "k", "int64[]");
    mb_node(b, "SequenceAt", "", "s,k", "y");
    expect(b, "y", "float (?, 3)");
}

Test(infer_sequence, a_sequence_has_the_type_of_its_elements_and_no_shape) {
    expect(pair(), "s", "float ?");
}

Test(infer_sequence, joining_adds_up) {
    struct model_builder *b = pair();
    mb_node(b, "ConcatFromSequence", "", "s", "y");
    mb_attr_int(b, "axis", 0);
    expect(b, "y", "float (6, 3)");
    b = pair();
    mb_node(b, "ConcatFromSequence", "", "s", "y");
    mb_attr_int(b, "axis", -1);
    mb_attr_int(b, "new_axis", 1);
    expect(b, "y", "float (?, 3, 2)");
}

Test(infer_sequence, inserting_and_erasing_keep_count) {
    struct model_builder *b = pair();
    mb_input(b, "c", "float[7,3]");
    mb_node(b, "SequenceInsert", "", "s,c", "t");
    mb_init_ints(b, "first", "0");
    mb_node(b, "SequenceErase", "", "t,first", "u");
    mb_node(b, "ConcatFromSequence", "", "u", "y");
    mb_attr_int(b, "axis", 0);
    expect(b, "y", "float (11, 3)");
    b = pair();
    mb_node(b, "SequenceLength", "", "s", "n");
    mb_node(b, "Unsqueeze", "", "n,axes", "shape");
    mb_init_ints(b, "axes", "0");
    mb_node(b, "ConstantOfShape", "", "shape", "y");
    expect(b, "y", "float (2)");
}

Test(infer_sequence, splitting_makes_chunks) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,10]");
    mb_node(b, "Constant", "", "", "four");
    mb_attr_int(b, "value_int", 4);
    mb_node(b, "SplitToSequence", "", "x,four", "s");
    mb_attr_int(b, "axis", 1);
    mb_init_ints(b, "last", "2");
    mb_node(b, "SequenceAt", "", "s,last", "y");
    expect(b, "y", "float (2, 2)");
    b = mb_new();
    mb_input(b, "x", "float[3,10]");
    mb_node(b, "SplitToSequence", "", "x", "s");
    mb_attr_int(b, "keepdims", 0);
    mb_init_ints(b, "last", "2");
    mb_node(b, "SequenceAt", "", "s,last", "y");
    expect(b, "y", "float (10)");
}

Test(infer_sequence, optionals_hand_on_what_they_hold) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[3,10]");
    mb_node(b, "Optional", "", "x", "o");
    mb_node(b, "OptionalGetElement", "", "o", "y");
    expect(b, "y", "float (3, 10)");
    expect(infer_op("OptionalHasElement", "float[2]", NULL), "y0", "bool ()");
    expect(infer_op_of("", 18, "OptionalGetElement", "float[2]", NULL), "y0", "float (2)");
}
