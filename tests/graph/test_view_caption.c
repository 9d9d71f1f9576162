#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void expect_node(uint32_t node, const char *text) {
    struct buf b;

    buf_init(&b, 4096);
    graph_view_caption(&b, &f.view, node);
    cr_expect(str_eq_z(buf_str(&b), text), "'%.*s', expected '%s'", STR_ARG(buf_str(&b)), text);
    buf_release(&b);
}

static void expect_box(uint32_t cluster, const char *text) {
    struct buf b;

    buf_init(&b, 4096);
    graph_view_cluster_caption(&b, &f.view, cluster);
    cr_expect(str_eq_z(buf_str(&b), text), "'%.*s', expected '%s'", STR_ARG(buf_str(&b)), text);
    buf_release(&b);
}

// Runs and sections: x, a run of two blocks in layer1, ...
static void draw_folded(const char *names) {
    view_fixture_set(&f, "fold", "1");
    view_fixture_set(&f, "depth", "2");
    view_fixture_set(&f, "names", names);
    view_fixture_draw(&f);
}

Test(view_caption, a_run_is_its_range_and_its_count) {
    view_fixture_residual(&f);
    draw_folded("both");
    expect_node(2, "layer1.0 ... layer1.1: Block x 2");
    draw_folded("attr");
    expect_node(2, "layer1.0 ... layer1.1 x 2");
    draw_folded("path");
    expect_node(2, "layer1.0 ... layer1.1 x 2");
    draw_folded("class");
    expect_node(2, "Block x 2");
    view_fixture_set(&f, "depth", "3");
    view_fixture_draw(&f);
    expect_box(1, "Block x 2");
    view_fixture_release(&f);
}

// Exp, Abs and two Negs three times; past.N goes in each time.
static void operators(void) {
    struct model_builder *b = mb_new();
    char name[16], in[32], out[16];

    mb_input(b, "v0", "float");
    for (int k = 0; k < 3; k++) {
        snprintf(in, sizeof(in), "cache.%d.key", k + 9);
        mb_input(b, in, "float");
    }
    for (int k = 0; k < 12; k++) {
        static const char *const ops[] = {"Exp", "Abs", "Sin", "Add"};

        snprintf(name, sizeof(name), "o%d", k);
        snprintf(in, sizeof(in), k % 4 == 3 ? "v%d,cache.%d.key" : "v%d", k, k / 4 + 9);
        snprintf(out, sizeof(out), "v%d", k + 1);
        mb_node(b, ops[k % 4], name, in, out);
    }
    mb_node(b, "Neg", "last", "v12", "y");
    mb_output(b, "y", "float");
    view_fixture_init(&f, b, NULL, 0);
}

Test(view_caption, a_run_of_operators_is_called_by_their_types) {
    operators();
    view_fixture_set(&f, "collapse", "~x1");
    draw_folded("both");
    expect_node(0, "v0");
    expect_node(1, "cache.*.key x 3");
    expect_node(2, "Exp, Abs, Sin, ... x 3");
    expect_node(3, "Neg");
    view_fixture_release(&f);
}

Test(view_caption, a_section_says_which_part_it_is) {
    operators();
    view_fixture_set(&f, "max_boxes", "9");
    view_fixture_draw(&f);
    cr_assert_eq(f.view.nodes[2].kind, GRAPH_VIEW_SECTION);
    expect_node(2, "part 1 of 4");
    view_fixture_set(&f, "expand", "~1");
    view_fixture_draw(&f);
    expect_box(0, "part 1 of 4");
    view_fixture_release(&f);
}

static void draw(const char *names) {
    view_fixture_set(&f, "depth", "3");
    view_fixture_set(&f, "names", names);
    view_fixture_draw(&f);
}

// Nodes: x stem layer1.0.conv layer1.0.relu 3:add0 ... fc =y.

Test(view_caption, both_is_the_last_name_and_the_short_class) {
    view_fixture_residual(&f);
    draw("both");
    expect_node(0, "x");
    expect_node(1, "stem: Conv2d");
    expect_node(2, "conv: Conv2d");
    expect_node(4, "Add");
    expect_node(8, "fc");
    expect_node(9, "y");
    expect_box(0, "layer1: Sequential");
    expect_box(1, "layer1.0: Block");
    view_fixture_release(&f);
}

Test(view_caption, class_falls_back_to_the_name) {
    view_fixture_residual(&f);
    draw("class");
    expect_node(1, "Conv2d");
    expect_node(8, "fc");
    expect_box(1, "Block");
    view_fixture_release(&f);
}

Test(view_caption, attr_is_the_last_name_an_index_with_its_container) {
    view_fixture_residual(&f);
    draw("attr");
    expect_node(2, "conv");
    expect_box(0, "layer1");
    expect_box(1, "layer1.0");
    view_fixture_release(&f);
}

Test(view_caption, attr_of_indexes_in_indexes) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {
        {"enc.blocks.3.1", "", 0, 0}, {"7", "", 0, 0}, {"0.1", "", 0, 0}, {"a.1b", "", 0, 0}};

    mb_input(b, "x", "float");
    mb_node(b, "Relu", "1:a", "x", "p");
    mb_node(b, "Relu", "2:b", "p", "q");
    mb_node(b, "Relu", "3:c", "q", "r");
    mb_node(b, "Relu", "4:d", "r", "y");
    mb_output(b, "y", "float");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    draw("attr");
    expect_node(1, "blocks.3.1");
    expect_node(2, "7");
    expect_node(3, "0.1");
    expect_node(4, "1b");
    view_fixture_release(&f);
}

Test(view_caption, path_is_the_whole_name) {
    view_fixture_residual(&f);
    draw("path");
    expect_node(2, "layer1.0.conv");
    expect_box(1, "layer1.0");
    view_fixture_release(&f);
}

// One cell twice, one other module.
Test(view_caption, calls_of_one_module_have_their_numbers) {
    static const struct fixture_call calls[] = {{"net.cell", "nn.Cell", 0, 0},
                                                {"net.cell", "nn.Cell", 0, 1},
                                                {"fc", "nn.Linear", 0, 0}};
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "1:a", "x", "h");
    mb_node(b, "Relu", "2:b", "h", "i");
    mb_node(b, "Relu", "3:c", "i", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    draw("both");
    expect_node(1, "cell@0: Cell");
    expect_node(2, "cell@1: Cell");
    expect_node(3, "fc: Linear");
    draw("path");
    expect_node(2, "net.cell@1");
    draw("class");
    expect_node(2, "Cell");
    view_fixture_set(&f, "expand", "net.cell@1");
    draw("attr");
    expect_node(1, "cell@0");
    expect_box(0, "cell@1");
    view_fixture_set(&f, "expand", "");
    view_fixture_set(&f, "roll", "full");
    draw("both");
    expect_node(1, "cell: Cell");
    view_fixture_release(&f);
}

Test(view_caption, the_root_is_called_model_when_its_class_is_not_known) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "0");
    view_fixture_draw(&f);
    expect_node(1, "model");
    view_fixture_release(&f);
}

Test(view_caption, a_body_is_its_operator_and_attribute) {
    struct model_builder *b = mb_new();

    mb_input(b, "k", "bool[]");
    mb_node(b, "If", "if", "k", "y");
    mb_open_body(b, "then_branch", "g");
    mb_node(b, "Not", "n", "k", "t");
    mb_output(b, "t", "bool[]");
    mb_close_body(b);
    mb_output(b, "y", "bool[]");
    view_fixture_init(&f, b, NULL, 0);
    draw("both");
    expect_box(0, "If then_branch");
    view_fixture_release(&f);
}

Test(view_caption, ends_that_share_a_node_are_counted) {
    struct model_builder *b = mb_new();
    char name[16];

    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof(name), "i%d", i);
        mb_input(b, name, "float");
    }
    mb_node(b, "Relu", "r", "i0", "y");
    mb_output(b, "y", "float");
    view_fixture_init(&f, b, NULL, 0);
    f.limits.max_drawn = 16;
    draw("both");
    expect_node(3, "27 more inputs");
    view_fixture_release(&f);
}
