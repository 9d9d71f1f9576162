#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    return b;
}

Test(scope_initializer, a_node_belongs_to_the_module_whose_parameters_it_reads) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "layer1.0.conv1.weight", "float[4,4,3,3]");
    mb_init(b, "layer1.0.conv1.bias", "float[4]");
    mb_node(b, "Conv", "Conv_0", "x,layer1.0.conv1.weight,layer1.0.conv1.bias", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "layer1@0 layer1.0@0 layer1.0.conv1@0");
    scope_expect_source(&s, "y", GRAPH_SCOPE_INITIALIZER);
    scope_case_release(&s);
}

Test(scope_initializer, made_up_names_own_nothing) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "onnx::Conv_497.x", "float[4,4,3,3]");
    mb_init(b, "497", "float[4]");
    mb_node(b, "Conv", "Conv_0", "x,onnx::Conv_497.x,497", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "");
    scope_expect_source(&s, "y", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

Test(scope_initializer, an_input_with_a_dotted_name_is_no_parameter) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_input(b, "past_key_values.0.key", "float[1,4]");
    mb_node(b, "Concat", "Concat_0", "past_key_values.0.key,x", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "");
    scope_case_release(&s);
}

// Linear on more than two dimensions: the folded weight loses its name, the bias keeps it.
Test(scope_initializer, a_product_goes_with_the_sum_behind_it) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "onnx::MatMul_7", "float[4,4]");
    mb_init(b, "fc.bias", "float[4]");
    mb_node(b, "MatMul", "MatMul_0", "x,onnx::MatMul_7", "p");
    mb_node(b, "Add", "Add_1", "fc.bias,p", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "p", "fc@0");
    scope_expect_place(&s, "y", "fc@0");
    cr_expect_eq(s.hierarchy.n_calls, 2);
    scope_case_release(&s);
}

Test(scope_initializer, a_parameter_that_is_read_again_is_another_call) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "lin.weight", "float[4,4]");
    mb_node(b, "Gemm", "Gemm_0", "x,lin.weight", "y");
    mb_node(b, "Gemm", "Gemm_1", "y,lin.weight", "z");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "lin@0");
    scope_expect_place(&s, "z", "lin@1");
    scope_case_release(&s);
}

// Blocks numbered without gaps are a ModuleList, which is never called.
Test(scope_initializer, a_list_of_blocks_has_no_level) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "layers.0.attn.q.weight", "float[4,4]");
    mb_init(b, "layers.1.attn.q.weight", "float[4,4]");
    mb_init(b, "head.0.weight", "float[4,4]");
    mb_init(b, "head.2.weight", "float[4,4]");
    mb_node(b, "Gemm", "Gemm_0", "x,layers.0.attn.q.weight", "a");
    mb_node(b, "Gemm", "Gemm_1", "a,layers.1.attn.q.weight", "b");
    mb_node(b, "Gemm", "Gemm_2", "b,head.0.weight", "c");
    mb_node(b, "Gemm", "Gemm_3", "c,head.2.weight", "d");
    scope_case_init(&s, b);
    scope_expect_place(&s, "b", "layers.1@0 layers.1.attn@0 layers.1.attn.q@0");
    scope_expect_place(&s, "d", "head@0 head.2@0");
    scope_case_release(&s);
}

Test(scope_initializer, suffixes_of_quantizers_do_not_count) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "fc.weight_quantized", "int8[4,4]");
    mb_init(b, "fc.weight_scale", "float[]");
    mb_node(b, "DequantizeLinear", "dq", "fc.weight_quantized,fc.weight_scale",
            "fc.weight_DequantizeLinear_Output");
    mb_node(b, "MatMul", "MatMul_0", "x,fc.weight_DequantizeLinear_Output", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "fc@0");
    scope_case_release(&s);
}

// One renamed node among named ones joins the module that they name.
Test(scope_initializer, joins_a_call_that_other_nodes_name) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "net.h.0.fc.bias", "float[4]");
    mb_init(b, "net.h.0.ln.weight", "float[4]");
    mb_node(b, "LayerNormalization", "LayerNorm_0", "x,net.h.0.ln.weight", "n");
    mb_node(b, "Add", "/h.0/fc/Add", "n,net.h.0.fc.bias", "f");
    mb_node(b, "LayerNormalization", "LayerNorm_1", "f,net.h.0.fc.bias", "g");
    scope_case_init(&s, b);
    scope_expect_place(&s, "f", "net.h.0@0 net.h.0.fc@0");
    scope_expect_place(&s, "n", "net.h.0@0 net.h.0.ln@0");
    scope_expect_place(&s, "g", "net.h.0@0 net.h.0.fc@0");
    scope_case_release(&s);
}
