// Shape arithmetic: what an operator computes is seen where a ConstantOfShape uses it as a shape.
#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

// Adds a ConstantOfShape of y0, and expects its shape.
static void expect_values(struct model_builder *b, const char *shape) {
    struct infer_case c;
    mb_node(b, "ConstantOfShape", "", "y0", "shaped");
    infer_case_init(&c, b);
    infer_case_expect(&c, "shaped", shape);
    infer_case_release(&c);
}

// Of a scalar: it is made a list first.
static void expect_value(struct model_builder *b, const char *shape) {
    struct infer_case c;
    mb_init_ints(b, "axes", "0");
    mb_node(b, "Unsqueeze", "", "y0,axes", "list");
    mb_node(b, "ConstantOfShape", "", "list", "shaped");
    infer_case_init(&c, b);
    infer_case_expect(&c, "shaped", shape);
    infer_case_release(&c);
}

Test(infer_data, shapes_are_values) {
    expect_values(infer_op("Shape", "float[2,n,?]", NULL), "float (2, n, ?)");
    struct model_builder *b = infer_op("Shape", "float[2,3,4]", NULL);
    mb_attr_int(b, "start", 1);
    expect_values(b, "float (3, 4)");
    expect_value(infer_op("Size", "float[2,n,4]", NULL), "float (8*n)");
}

Test(infer_data, integers_are_computed) {
    expect_values(infer_op("Add", "=1,2", "=3", NULL), "float (4, 5)");
    expect_values(infer_op("Sub", "=9,2", "#1", NULL), "float (8, 1)");
    expect_values(infer_op("Mul", "=1,2", "=3,4", NULL), "float (3, 8)");
    expect_values(infer_op("Div", "=7,8", "=2", NULL), "float (3, 4)");
    expect_values(infer_op("Div", "=7", "=0", NULL), "float (?)");
    expect_values(infer_op("Mod", "=-7,7", "=4", NULL), "float (1, 3)");
    expect_values(infer_op("Max", "=1,9", "=5", NULL), "float (5, 9)");
    expect_values(infer_op("Min", "=1,9", "=5", NULL), "float (1, 5)");
    expect_values(infer_op("Pow", "=2", "=10", NULL), "float (1024)");
    expect_values(infer_op("Neg", "=-3", NULL), "float (3)");
    expect_values(infer_op("Abs", "=-3", NULL), "float (3)");
    expect_values(infer_op("Mul", "=9223372036854775807", "=2", NULL), "float (?)");
}

Test(infer_data, values_move_as_tensors_do) {
    expect_values(infer_op("Gather", "=5,6,7", "=-1,0", NULL), "float (7, 5)");
    expect_value(infer_op("Gather", "=5,6,7", "#1", NULL), "float (6)");
    expect_values(infer_op("Slice", "=5,6,7,8", "=1", "=3", NULL), "float (6, 7)");
    expect_values(infer_op("Slice", "=5,6,7", "=-1", "=-9", "=0", "=-1", NULL), "float (7, 6, 5)");
    expect_values(infer_op("Identity", "=5,6", NULL), "float (5, 6)");
    expect_values(infer_op("Expand", "=5", "=3", NULL), "float (5, 5, 5)");
    expect_values(infer_op("Tile", "=5,6", "=2", NULL), "float (5, 6, 5, 6)");
    expect_values(infer_op("ReduceProd", "=5,6", NULL), "float (30)");
    struct model_builder *b = infer_op("Concat", "=5", "int64[1]", "=6,7", NULL);
    mb_attr_int(b, "axis", 0);
    expect_values(b, "float (5, ?, 6, 7)");
    b = infer_op("Split", "=5,6,7,8", "=2,1,1", NULL);
    expect_values(b, "float (5, 6)");
}

Test(infer_data, an_index_out_of_range_is_unknown) {
    expect_values(infer_op("Gather", "=5,6,7", "=3", NULL), "float (?)");
}

Test(infer_data, choices) {
    struct model_builder *b = infer_op("Where", "bool[2]", "=1,2", "=1,3", NULL);
    expect_values(b, "float (1, ?)");
    expect_values(infer_op("Range", "#2", "#5", "#1", NULL), "float (2, 3, 4)");
}

// What torch.expand exports: -1 in the target keeps the dim, by way of Equal and Where.
Test(infer_data, a_size_is_never_negative) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[n,1]");
    mb_node(b, "Shape", "", "x", "shape");
    mb_init_ints(b, "minus", "-1,-1");
    mb_init_ints(b, "ones", "1,1");
    mb_node(b, "Equal", "", "shape,minus", "negative");
    mb_node(b, "Where", "", "negative,ones,shape", "y0");
    expect_values(b, "float (n, 1)");
}

// What torch.nn.functional.interpolate exports: floor(size * scale) in float.
Test(infer_data, floats_are_computed_where_sizes_pass_through_them) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[7]");
    mb_node(b, "Shape", "", "x", "n");
    mb_node(b, "Cast", "", "n", "f");
    mb_attr_int(b, "to", 1);
    mb_node(b, "Constant", "", "", "scale");
    mb_attr_floats(b, "value_floats", "1.5");
    mb_node(b, "Mul", "", "f,scale", "g");
    mb_node(b, "Floor", "", "g", "h");
    mb_node(b, "Cast", "", "h", "y0");
    mb_attr_int(b, "to", 7);
    expect_values(b, "float (10)");
}

Test(infer_data, symbols_are_computed) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[batch,seq]");
    mb_node(b, "Shape", "", "x", "shape");
    mb_init_ints(b, "two", "2");
    mb_node(b, "Mul", "", "shape,two", "y0");
    expect_values(b, "float (2*batch, 2*seq)");
    b = mb_new();
    mb_input(b, "x", "float[batch,seq]");
    mb_node(b, "Shape", "", "x", "shape");
    mb_init_ints(b, "two", "2");
    mb_node(b, "Div", "", "shape,two", "y0");
    expect_values(b, "float (floor(batch/2), floor(seq/2))");
}

// What nn.functional.pad exports up to torch 1.13: pads are reversed pair by pair.
Test(infer_data, pads_in_pairs) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1,3,8,8]");
    mb_init_ints(b, "pads", "1,2,3,4,0,0,0,0");
    mb_init_ints(b, "pairs", "-1,2");
    mb_node(b, "Reshape", "", "pads,pairs", "p");
    mb_init_ints(b, "start", "-1");
    mb_init_ints(b, "end", "-9223372036854775807");
    mb_init_ints(b, "axis", "0");
    mb_node(b, "Slice", "", "p,start,end,axis,start", "q");
    mb_node(b, "Transpose", "", "q", "r");
    mb_init_ints(b, "flat", "-1");
    mb_node(b, "Reshape", "", "r,flat", "s");
    mb_node(b, "Pad", "", "x,s", "y");
    struct infer_case c;
    infer_case_init(&c, b);
    infer_case_expect(&c, "y", "float (1, 3, 15, 11)");
    infer_case_release(&c);
}

Test(infer_data, long_lists_are_not_followed) {
    struct model_builder *b = infer_op("ConstantOfShape", "=200", NULL);
    mb_attr_tensor_ints(b, "value", "1");
    expect_values(b, "float ?");
}
