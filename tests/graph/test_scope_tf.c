#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

// A chain of Relus with these names; node i makes "v<i>".
static void chain(struct scope_case *s, const char *const *names, size_t n) {
    static const char *const values[] = {"x", "v0", "v1", "v2", "v3", "v4"};
    struct model_builder *b = mb_new();

    cr_assert_lt(n, ARRAY_LEN(values));
    mb_input(b, "x", "float[1,4]");
    for (size_t i = 0; i < n; i++) {
        mb_node(b, "Relu", names[i], values[i], values[i + 1]);
    }
    scope_case_init(s, b);
}

#define CHAIN(s, ...)                              \
    chain((s), (const char *const[]){__VA_ARGS__}, \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

Test(scope_tf, all_but_the_last_part_of_a_relative_path_is_the_scope) {
    struct scope_case s;

    CHAIN(&s, "model/conv2d/Relu", "model/layers.0/mlp/Mul");
    scope_expect_place(&s, "v0", "model@0 model.conv2d@0");
    scope_expect_place(&s, "v1", "model@0 model.layers.0@0 model.layers.0.mlp@0");
    scope_expect_source(&s, "v0", GRAPH_SCOPE_NAME);
    scope_case_release(&s);
}

// Keras counts layers, not calls.
Test(scope_tf, a_number_is_part_of_the_name) {
    struct scope_case s;

    CHAIN(&s, "model/dense/MatMul", "model/dense_1/MatMul", "model/dense/Relu");
    scope_expect_place(&s, "v0", "model@0 model.dense@0");
    scope_expect_place(&s, "v1", "model@0 model.dense_1@0");
    scope_expect_place(&s, "v2", "model@0 model.dense@0");
    scope_case_release(&s);
}

Test(scope_tf, operators_behind_the_layer_are_no_modules) {
    struct scope_case s;

    CHAIN(&s, "model/dense/BiasAdd/ReadVariableOp/resource_dequant",
          "model/a/Relu;model/a/BiasAdd;model/b/Conv2D");
    scope_expect_place(&s, "v0", "model@0 model.dense@0");
    scope_expect_place(&s, "v1", "model@0 model.a@0");
    scope_case_release(&s);
}

Test(scope_tf, wrappers_of_the_runtime_are_dropped) {
    struct scope_case s;

    CHAIN(&s, "StatefulPartitionedCall/StatefulPartitionedCall/model/dense/Relu",
          "If_0_then_branch__Inline_0__/stft/padding/Pad");
    scope_expect_place(&s, "v0", "model@0 model.dense@0");
    scope_expect_place(&s, "v1", "stft@0 stft.padding@0");
    scope_case_release(&s);
}

Test(scope_tf, few_slashes_are_no_style) {
    struct scope_case s;

    CHAIN(&s, "a/Relu", "Relu_1", "Relu_2", "Relu_3");
    scope_expect_place(&s, "v0", "");
    scope_case_release(&s);
}

Test(scope_tf, layers_of_other_frameworks_get_no_class_of_pytorch) {
    struct scope_case s;

    CHAIN(&s, "model/activation/Relu");
    cr_expect_eq(s.hierarchy.modules[2].class_source, GRAPH_CLASS_NONE);
    scope_case_release(&s);
}
