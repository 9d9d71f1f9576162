#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void residual(void) {
    view_fixture_residual(&f);
}

static void release(void) {
    view_fixture_release(&f);
}

static void expect_at(const char *depth, const char *text) {
    view_fixture_set(&f, "depth", depth);
    cr_assert_str_eq(view_fixture_draw(&f), text);
}

TestSuite(view_visible, .init = residual, .fini = release);

Test(view_visible, depth_0_is_the_whole_model_as_one_node) {
    expect_at("0", "x . =y | x>. .>=y |");
    cr_expect_eq(f.view.depth, 0);
}

Test(view_visible, a_module_at_the_limit_is_one_node) {
    expect_at("1", "x stem layer1 fc =y | x>stem stem>layer1 layer1>fc fc>=y |");
    expect_at("2", "x stem layer1.0/layer1 layer1.1/layer1 fc =y | x>stem stem>layer1.0 "
                   "layer1.0>layer1.1 layer1.1>fc fc>=y | layer1");
}

#define DEPTH_3                                                                               \
    "x stem layer1.0.conv/layer1.0 layer1.0.relu/layer1.0 3:add0/layer1.0 "                   \
    "layer1.1.conv/layer1.1 layer1.1.relu/layer1.1 6:add1/layer1.1 fc =y | "                  \
    "x>stem stem>layer1.0.conv stem>3:add0 layer1.0.conv>layer1.0.relu layer1.0.relu>3:add0 " \
    "3:add0>layer1.1.conv 3:add0>6:add1 layer1.1.conv>layer1.1.relu layer1.1.relu>6:add1 "    \
    "6:add1>fc fc>=y | layer1 layer1.0/layer1 layer1.1/layer1"

Test(view_visible, operators_are_one_deeper_than_their_module) {
    expect_at("3", DEPTH_3);
    cr_expect_eq(f.view.nodes[4].depth, 3);
    cr_expect_eq(f.view.nodes[4].kind, GRAPH_VIEW_OPERATOR);
    cr_expect_eq(f.view.nodes[2].depth, 3);
    cr_expect_eq(f.view.nodes[2].kind, GRAPH_VIEW_MODULE);
    cr_expect_eq(f.view.nodes[0].depth, 0);
}

Test(view_visible, infinite_depth_opens_all_but_leaf_modules) {
    expect_at("inf", DEPTH_3);
    cr_expect_eq(f.view.depth, GRAPH_DEPTH_INF);
}

Test(view_visible, leaf_modules_open_when_their_functions_are_shown) {
    view_fixture_set(&f, "hide_module_functions", "0");
    expect_at("1", "x stem layer1 fc =y | x>stem stem>layer1 layer1>fc fc>=y |");
    expect_at("2", "x 1:stem/stem layer1.0/layer1 layer1.1/layer1 9:flatten/fc =y | "
                   "x>1:stem 1:stem>layer1.0 layer1.0>layer1.1 layer1.1>9:flatten 9:flatten>=y | "
                   "stem layer1 fc");
}

Test(view_visible, boxes_can_be_left_out) {
    view_fixture_set(&f, "expand_nested", "0");
    expect_at("2", "x stem layer1.0 layer1.1 fc =y | x>stem stem>layer1.0 layer1.0>layer1.1 "
                   "layer1.1>fc fc>=y |");
    cr_expect_eq(f.view.n_clusters, 0);
}

Test(view_visible, a_view_over_the_limit_comes_back_coarser_with_a_warning) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"a", "", 0, 0}, {"a.b", "", 1, 0}, {"c", "", 0, 0}};
    char name[32], last[32] = "x";

    view_fixture_release(&f);
    mb_input(b, "x", "float");
    for (int i = 0; i < 40; i++) {
        char made[32];

        snprintf(name, sizeof(name), "%d:op%d", i < 30 ? 1 : 3, i);
        snprintf(made, sizeof(made), "v%d", i);
        mb_node(b, "Relu", i == 0 ? "2:op" : name, last, made);
        memcpy(last, made, sizeof(last));
    }
    mb_output(b, last, "float");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    f.limits.max_drawn = 20;
    expect_at("2", "x a c =v39 | x>a a>c c>=v39 |");
    cr_assert_eq(f.view.warnings.n, 1);
    cr_expect_str_eq(f.view.warnings.items[0].code, "view-coarser");
    cr_expect_eq(f.view.depth, 1);
    view_fixture_set(&f, "expand", "a");
    expect_at("1", "x a c =v39 | x>a a>c c>=v39 |");
    cr_expect_eq(f.view.warnings.n, 1);
    f.limits.max_drawn = 1000;
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, 2 + 1 + 29 + 1);
    cr_expect_eq(f.view.warnings.n, 0);
}

Test(view_visible, a_flat_model_over_the_limit_is_cut_into_sections) {
    struct model_builder *b = mb_new();

    view_fixture_release(&f);
    mb_input(b, "x", "float");
    for (int i = 0; i < 50; i++) {
        mb_node(b, "Relu", "op", "x", i ? "" : "y");
    }
    mb_output(b, "y", "float");
    view_fixture_init(&f, b, NULL, 0);
    f.limits.max_drawn = 20;
    expect_at("auto", "x ~1 ~2 ~3 ~4 ~5 ~6 ~7 =y | x>~1 x>~2 x>~3 x>~4 x>~5 x>~6 x>~7 ~1>=y |");
    cr_expect_eq(f.view.warnings.n, 1);
}

Test(view_visible, a_dead_branch_and_an_unused_input_are_drawn) {
    struct model_builder *b = mb_new();

    view_fixture_release(&f);
    mb_input(b, "x", "float[2]");
    mb_input(b, "unused", "float[3]");
    mb_node(b, "Relu", "live", "x", "y");
    mb_node(b, "Abs", "dead", "x", "nobody");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    expect_at("1", "x unused live dead =y | x>live x>dead live>=y |");
    cr_expect_eq(f.view.nodes[1].n_outputs, 1);
    cr_expect_eq(f.view.nodes[3].n_outputs, 1);
}

Test(view_visible, a_module_of_constants_only_is_no_module) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"a", "", 0, 0}, {"consts", "", 0, 0}};

    view_fixture_release(&f);
    mb_input(b, "x", "float[2]");
    mb_node(b, "Constant", "2:k", "", "k");
    mb_attr_tensor_ints(b, "value", "1");
    mb_node(b, "Add", "1:add", "x,k", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    expect_at("1", "x a =y | x>a a>=y |");
}

Test(view_visible, calls_of_one_module_are_nodes_of_their_own) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"act", "", 0, 0}, {"act", "", 0, 1}};

    view_fixture_release(&f);
    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "1:a", "x", "h");
    mb_node(b, "Relu", "2:b", "h", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    expect_at("1", "x act act@1 =y | x>act act>act@1 act@1>=y |");
}

// Exporters write the Identity of a shared weight at the head of the graph, whoever reads it.
Test(view_visible, a_module_stands_where_it_runs_not_where_the_alias_of_its_weight_is_written) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"first", "", 0, 0}, {"second", "", 0, 0}};

    view_fixture_release(&f);
    mb_input(b, "x", "float[2]");
    mb_init(b, "w", "float[2]");
    mb_node(b, "Identity", "2:alias", "w", "v");
    mb_node(b, "Add", "1:add", "x,w", "h");
    mb_node(b, "Add", "2:add", "h,v", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    expect_at("1", "x first second =y | x>first first>second second>=y |");
}

// torchview draws a model without child modules as one node at any depth; a file whose names know
// no modules at all is only a graph.
Test(view_visible, a_root_without_children_is_a_leaf_when_the_file_names_modules) {
    struct model_builder *b = mb_new();

    view_fixture_release(&f);
    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "a", "x", "h");
    mb_node(b, "Abs", "b", "h", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    expect_at("inf", "x a b =y | x>a a>b b>=y |");
    f.model.hierarchy.sources[GRAPH_SCOPE_NAME] = 2;
    expect_at("inf", "x . =y | x>. .>=y |");
    expect_at("auto", "x a b =y | x>a a>b b>=y |");
    view_fixture_set(&f, "hide_module_functions", "0");
    expect_at("1", "x a b =y | x>a a>b b>=y |");
}

// MultiheadAttention reads the weights of its child out_proj and never calls it.
Test(view_visible, a_module_that_reads_weights_below_it_is_no_leaf) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"attn", "", 0, 0}};

    view_fixture_release(&f);
    mb_input(b, "x", "float[2,2]");
    mb_init(b, "attn.out_proj.weight", "float[2,2]");
    mb_node(b, "MatMul", "1:mm", "x,attn.out_proj.weight", "h");
    mb_node(b, "Softmax", "1:sm", "h", "y");
    mb_output(b, "y", "float[2,2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    expect_at("1", "x attn =y | x>attn attn>=y |");
    expect_at("2", "x 1:mm/attn 1:sm/attn =y | x>1:mm 1:mm>1:sm 1:sm>=y | attn");
}

Test(view_visible, an_empty_graph_shows_its_ends) {
    struct model_builder *b = mb_new();

    view_fixture_release(&f);
    mb_input(b, "x", "float[2]");
    mb_output(b, "x", "float[2]");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    expect_at("auto", "x =x =y | x>=x |");
    expect_at("0", "x =x =y | x>=x |");
}

Test(view_visible, the_same_model_gives_the_same_view) {
    char *first;

    view_fixture_set(&f, "depth", "3");
    first = strdup(view_fixture_draw(&f));
    cr_assert_not_null(first);
    cr_expect_str_eq(view_fixture_draw(&f), first);
    free(first);
}

Test(view_visible, nesting_past_the_limit_comes_back_coarser) {
    struct model_builder *b = mb_new();
    struct fixture_call calls[5000];
    char name[32], from[32] = "x", to[32];

    view_fixture_release(&f);
    mb_input(b, "x", "float");
    for (uint32_t i = 0; i < ARRAY_LEN(calls); i++) {
        calls[i] = (struct fixture_call){"m", "", i, i};
        snprintf(name, sizeof(name), "%u:op", i + 1);
        snprintf(to, sizeof(to), "v%u", i);
        mb_node(b, "Relu", name, from, to);
        memcpy(from, to, sizeof(from));
    }
    mb_output(b, from, "float");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "depth", "inf");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_clusters, GRAPH_VIEW_NESTING_MAX);
    cr_expect_eq(f.view.warnings.n, 1);
    view_fixture_set(&f, "expand_nested", "0");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, ARRAY_LEN(calls) + 2);
    cr_expect_eq(f.view.n_clusters, 0);
}
