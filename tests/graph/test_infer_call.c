#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

static void expect(struct model_builder *b, const char *name, const char *type) {
    struct infer_case c;
    infer_case_init(&c, b);
    infer_case_expect(&c, name, type);
    infer_case_release(&c);
}

static void call(struct model_builder *b, const char *op, const char *inputs, const char *outputs) {
    mb_node(b, op, op, inputs, outputs);
    mb_domain(b, "f");
}

Test(infer_call, the_body_is_run_for_each_call) {
    struct model_builder *b = mb_new();
    mb_open_function(b, "f", "Linear", "x,w", "y");
    mb_node(b, "Transpose", "", "w", "t");
    mb_node(b, "MatMul", "", "x,t", "y");
    mb_close_function(b);
    mb_input(b, "x", "float[n,3]");
    mb_init(b, "w1", "float[5,3]");
    mb_init(b, "w2", "float[7,5]");
    call(b, "Linear", "x,w1", "h");
    call(b, "Linear", "h,w2", "y");
    struct infer_case c;
    infer_case_init(&c, b);
    infer_case_expect(&c, "h", "float (n, 5)");
    infer_case_expect(&c, "y", "float (n, 7)");
    cr_expect(str_eq_z(c.shapes.macs[0].symbol, "15*n"));
    cr_expect(str_eq_z(c.shapes.macs[1].symbol, "35*n"));
    infer_case_release(&c);
}

Test(infer_call, attributes_and_values_of_the_call_reach_the_body) {
    struct model_builder *b = mb_new();
    mb_open_function(b, "f", "Inner", "x,shape", "y");
    mb_node(b, "Reshape", "", "x,shape", "r");
    mb_node(b, "Concat", "", "r,r", "y");
    mb_attr_ref(b, "axis", "along");
    mb_close_function(b);
    mb_open_function(b, "f", "Outer", "x,shape", "y");
    call(b, "Inner", "x,shape", "y");
    mb_attr_ref(b, "along", "dim");
    mb_close_function(b);
    mb_input(b, "x", "float[2,3]");
    mb_init_ints(b, "shape", "3,2");
    call(b, "Outer", "x,shape", "y");
    mb_attr_int(b, "dim", 1);
    expect(b, "y", "float (3, 4)");
}

Test(infer_call, a_function_that_calls_itself_ends_unknown) {
    struct model_builder *b = mb_new();
    mb_open_function(b, "f", "Self", "x", "y");
    call(b, "Self", "x", "t");
    mb_node(b, "Relu", "", "t", "y");
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    call(b, "Self", "x", "y");
    expect(b, "y", "? ?");
}

// Each level calls the next one twice: 2^30 calls would never end.
Test(infer_call, doubling_calls_are_bounded) {
    struct model_builder *b = mb_new();
    static char names[31][4];
    for (int k = 0; k < 31; k++) {
        names[k][0] = 'F';
        names[k][1] = (char)('a' + k / 10);
        names[k][2] = (char)('0' + k % 10);
    }
    for (int k = 0; k < 30; k++) {
        mb_open_function(b, "f", names[k], "x", "y");
        call(b, names[k + 1], "x", "t");
        call(b, names[k + 1], "t", "y");
        mb_close_function(b);
    }
    mb_open_function(b, "f", names[30], "x", "y");
    mb_node(b, "Relu", "", "x", "y");
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    call(b, names[0], "x", "y");
    struct infer_case c;
    infer_case_init(&c, b);
    cr_expect_eq(c.shapes.macs[0].kind, DIM_UNKNOWN);
    infer_case_release(&c);
}

Test(infer_call, what_the_body_leaves_out_is_unknown) {
    struct model_builder *b = mb_new();
    mb_open_function(b, "f", "Part", "x,never", "y,z");
    mb_node(b, "Add", "", "x,never", "y");
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    call(b, "Part", "x", "y,z");
    expect(b, "z", "? ?");
}
