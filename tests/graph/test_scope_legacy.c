#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

// Names of the parameters say where the dots are.
static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    mb_init(b, "block.norm.weight", "float[4]");
    mb_init(b, "block.fc_in.weight", "float[4,4]");
    mb_init(b, "layer1.0.Conv.weight", "float[4,4,3,3]");
    return b;
}

Test(scope_legacy, the_last_step_of_a_module_makes_a_value_called_after_it) {
    struct model_builder *b = begin();
    struct scope_case s;

    for (int i = 0; i < 2; i++) {
        mb_node(b, "LayerNormalization", "",
                i ? "block_1,block.norm.weight" : "x,block.norm.weight",
                i ? "block_norm_2" : "block_norm_1");
        mb_node(b, "Gemm", "",
                i ? "block_norm_2,block.fc_in.weight" : "block_norm_1,block.fc_in.weight",
                i ? "block_fc_in_2" : "block_fc_in_1");
        mb_node(b, "Add", "", i ? "block_1,block_fc_in_2" : "x,block_fc_in_1",
                i ? "block_2" : "block_1");
    }
    scope_case_init(&s, b);
    scope_expect_place(&s, "block_1", "block@0");
    scope_expect_place(&s, "block_2", "block@1");
    scope_expect_source(&s, "block_2", GRAPH_SCOPE_OUTPUT);
    scope_expect_source(&s, "block_norm_2", GRAPH_SCOPE_INITIALIZER);
    scope_case_release(&s);
}

Test(scope_legacy, an_index_is_printed_with_three_underscores) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Conv", "", "x,layer1.0.Conv.weight", "c");
    mb_node(b, "Relu", "", "c", "getattr_l__self___layer1___0___conv_1");
    mb_node(b, "Relu", "", "c", "getattr_l__self___layer1___7___conv_1");
    scope_case_init(&s, b);
    scope_expect_place(&s, "getattr_l__self___layer1___0___conv_1",
                       "layer1@0 layer1.0@0 layer1.0.Conv@0");
    scope_expect_source(&s, "getattr_l__self___layer1___7___conv_1", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

Test(scope_legacy, a_name_without_the_number_of_a_call_says_nothing) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Gemm", "", "x,block.fc_in.weight", "p");
    mb_node(b, "Relu", "", "p", "block_norm");
    scope_case_init(&s, b);
    scope_expect_source(&s, "block_norm", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}

// "a_b_1" may be a.b or a_b.
Test(scope_legacy, a_name_that_fits_two_modules_says_nothing) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "a.b.weight", "float[4,4]");
    mb_init(b, "a_b.weight", "float[4,4]");
    mb_node(b, "Gemm", "", "x,a.b.weight", "p");
    mb_node(b, "Gemm", "", "p,a_b.weight", "q");
    mb_node(b, "Relu", "", "q", "a_b_1");
    scope_case_init(&s, b);
    scope_expect_source(&s, "a_b_1", GRAPH_SCOPE_NONE);
    scope_case_release(&s);
}
