#include "graph/qualname.h"

#include <criterion/criterion.h>

Test(qualname, owner_is_the_name_up_to_the_last_dot) {
    cr_expect(str_eq_z(graph_qualname_owner(STR("layer1.0.conv1.weight")), "layer1.0.conv1"));
    cr_expect(str_eq_z(graph_qualname_owner(STR("class_token")), ""));
}

// The tails that torch/onnx/utils.py _setup_trace_module_map() makes of these names.
Test(qualname, tail_starts_at_the_last_atom_that_is_no_number) {
    static const char *const names[][2] = {
        {"layer1.0", "layer1.0"},
        {"layer1.0.conv1", "conv1"},
        {"transformer.h.0", "h.0"},
        {"blocks.0.3.2", "blocks.0.3.2"},
        {"net.blocks.0.3", "blocks.0.3"},
        {"0", "0"},
        {"0.1", "0.1"},
        {"", ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        cr_expect(str_eq_z(graph_qualname_tail(str_from(names[i][0])), names[i][1]), "%s",
                  names[i][0]);
    }
}

Test(qualname, join_drops_what_a_numbered_child_repeats_of_its_parent) {
    static const char *const cases[][3] = {
        {"", "conv1", "conv1"},
        {"layer1", "layer1.0", "layer1.0"},
        {"layer1.0", "conv1", "layer1.0.conv1"},
        {"model", "layers.0", "model.layers.0"},
        {"net.blocks.0", "blocks.0.3", "net.blocks.0.3"},
        {"net.blocks", "blocks.0.3", "net.blocks.0.3"},
        {"wrap.0", "wrap.0.0", "wrap.0.0"},
        {"layer1", "0", "layer1.0"},
        {"0", "0.1", "0.1"},
        {"xlayer1", "layer1.0", "xlayer1.layer1.0"},
        {"layer1", "layer1.a", "layer1.layer1.a"},
    };
    struct arena arena;

    arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str joined =
            graph_qualname_join(&arena, str_from(cases[i][0]), str_from(cases[i][1]));

        cr_expect(str_eq_z(joined, cases[i][2]), "%s + %s = %.*s", cases[i][0], cases[i][1],
                  STR_ARG(joined));
    }
    arena_release(&arena);
}

Test(qualname, below_counts_whole_atoms) {
    cr_expect(graph_qualname_below(STR("a.b.c"), STR("a.b")));
    cr_expect(graph_qualname_below(STR("a"), STR("")));
    cr_expect(!graph_qualname_below(STR("a.b"), STR("a.b")));
    cr_expect(!graph_qualname_below(STR("ab.c"), STR("a")));
    cr_expect(!graph_qualname_below(STR(""), STR("")));
}

Test(qualname, finds_the_longest_proper_prefix_with_a_tail) {
    struct str name = STR("enc.h.0.attn.h.0.proj");

    cr_expect(str_eq_z(graph_qualname_prefix_with_tail(name, STR("h.0")), "enc.h.0.attn.h.0"));
    cr_expect(str_eq_z(graph_qualname_prefix_with_tail(name, STR("attn")), "enc.h.0.attn"));
    cr_expect_eq(graph_qualname_prefix_with_tail(name, STR("proj")).n, 0);
    cr_expect_eq(graph_qualname_prefix_with_tail(STR("tenc.a"), STR("enc")).n, 0);
}

Test(qualname, splits_the_number_of_a_call) {
    struct str base;
    uint32_t number;

    cr_assert(graph_qualname_split_number(STR("relu_12"), &base, &number));
    cr_expect(str_eq_z(base, "relu"));
    cr_expect_eq(number, 12);
    cr_assert(graph_qualname_split_number(STR("ln_1_2"), &base, &number));
    cr_expect(str_eq_z(base, "ln_1"));
    cr_expect(!graph_qualname_split_number(STR("relu_0"), &base, &number));
    cr_expect(!graph_qualname_split_number(STR("relu_01"), &base, &number));
    cr_expect(!graph_qualname_split_number(STR("conv1"), &base, &number));
    cr_expect(!graph_qualname_split_number(STR("_1"), &base, &number));
    cr_expect(!graph_qualname_split_number(STR("x_99999999999"), &base, &number));
}
