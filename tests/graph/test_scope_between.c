#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

// A block of two linear layers in `a` and one in `b`, both in `net`.
static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    mb_init(b, "net.a.q.weight", "float[4,4]");
    mb_init(b, "net.a.o.weight", "float[4,4]");
    mb_init(b, "net.b.weight", "float[4,4]");
    mb_init(b, "onnx::MatMul_9", "float[4,4]");
    return b;
}

static void expect_doubt(const struct scope_case *s, const char *output) {
    scope_expect_source(s, output, GRAPH_SCOPE_NONE);
}

Test(scope_between, what_lies_between_two_layers_is_in_the_module_around_both) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.a.q.weight", "q");
    mb_node(b, "Transpose", "", "q", "t");
    mb_node(b, "Softmax", "", "t", "p");
    mb_node(b, "Gemm", "", "p,net.a.o.weight", "o");
    mb_node(b, "Gemm", "", "o,net.b.weight", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "t", "net@0 net.a@0");
    scope_expect_place(&s, "p", "net@0 net.a@0");
    scope_expect_source(&s, "p", GRAPH_SCOPE_NEIGHBOUR);
    scope_case_release(&s);
}

Test(scope_between, an_activation_may_be_a_module) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.a.q.weight", "q");
    mb_node(b, "Relu", "", "q", "r");
    mb_node(b, "Sigmoid", "", "r", "g");
    mb_node(b, "Mul", "", "r,g", "m");
    mb_node(b, "Gemm", "", "m,net.a.o.weight", "o");
    scope_case_init(&s, b);
    expect_doubt(&s, "r");
    expect_doubt(&s, "g");
    expect_doubt(&s, "m");
    scope_case_release(&s);
}

// The module of a layer that lost its names may hold everything around it, too.
Test(scope_between, nothing_is_certain_beside_a_layer_without_a_name) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.a.q.weight", "q");
    mb_node(b, "MatMul", "", "q,onnx::MatMul_9", "m");
    mb_node(b, "Transpose", "", "m", "t");
    mb_node(b, "Gemm", "", "t,net.a.o.weight", "o");
    scope_case_init(&s, b);
    expect_doubt(&s, "m");
    expect_doubt(&s, "t");
    scope_case_release(&s);
}

// Either the last step of `a` or a step of `net`.
Test(scope_between, the_end_of_a_module_is_not_known) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.a.q.weight", "q");
    mb_node(b, "Gemm", "", "q,net.a.o.weight", "o");
    mb_node(b, "Transpose", "", "o", "t");
    mb_node(b, "Gemm", "", "t,net.b.weight", "y");
    scope_case_init(&s, b);
    expect_doubt(&s, "t");
    scope_case_release(&s);
}

// A residual connection: `a` knows nothing of the value that goes around it.
Test(scope_between, what_reads_around_a_module_is_not_in_it) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "net.c.weight", "float[4,4]");
    mb_node(b, "Gemm", "", "x,net.c.weight", "c");
    mb_node(b, "Gemm", "", "x,net.a.q.weight", "q");
    mb_node(b, "Gemm", "", "q,net.a.o.weight", "o");
    mb_node(b, "Add", "", "c,o", "r");
    mb_node(b, "Gemm", "", "r,net.b.weight", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "r", "net@0");
    scope_expect_source(&s, "r", GRAPH_SCOPE_NEIGHBOUR);
    scope_case_release(&s);
}

// A module would have to return two values, only for them to be joined.
Test(scope_between, a_join_of_two_values_of_a_module_is_its_last_step) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,net.a.q.weight", "q");
    mb_node(b, "Gemm", "", "q,net.a.o.weight", "o");
    mb_node(b, "Add", "", "q,o", "r");
    mb_node(b, "Gemm", "", "r,net.b.weight", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "r", "net@0 net.a@0");
    scope_case_release(&s);
}

// torch.nn.MultiheadAttention returns the product with out_proj, and adds nothing to it.
Test(scope_between, what_is_added_to_an_attention_is_not_in_it) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "net.attn.in_proj_weight", "float[4,4]");
    mb_init(b, "net.attn.in_proj_bias", "float[4]");
    mb_init(b, "net.attn.out_proj.weight", "float[4,4]");
    mb_init(b, "shape", "int64[2]");
    mb_node(b, "Gemm", "", "x,net.attn.in_proj_weight,net.attn.in_proj_bias", "p");
    mb_node(b, "Softmax", "", "p", "w");
    mb_node(b, "Gemm", "", "w,net.attn.out_proj.weight", "o");
    mb_node(b, "Reshape", "", "o,shape", "s");
    mb_node(b, "Add", "", "x,s", "r");
    mb_node(b, "Gemm", "", "r,net.b.weight", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "s", "net@0 net.attn@0");
    scope_expect_place(&s, "r", "net@0");
    scope_expect_source(&s, "r", GRAPH_SCOPE_NEIGHBOUR);
    scope_case_release(&s);
}

Test(scope_between, what_comes_before_and_behind_all_layers_has_no_evidence) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Transpose", "", "x", "t");
    mb_node(b, "Gemm", "", "t,net.a.q.weight", "q");
    mb_node(b, "Transpose", "", "q", "y");
    scope_case_init(&s, b);
    expect_doubt(&s, "t");
    expect_doubt(&s, "y");
    scope_case_release(&s);
}
