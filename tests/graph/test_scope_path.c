#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/graph/scope_case.h"

// A chain of nodes named as the TorchScript exporter names them; the outputs get short names.
struct chain {
    struct model_builder *b;
    char last[16];
    int n;
};

static struct chain begin(void) {
    struct chain c = {.b = mb_new(), .last = "x"};

    mb_input(c.b, "x", "float[1,4]");
    return c;
}

static void add(struct chain *c, const char *op, const char *name, const char *parameters) {
    struct buf inputs;
    char output[16];

    buf_init(&inputs, 1 << 10);
    buf_add_z(&inputs, c->last);
    buf_add_z(&inputs, *parameters ? "," : "");
    buf_add_z(&inputs, parameters);
    buf_add_char(&inputs, '\0');
    snprintf(output, sizeof(output), "v%d", c->n++);
    mb_node(c->b, op, name, (const char *)inputs.p, output);
    memcpy(c->last, output, sizeof(output));
    buf_release(&inputs);
}

Test(scope_path, a_numbered_child_repeats_its_parents_name) {
    struct chain c = begin();
    struct scope_case s;

    add(&c, "Conv", "/layer1/layer1.0/conv1/Conv", "");
    add(&c, "Relu", "/layer1/layer1.0/relu/Relu", "");
    add(&c, "Flatten", "/Flatten", "");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0", "layer1@0 layer1.0@0 layer1.0.conv1@0");
    scope_expect_place(&s, "v1", "layer1@0 layer1.0@0 layer1.0.relu@0");
    scope_expect_place(&s, "v2", "");
    scope_expect_source(&s, "v2", GRAPH_SCOPE_NAME);
    cr_expect_eq(s.hierarchy.depth, 3);
    scope_case_release(&s);
}

Test(scope_path, plain_children_of_a_traced_module_join_with_a_dot) {
    struct chain c = begin();
    struct scope_case s;

    add(&c, "Conv", "/layer1/0/conv1/Conv", "");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0", "layer1@0 layer1.0@0 layer1.0.conv1@0");
    scope_case_release(&s);
}

Test(scope_path, a_number_counts_calls_when_the_module_exists_without_it) {
    struct chain c = begin();
    struct scope_case s;

    add(&c, "Relu", "/block/relu/Relu", "");
    add(&c, "Relu", "/block/relu_1/Relu", "");
    add(&c, "Gemm", "/ln_2/Gemm", "");
    add(&c, "Add", "/block/Add", "");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0", "block@0 block.relu@0");
    scope_expect_place(&s, "v1", "block@0 block.relu@1");
    scope_expect_place(&s, "v2", "ln_2@0");
    scope_case_release(&s);
}

// Names and owners seen in an export of modules lin, lin_1 and lin_2, called in turns.
Test(scope_path, parameters_part_modules_that_are_printed_alike) {
    static const char *const calls[][3] = {
        {"/lin/Gemm", "lin.weight", "lin@0"},         {"/lin_1/Gemm", "lin_1.weight", "lin_1@0"},
        {"/lin_1/Gemm_1", "lin.weight", "lin@1"},     {"/lin_1_1/Gemm", "lin_1.weight", "lin_1@1"},
        {"/lin_2/Gemm", "lin.weight", "lin@2"},       {"/lin_1_2/Gemm", "lin_1.weight", "lin_1@2"},
        {"/lin_2/Gemm_1", "lin_2.weight", "lin_2@0"},
    };
    struct chain c = begin();
    struct scope_case s;
    char output[16];

    mb_init(c.b, "lin.weight", "float[4,4]");
    mb_init(c.b, "lin_1.weight", "float[4,4]");
    mb_init(c.b, "lin_2.weight", "float[4,4]");
    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        add(&c, "Gemm", calls[i][0], calls[i][1]);
    }
    scope_case_init(&s, c.b);
    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        snprintf(output, sizeof(output), "v%zu", i);
        scope_expect_place(&s, output, calls[i][2]);
    }
    scope_case_release(&s);
}

Test(scope_path, a_scope_around_others_has_no_number) {
    struct chain c = begin();
    struct scope_case s;

    add(&c, "Relu", "/act/Relu", "");
    add(&c, "Conv", "/act_1/conv/Conv", "");
    add(&c, "Add", "/act_1/Add", "");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v2", "act_1@0");
    scope_expect_place(&s, "v1", "act_1@0 act_1.conv@0");
    scope_case_release(&s);
}

Test(scope_path, a_parameter_names_containers_that_are_never_called) {
    struct chain c = begin();
    struct scope_case s;

    mb_init(c.b, "transformer.h.0.attn.c_attn.bias", "float[4]");
    add(&c, "MatMul", "/h.0/attn/c_attn/MatMul", "");
    add(&c, "Add", "/h.0/attn/c_attn/Add", "transformer.h.0.attn.c_attn.bias");
    add(&c, "Softmax", "/h.0/attn/Softmax", "");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0",
                       "transformer.h.0@0 transformer.h.0.attn@0 transformer.h.0.attn.c_attn@0");
    scope_expect_place(&s, "v2", "transformer.h.0@0 transformer.h.0.attn@0");
    scope_case_release(&s);
}

Test(scope_path, a_merged_parameter_of_another_module_does_not_move_a_scope) {
    struct chain c = begin();
    struct scope_case s;

    mb_init(c.b, "blocks.0.norm.weight", "float[4]");
    add(&c, "Mul", "/blocks.0/norm/Mul", "blocks.0.norm.weight");
    add(&c, "Mul", "/blocks.5/norm/Mul", "blocks.0.norm.weight");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0", "blocks.0@0 blocks.0.norm@0");
    scope_expect_place(&s, "v1", "blocks.5@0 blocks.5.norm@0");
    scope_case_release(&s);
}

// An Identity gives a merged parameter its own name back.
Test(scope_path, an_alias_has_the_parameters_true_name) {
    struct chain c = begin();
    struct scope_case s;

    mb_init(c.b, "layers.0.norm.weight", "float[4]");
    mb_node(c.b, "Identity", "Identity_0", "layers.0.norm.weight", "layers.1.norm.weight");
    add(&c, "Mul", "/norm/Mul", "layers.0.norm.weight");
    add(&c, "Mul", "/norm_1/Mul", "layers.1.norm.weight");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0", "layers.0.norm@0");
    scope_expect_place(&s, "v1", "layers.1.norm@0");
    scope_case_release(&s);
}

// Layers in a list of dicts: scopes print neither, and the experts' weights have lost their names.
Test(scope_path, different_weights_are_different_modules_in_the_containers_around_them) {
    struct chain c = begin();
    struct scope_case s;

    mb_init(c.b, "layers.0.norm.weight", "float[4]");
    mb_init(c.b, "layers.1.norm.weight", "float[4]");
    mb_init(c.b, "onnx::MatMul_1", "float[4,4]");
    mb_init(c.b, "onnx::MatMul_2", "float[4,4]");
    add(&c, "Mul", "/norm/Mul", "layers.0.norm.weight");
    add(&c, "MatMul", "/moe/gate/MatMul", "onnx::MatMul_1");
    add(&c, "Softmax", "/moe/Softmax", "");
    add(&c, "Mul", "/norm_1/Mul", "layers.1.norm.weight");
    add(&c, "MatMul", "/moe/gate_1/MatMul", "onnx::MatMul_2");
    add(&c, "Softmax", "/moe_1/Softmax", "");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v1", "layers.0.moe@0 layers.0.moe.gate@0");
    scope_expect_place(&s, "v2", "layers.0.moe@0");
    scope_expect_place(&s, "v4", "layers.1.moe@0 layers.1.moe.gate@0");
    scope_expect_place(&s, "v5", "layers.1.moe@0");
    scope_case_release(&s);
}

Test(scope_path, a_module_between_two_of_one_container_lies_in_it) {
    struct chain c = begin();
    struct scope_case s;

    mb_init(c.b, "transformer.wte.weight", "float[4,4]");
    mb_init(c.b, "transformer.h.0.fc.weight", "float[4,4]");
    add(&c, "Gather", "/wte/Gather", "transformer.wte.weight");
    add(&c, "Dropout", "/drop/Dropout", "");
    add(&c, "Gemm", "/h.0/fc/Gemm", "transformer.h.0.fc.weight");
    add(&c, "MatMul", "/lm_head/MatMul", "");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v1", "transformer.drop@0");
    scope_expect_place(&s, "v3", "lm_head@0");
    scope_case_release(&s);
}

Test(scope_path, names_of_fused_nodes_keep_the_scope_of_what_they_replaced) {
    struct chain c = begin();
    struct scope_case s;

    add(&c, "Gemm", "/h/fc/MatMul/MatMulAddFusion", "");
    add(&c, "LayerNormalization", "/h/ln/Mul/LayerNormFusion/", "");
    add(&c, "MatMulInteger", "/h/fc2/MatMul_quant", "");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0", "h@0 h.fc@0");
    scope_expect_place(&s, "v1", "h@0 h.ln@0");
    scope_expect_place(&s, "v2", "h@0 h.fc2@0");
    scope_case_release(&s);
}

Test(scope_path, the_output_tells_when_the_node_has_no_name) {
    struct model_builder *b = mb_new();
    struct scope_case s;

    mb_input(b, "x", "float[4]");
    mb_node(b, "SkipLayerNormalization", "SkipLayerNorm_0", "x", "/ln_f/Add_1_output_0");
    mb_node(b, "QuantizeLinear", "q", "/ln_f/Add_1_output_0", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "/ln_f/Add_1_output_0", "ln_f@0");
    scope_expect_source(&s, "/ln_f/Add_1_output_0", GRAPH_SCOPE_OUTPUT);
    scope_expect_place(&s, "y", "ln_f@0");
    scope_case_release(&s);
}

Test(scope_path, a_modules_name_may_hold_a_slash) {
    struct chain c = begin();
    struct scope_case s;

    mb_init(c.b, "a/b.weight", "float[4,4]");
    add(&c, "Gemm", "/a/b/Gemm", "a/b.weight");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0", "a/b@0");
    scope_case_release(&s);
}

// A scripted model prints a list's element as its number, with everything below collapsed into it.
Test(scope_path, a_bare_number_is_an_element_of_the_list_whose_parameters_it_reads) {
    struct chain c = begin();
    struct scope_case s;

    mb_init(c.b, "blocks.0.norm.weight", "float[4]");
    mb_init(c.b, "blocks.1.ff.0.weight", "float[4]");
    add(&c, "Mul", "/0/Mul", "blocks.0.norm.weight");
    add(&c, "Mul", "/1/Mul", "blocks.1.ff.0.weight");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0", "blocks.0@0");
    scope_expect_place(&s, "v1", "blocks.1@0");
    scope_case_release(&s);
}

Test(scope_path, odd_slashes_do_no_harm) {
    struct chain c = begin();
    struct scope_case s;

    add(&c, "Relu", "//a//b/Relu", "");
    add(&c, "Relu", "/", "");
    add(&c, "Relu", "//", "");
    add(&c, "Relu", "/../Relu", "");
    scope_case_init(&s, c.b);
    scope_expect_place(&s, "v0", "a@0 a.b@0");
    cr_expect_eq(s.hierarchy.n_calls, 4);
    scope_case_release(&s);
}

static void check_deep_name(size_t levels) {
    struct chain c = begin();
    struct scope_case s;
    struct buf name;

    buf_init(&name, 1 << 20);
    for (size_t i = 0; i < levels; i++) {
        buf_printf(&name, "/m%zu", i);
    }
    buf_add(&name, "/Relu", sizeof("/Relu"));
    add(&c, "Relu", (const char *)name.p, "");
    scope_case_init(&s, c.b);
    cr_expect_eq(s.hierarchy.depth, levels < 256 ? levels : 256);
    cr_expect_eq(s.warnings.total, levels > 256);
    scope_case_release(&s);
    buf_release(&name);
}

Test(scope_path, nesting_is_cut_at_256_levels_with_a_warning) {
    check_deep_name(50);
    check_deep_name(256);
    check_deep_name(257);
    check_deep_name(5000);
}
