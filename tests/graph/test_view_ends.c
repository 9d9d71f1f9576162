#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void many_ends(uint32_t n) {
    struct model_builder *b = mb_new();
    struct buf inputs;
    char name[32];

    buf_init(&inputs, 1 << 20);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "i%u", i);
        mb_input(b, name, "float[2]");
        buf_printf(&inputs, "i%u,m%u,", i, i);
    }
    buf_add_z(&inputs, "i0");
    buf_add_char(&inputs, '\0');
    mb_node(b, "Sum", "sum", (const char *)inputs.p, "s");
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "o%u", i);
        mb_node(b, "Relu", "relu", "s", name);
        mb_output(b, name, "float[2]");
    }
    buf_release(&inputs);
    view_fixture_init(&f, b, NULL, 0);
}

Test(view_ends, inputs_and_outputs_are_always_nodes) {
    many_ends(3);
    view_fixture_set(&f, "depth", "0");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "i0 i1 i2 ?m0 ?m1 ?m2 . =o0 =o1 =o2 | i0>. i1>. i2>. ?m0>. ?m1>. ?m2>. "
                     ".>=o0 .>=o1 .>=o2 |");
    view_fixture_release(&f);
}

Test(view_ends, too_many_share_a_node_a_kind) {
    many_ends(100);
    f.limits.max_drawn = 16;
    cr_expect_str_eq(view_fixture_draw(&f),
                     "i0 i1 i2 *97 ?m0 ?m1 ?m2 ?*97 . =o0 =o1 =o2 =*97 | i0>. i1>. i2>. *97>.*97 "
                     "?m0>. ?m1>. ?m2>. ?*97>.*97 .>=o0 .>=o1 .>=o2 .>=*97*97 |");
    cr_expect_eq(f.view.depth, 0);
    cr_expect_eq(f.view.warnings.n, 1);
    view_fixture_release(&f);
}

Test(view_ends, the_limit_holds_whatever_the_model) {
    many_ends(100);
    for (f.limits.max_drawn = 0; f.limits.max_drawn < 420; f.limits.max_drawn += 7) {
        uint32_t most = f.limits.max_drawn < 16 ? 16 : f.limits.max_drawn;

        view_fixture_draw(&f);
        cr_assert_leq(f.view.n_nodes, most);
    }
    view_fixture_release(&f);
}

Test(view_ends, a_fixed_output_has_no_edge) {
    struct model_builder *b = mb_new();

    mb_init(b, "w", "float[2]");
    mb_node(b, "Identity", "alias", "w", "y");
    mb_output(b, "y", "float[2]");
    mb_output(b, "w", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "depth", "1");
    cr_expect_str_eq(view_fixture_draw(&f), "=y =w | |");
    cr_expect_eq(f.view.nodes[0].n_inputs, 1);
    view_fixture_release(&f);
}
