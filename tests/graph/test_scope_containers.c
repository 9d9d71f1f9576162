#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

// A chain of nodes that read one parameter each; `parameters` ends with NULL. Node i makes "v<i>".
static void chain(struct scope_case *s, const char *op, const char *const *parameters) {
    static const char *const values[] = {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"};
    struct model_builder *b = mb_new();
    struct buf inputs;

    buf_init(&inputs, 1024);
    mb_input(b, "x", "float[1,4]");
    for (size_t i = 0; parameters[i]; i++) {
        cr_assert_lt(i, ARRAY_LEN(values));
        buf_reset(&inputs);
        buf_add_z(&inputs, i ? values[i - 1] : "x");
        buf_add_char(&inputs, ',');
        buf_add_z(&inputs, parameters[i]);
        buf_add_char(&inputs, '\0');
        mb_init(b, parameters[i], "float[4,4]");
        mb_node(b, op, "", buf_str(&inputs).p, values[i]);
    }
    buf_release(&inputs);
    scope_case_init(s, b);
}

#define CHAIN(s, op, ...) chain((s), (op), (const char *const[]){__VA_ARGS__, NULL})

Test(scope_containers, a_sequential_is_called) {
    struct scope_case s;

    CHAIN(&s, "Gemm", "net.0.weight", "net.2.weight");
    scope_expect_place(&s, "v1", "net@0 net.2@0");
    scope_case_release(&s);
}

Test(scope_containers, a_sequential_of_blocks_is_called) {
    struct scope_case s;

    CHAIN(&s, "Conv", "layer1.0.conv1.weight", "layer1.0.conv2.weight", "layer1.1.conv1.weight",
          "layer1.1.conv2.weight");
    scope_expect_place(&s, "v3", "layer1@0 layer1.1@0 layer1.1.conv2@0");
    scope_case_release(&s);
}

Test(scope_containers, a_list_goes_by_its_name_when_its_blocks_are_simple) {
    struct scope_case s;

    CHAIN(&s, "Gemm", "model.layers.0.a.weight", "model.layers.0.b.weight",
          "model.layers.1.a.weight", "model.layers.1.b.weight");
    scope_expect_place(&s, "v2", "model@0 model.layers.1@0 model.layers.1.a@0");
    scope_case_release(&s);
}

// Modules side by side in a dict: nobody calls the dict.
Test(scope_containers, a_dict_of_heads_is_not_called) {
    struct scope_case s;

    CHAIN(&s, "Gemm", "heads.cls.weight", "heads.reg.weight");
    scope_expect_place(&s, "v1", "heads.reg@0");
    scope_case_release(&s);
}

// The element may be a ModuleDict: a level that is left out is no wrong module.
Test(scope_containers, an_element_of_which_one_layer_is_known_is_left_out) {
    struct scope_case s;

    CHAIN(&s, "Gemm", "layers.0.norm.weight", "layers.1.norm.weight");
    scope_expect_place(&s, "v1", "layers.1.norm@0");
    scope_case_release(&s);
}

#define GPT_LAYERS                                                               \
    "transformer.wte.weight", "transformer.h.0.attn.c_attn.weight",              \
        "transformer.h.0.mlp.c_fc.weight", "transformer.h.1.attn.c_attn.weight", \
        "transformer.h.1.mlp.c_fc.weight", "transformer.ln_f.weight"

Test(scope_containers, the_dict_of_a_minimal_gpt_is_not_called) {
    struct scope_case s;

    CHAIN(&s, "MatMul", GPT_LAYERS);
    scope_expect_place(&s, "v1",
                       "transformer.h.0@0 transformer.h.0.attn@0 transformer.h.0.attn.c_attn@0");
    scope_case_release(&s);
}

// Its layers are of class Conv1D, which becomes Gemm with a weight that keeps its name.
Test(scope_containers, the_model_of_that_name_in_transformers_is_called) {
    struct scope_case s;

    CHAIN(&s, "Gemm", GPT_LAYERS);
    scope_expect_place(&s, "v0", "transformer@0 transformer.wte@0");
    scope_case_release(&s);
}
