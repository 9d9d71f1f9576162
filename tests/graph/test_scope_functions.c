#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

static void add_function(struct model_builder *b, const char *domain, const char *name)
{
    mb_opset(b, "", 17);
    mb_opset(b, domain, 1);
    mb_open_function(b, domain, name, "a,w", "r");
    mb_node(b, "Gemm", "Gemm_0", "a,w", "r");
    mb_close_function(b);
}

static void call(struct model_builder *b, const char *domain, const char *op, const char *name,
                 const char *inputs, const char *output)
{
    mb_node(b, op, name, inputs, output);
    mb_domain(b, domain);
}

static struct model_builder *begin(void)
{
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    mb_init(b, "h.0.ln.weight", "float[4]");
    mb_init(b, "h.0.fc.weight", "float[4,4]");
    mb_init(b, "h.1.fc.weight", "float[4,4]");
    return b;
}

// The node's own name is the scope of the last node inside: ".../fc" would be wrong.
Test(scope_functions, a_call_is_the_module_around_all_parameters_it_is_given)
{
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

Test(scope_functions, each_node_is_one_call)
{
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

Test(scope_functions, a_graph_of_one_call_is_the_model_itself)
{
    struct model_builder *b = begin();
    struct scope_case s;

    add_function(b, "models", "Net");
    call(b, "models", "Net", "/h.0/fc/Net", "x,h.0.fc.weight", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "");
    cr_expect(str_eq_z(s.hierarchy.modules[0].class_name, "models.Net"));
    scope_case_release(&s);
}

Test(scope_functions, a_function_for_one_operator_is_no_module)
{
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
