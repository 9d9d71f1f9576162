#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

// Layers of `net` that have kept their names, and two weights that have not.
static struct model_builder *begin(const char *first, const char *last) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    mb_init(b, first, "float[4,4]");
    mb_init(b, last, "float[4,4]");
    mb_init(b, "onnx::Gemm_8", "float[4,4]");
    mb_init(b, "onnx::Gemm_9", "float[4,4]");
    return b;
}

Test(scope_numbers, what_stands_between_0_and_2_is_1) {
    struct model_builder *b = begin("net.0.weight", "net.2.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.0.weight", "p");
    mb_node(b, "Sigmoid", "", "p", "g");
    mb_node(b, "Mul", "", "p,g", "m");
    mb_node(b, "Gemm", "", "m,net.2.weight", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "g", "net@0 net.1@0");
    scope_expect_place(&s, "m", "net@0 net.1@0");
    scope_expect_source(&s, "m", GRAPH_SCOPE_NEIGHBOUR);
    scope_case_release(&s);
}

// One of 1 and 2 has left no operator: a dropout.
Test(scope_numbers, one_operator_for_two_numbers_stays_in_doubt) {
    struct model_builder *b = begin("net.0.weight", "net.3.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.0.weight", "p");
    mb_node(b, "Relu", "", "p", "r");
    mb_node(b, "Gemm", "", "r,net.3.weight", "y");
    scope_case_init(&s, b);
    scope_expect_source(&s, "r", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

// A Sequential in the Sequential: net.1.0 and net.1.1.
Test(scope_numbers, two_layers_in_one_place_stay_in_doubt) {
    struct model_builder *b = begin("net.0.weight", "net.2.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.0.weight", "p");
    mb_node(b, "Relu", "", "p", "r");
    mb_node(b, "Dropout", "", "r", "d");
    mb_node(b, "Gemm", "", "d,net.2.weight", "y");
    scope_case_init(&s, b);
    scope_expect_source(&s, "r", GRAPH_SCOPE_NONE);
    scope_expect_source(&s, "d", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

// A block with a layer and a folded norm, or that layer alone.
Test(scope_numbers, a_layer_without_a_name_between_0_and_2_stays_in_doubt) {
    struct model_builder *b = begin("net.0.weight", "net.2.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.0.weight", "p");
    mb_node(b, "Gemm", "", "p,onnx::Gemm_8", "q");
    mb_node(b, "Gemm", "", "q,net.2.weight", "y");
    scope_case_init(&s, b);
    scope_expect_source(&s, "q", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

// The block is called twice, and so is the layer without a name.
Test(scope_numbers, each_call_of_a_module_has_its_own_1) {
    struct model_builder *b = begin("net.0.weight", "net.2.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.0.weight", "p");
    mb_node(b, "Relu", "", "p", "r");
    mb_node(b, "Gemm", "", "r,net.2.weight", "q");
    mb_node(b, "Gemm", "", "q,net.0.weight", "p2");
    mb_node(b, "Relu", "", "p2", "r2");
    mb_node(b, "Gemm", "", "r2,net.2.weight", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "r", "net@0 net.1@0");
    scope_expect_place(&s, "r2", "net@1 net.1@1");
    scope_case_release(&s);
}

Test(scope_numbers, the_layer_in_front_of_fc2_is_fc1) {
    struct model_builder *b = begin("net.proj.weight", "net.fc2.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.proj.weight", "p");
    mb_node(b, "Gemm", "", "p,onnx::Gemm_8", "q");
    mb_node(b, "Relu", "", "q", "r");
    mb_node(b, "Gemm", "", "r,net.fc2.weight", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "q", "net@0 net.fc1@0");
    scope_expect_source(&s, "r", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

// fc0 and fc1, or fc1 and something else.
Test(scope_numbers, two_layers_in_front_of_fc2_stay_in_doubt) {
    struct model_builder *b = begin("net.proj.weight", "net.fc2.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.proj.weight", "p");
    mb_node(b, "Gemm", "", "p,onnx::Gemm_8", "q");
    mb_node(b, "Gemm", "", "q,onnx::Gemm_9", "r");
    mb_node(b, "Gemm", "", "r,net.fc2.weight", "y");
    scope_case_init(&s, b);
    scope_expect_source(&s, "q", GRAPH_SCOPE_NONE);
    scope_expect_source(&s, "r", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

// That one may be fc1, too.
Test(scope_numbers, a_layer_without_a_name_before_all_others_is_a_doubt) {
    struct model_builder *b = begin("net.proj.weight", "net.fc2.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,onnx::Gemm_9", "w");
    mb_node(b, "Gemm", "", "w,net.proj.weight", "p");
    mb_node(b, "Gemm", "", "p,onnx::Gemm_8", "q");
    mb_node(b, "Gemm", "", "q,net.fc2.weight", "y");
    scope_case_init(&s, b);
    scope_expect_source(&s, "q", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

// It is called before, or behind; the layer in front of fc2 is another one then.
Test(scope_numbers, a_name_that_the_file_tells_is_not_given_again) {
    struct model_builder *b = begin("net.fc1.weight", "net.fc2.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.fc1.weight", "p");
    mb_node(b, "Gemm", "", "p,onnx::Gemm_8", "q");
    mb_node(b, "Gemm", "", "q,net.fc2.weight", "y");
    scope_case_init(&s, b);
    scope_expect_source(&s, "q", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

Test(scope_numbers, numbers_with_leading_zeros_are_not_counted) {
    struct model_builder *b = begin("net.proj.weight", "net.fc02.weight");
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.proj.weight", "p");
    mb_node(b, "Gemm", "", "p,onnx::Gemm_8", "q");
    mb_node(b, "Gemm", "", "q,net.fc02.weight", "y");
    scope_case_init(&s, b);
    scope_expect_source(&s, "q", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}
