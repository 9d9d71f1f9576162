#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void expect(const char *text) {
    cr_assert_str_eq(view_fixture_draw(&f), text);
}

static struct str value_name(uint32_t value) {
    return f.model.net.values[value].name;
}

static void expect_values(const uint32_t *values, uint32_t n, const char *names) {
    struct str rest = str_from(names), name;

    for (uint32_t i = 0; i < n; i++) {
        cr_assert(str_next(&rest, ',', &name));
        cr_expect(str_eq(value_name(values[i]), name), "%.*s", STR_ARG(value_name(values[i])));
    }
    cr_expect_not(str_next(&rest, ',', &name), "%.*s is missing", STR_ARG(name));
}

// Two values run from `a` to `b`; `b` reads the second twice.
static void two_values(void) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"a", "", 0, 0}, {"b", "", 0, 0}};

    mb_input(b, "x", "float[4]");
    mb_node(b, "Split", "1:split", "x", "p,q");
    mb_node(b, "Mul", "2:mul", "q,q", "m");
    mb_node(b, "Add", "2:add", "m,p", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "depth", "1");
}

Test(view_edges, parallel_values_are_one_edge_with_a_count) {
    two_values();
    expect("x a b =y | x>a a>b*2 b>=y |");
    expect_values(f.view.edges[1].values, f.view.edges[1].n_values, "p,q");
    view_fixture_release(&f);
}

Test(view_edges, parallel_values_are_edges_of_their_own_without_strict) {
    two_values();
    view_fixture_set(&f, "strict", "0");
    expect("x a b =y | x>a a>b a>b b>=y |");
    expect_values(f.view.edges[1].values, f.view.edges[1].n_values, "p");
    expect_values(f.view.edges[2].values, f.view.edges[2].n_values, "q");
    view_fixture_release(&f);
}

Test(view_edges, one_value_read_twice_is_one_edge_without_a_count) {
    two_values();
    view_fixture_set(&f, "depth", "2");
    view_fixture_set(&f, "hide_module_functions", "0");
    view_fixture_set(&f, "strict", "0");
    expect("x 1:split/a 2:mul/b 2:add/b =y | x>1:split 1:split>2:mul 1:split>2:add 2:mul>2:add "
           "2:add>=y | a b");
    view_fixture_release(&f);
}

Test(view_edges, a_node_lists_what_enters_in_reading_order_and_what_leaves) {
    two_values();
    expect("x a b =y | x>a a>b*2 b>=y |");
    expect_values(f.view.nodes[0].outputs, f.view.nodes[0].n_outputs, "x");
    expect_values(f.view.nodes[0].inputs, f.view.nodes[0].n_inputs, "");
    expect_values(f.view.nodes[1].inputs, f.view.nodes[1].n_inputs, "x");
    expect_values(f.view.nodes[1].outputs, f.view.nodes[1].n_outputs, "p,q");
    expect_values(f.view.nodes[2].inputs, f.view.nodes[2].n_inputs, "q,p");
    expect_values(f.view.nodes[2].outputs, f.view.nodes[2].n_outputs, "y");
    expect_values(f.view.nodes[3].inputs, f.view.nodes[3].n_inputs, "y");
    view_fixture_release(&f);
}

Test(view_edges, what_stays_inside_is_neither_input_nor_output) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "1");
    view_fixture_draw(&f);
    expect_values(f.view.nodes[2].inputs, f.view.nodes[2].n_inputs, "s");
    expect_values(f.view.nodes[2].outputs, f.view.nodes[2].n_outputs, "f");
    view_fixture_release(&f);
}

Test(view_edges, a_value_that_is_read_and_returned_leaves_once) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "a", "x", "h");
    mb_node(b, "Abs", "b", "h", "y");
    mb_output(b, "h", "float[2]");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    expect("x a b =h =y | x>a a>b a>=h b>=y |");
    expect_values(f.view.nodes[1].outputs, f.view.nodes[1].n_outputs, "h");
    view_fixture_release(&f);
}

Test(view_edges, a_cycle_is_drawn_and_a_loop_on_itself_is_not) {
    struct model_builder *b = mb_new();

    mb_node(b, "Add", "a", "q,a1", "a1");
    mb_node(b, "Abs", "b", "a1", "q");
    mb_output(b, "q", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_edges, 3);
    view_fixture_release(&f);
}

Test(view_edges, thousands_of_readers_are_as_many_edges) {
    enum { FAN = 2000 };
    struct model_builder *b = mb_new();
    struct buf all;
    char made[32];

    buf_init(&all, 1 << 20);
    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "hub", "x", "h");
    for (uint32_t i = 0; i < FAN; i++) {
        snprintf(made, sizeof(made), "v%u", i);
        mb_node(b, "Abs", "leaf", "h", made);
        buf_printf(&all, "%sv%u", i ? "," : "", i);
    }
    buf_add_char(&all, '\0');
    mb_node(b, "Sum", "sum", (const char *)all.p, "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "depth", "inf");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, FAN + 4);
    cr_expect_eq(f.view.n_edges, 2 * FAN + 2);
    cr_expect_eq(f.view.nodes[FAN + 2].n_inputs, FAN);
    for (size_t i = 1; i < f.view.n_edges; i++) {
        const struct graph_view_edge *e = &f.view.edges[i];

        cr_assert(e[-1].from < e->from || (e[-1].from == e->from && e[-1].to < e->to));
    }
    buf_release(&all);
    view_fixture_release(&f);
}
