#include "graph/operator_text.h"

#include <criterion/criterion.h>

#include "tests/graph/view_fixture.h"

static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2,3,4,5]");
    mb_input(b, "u", "float");
    mb_input(b, "n", "int64[1]");
    mb_init_ints(b, "zero", "0");
    mb_init_ints(b, "one", "1");
    mb_init_ints(b, "two", "2");
    mb_init_ints(b, "last", "-1");
    mb_init_ints(b, "max", "9223372036854775807");
    mb_init_ints(b, "min", "-9223372036854775807");
    mb_init_ints(b, "pair", "1,0");
    mb_init_ints(b, "ends", "2147483647,-1");
    mb_init_ints(b, "axes", "3,2");
    mb_init_ints(b, "none", "");
    return b;
}

// The text of the first operator.
static void expect(struct model_builder *b, const char *text) {
    struct view_fixture f;
    struct buf out;

    view_fixture_init(&f, b, NULL, 0);
    view_fixture_draw(&f);
    buf_init(&out, 256);
    graph_operator_text(&out, &f.view, 0);
    cr_expect(str_eq_z(buf_str(&out), text), "%.*s, expected %s", STR_ARG(buf_str(&out)), text);
    buf_release(&out);
    view_fixture_release(&f);
}

static void expect_of(const char *op, const char *inputs, const char *text) {
    struct model_builder *b = begin();

    mb_node(b, op, "", inputs, "y");
    expect(b, text);
}

Test(operator_text, a_slice_is_written_as_python_does) {
    expect_of("Slice", "x,one,max,two", "Slice [:, :, 1:]");
    expect_of("Slice", "x,zero,last,last", "Slice [..., :-1]");
    expect_of("Slice", "x,one,two", "Slice [1:2]");
    expect_of("Slice", "x,zero,max,zero,two", "Slice [::2]");
    expect_of("Slice", "x,last,min,zero,last", "Slice [::-1]");
    expect_of("Slice", "x,pair,ends,axes", "Slice [..., :-1, 1:]");
}

Test(operator_text, without_a_rank_axes_are_counted_as_the_file_does) {
    expect_of("Slice", "u,one,max,two", "Slice [:, :, 1:]");
    expect_of("Slice", "u,one,max,last", "Slice [..., 1:]");
}

Test(operator_text, a_computed_bound_of_a_slice_is_unknown) {
    expect_of("Slice", "x,zero,n,zero", "Slice [:?]");
    expect_of("Slice", "x,n,n,last", "Slice [..., ?:?]");
    expect_of("Slice", "x,n,n", "Slice");
    expect_of("Slice", "x,zero,one,n", "Slice _, 0, 1, _");
}

Test(operator_text, an_axis_twice_is_only_listed) {
    struct model_builder *b = begin();

    mb_init_ints(b, "same", "1,1");
    mb_node(b, "Slice", "", "x,pair,ends,same", "y");
    expect(b, "Slice (1, 0), (max, -1), (1, 1)");
}

Test(operator_text, constants_stand_where_they_are_read) {
    expect_of("Add", "x,two", "Add 2");
    expect_of("Sub", "two,x", "Sub 2, _");
    expect_of("Clip", "x,,two", "Clip -, 2");
    expect_of("Relu", "x", "Relu");
}

Test(operator_text, empty_lists_are_left_out_inputs) {
    expect_of("Resize", "x,none,none,n", "Resize");
    expect_of("Resize", "x,none,,two", "Resize -, 2");
}

Test(operator_text, a_constant_too_large_to_write_keeps_its_place) {
    struct model_builder *b = begin();

    mb_init_ints(b, "many", "1,2,3,4,5,6,7,8,9");
    mb_node(b, "Where", "", "many,two,x", "y");
    expect(b, "Where \xE2\x80\xA6, 2, _");
}

Test(operator_text, what_a_bool_constant_holds_is_true_or_false) {
    struct model_builder *b = begin();

    mb_node(b, "Equal", "", "n,zero", "e");
    mb_node(b, "Constant", "", "", "c");
    mb_attr_tensor_ints(b, "value", "1");
    expect(b, "Equal 0");
}

// What takes part by a scale says nothing about what is computed.
Test(operator_text, scales_and_zero_points_are_not_written) {
    expect_of("QuantizeLinear", "x,two,zero", "QuantizeLinear");
    expect_of("DequantizeLinear", "x,two,zero", "DequantizeLinear");
    expect_of("MatMulInteger", "x,x,zero,one", "MatMulInteger");
    expect_of("QLinearMatMul", "x,two,zero,x,two,zero,two,zero", "QLinearMatMul");
}

// A loop over its trips, which ends before when its condition does.
static void expect_loop(const char *inputs, const char *next, const char *text) {
    struct model_builder *b = begin();

    mb_init_ints(b, "true", "1");
    mb_init_ints(b, "three", "3");
    mb_node(b, "Loop", "", inputs, "y");
    mb_open_body(b, "body", "body");
    mb_input(b, "i", "int64");
    mb_input(b, "c", "bool");
    mb_input(b, "v", "float");
    mb_node(b, "Identity", "", next, "d");
    mb_node(b, "Relu", "", "v", "w");
    mb_output(b, "d", "bool");
    mb_output(b, "w", "float");
    mb_close_body(b);
    mb_output(b, "y", "float");
    expect(b, text);
}

Test(operator_text, a_loop_tells_its_trips) {
    expect_loop("three,true,u", "c", "Loop 3 times");
    expect_loop("three,,u", "true", "Loop 3 times");
    expect_loop("one,true,u", "c", "Loop 1 time");
    expect_loop("three,n,u", "c", "Loop at most 3 times");
    expect_loop("three,zero,u", "c", "Loop at most 3 times");
    expect_loop("three,true,u", "v", "Loop at most 3 times");
    expect_loop("max,true,u", "v", "Loop");
    expect_loop("n,true,u", "c", "Loop");
    expect_loop(",true,u", "c", "Loop");
}

Test(operator_text, other_bodies_have_no_operands) {
    expect_of("If", "one", "If");
    expect_of("Scan", "two,x", "Scan");
}

// Half a number is another number.
Test(operator_text, lists_leave_out_whole_elements) {
    struct model_builder *b = begin();

    mb_init_ints(b, "long", "1000000001,2000000002,3000000003,4000000004");
    mb_node(b, "Add", "", "x,long", "y");
    expect(b, "Add (1000000001, 2000000002, 3000000003, \xE2\x80\xA6)");
    b = begin();
    mb_init_ints(b, "long", "1000000001,2000000002,3000000003,4000000004");
    mb_node(b, "Clip", "", "x,long,long,long", "y");
    expect(b, "Clip (1000000001, 2000000002, 3000000003, \xE2\x80\xA6), \xE2\x80\xA6");
}
