#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

static void add_function(struct model_builder *b, const char *domain, const char *name) {
    mb_opset(b, "", 17);
    mb_opset(b, domain, 1);
    mb_open_function(b, domain, name, "a,w", "r");
    mb_node(b, "Gemm", "Gemm_0", "a,w", "r");
    mb_close_function(b);
}

static void call(struct model_builder *b, const char *domain, const char *op, const char *name,
                 const char *inputs, const char *output) {
    mb_node(b, op, name, inputs, output);
    mb_domain(b, domain);
}

static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    mb_init(b, "h.0.ln.weight", "float[4]");
    mb_init(b, "h.0.fc.weight", "float[4,4]");
    mb_init(b, "h.1.fc.weight", "float[4,4]");
    return b;
}

// The node's own name is the scope of the last node inside: ".../fc" would be wrong.
Test(scope_functions, a_call_is_the_module_around_all_parameters_it_is_given) {
    struct model_builder *b = begin();
    struct scope_case s;
    const struct graph_module *module;

    add_function(b, "models", "Block.1");
    call(b, "models", "Block.1", "/h.0/fc/Block", "x,h.0.ln.weight,h.0.fc.weight", "y");
    mb_node(b, "Relu", "/Relu", "y", "z");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "h.0@0");
    scope_expect_source(&s, "y", GRAPH_SCOPE_FUNCTION);
    module = &s.hierarchy.modules[s.hierarchy.calls[s.hierarchy.node_call[0]].module];
    cr_expect(str_eq_z(module->class_name, "models.Block"));
    cr_expect_eq(module->class_source, GRAPH_CLASS_FUNCTION);
    scope_case_release(&s);
}

Test(scope_functions, each_node_is_one_call) {
    struct model_builder *b = begin();
    struct scope_case s;

    add_function(b, "models", "Lin");
    call(b, "models", "Lin", "/h.0/fc/Lin", "x,h.0.fc.weight", "y");
    call(b, "models", "Lin", "/h.0/fc/Lin_1", "y,h.0.fc.weight", "z");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "h.0.fc@0");
    scope_expect_place(&s, "z", "h.0.fc@1");
    scope_case_release(&s);
}

Test(scope_functions, a_graph_of_one_call_is_the_model_itself) {
    struct model_builder *b = begin();
    struct scope_case s;

    add_function(b, "models", "Net");
    call(b, "models", "Net", "/h.0/fc/Net", "x,h.0.fc.weight", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "");
    cr_expect(str_eq_z(s.hierarchy.modules[0].class_name, "models.Net"));
    scope_case_release(&s);
}

Test(scope_functions, a_function_for_one_operator_is_no_module) {
    struct model_builder *b = begin();
    struct scope_case s;

    add_function(b, "pkg.onnxscript.torch_lib", "aten_linear");
    call(b, "pkg.onnxscript.torch_lib", "aten_linear", "n", "x,h.0.fc.weight", "y");
    mb_node(b, "Relu", "", "y", "z");
    scope_case_init(&s, b);
    cr_expect_eq(s.hierarchy.sources[GRAPH_SCOPE_FUNCTION], 0);
    cr_expect_eq(s.hierarchy.modules[0].class_source, GRAPH_CLASS_NONE);
    scope_case_release(&s);
}

static void dynamo_call(struct model_builder *b, const char *domain, const char *name,
                        const char *inputs, const char *output) {
    add_function(b, domain, name);
    call(b, domain, name, "n", inputs, output);
}

// dynamo_export: CLASS_INSTANCE_CALL with underscores for dots; parameters tell where the dots are.
Test(scope_functions, dynamo_export_names_class_and_instance) {
    struct model_builder *b = begin();
    struct scope_case s;
    const struct graph_module *module;

    dynamo_call(b, "pkg.models", "models_Block_h_0_1", "x,h.0.fc.weight", "h_0_1");
    dynamo_call(b, "pkg.torch.2.6.0", "torch_nn_modules_activation_ReLU_relu_1", "h_0_1", "relu_1");
    scope_case_init(&s, b);
    scope_expect_place(&s, "h_0_1", "h.0@0");
    scope_expect_place(&s, "relu_1", "relu@0");
    scope_expect_source(&s, "relu_1", GRAPH_SCOPE_FUNCTION);
    module = &s.hierarchy.modules[s.hierarchy.calls[s.hierarchy.node_call[1]].module];
    cr_expect(str_eq_z(module->class_name, "ReLU"));
    cr_expect_eq(module->class_source, GRAPH_CLASS_FUNCTION);
    scope_case_release(&s);
}

Test(scope_functions, an_instance_with_underscores_may_be_several_names) {
    struct model_builder *b = begin();
    struct scope_case s;

    dynamo_call(b, "pkg.torch.2.6.0", "torch_nn_modules_activation_ReLU_h_act_1", "x", "h_act_1");
    call(b, "", "Relu", "", "h_act_1", "z");
    scope_case_init(&s, b);
    scope_expect_source(&s, "h_act_1", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

Test(scope_functions, an_index_is_printed_with_three_underscores) {
    struct model_builder *b = begin();
    struct scope_case s;

    dynamo_call(b, "pkg.torch.2.6.0",
                "torch_nn_modules_linear_Linear_getattr_L__self___h___0___fc_1", "x,h.0.fc.weight",
                "getattr_l__self___h___0___fc_1");
    call(b, "", "Relu", "", "getattr_l__self___h___0___fc_1", "z");
    scope_case_init(&s, b);
    scope_expect_place(&s, "getattr_l__self___h___0___fc_1", "h.0.fc@0");
    cr_expect(str_eq_z(s.hierarchy.modules[1].class_name, "Linear"));
    scope_case_release(&s);
}
