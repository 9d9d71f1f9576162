#include "graph/class_infer.h"

#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "");
    return b;
}

// Class of the module that owns the node, as "Conv2d inferred".
static void expect_class(struct model_builder *b, const char *output, const char *class_name) {
    const struct graph_module *module;
    struct scope_case s;

    scope_case_init(&s, b);
    module =
        &s.hierarchy
             .modules[s.hierarchy.calls[s.hierarchy.node_call[scope_case_node(&s, output)]].module];
    cr_expect(str_eq_z(module->class_name, class_name), "\"%.*s\", not \"%s\"",
              STR_ARG(module->class_name), class_name);
    cr_expect_eq(module->class_source, *class_name ? GRAPH_CLASS_INFERRED : GRAPH_CLASS_NONE);
    scope_case_release(&s);
}

static struct model_builder *conv(const char *op, const char *weight_type) {
    struct model_builder *b = begin();

    mb_init(b, "m.weight", weight_type);
    mb_node(b, op, "/m/Conv", "x,m.weight", "y");
    return b;
}

Test(class_infer, convolutions_go_by_the_rank_of_the_weight) {
    expect_class(conv("Conv", "float[4,3,5]"), "y", "Conv1d");
    expect_class(conv("Conv", "float[4,3,5,5]"), "y", "Conv2d");
    expect_class(conv("ConvTranspose", "float[4,3,5,5,5]"), "y", "ConvTranspose3d");
    expect_class(conv("Conv", "float[4,3]"), "y", "");
    expect_class(conv("Conv", "float[4,3,5,5,5,5]"), "y", "");
}

Test(class_infer, a_product_with_a_matrix_is_linear) {
    struct model_builder *b = begin();

    mb_init(b, "onnx::MatMul_9", "float[4,8]");
    mb_init(b, "m.bias", "float[8]");
    mb_node(b, "MatMul", "/m/MatMul", "x,onnx::MatMul_9", "p");
    mb_node(b, "Add", "/m/Add", "m.bias,p", "y");
    expect_class(b, "y", "Linear");
}

Test(class_infer, a_product_of_two_activations_is_not) {
    struct model_builder *b = begin();

    mb_node(b, "MatMul", "/m/MatMul", "x,x", "y");
    expect_class(b, "y", "");
}

Test(class_infer, a_product_with_a_matrix_that_is_not_transposed_is_no_linear) {
    struct model_builder *b = begin();

    mb_init(b, "m.weight", "float[4,8]");
    mb_node(b, "Gemm", "/m/Gemm", "x,m.weight", "y");
    expect_class(b, "y", "");
}

static struct model_builder *norm_behind(const char *op, const char *weight_type) {
    struct model_builder *b = begin();

    mb_init(b, "c.weight", weight_type);
    mb_init(b, "n.weight", "float[8]");
    mb_node(b, op, "/c/Op", "x,c.weight", "p");
    mb_node(b, "Relu", "/Relu", "p", "q");
    mb_node(b, "BatchNormalization", "/n/BatchNormalization", "q,n.weight", "y");
    return b;
}

Test(class_infer, batch_norms_go_by_what_they_are_fed) {
    expect_class(norm_behind("Conv", "float[8,3,5,5]"), "y", "BatchNorm2d");
    expect_class(norm_behind("Conv", "float[8,3,5]"), "y", "BatchNorm1d");
    expect_class(norm_behind("Gemm", "float[8,3]"), "y", "BatchNorm1d");
    expect_class(norm_behind("Custom", "float[8,3]"), "y", "");
}

Test(class_infer, a_layer_norm_may_come_in_pieces) {
    struct model_builder *b = begin();

    mb_init(b, "n.weight", "float[8]");
    mb_init(b, "n.bias", "float[8]");
    mb_init(b, "two", "float[]");
    mb_node(b, "ReduceMean", "/n/ReduceMean", "x", "a");
    mb_node(b, "Sub", "/n/Sub", "x,a", "b");
    mb_node(b, "Pow", "/n/Pow", "b,two", "c");
    mb_node(b, "ReduceMean", "/n/ReduceMean_1", "c", "d");
    mb_node(b, "Add", "/n/Add", "d,two", "e");
    mb_node(b, "Sqrt", "/n/Sqrt", "e", "f");
    mb_node(b, "Div", "/n/Div", "b,f", "g");
    mb_node(b, "Mul", "/n/Mul", "g,n.weight", "h");
    mb_node(b, "Add", "/n/Add_1", "h,n.bias", "y");
    expect_class(b, "y", "LayerNorm");
}

static struct model_builder *clip(const char *max) {
    struct model_builder *b = begin();

    mb_init_ints(b, "min", "0");
    mb_node(b, "Constant", "", "", "max");
    mb_attr_tensor_ints(b, "value", max);
    mb_node(b, "Clip", "/m/Clip", "x,min,max", "y");
    return b;
}

Test(class_infer, only_a_clip_to_six_is_relu6) {
    expect_class(clip("6"), "y", "ReLU6");
    expect_class(clip("5"), "y", "");
}

Test(class_infer, silu_multiplies_a_value_with_its_own_sigmoid) {
    struct model_builder *b = begin();

    mb_node(b, "Sigmoid", "/m/Sigmoid", "x", "s");
    mb_node(b, "Mul", "/m/Mul", "x,s", "y");
    expect_class(b, "y", "SiLU");
    b = begin();
    mb_input(b, "z", "");
    mb_node(b, "Sigmoid", "/m/Sigmoid", "x", "s");
    mb_node(b, "Mul", "/m/Mul", "z,s", "y");
    expect_class(b, "y", "");
}

Test(class_infer, recurrent_layers_have_only_glue_around_them) {
    struct model_builder *b = begin();

    mb_node(b, "Transpose", "/rnn/Transpose", "x", "p");
    mb_node(b, "GRU", "/rnn/GRU", "p", "q");
    mb_node(b, "GRU", "/rnn/GRU_1", "q", "r");
    mb_node(b, "Squeeze", "/rnn/Squeeze", "r", "y");
    expect_class(b, "y", "GRU");
    b = begin();
    mb_node(b, "GRU", "/rnn/GRU", "x", "q");
    mb_node(b, "Relu", "/rnn/Relu", "q", "y");
    expect_class(b, "y", "");
}

Test(class_infer, what_quantizers_add_does_not_count) {
    struct model_builder *b = begin();

    mb_init(b, "s", "float[]");
    mb_node(b, "Relu", "/m/Relu", "x", "p");
    mb_node(b, "QuantizeLinear", "/m/QuantizeLinear", "p,s", "q");
    mb_node(b, "DequantizeLinear", "/m/DequantizeLinear", "q,s", "y");
    expect_class(b, "p", "ReLU");
}

Test(class_infer, a_composite_has_no_class) {
    struct model_builder *b = begin();

    mb_node(b, "Relu", "/m/act/Relu", "x", "p");
    mb_node(b, "Sigmoid", "/m/Sigmoid", "p", "y");
    expect_class(b, "y", "");
}

Test(class_infer, calls_that_differ_leave_no_class) {
    struct model_builder *b = begin();

    mb_node(b, "Relu", "/m/Relu", "x", "p");
    mb_node(b, "Sigmoid", "/m_1/Sigmoid", "p", "y");
    expect_class(b, "y", "");
}

Test(class_infer, an_operator_of_a_foreign_domain_says_nothing) {
    struct model_builder *b = begin();

    mb_node(b, "Relu", "/m/Relu", "x", "y");
    mb_domain(b, "custom");
    expect_class(b, "y", "");
}

Test(class_infer, the_class_a_file_names_stays) {
    struct model_builder *b = begin();
    struct scope_case s;

    scope_dynamo_node(b, "Relu", "x", "y", "['', 'm', 'relu']", "['Net', 'my.Act', 'aten.relu']",
                      NULL);
    scope_case_init(&s, b);
    cr_expect(str_eq_z(s.hierarchy.modules[1].class_name, "my.Act"));
    cr_expect_eq(s.hierarchy.modules[1].class_source, GRAPH_CLASS_METADATA);
    scope_case_release(&s);
}
