// What a box of a view costs; expected numbers by hand.
#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"
#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void expect_macs(struct dim_num macs, const char *text) {
    struct buf out;
    buf_init(&out, 256);
    infer_count_text(&out, macs);
    cr_expect(str_eq_z(buf_str(&out), text), "%.*s, expected %s", STR_ARG(buf_str(&out)), text);
    buf_release(&out);
}

// x -> a.0 -> a.1 -> a.2 -> y: products of (n, 4) and (4, 4), each with a bias.
static void make_chain(const char *input) {
    static const struct fixture_call calls[] = {{"a.0", "", 0, 0},
                                                {"a.1", "", 0, 0},
                                                {"a.2", "", 0, 0}};
    struct model_builder *b = mb_new();
    mb_input(b, "x", input);
    mb_init(b, "a.0.weight", "float[4,4]");
    mb_init(b, "a.1.weight", "float[4,4]");
    mb_init(b, "a.2.weight", "float[4,4]");
    mb_node(b, "MatMul", "1:m", "x,a.0.weight", "p");
    mb_node(b, "MatMul", "2:m", "p,a.1.weight", "q");
    mb_node(b, "MatMul", "3:m", "q,a.2.weight", "y");
    mb_output(b, "y", "");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "fold", "1");
}

Test(view_costs, a_run_adds_up_its_instances) {
    make_chain("float[2,4]");
    cr_assert_str_eq(view_fixture_draw(&f), "x a.0*3 =y | x>a.0*3 a.0*3>=y |");
    struct graph_view_costs costs = graph_view_node_costs(&f.view, 1);
    cr_expect_eq(costs.parameters, 48);
    expect_macs(costs.macs, "96");
    view_fixture_release(&f);
}

Test(view_costs, symbolic_numbers_add_up_too) {
    make_chain("float[n,4]");
    view_fixture_draw(&f);
    expect_macs(graph_view_node_costs(&f.view, 1).macs, "48*n");
    view_fixture_release(&f);
}

Test(view_costs, unknown_work_stays_unknown) {
    make_chain("");
    view_fixture_draw(&f);
    struct graph_view_costs costs = graph_view_node_costs(&f.view, 1);
    cr_expect_eq(costs.parameters, 48);
    expect_macs(costs.macs, "?");
    view_fixture_release(&f);
}

// Two modules that take turns, each called three times.
Test(view_costs, shared_weights_count_once_in_a_run) {
    static const struct fixture_call calls[] = {{"u", "", 0, 0}, {"v", "", 0, 0}, {"u", "", 0, 1},
                                                {"v", "", 0, 1}, {"u", "", 0, 2}, {"v", "", 0, 2}};
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,4]");
    mb_init(b, "u.weight", "float[4,4]");
    mb_init(b, "v.bias", "float[4]");
    mb_node(b, "MatMul", "1:m", "x,u.weight", "p");
    mb_node(b, "Add", "2:a", "p,v.bias", "q");
    mb_node(b, "MatMul", "3:m", "q,u.weight", "r");
    mb_node(b, "Add", "4:a", "r,v.bias", "s");
    mb_node(b, "MatMul", "5:m", "s,u.weight", "t");
    mb_node(b, "Add", "6:a", "t,v.bias", "y");
    mb_output(b, "y", "");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "fold", "1");
    view_fixture_draw(&f);
    cr_assert_eq(f.view.n_clusters, 1);
    struct graph_view_costs costs = graph_view_cluster_costs(&f.view, 0);
    cr_expect_eq(costs.parameters, 20, "16 + 4");
    expect_macs(costs.macs, "96");
    view_fixture_release(&f);
}

Test(view_costs, what_is_rolled_works_as_often_as_it_is_called) {
    static const struct fixture_call calls[] = {{"u", "", 0, 0}, {"u", "", 0, 1}};
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[n,4]");
    mb_init(b, "u.weight", "float[4,4]");
    mb_node(b, "MatMul", "1:m", "x,u.weight", "p");
    mb_node(b, "MatMul", "2:m", "p,u.weight", "y");
    mb_output(b, "y", "");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "roll", "full");
    view_fixture_draw(&f);
    cr_assert_eq(f.view.nodes[1].n_calls, 2);
    struct graph_view_costs costs = graph_view_node_costs(&f.view, 1);
    cr_expect_eq(costs.parameters, 16);
    expect_macs(costs.macs, "32*n");
    view_fixture_release(&f);
}
