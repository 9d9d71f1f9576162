#include "graph/plumbing.h"

#include <criterion/criterion.h>

#include "tests/support/model_builder.h"

struct fixture {
    struct onnx_model *model;
    struct graph_net net;
    struct graph_plumbing_map map;
    struct warnings warnings;
};

static struct fixture build(struct model_builder *b) {
    struct fixture f = {.model = mb_finish(b)};
    cr_assert_eq(graph_net_init(&f.net, f.model, &f.warnings, NULL), 0);
    cr_assert_eq(graph_plumbing_init(&f.map, &f.net, NULL), 0);
    return f;
}

static void release(struct fixture *f) {
    graph_plumbing_release(&f->map);
    graph_net_release(&f->net);
    warnings_release(&f->warnings);
    onnx_model_free(f->model);
}

static void expect_kinds(const struct fixture *f, const enum graph_plumbing *kinds, size_t n) {
    cr_assert_eq(f->net.n_nodes, n);
    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(f->map.nodes[i], kinds[i], "node %zu: %u, expected %u", i, f->map.nodes[i],
                     kinds[i]);
    }
}

#define EXPECT_KINDS(f, ...)                                      \
    expect_kinds((f), (const enum graph_plumbing[]){__VA_ARGS__}, \
                 ARRAY_LEN(((const enum graph_plumbing[]){__VA_ARGS__})))

#define NONE GRAPH_PLUMBING_NONE
#define CONSTANT GRAPH_PLUMBING_CONSTANT
#define ALIAS GRAPH_PLUMBING_ALIAS
#define WEIGHT GRAPH_PLUMBING_WEIGHT
#define SHAPE GRAPH_PLUMBING_SHAPE

static struct str root_name(const struct fixture *f, uint32_t node) {
    return f->net.values[f->map.root[f->net.nodes[node].outputs[0]]].name;
}

// x.view(x.size(0), -1) as TorchScript writes it.
Test(plumbing, size_of_a_view_is_shape_arithmetic) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3,4]");
    mb_init_ints(b, "axes", "0");
    mb_node(b, "Shape", "", "x", "s");
    mb_node(b, "Constant", "", "", "zero");
    mb_attr_tensor_ints(b, "value", "0");
    mb_node(b, "Gather", "", "s,zero", "d");
    mb_node(b, "Unsqueeze", "", "d,axes", "u");
    mb_node(b, "Concat", "", "u,zero", "t");
    mb_node(b, "Reshape", "", "x,t", "y");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, SHAPE, CONSTANT, SHAPE, SHAPE, SHAPE, NONE);
    release(&f);
}

Test(plumbing, arithmetic_with_data_is_none) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2]");
    mb_node(b, "Shape", "", "x", "s");
    mb_node(b, "Cast", "", "s", "c");
    mb_node(b, "Div", "", "x,c", "y");
    mb_node(b, "ConstantOfShape", "", "s", "z");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, SHAPE, SHAPE, NONE, NONE);
    release(&f);
}

Test(plumbing, embedding_by_a_size_is_an_operator) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2]");
    mb_init(b, "table", "float[10,4]");
    mb_node(b, "Shape", "", "x", "s");
    mb_node(b, "Gather", "", "table,s", "y");
    mb_node(b, "Gather", "", "s,s", "d");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, SHAPE, NONE, SHAPE);
    release(&f);
}

Test(plumbing, constants_stay_constants_through_arithmetic) {
    struct model_builder *b = mb_new();
    mb_init(b, "w", "float[2]");
    mb_node(b, "Constant", "", "", "a");
    mb_node(b, "Identity", "", "a", "b");
    mb_node(b, "Unsqueeze", "", "b", "c");
    mb_node(b, "Mul", "", "c,w", "d");
    mb_node(b, "Range", "", "a,a,a", "e");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, CONSTANT, CONSTANT, CONSTANT, NONE, CONSTANT);
    release(&f);
}

Test(plumbing, what_constant_folding_would_remove_is_a_constant) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,2]");
    mb_init(b, "w", "float[2,2]");
    mb_node(b, "Constant", "", "", "n");
    mb_node(b, "ConstantOfShape", "", "n", "ones");
    mb_node(b, "Trilu", "", "ones", "mask");
    mb_node(b, "Add", "", "x,mask", "y");
    mb_node(b, "Add", "", "w,mask", "z");
    mb_node(b, "RandomNormalLike", "", "mask", "noise");
    mb_node(b, "Relu", "", "noise", "q");
    mb_node(b, "Relu", "", "mask", "u");
    mb_domain(b, "other.domain");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, CONSTANT, CONSTANT, CONSTANT, NONE, NONE, NONE, NONE, NONE);
    release(&f);
}

Test(plumbing, a_known_result_of_the_model_is_an_operator) {
    struct model_builder *b = mb_new();
    mb_node(b, "Constant", "", "", "n");
    mb_node(b, "ConstantOfShape", "", "n", "y");
    mb_output(b, "y", "float[2,2]");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, CONSTANT, NONE);
    release(&f);
}

// F.pad(x, (0, 1, 0, 1)) as torch 1.13 writes it, with the pads in an initializer.
Test(plumbing, pads_in_a_list_of_the_file_are_constant) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1,1,4,4]");
    mb_init_ints(b, "four", "4");
    mb_init_ints(b, "sides", "0,1,0,1");
    mb_init_ints(b, "pairs", "-1,2");
    mb_init_ints(b, "flat", "-1");
    mb_node(b, "ConstantOfShape", "", "four", "zeros");
    mb_node(b, "Concat", "", "sides,zeros", "all");
    mb_node(b, "Reshape", "", "all,pairs", "p");
    mb_node(b, "Transpose", "", "p", "t");
    mb_node(b, "Reshape", "", "t,flat", "r");
    mb_node(b, "Cast", "", "r", "pads");
    mb_node(b, "Pad", "", "x,pads", "y");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, CONSTANT, CONSTANT, WEIGHT, WEIGHT, WEIGHT, WEIGHT, NONE);
    release(&f);
}

// x.expand(n, -1) with the n of another tensor, as TorchScript writes it.
Test(plumbing, a_tensor_of_sizes_that_is_read_as_a_shape_is_shape_arithmetic) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[?,4]");
    mb_init(b, "token", "float[1,4]");
    mb_init_ints(b, "minus", "-1");
    mb_node(b, "Shape", "", "x", "s");
    mb_node(b, "Shape", "", "s", "rank");
    mb_node(b, "ConstantOfShape", "", "rank", "ones");
    mb_node(b, "Mul", "", "ones,minus", "m");
    mb_node(b, "Equal", "", "s,m", "e");
    mb_node(b, "Where", "", "e,ones,s", "to");
    mb_node(b, "Expand", "", "token,to", "y");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, SHAPE, SHAPE, SHAPE, SHAPE, SHAPE, SHAPE, NONE);
    release(&f);
}

Test(plumbing, a_tensor_of_sizes_that_is_read_as_data_too_is_an_operator) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[?,4]");
    mb_node(b, "Shape", "", "x", "s");
    mb_node(b, "ConstantOfShape", "", "s", "zeros");
    mb_node(b, "Cast", "", "zeros", "to");
    mb_node(b, "Expand", "", "x,to", "y");
    mb_node(b, "Add", "", "x,zeros", "z");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, SHAPE, NONE, SHAPE, NONE, NONE);
    release(&f);
}

Test(plumbing, sizes_that_a_graph_hands_out_or_nobody_reads_are_operators) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[?,4]");
    mb_node(b, "Shape", "", "x", "s");
    mb_node(b, "ConstantOfShape", "", "s", "y");
    mb_node(b, "Expand", "", "x,y", "z");
    mb_node(b, "ConstantOfShape", "", "s", "unread");
    mb_output(b, "y", "float[?,4]");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, SHAPE, NONE, NONE, NONE);
    release(&f);
}

Test(plumbing, identity_of_a_weight_is_its_alias) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2]");
    mb_init(b, "w", "float[2]");
    mb_node(b, "Identity", "", "w", "w1");
    mb_node(b, "Identity", "", "w1", "w2");
    mb_node(b, "Identity", "", "x", "y");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, ALIAS, ALIAS, NONE);
    cr_expect(str_eq_z(root_name(&f, 1), "w"));
    cr_expect(str_eq_z(root_name(&f, 2), "y"));
    cr_expect(graph_value_is_fixed(&f.net, &f.map, f.net.nodes[1].outputs[0]));
    cr_expect_not(graph_value_is_fixed(&f.net, &f.map, f.net.nodes[2].outputs[0]));
    release(&f);
}

Test(plumbing, quantisation_of_a_weight_belongs_to_it_that_of_data_does_not) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2]");
    mb_init(b, "w", "float[4,2]");
    mb_init(b, "scale", "float[]");
    mb_init(b, "zero", "int8[]");
    mb_node(b, "QuantizeLinear", "", "w,scale,zero", "wq");
    mb_node(b, "DequantizeLinear", "", "wq,scale,zero", "wd");
    mb_node(b, "Transpose", "", "wd", "wt");
    mb_node(b, "QuantizeLinear", "", "x,scale,zero", "xq");
    mb_node(b, "DequantizeLinear", "", "xq,scale,zero", "xd");
    mb_node(b, "MatMul", "", "xd,wt", "y");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, WEIGHT, WEIGHT, WEIGHT, NONE, NONE, NONE);
    cr_expect(str_eq_z(root_name(&f, 2), "w"));
    release(&f);
}

Test(plumbing, default_of_an_input_is_not_fixed) {
    struct model_builder *b = mb_new();
    mb_input(b, "lora", "float[2]");
    mb_init(b, "lora", "float[2]");
    mb_node(b, "Identity", "", "lora", "y");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, NONE);
    release(&f);
}

Test(plumbing, other_domains_and_functions_are_operators) {
    struct model_builder *b = mb_new();
    mb_init(b, "w", "float[2]");
    mb_node(b, "Identity", "", "w", "a");
    mb_domain(b, "custom");
    mb_node(b, "Shape", "", "w", "s");
    mb_domain(b, "ai.onnx");
    mb_node(b, "Size", "", "w", "n");
    mb_domain(b, "local");
    mb_open_function(b, "local", "Size", "a", "b");
    mb_node(b, "Relu", "", "a", "b");
    mb_close_function(b);
    struct fixture f = build(b);

    EXPECT_KINDS(&f, NONE, SHAPE, NONE);
    release(&f);
}

Test(plumbing, unsorted_chain_is_judged_in_execution_order) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2]");
    mb_node(b, "Cast", "", "s", "c");
    mb_node(b, "Shape", "", "x", "s");
    struct fixture f = build(b);

    EXPECT_KINDS(&f, SHAPE, SHAPE);
    release(&f);
}
