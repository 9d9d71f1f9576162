#include <criterion/criterion.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void expect_at(const char *depth, const char *text) {
    view_fixture_set(&f, "depth", depth);
    cr_expect_str_eq(view_fixture_draw(&f), text);
}

static void open_if(struct model_builder *b, const char *name, const char *condition) {
    mb_node(b, "If", name, condition, "y");
    mb_open_body(b, "then_branch", "g");
}

static void close_if(struct model_builder *b, const char *result) {
    mb_output(b, result, "float[2]");
    mb_close_body(b);
}

Test(view_regions, bodies_are_one_level_deeper_and_one_box_each) {
    struct model_builder *b = mb_new();

    mb_input(b, "k", "bool[]");
    mb_input(b, "x", "float[2]");
    open_if(b, "if", "k");
    mb_node(b, "Relu", "relu", "x", "r");
    close_if(b, "r");
    mb_open_body(b, "else_branch", "g");
    mb_node(b, "Neg", "neg", "x", "n");
    close_if(b, "n");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    expect_at("1", "k x if =y | k>if x>if if>=y |");
    expect_at("2", "k x relu/If/then_branch neg/If/else_branch if =y | k>if x>relu x>neg relu>if "
                   "neg>if if>=y | If/then_branch If/else_branch");
    cr_expect_eq(f.view.nodes[2].depth, 2);
    cr_expect_eq(f.view.nodes[4].depth, 1);
    cr_expect_eq(f.view.clusters[0].depth, 1);
    cr_expect_eq(f.view.clusters[0].kind, GRAPH_CLUSTER_BRANCH);
    view_fixture_set(&f, "expand_nested", "0");
    expect_at("2", "k x relu neg if =y | k>if x>relu x>neg relu>if neg>if if>=y |");
    view_fixture_release(&f);
}

Test(view_regions, a_body_without_nodes_passes_an_outer_value_on) {
    struct model_builder *b = mb_new();

    mb_input(b, "k", "bool[]");
    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "relu", "x", "r");
    open_if(b, "if", "k");
    close_if(b, "r");
    mb_open_body(b, "else_branch", "g");
    mb_node(b, "Neg", "neg", "x", "n");
    close_if(b, "n");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    expect_at("1", "k x relu if =y | k>if x>relu x>if relu>if if>=y |");
    expect_at("2", "k x relu neg/If/else_branch if =y | k>if x>relu x>neg relu>if neg>if if>=y | "
                   "If/else_branch");
    view_fixture_release(&f);
}

// A module called in a body lies in the body, one level deeper than its depth among calls.
Test(view_regions, calls_made_in_a_body_lie_in_it) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"a", "", 0, 0}, {"a.b", "", 1, 0}, {"a.b.c", "", 2, 0}};

    mb_input(b, "k", "bool[]");
    mb_input(b, "x", "float[2]");
    open_if(b, "1:if", "k");
    mb_node(b, "Relu", "1:own", "x", "r");
    mb_node(b, "Relu", "2:b", "r", "s");
    mb_node(b, "Relu", "3:c", "s", "t");
    close_if(b, "t");
    mb_open_body(b, "else_branch", "g");
    mb_node(b, "Neg", "3:neg", "x", "n");
    close_if(b, "n");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    expect_at("1", "k x a =y | k>a x>a a>=y |");
    expect_at("2", "k x 1:if/a =y | k>1:if x>1:if 1:if>=y | a");
    expect_at("3", "k x 1:own/If/then_branch a.b/If/then_branch a.b/If/else_branch 1:if/a =y | "
                   "k>1:if x>1:own x>a.b 1:own>a.b a.b>1:if a.b>1:if 1:if>=y | a If/then_branch/a "
                   "If/else_branch/a");
    view_fixture_release(&f);
}

Test(view_regions, bodies_in_bodies_nest) {
    struct model_builder *b = mb_new();

    mb_input(b, "k", "bool[]");
    mb_input(b, "x", "float[2]");
    open_if(b, "outer", "k");
    mb_node(b, "If", "inner", "k", "z");
    mb_open_body(b, "then_branch", "g");
    mb_node(b, "Relu", "deep", "x", "d");
    close_if(b, "d");
    close_if(b, "z");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    expect_at("1", "k x outer =y | k>outer x>outer outer>=y |");
    expect_at("2", "k x inner/If/then_branch outer =y | k>inner k>outer x>inner inner>outer "
                   "outer>=y | If/then_branch");
    expect_at("3",
              "k x deep/If/then_branch inner/If/then_branch outer =y | k>inner k>outer x>deep "
              "deep>inner inner>outer outer>=y | If/then_branch If/then_branch/If/then_branch");
    view_fixture_release(&f);
}

Test(view_regions, a_body_can_read_a_value_that_is_made_after_its_holder) {
    struct model_builder *b = mb_new();

    mb_input(b, "k", "bool[]");
    mb_input(b, "x", "float[2]");
    open_if(b, "if", "k");
    mb_node(b, "Relu", "relu", "late", "r");
    close_if(b, "r");
    mb_node(b, "Neg", "neg", "x", "late");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    expect_at("2", "k x neg relu/If/then_branch if =y | k>if x>neg neg>relu relu>if if>=y | "
                   "If/then_branch");
    view_fixture_release(&f);
}
