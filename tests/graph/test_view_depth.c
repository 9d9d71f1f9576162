#include <criterion/criterion.h>

#include "graph/view_internal.h"
#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void residual(void) {
    view_fixture_residual(&f);
}

static void release(void) {
    view_fixture_release(&f);
}

static uint32_t chosen(const char *max_boxes) {
    view_fixture_set(&f, "max_boxes", max_boxes);
    view_fixture_draw(&f);
    return f.view.depth;
}

TestSuite(view_depth, .init = residual, .fini = release);

// Nodes, ends counted: depth 0 has 3, 1 has 5, 2 has 6, 3 has 10.
Test(view_depth, auto_is_the_deepest_that_fits) {
    cr_expect_eq(chosen("10"), 3);
    cr_expect_eq(chosen("9"), 2);
    cr_expect_eq(chosen("6"), 2);
    cr_expect_eq(chosen("5"), 1);
}

Test(view_depth, auto_is_never_0_while_there_is_something_to_show) {
    cr_expect_eq(chosen("4"), 1);
    cr_expect_eq(chosen("1"), 1);
}

Test(view_depth, auto_shows_a_single_operator) {
    struct model_builder *b = mb_new();

    view_fixture_release(&f);
    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "a", "x", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    cr_expect_str_eq(view_fixture_draw(&f), "x a =y | x>a a>=y |");
}

static void expect_counts(void) {
    struct view_build b = {
        .model = &f.model, .options = &f.options, .max_nodes = UINT32_MAX, .view = &f.view};

    b.open_leaf = ONNX_NONE;

    arena_init(&b.work, (size_t)1 << 26);
    cr_assert_eq(view_regions(&b, NULL), 0);
    cr_assert_eq(view_reads(&b, NULL), 0);
    cr_assert_eq(view_fold(&b, NULL), 0);
    cr_assert_eq(view_count_depths(&b, NULL), 0);
    cr_assert_gt(b.n_counts, 1);
    for (uint32_t d = 0; d < b.n_counts + 2; d++) {
        const struct view_counts *c = &b.counts[d < b.n_counts ? d : b.n_counts - 1];

        f.options.depth = d;
        view_fixture_draw(&f);
        cr_expect_eq(f.view.n_nodes, c->nodes, "depth %u: %zu, counted %lu", d, f.view.n_nodes,
                     (unsigned long)c->nodes);
        cr_expect_eq(f.view.n_clusters, c->clusters, "depth %u: %zu boxes", d, f.view.n_clusters);
    }
    arena_release(&b.work);
}

Test(view_depth, counts_are_those_of_the_views) {
    expect_counts();
    view_fixture_set(&f, "hide_module_functions", "0");
    expect_counts();
}

Test(view_depth, counts_are_those_of_the_views_with_bodies) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"a", "", 0, 0}, {"a.b", "", 1, 0}, {"c", "", 0, 0}};

    view_fixture_release(&f);
    mb_input(b, "k", "bool[]");
    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "2:r", "x", "h");
    mb_node(b, "If", "1:if", "k", "i");
    mb_open_body(b, "then_branch", "t");
    mb_node(b, "Abs", "2:abs", "h", "t0");
    mb_node(b, "Relu", "3:relu", "t0", "t1");
    mb_output(b, "t1", "float[2]");
    mb_close_body(b);
    mb_open_body(b, "else_branch", "e");
    mb_node(b, "Neg", "1:neg", "h", "e0");
    mb_output(b, "e0", "float[2]");
    mb_close_body(b);
    mb_node(b, "Add", "3:add", "i,nowhere", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    expect_counts();
    view_fixture_set(&f, "hide_module_functions", "0");
    expect_counts();
}
