// The walk: order, declarations, conflicts, bounds.
#include <criterion/criterion.h>
#include <string.h>

#include "tests/graph/infer_case.h"

static struct model_builder *declared(const char *type) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_node(b, "Relu", "r", "x", "y");
    mb_output(b, "y", type);
    return b;
}

static void expect_declared(const char *type, const char *result, bool conflict) {
    struct infer_case c;
    infer_case_init(&c, declared(type));
    infer_case_expect(&c, "y", result);
    cr_expect_eq(infer_case_warned(&c, "shape-conflict"), conflict, "%s", type);
    cr_expect_eq(c.shapes.conflicts[0], conflict);
    infer_case_release(&c);
}

Test(infer, a_declaration_stays_and_gets_more_exact) {
    expect_declared("float[2,3]", "float (2, 3)", false);
    expect_declared("float[batch,?]", "float (2, 3)", false);
    expect_declared("float", "float (2, 3)", false);
    expect_declared("", "float (2, 3)", false);
}

Test(infer, a_declared_symbol_stays_where_no_number_follows) {
    struct infer_case c;
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[n,?]");
    mb_node(b, "Relu", "", "x", "y");
    mb_output(b, "y", "float[batch,seq]");
    infer_case_init(&c, b);
    infer_case_expect(&c, "y", "float (batch, seq)");
    infer_case_release(&c);
}

// TorchScript names the dims of outputs after the operator when it does not follow them.
Test(infer, a_made_up_symbol_gives_way_to_one_of_the_inputs) {
    struct infer_case c;
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[batch,?,3]");
    mb_node(b, "Relu", "", "x", "y");
    mb_output(b, "y", "float[Reluoutput_dim_0,Reluy_dim_1,unk__7]");
    infer_case_init(&c, b);
    infer_case_expect(&c, "y", "float (batch, ?, 3)");
    infer_case_release(&c);
}

Test(infer, a_contradiction_marks_the_node_and_names_both_shapes) {
    struct infer_case c;
    expect_declared("float[2,4]", "float (2, 4)", true);
    expect_declared("float[6]", "float (6)", true);
    expect_declared("int64[2,3]", "int64 (2, 3)", true);
    infer_case_init(&c, declared("float[2,4]"));
    cr_assert_eq(c.warnings.n, 1);
    cr_expect_str_eq(c.warnings.items[0].message,
                     "it is declared float (2, 4), but its inputs make it float (2, 3)");
    cr_expect_str_eq(c.warnings.items[0].where, "r");
    infer_case_release(&c);
}

// What follows trusts the declaration, so that one broken place is one conflict.
Test(infer, one_broken_place_is_one_conflict) {
    struct infer_case c;
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_node(b, "Relu", "", "x", "h");
    mb_node(b, "Relu", "", "h", "y");
    mb_value(b, "h", "float[5,5]");
    mb_output(b, "y", "float[5,5]");
    infer_case_init(&c, b);
    cr_expect_eq(c.warnings.n, 1);
    infer_case_release(&c);
}

Test(infer, carelessness_without_consequence_is_no_conflict) {
    struct infer_case c;
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_input(b, "s", "float[]");
    mb_node(b, "Relu", "", "x", "unread");
    mb_node(b, "Relu", "", "s", "scalar");
    mb_value(b, "unread", "float[0]");
    mb_output(b, "scalar", "float[1]");
    infer_case_init(&c, b);
    cr_expect_eq(c.warnings.n, 0);
    infer_case_release(&c);
}

Test(infer, conflicts_past_a_bound_are_counted) {
    struct infer_case c;
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2]");
    mb_input(b, "y", "float[3]");
    for (int i = 0; i < 40; i++) {
        mb_node(b, "Add", "", "x,y", "");
    }
    mb_node(b, "Add", "", "x,y", "z");
    infer_case_init(&c, b);
    cr_expect_leq(c.warnings.n, 20);
    cr_expect_str_eq(c.warnings.items[c.warnings.n - 1].message,
                     "25 more shapes contradict each other");
    infer_case_release(&c);
}

Test(infer, a_file_that_is_not_sorted_is_walked_in_order) {
    struct infer_case c;
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "", "h", "y");
    mb_node(b, "Relu", "", "x", "h");
    infer_case_init(&c, b);
    infer_case_expect(&c, "y", "float (2)");
    infer_case_release(&c);
}

Test(infer, a_rank_past_the_bound_is_unknown) {
    struct infer_case c;
    char type[512] = "float[1";
    for (int i = 0; i < 40; i++) {
        memcpy(type + 7 + (size_t)i * 2, ",1", 3);
    }
    memcpy(type + 7 + 80, "]", 2);
    infer_case_init(&c, infer_op("Add", type, type, NULL));
    infer_case_expect(&c, "y0", "? ?");
    infer_case_release(&c);
}
