#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    mb_init(b, "n.weight", "float[4]");
    mb_init(b, "n.bias", "float[4]");
    mb_init(b, "eps", "float[]");
    return b;
}

static void layer_norm(struct model_builder *b) {
    mb_node(b, "ReduceMean", "", "p", "mean");
    mb_node(b, "Sub", "", "p,mean", "centred");
    mb_node(b, "Pow", "", "centred,eps", "square");
    mb_node(b, "ReduceMean", "", "square", "variance");
    mb_node(b, "Add", "", "variance,eps", "sum");
    mb_node(b, "Sqrt", "", "sum", "root");
    mb_node(b, "Div", "", "centred,root", "normal");
    mb_node(b, "Mul", "", "normal,n.weight", "scaled");
    mb_node(b, "Add", "", "scaled,n.bias", "y");
}

static void expect_all(const struct scope_case *s, const char *const *outputs, size_t n,
                       const char *place) {
    for (size_t i = 0; i < n; i++) {
        scope_expect_place(s, outputs[i], place);
        scope_expect_source(s, outputs[i], GRAPH_SCOPE_INITIALIZER);
    }
}

Test(scope_layers, all_pieces_of_a_layer_norm_belong_to_it) {
    static const char *const pieces[] = {"mean", "centred", "square", "variance", "sum",
                                         "root", "normal",  "scaled", "y"};
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Add", "", "x,x", "p");
    layer_norm(b);
    scope_case_init(&s, b);
    expect_all(&s, pieces, ARRAY_LEN(pieces), "n@0");
    cr_expect_eq(s.hierarchy.n_calls, 2);
    scope_case_release(&s);
}

// Nothing but the norm reads it, yet it adds two activations: the residual connection before.
Test(scope_layers, the_sum_before_a_norm_is_none_of_it) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Add", "", "x,x", "p");
    layer_norm(b);
    scope_case_init(&s, b);
    scope_expect_place(&s, "p", "");
    scope_expect_source(&s, "p", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

Test(scope_layers, all_pieces_of_an_rms_norm_belong_to_it) {
    static const char *const pieces[] = {"square", "mean", "sum", "root", "inverse", "normal", "y"};
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Pow", "", "x,eps", "square");
    mb_node(b, "ReduceMean", "", "square", "mean");
    mb_node(b, "Add", "", "mean,eps", "sum");
    mb_node(b, "Sqrt", "", "sum", "root");
    mb_node(b, "Div", "", "eps,root", "inverse");
    mb_node(b, "Mul", "", "x,inverse", "normal");
    mb_node(b, "Mul", "", "n.weight,normal", "y");
    scope_case_init(&s, b);
    expect_all(&s, pieces, ARRAY_LEN(pieces), "n@0");
    scope_case_release(&s);
}

Test(scope_layers, a_scale_without_a_norm_gathers_nothing) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Pow", "", "x,eps", "square");
    mb_node(b, "Mul", "", "square,n.weight", "y");
    scope_case_init(&s, b);
    scope_expect_source(&s, "square", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

Test(scope_layers, a_norm_in_pieces_that_runs_twice_is_called_twice) {
    struct model_builder *b = begin();
    struct scope_case s;

    for (int i = 0; i < 2; i++) {
        mb_node(b, "Pow", "", i ? "y0,eps" : "x,eps", i ? "a1" : "a0");
        mb_node(b, "ReduceMean", "", i ? "a1" : "a0", i ? "b1" : "b0");
        mb_node(b, "Sqrt", "", i ? "b1" : "b0", i ? "c1" : "c0");
        mb_node(b, "Div", "", i ? "y0,c1" : "x,c0", i ? "d1" : "d0");
        mb_node(b, "Mul", "", i ? "d1,n.weight" : "d0,n.weight", i ? "y1" : "y0");
    }
    scope_case_init(&s, b);
    scope_expect_place(&s, "a0", "n@0");
    scope_expect_place(&s, "y0", "n@0");
    scope_expect_place(&s, "a1", "n@1");
    scope_expect_place(&s, "y1", "n@1");
    cr_expect_eq(s.hierarchy.n_calls, 3);
    scope_case_release(&s);
}

// nn.MultiheadAttention never calls its out_proj: it hands the parameters to a function.
Test(scope_layers, the_projection_out_of_an_attention_is_the_attention) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "onnx::MatMul_9", "float[4,12]");
    mb_init(b, "a.in_proj_bias", "float[12]");
    mb_init(b, "a.out_proj.weight", "float[4,4]");
    mb_init(b, "a.out_proj.bias", "float[4]");
    mb_init_ints(b, "shape", "1,4");
    mb_node(b, "MatMul", "", "x,onnx::MatMul_9", "p");
    mb_node(b, "Add", "", "a.in_proj_bias,p", "q");
    mb_node(b, "Split", "", "q", "s0,s1,s2");
    mb_node(b, "MatMul", "", "s0,s1", "m");
    mb_node(b, "Gemm", "", "m,a.out_proj.weight,a.out_proj.bias", "o");
    mb_node(b, "Reshape", "", "o,shape", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "p", "a@0");
    scope_expect_place(&s, "m", "a@0");
    scope_expect_place(&s, "o", "a@0");
    scope_expect_place(&s, "y", "a@0");
    scope_case_release(&s);
}
