#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    return b;
}

Test(scope_glue, a_node_goes_into_the_deepest_call_around_its_neighbours) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Conv", "/a/p/Conv", "x", "p");
    mb_node(b, "Relu", "", "p", "g1");
    mb_node(b, "Relu", "", "g1", "g2");
    mb_node(b, "Conv", "/a/q/Conv", "g2", "q");
    mb_node(b, "Relu", "", "q", "g3");
    mb_node(b, "Conv", "/b/Conv", "g3", "r");
    scope_case_init(&s, b);
    scope_expect_place(&s, "g1", "a@0");
    scope_expect_place(&s, "g2", "a@0");
    scope_expect_place(&s, "g3", "");
    scope_expect_source(&s, "g1", GRAPH_SCOPE_NEIGHBOUR);
    scope_case_release(&s);
}

Test(scope_glue, inputs_and_outputs_of_the_model_are_outside_of_all_modules) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_output(b, "y", "float[1,4]");
    mb_node(b, "Cast", "", "x", "c");
    mb_node(b, "Relu", "", "c", "g");
    mb_node(b, "Conv", "/a/Conv", "g", "a");
    mb_node(b, "Softmax", "", "a", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "c", "");
    scope_expect_place(&s, "g", "");
    scope_expect_place(&s, "y", "");
    scope_case_release(&s);
}

Test(scope_glue, constants_go_to_their_readers) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Constant", "", "", "k");
    mb_attr_tensor_ints(b, "value", "1");
    mb_node(b, "Constant", "", "", "shared");
    mb_attr_tensor_ints(b, "value", "2");
    mb_node(b, "Pow", "/a/n/Pow", "x,k", "p");
    mb_node(b, "Add", "/a/m/Add", "p,shared", "q");
    mb_node(b, "Add", "/a/n2/Add", "q,shared", "r");
    scope_case_init(&s, b);
    scope_expect_place(&s, "k", "a@0 a.n@0");
    scope_expect_place(&s, "shared", "a@0");
    scope_case_release(&s);
}

Test(scope_glue, a_quantizer_of_an_activation_stays_with_its_producer) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "scale", "float[]");
    mb_node(b, "Conv", "/a/Conv", "x", "a");
    mb_node(b, "QuantizeLinear", "a_QuantizeLinear", "a,scale", "aq");
    mb_node(b, "DequantizeLinear", "a_DequantizeLinear", "aq,scale", "ad");
    mb_node(b, "Conv", "/b/Conv", "ad", "c");
    scope_case_init(&s, b);
    scope_expect_place(&s, "aq", "a@0");
    scope_expect_place(&s, "ad", "a@0");
    scope_case_release(&s);
}

// Tied weights share a scale: it does not say where an activation is quantized.
Test(scope_glue, a_scale_that_another_module_has_moves_no_quantizer) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "head.weight_scale", "float[]");
    mb_node(b, "Conv", "/a/Conv", "x", "a");
    mb_node(b, "QuantizeLinear", "a_QuantizeLinear", "a,head.weight_scale", "aq");
    mb_node(b, "DequantizeLinear", "a_DequantizeLinear", "aq,head.weight_scale", "ad");
    mb_node(b, "Conv", "/head/Conv", "ad", "c");
    scope_case_init(&s, b);
    scope_expect_place(&s, "aq", "a@0");
    scope_expect_place(&s, "ad", "a@0");
    scope_case_release(&s);
}

// What the Cast converts was made between two modules, not in the first of them.
Test(scope_glue, a_conversion_stays_with_an_unnamed_producer) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_output(b, "y", "float[1,4]");
    mb_node(b, "Conv", "/a/p/Conv", "x", "p");
    mb_node(b, "ReduceSum", "", "p", "sum");
    mb_node(b, "Greater", "", "sum,x", "is_more");
    mb_node(b, "Cast", "", "is_more", "cast");
    mb_node(b, "Where", "", "cast,p,x", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "is_more", "");
    scope_expect_place(&s, "cast", "");
    scope_case_release(&s);
}

Test(scope_glue, nodes_of_a_body_stay_with_its_holder) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_input(b, "cond", "bool[]");
    mb_node(b, "If", "/a/If", "cond", "y");
    mb_open_body(b, "then_branch", "t");
    mb_node(b, "Relu", "Relu_3", "x", "t");
    mb_output(b, "t", "");
    mb_close_body(b);
    mb_open_body(b, "else_branch", "e");
    mb_node(b, "Gemm", "/a/lin/Gemm", "x", "e");
    mb_output(b, "e", "");
    mb_close_body(b);
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "a@0");
    scope_expect_place(&s, "t", "a@0");
    scope_expect_place(&s, "e", "a@0 a.lin@0");
    scope_case_release(&s);
}

Test(scope_glue, a_file_without_any_evidence_is_flat) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Relu", "relu", "x", "y");
    mb_node(b, "Relu", "", "y", "z");
    scope_case_init(&s, b);
    cr_expect_eq(s.hierarchy.n_calls, 1);
    cr_expect_eq(s.hierarchy.n_modules, 1);
    cr_expect_eq(s.hierarchy.sources[GRAPH_SCOPE_NONE], 2);
    cr_expect_eq(s.hierarchy.depth, 0);
    cr_expect(s.hierarchy.calls[0].leaf);
    cr_expect(s.hierarchy.calls[0].owns);
    scope_case_release(&s);
}

Test(scope_glue, a_model_without_nodes_has_a_root) {
    struct scope_case s;

    scope_case_init(&s, begin());
    cr_expect_eq(s.hierarchy.n_calls, 1);
    cr_expect_eq(s.hierarchy.calls[0].parent, ONNX_NONE);
    cr_expect_eq(s.hierarchy.modules[0].n_calls, 1);
    scope_case_release(&s);
}

static bool warned(const struct scope_case *s) {
    for (size_t i = 0; i < s->warnings.n; i++) {
        if (strcmp(s->warnings.items[i].code, "no-hierarchy") == 0) {
            return true;
        }
    }
    return false;
}

Test(scope_glue, a_file_that_names_no_module_says_so) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Relu", "Relu_0", "x", "p");
    mb_node(b, "Relu", "Relu_1", "p", "y");
    scope_case_init(&s, b);
    cr_expect(warned(&s));
    scope_case_release(&s);
}

Test(scope_glue, a_model_without_modules_may_say_that_it_has_none) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Relu", "/Relu", "x", "p");
    mb_node(b, "Relu", "/Relu_1", "p", "y");
    scope_case_init(&s, b);
    cr_expect_not(warned(&s));
    scope_case_release(&s);
}
