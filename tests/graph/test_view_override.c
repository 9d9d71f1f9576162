#include <criterion/criterion.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void residual(void) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "1");
}

static void release(void) {
    view_fixture_release(&f);
}

static void expect(const char *expand, const char *collapse, const char *text) {
    view_fixture_set(&f, "expand", expand);
    view_fixture_set(&f, "collapse", collapse);
    cr_expect_str_eq(view_fixture_draw(&f), text);
}

static void expect_warning(const char *code, const char *part) {
    cr_assert_eq(f.view.warnings.n, 1);
    cr_expect_str_eq(f.view.warnings.items[0].code, code);
    cr_expect(str_contains(str_from(f.view.warnings.items[0].message), str_from(part)), "%s",
              f.view.warnings.items[0].message);
}

TestSuite(view_override, .init = residual, .fini = release);

#define CLOSED "x stem layer1 fc =y | x>stem stem>layer1 layer1>fc fc>=y |"
#define BLOCKS                                                                               \
    "x stem layer1.0/layer1 layer1.1/layer1 fc =y | x>stem stem>layer1.0 layer1.0>layer1.1 " \
    "layer1.1>fc fc>=y | layer1"
#define ONE_BLOCK                                                                                 \
    "x stem layer1.0/layer1 layer1.1.conv/layer1.1 layer1.1.relu/layer1.1 6:add1/layer1.1 fc =y " \
    "| "                                                                                          \
    "x>stem stem>layer1.0 layer1.0>layer1.1.conv layer1.0>6:add1 layer1.1.conv>layer1.1.relu "    \
    "layer1.1.relu>6:add1 6:add1>fc fc>=y | layer1 layer1.1/layer1"

Test(view_override, an_expanded_module_shows_its_children_and_operators) {
    expect("layer1", "", BLOCKS);
    expect("layer1,layer1.1", "", ONE_BLOCK);
    cr_expect_eq(f.view.warnings.n, 0);
}

Test(view_override, an_expanded_leaf_shows_its_operators) {
    expect("stem", "",
           "x 1:stem/stem layer1 fc =y | x>1:stem 1:stem>layer1 layer1>fc fc>=y | stem");
}

Test(view_override, expanding_opens_nothing_around) {
    expect("layer1.1", "", CLOSED);
    expect_warning("pattern-hidden", "'layer1.1'");
}

Test(view_override, a_collapsed_module_is_one_node) {
    view_fixture_set(&f, "depth", "inf");
    expect("", "layer1.0", ONE_BLOCK);
    expect("", "layer1", CLOSED);
    expect("", "class:Block", BLOCKS);
}

Test(view_override, the_more_literal_pattern_wins_then_expand) {
    expect("layer1,layer1.*", "layer1.0", ONE_BLOCK);
    expect("layer1.*,layer1", "layer1.*,layer1.0", ONE_BLOCK);
    expect("layer1", "layer1", BLOCKS);
    expect("layer1", "**", BLOCKS);
    expect("*", "layer1",
           "x 1:stem/stem layer1 9:flatten/fc =y | x>1:stem 1:stem>layer1 "
           "layer1>9:flatten 9:flatten>=y | stem fc");
}

Test(view_override, patterns_do_not_touch_the_root) {
    expect("", "**", CLOSED);
    view_fixture_set(&f, "depth", "0");
    expect("**", "", "x . =y | x>. .>=y |");
}

Test(view_override, a_pattern_without_a_module_is_a_warning) {
    expect("layer9", "", CLOSED);
    expect_warning("pattern-unmatched", "'layer9'");
    expect("", "layer9", CLOSED);
    expect_warning("pattern-unmatched", "'layer9'");
}

Test(view_override, the_end_of_a_path_is_told_the_whole) {
    expect("conv", "", CLOSED);
    expect_warning("pattern-unmatched", "'conv': did you mean 'layer1.0.conv'?");
    expect("conv@0", "", CLOSED);
    expect_warning("pattern-unmatched", "did you mean 'layer1.0.conv'?");
    expect("stem: Conv2d", "", CLOSED);
    expect_warning("pattern-unmatched", "did you mean 'stem'?");
    expect("conv: Conv2d", "", CLOSED);
    expect_warning("pattern-unmatched", "did you mean 'layer1.0.conv'?");
    expect("class:conv", "", CLOSED);
    expect_warning("pattern-unmatched", "'class:conv'");
}

Test(view_override, a_run_that_is_not_there_cannot_be_unfolded) {
    view_fixture_set(&f, "fold", "1");
    view_fixture_set(&f, "unfold", "block");
    view_fixture_draw(&f);
    expect_warning("pattern-unmatched", "'block'");
    view_fixture_set(&f, "unfold", "");
}

Test(view_override, one_call_of_a_module_can_be_picked) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"cell", "", 0, 0}, {"cell", "", 0, 1}};

    view_fixture_release(&f);
    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "1:a", "x", "h");
    mb_node(b, "Relu", "2:b", "h", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "depth", "1");
    expect("cell@1", "", "x cell 2:b/cell@1 =y | x>cell cell>2:b 2:b>=y | cell@1");
    expect("cell", "cell@0", "x cell 2:b/cell@1 =y | x>cell cell>2:b 2:b>=y | cell@1");
}

Test(view_override, opening_a_box_leaves_the_automatic_depth) {
    view_fixture_set(&f, "depth", "auto");
    view_fixture_set(&f, "max_boxes", "5");
    expect("layer1", "", BLOCKS);
    cr_expect_eq(f.view.depth, 1);
}
