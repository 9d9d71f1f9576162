#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

static void call(struct model_builder *b, const char *op, const char *inputs, const char *output) {
    mb_node(b, op, op, inputs, output);
    mb_domain(b, "models");
}

static void add_linear(struct model_builder *b) {
    mb_opset(b, "", 17);
    mb_opset(b, "models", 1);
    mb_open_function(b, "models", "Linear", "a,w", "r");
    mb_node(b, "MatMul", "MatMul_0", "a,w", "r");
    mb_close_function(b);
}

static const struct graph_module *module_of(const struct scope_case *s, const char *output) {
    const struct graph_hierarchy *h = &s->hierarchy;

    return &h->modules[h->calls[h->node_call[scope_case_node(s, output)]].module];
}

Test(scope_bodies, modules_in_functions_are_named_by_the_parameters_they_are_given) {
    struct model_builder *b = mb_new();
    struct scope_case s;

    add_linear(b);
    mb_open_function(b, "models", "MLP", "a,v,w", "r");
    call(b, "Linear", "a,v", "t");
    mb_node(b, "Relu", "Relu_1", "t", "u");
    call(b, "Linear", "u,w", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[1,4]");
    mb_init(b, "h.0.mlp.up.weight", "float[4,8]");
    mb_init(b, "h.0.mlp.down.weight", "float[8,4]");
    mb_init(b, "h.1.mlp.up.weight", "float[4,8]");
    mb_init(b, "h.1.mlp.down.weight", "float[8,4]");
    mb_node(b, "MLP", "one", "x,h.0.mlp.up.weight,h.0.mlp.down.weight", "m");
    mb_domain(b, "models");
    mb_node(b, "MLP", "two", "m,h.1.mlp.up.weight,h.1.mlp.down.weight", "y");
    mb_domain(b, "models");
    scope_case_init_expanded(&s, b);
    scope_expect_place(&s, "one/t", "h.0.mlp@0 h.0.mlp.up@0");
    scope_expect_place(&s, "one/u", "h.0.mlp@0");
    scope_expect_place(&s, "two/t", "h.1.mlp@0 h.1.mlp.up@0");
    scope_expect_place(&s, "two/u", "h.1.mlp@0");
    cr_expect(str_eq_z(module_of(&s, "two/t")->class_name, "models.Linear"));
    cr_expect_eq(s.hierarchy.sources[GRAPH_SCOPE_FUNCTION], 2);
    cr_expect_eq(s.hierarchy.n_named, 7);
    scope_case_release(&s);
}

// All that it is given belongs to its only child: "wrap" is around "wrap.fc".
Test(scope_bodies, a_module_around_one_module_has_the_shorter_name) {
    struct model_builder *b = mb_new();
    struct scope_case s;

    add_linear(b);
    mb_open_function(b, "models", "Wrap", "a,w", "r");
    call(b, "Linear", "a,w", "t");
    mb_node(b, "Relu", "Relu_1", "t", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[1,4]");
    mb_init(b, "wrap.fc.weight", "float[4,4]");
    mb_node(b, "Wrap", "one", "x,wrap.fc.weight", "m");
    mb_domain(b, "models");
    mb_node(b, "Relu", "/Relu", "m", "y");
    scope_case_init_expanded(&s, b);
    scope_expect_place(&s, "one/t", "wrap@0 wrap.fc@0");
    scope_expect_place(&s, "m", "wrap@0");
    scope_case_release(&s);
}

// "enc.layers" is a list that nobody calls; a Sequential would be.
static void list_of_two(struct scope_case *s, const char *class_name) {
    struct model_builder *b = mb_new();

    add_linear(b);
    mb_open_function(b, "models", class_name, "a,v,w", "r");
    call(b, "Linear", "a,v", "t");
    call(b, "Linear", "t,w", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[1,4]");
    mb_init(b, "enc.layers.0.weight", "float[4,4]");
    mb_init(b, "enc.layers.1.weight", "float[4,4]");
    mb_node(b, class_name, "one", "x,enc.layers.0.weight,enc.layers.1.weight", "m");
    mb_domain(b, "models");
    mb_node(b, "Relu", "/Relu", "m", "y");
    scope_case_init_expanded(s, b);
}

Test(scope_bodies, a_list_of_modules_is_not_what_is_called) {
    struct scope_case s;

    list_of_two(&s, "Encoder");
    scope_expect_place(&s, "one/t", "enc@0 enc.layers.0@0");
    scope_case_release(&s);
    list_of_two(&s, "Sequential");
    scope_expect_place(&s, "one/t", "enc.layers@0 enc.layers.0@0");
    scope_case_release(&s);
}

// Without parameters nothing tells its name, and none is made up that a module could have.
Test(scope_bodies, a_module_without_a_name_is_a_call_all_the_same) {
    struct model_builder *b = mb_new();
    struct scope_case s;

    mb_opset(b, "", 17);
    mb_opset(b, "models", 1);
    mb_open_function(b, "models", "GELU", "a", "r");
    mb_node(b, "Erf", "Erf_0", "a", "t");
    mb_node(b, "Mul", "Mul_1", "t,a", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[1,4]");
    mb_node(b, "Neg", "/layer/Neg", "x", "h");
    mb_node(b, "GELU", "/layer/act/GELU", "h", "g");
    mb_domain(b, "models");
    mb_node(b, "Neg", "/layer/Neg_1", "g", "y");
    scope_case_init_expanded(&s, b);
    scope_expect_place(&s, "/layer/act/GELU/t", "layer@0 layer.act@0 layer.act.GELU()@0");
    cr_expect_eq(module_of(&s, "/layer/act/GELU/t")->kind, GRAPH_MODULE_NAMELESS);
    cr_expect_eq(s.hierarchy.n_named, 3);
    cr_expect_eq(s.hierarchy.named_depth, 2);
    cr_expect_eq(s.hierarchy.depth, 3);
    scope_case_release(&s);
}

Test(scope_bodies, a_function_for_one_operator_is_where_its_neighbours_are) {
    struct model_builder *b = mb_new();
    struct scope_case s;
    const struct graph_hierarchy *h = &s.hierarchy;

    mb_opset(b, "", 17);
    mb_opset(b, "pkg.onnxscript.torch_lib", 1);
    mb_open_function(b, "pkg.onnxscript.torch_lib", "aten_gelu", "a", "r");
    mb_node(b, "Erf", "n0", "a", "t");
    mb_node(b, "Mul", "n1", "t,a", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[1,4]");
    mb_node(b, "Neg", "/layer/Neg", "x", "h");
    mb_node(b, "aten_gelu", "call", "h", "g");
    mb_domain(b, "pkg.onnxscript.torch_lib");
    mb_node(b, "Neg", "/layer/Neg_1", "g", "y");
    scope_case_init_expanded(&s, b);
    scope_expect_place(&s, "call/t", "layer@0 layer.aten_gelu()@0");
    cr_expect_eq(module_of(&s, "call/t")->kind, GRAPH_MODULE_OPERATOR);
    cr_expect(h->calls[h->node_call[scope_case_node(&s, "h")]].leaf);
    scope_case_release(&s);
}

Test(scope_bodies, a_call_that_is_cut_stays_in_the_module_around_it) {
    struct model_builder *b = mb_new();
    struct scope_case s;

    mb_opset(b, "", 17);
    mb_opset(b, "models", 1);
    mb_open_function(b, "models", "Self", "a,w", "r");
    mb_node(b, "MatMul", "MatMul_0", "a,w", "t");
    call(b, "Self", "t,w", "u");
    mb_node(b, "Relu", "Relu_2", "u", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[1,4]");
    mb_init(b, "net.weight", "float[4,4]");
    mb_node(b, "Self", "one", "x,net.weight", "m");
    mb_domain(b, "models");
    mb_node(b, "Relu", "/Relu", "m", "y");
    scope_case_init_expanded(&s, b);
    scope_expect_place(&s, "one/t", "net@0");
    scope_expect_place(&s, "one/u", "net@0");
    scope_case_release(&s);
}

// What a norm does is one call of a function: that call tells where the module is called again.
Test(scope_bodies, a_function_is_a_step_of_the_module_that_calls_it) {
    struct model_builder *b = mb_new();
    struct scope_case s;
    const char *names = "['', 'norm', 'layer_norm']";
    const char *classes = "['models.Net', 'torch.nn.LayerNorm', 'aten.layer_norm.default']";

    mb_opset(b, "", 18);
    mb_opset(b, "pkg.onnxscript.torch_lib", 1);
    mb_open_function(b, "pkg.onnxscript.torch_lib", "_aten_layer_norm_onnx", "a", "r");
    mb_node(b, "LayerNormalization", "n0", "a", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[1,4]");
    scope_dynamo_node(b, "_aten_layer_norm_onnx", "x", "h", names, classes, NULL);
    mb_domain(b, "pkg.onnxscript.torch_lib");
    scope_dynamo_node(b, "Neg", "h", "g", "['', 'neg']", "['models.Net', 'aten.neg.default']",
                      NULL);
    scope_dynamo_node(b, "_aten_layer_norm_onnx", "g", "y", names, classes, NULL);
    mb_domain(b, "pkg.onnxscript.torch_lib");
    scope_case_init_expanded(&s, b);
    scope_expect_place(&s, "h", "norm@0");
    scope_expect_place(&s, "g", "");
    scope_expect_place(&s, "y", "norm@1");
    scope_case_release(&s);
}
