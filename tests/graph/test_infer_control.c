#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

static void add_branch(struct model_builder *b, const char *attribute, const char *op) {
    mb_open_body(b, attribute, attribute);
    mb_node(b, op, "", "x", attribute);
    mb_output(b, attribute, "");
    mb_close_body(b);
}

static struct model_builder *if_model(const char *condition) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1,3]");
    if (*condition) {
        mb_node(b, "Constant", "", "", "c");
        mb_attr_int(b, "value_int", condition[0] - '0');
    } else {
        mb_input(b, "c", "bool[]");
    }
    mb_node(b, "If", "if", "c", "y");
    add_branch(b, "then_branch", "Relu");
    add_branch(b, "else_branch", "Transpose");
    return b;
}

static void expect(struct model_builder *b, const char *name, const char *type) {
    struct infer_case c;
    infer_case_init(&c, b);
    infer_case_expect(&c, name, type);
    infer_case_release(&c);
}

Test(infer_control, branches_agree_on_what_is_known) {
    expect(if_model(""), "y", "float (?, ?)");
    expect(if_model(""), "else_branch", "float (3, 1)");
}

Test(infer_control, a_known_condition_chooses) {
    expect(if_model("1"), "y", "float (1, 3)");
    expect(if_model("0"), "y", "float (3, 1)");
}

// Carries h and stacks s. `op` makes the new h out of h and x.
static struct model_builder *loop(const char *limit, const char *initial, const char *op) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_input(b, "init", initial);
    if (*limit) {
        mb_node(b, "Constant", "", "", "limit");
        mb_attr_int(b, "value_int", limit[0] - '0');
    } else {
        mb_input(b, "limit", "int64[]");
    }
    mb_node(b, "Loop", "loop", "limit,,init", "last,stacked");
    mb_open_body(b, "body", "body");
    mb_input(b, "i", "");
    mb_input(b, "cond", "");
    mb_input(b, "h", "");
    mb_node(b, op, "", "h,x", "next");
    if (op[0] == 'C') {
        mb_attr_int(b, "axis", 0);
    }
    mb_node(b, "Identity", "", "cond", "go_on");
    mb_output(b, "go_on", "");
    mb_output(b, "next", "");
    mb_output(b, "next", "");
    mb_close_body(b);
    return b;
}

Test(infer_control, a_loop_that_keeps_its_shape) {
    expect(loop("", "float[2,3]", "Add"), "last", "float (2, 3)");
    expect(loop("", "float[2,3]", "Add"), "stacked", "float (?, 2, 3)");
    expect(loop("5", "float[2,3]", "Add"), "stacked", "float (5, 2, 3)");
    expect(loop("5", "float[2,3]", "Add"), "i", "int64 ()");
    expect(loop("5", "float[2,3]", "Add"), "cond", "bool ()");
}

// The first round broadcasts (2, 1) to (2, 3); from then on it stays. With at least one round the
// result is (2, 3).
Test(infer_control, carried_values_widen_until_they_hold) {
    expect(loop("", "float[2,1]", "Add"), "last", "float (2, ?)");
    expect(loop("", "float[2,1]", "Add"), "h", "float (2, ?)");
    expect(loop("4", "float[2,1]", "Add"), "next", "float (2, 3)");
    expect(loop("4", "float[2,1]", "Add"), "last", "float (2, 3)");
}

Test(infer_control, a_growing_value_has_an_unknown_dim) {
    expect(loop("", "float[0,3]", "Concat"), "last", "float (?, 3)");
    expect(loop("4", "float[0,3]", "Concat"), "stacked", "float (4, ?, 3)");
}

// Each round adds a dim: nothing holds but the type.
Test(infer_control, a_value_of_growing_rank_has_none) {
    struct model_builder *b = mb_new();
    mb_input(b, "init", "float[2]");
    mb_input(b, "limit", "int64[]");
    mb_init_ints(b, "axes", "0");
    mb_node(b, "Loop", "loop", "limit,,init", "last");
    mb_open_body(b, "body", "body");
    mb_input(b, "i", "");
    mb_input(b, "cond", "");
    mb_input(b, "h", "");
    mb_node(b, "Unsqueeze", "", "h,axes", "next");
    mb_output(b, "cond", "");
    mb_output(b, "next", "");
    mb_close_body(b);
    expect(b, "last", "float ?");
}

// A chain of carried values takes one round per link; past the bound all of them give up.
Test(infer_control, rounds_are_bounded) {
    struct model_builder *b = mb_new();
    mb_input(b, "a0", "float[2]");
    mb_input(b, "other", "float[3]");
    mb_input(b, "limit", "int64[]");
    mb_node(b, "Loop", "loop", "limit,,a0,a0,a0,a0,a0,a0,a0,a0", "y0,y1,y2,y3,y4,y5,y6,y7");
    mb_open_body(b, "body", "body");
    mb_input(b, "i", "");
    mb_input(b, "cond", "");
    static const char *const in[] = {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7"};
    for (size_t k = 0; k < 8; k++) {
        mb_input(b, in[k], "");
    }
    mb_output(b, "cond", "");
    mb_output(b, "other", "");
    for (size_t k = 0; k < 7; k++) {
        mb_output(b, in[k], "");
    }
    mb_close_body(b);
    struct infer_case c;
    infer_case_init(&c, b);
    infer_case_expect(&c, "y0", "float (?)");
    infer_case_expect(&c, "h7", "float ?");
    infer_case_release(&c);
}

Test(infer_control, loops_in_loops_start_afresh) {
    struct model_builder *b = mb_new();
    mb_input(b, "init", "float[1,1]");
    mb_input(b, "wide", "float[1,3]");
    mb_input(b, "limit", "int64[]");
    mb_node(b, "Loop", "outer", "limit,,init", "y");
    mb_open_body(b, "body", "outer_body");
    mb_input(b, "i", "");
    mb_input(b, "c", "");
    mb_input(b, "h", "");
    mb_node(b, "Loop", "inner", "limit,,h", "g");
    mb_open_body(b, "body", "inner_body");
    mb_input(b, "j", "");
    mb_input(b, "d", "");
    mb_input(b, "k", "");
    mb_node(b, "Add", "", "k,wide", "next");
    mb_output(b, "d", "");
    mb_output(b, "next", "");
    mb_close_body(b);
    mb_output(b, "c", "");
    mb_output(b, "g", "");
    mb_close_body(b);
    struct infer_case c;
    infer_case_init(&c, b);
    infer_case_expect(&c, "y", "float (1, ?)");
    infer_case_expect(&c, "k", "float (1, ?)");
    infer_case_release(&c);
}

Test(infer_control, scan_takes_slices_and_stacks_them) {
    struct model_builder *b = mb_new();
    mb_input(b, "state", "float[4]");
    mb_input(b, "xs", "float[4,seq]");
    mb_node(b, "Scan", "scan", "state,xs", "last,ys");
    mb_attr_int(b, "num_scan_inputs", 1);
    mb_attr_ints(b, "scan_input_axes", "-1");
    mb_attr_ints(b, "scan_output_axes", "1");
    mb_open_body(b, "body", "body");
    mb_input(b, "s", "");
    mb_input(b, "x", "");
    mb_node(b, "Add", "", "s,x", "t");
    mb_output(b, "t", "");
    mb_output(b, "t", "");
    mb_close_body(b);
    struct infer_case c;
    infer_case_init(&c, b);
    infer_case_expect(&c, "x", "float (4)");
    infer_case_expect(&c, "last", "float (4)");
    infer_case_expect(&c, "ys", "float (4, seq)");
    infer_case_release(&c);
}

Test(infer_control, a_body_without_nodes) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2]");
    mb_input(b, "limit", "int64[]");
    mb_node(b, "Loop", "loop", "limit,,x", "y");
    mb_open_body(b, "body", "body");
    mb_input(b, "i", "");
    mb_input(b, "c", "");
    mb_input(b, "h", "");
    mb_output(b, "c", "");
    mb_output(b, "h", "");
    mb_close_body(b);
    expect(b, "y", "float (2)");
}
