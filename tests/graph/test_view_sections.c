#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void release(void) {
    view_fixture_release(&f);
}

// Operators of different types, so that nothing folds: o0 -> o1 -> ... with `skips` reading x too.
static void flat(int n, int inputs) {
    struct model_builder *b = mb_new();
    char op[16], name[16], in[32], out[16];

    for (int i = 0; i < inputs; i++) {
        snprintf(name, sizeof(name), "x%d", i);
        mb_input(b, name, "float[2]");
    }
    for (int i = 0; i < n; i++) {
        snprintf(op, sizeof(op), "Op%d", i);
        snprintf(name, sizeof(name), "o%d", i);
        if (i == 0) {
            snprintf(in, sizeof(in), "x0");
        } else {
            snprintf(in, sizeof(in), "v%d", i - 1);
        }
        snprintf(out, sizeof(out), "v%d", i);
        mb_node(b, op, name, in, out);
    }
    mb_output(b, out, "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "fold", "1");
}

static void expect(const char *text) {
    cr_expect_str_eq(view_fixture_draw(&f), text);
}

TestSuite(view_sections, .fini = release);

Test(view_sections, a_flat_model_that_fits_is_drawn_in_full) {
    flat(3, 1);
    view_fixture_set(&f, "max_boxes", "5");
    expect("x0 o0 o1 o2 =v2 | x0>o0 o0>o1 o1>o2 o2>=v2 |");
}

// 9 operators in at most 3 nodes.
Test(view_sections, a_larger_one_is_cut_in_execution_order) {
    flat(9, 1);
    view_fixture_set(&f, "max_boxes", "5");
    expect("x0 ~1 ~2 ~3 =v8 | x0>~1 ~1>~2 ~2>~3 ~3>=v8 |");
    cr_expect_eq(f.view.nodes[1].kind, GRAPH_VIEW_SECTION);
    cr_expect_eq(f.view.nodes[2].group->part, 2);
    cr_expect_eq(f.view.nodes[2].group->count, 3);
    cr_expect_eq(f.view.nodes[2].group->n_members, 3);
    cr_expect_eq(f.view.nodes[2].count, 1);
}

Test(view_sections, sections_open_by_their_paths) {
    flat(9, 1);
    view_fixture_set(&f, "max_boxes", "5");
    view_fixture_set(&f, "expand", "~2");
    expect("x0 ~1 o3/~2 o4/~2 o5/~2 ~3 =v8 | x0>~1 ~1>o3 o3>o4 o4>o5 o5>~3 ~3>=v8 | ~2");
    cr_expect_eq(f.view.clusters[0].kind, GRAPH_CLUSTER_SECTION);
    cr_expect_eq(f.view.warnings.n, 0);
}

// 49 operators, 5 nodes: 3 sections of 16 or 17, each cut again.
Test(view_sections, sections_that_are_too_large_hold_sections) {
    flat(49, 1);
    view_fixture_set(&f, "max_boxes", "5");
    expect("x0 ~1 ~2 ~3 =v48 | x0>~1 ~1>~2 ~2>~3 ~3>=v48 |");
    view_fixture_set(&f, "expand", "~1");
    view_fixture_draw(&f);
    cr_expect_leq(f.view.n_nodes, 4 + 5);
    cr_expect_eq(f.view.nodes[1].kind, GRAPH_VIEW_SECTION);
    view_fixture_set(&f, "expand", "~1,~1.~1");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.nodes[1].kind, GRAPH_VIEW_OPERATOR);
    cr_expect_eq(f.view.n_clusters, 2);
}

Test(view_sections, a_depth_that_was_asked_for_has_none) {
    flat(9, 1);
    view_fixture_set(&f, "max_boxes", "5");
    view_fixture_set(&f, "depth", "1");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, 11);
}

// A cut moves by a quarter of a section to where one value crosses instead of two.
Test(view_sections, cuts_prefer_where_few_values_cross) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2]");
    mb_node(b, "Op0", "o0", "x", "a");
    mb_node(b, "Op1", "o1", "a", "b");
    mb_node(b, "Op2", "o2", "b", "c");
    mb_node(b, "Op3", "o3", "c", "d");
    mb_node(b, "Op4", "o4", "d,c", "e");
    mb_node(b, "Op5", "o5", "e", "f");
    mb_node(b, "Op6", "o6", "f", "g");
    mb_node(b, "Op7", "o7", "g", "h");
    mb_output(b, "h", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "max_boxes", "4");
    expect("x ~1 ~2 =h | x>~1 ~1>~2 ~2>=h |");
    cr_expect_eq(f.view.nodes[1].group->n_members, 3);
}

Test(view_sections, too_many_inputs_share_nodes_first) {
    flat(3, 30);
    view_fixture_set(&f, "max_boxes", "20");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, 5 + 3 + 1);
    cr_expect_eq(f.view.nodes[4].count, 26);
    cr_expect_eq(f.view.nodes[5].kind, GRAPH_VIEW_OPERATOR);
}

// What lies alone in what lies alone is opened; the picture is not one box.
Test(view_sections, a_module_around_everything_is_opened) {
    const struct fixture_call calls[] = {{"a", "A", 0, 0}, {"a.b", "B", 1, 0}};
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "2:relu", "x", "v");
    mb_node(b, "Neg", "2:neg", "v", "w");
    mb_node(b, "Exp", "2:exp", "w", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "max_boxes", "4");
    expect("x a.b.~1/a.b a.b.~2/a.b =y | x>a.b.~1 a.b.~1>a.b.~2 a.b.~2>=y | a a.b/a");
    view_fixture_set(&f, "max_boxes", "5");
    expect("x 2:relu/a.b 2:neg/a.b 2:exp/a.b =y | x>2:relu 2:relu>2:neg 2:neg>2:exp 2:exp>=y | a "
           "a.b/a");
}

// Operators a and b, five times, in a view that cannot hold them twice; each reads its own weight.
Test(view_sections, a_run_is_closed_before_anything_is_cut) {
    struct model_builder *b = mb_new();
    char name[16], in[16], out[16];

    mb_input(b, "x", "float[2]");
    mb_node(b, "Op0", "first", "x", "v0");
    for (int k = 0; k < 10; k++) {
        static const char *const ops[] = {"Relu", "Neg", "Exp", "Abs", "Sin"};

        snprintf(name, sizeof(name), "o%d", k);
        snprintf(in, sizeof(in), "v%d", k);
        snprintf(out, sizeof(out), "v%d", k + 1);
        mb_node(b, ops[k % 5], name, in, out);
    }
    mb_node(b, "Op1", "last", "v10", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "fold", "1");
    view_fixture_set(&f, "max_boxes", "5");
    expect("x first ~x2*2 last =y | x>first first>~x2*2 ~x2*2>last last>=y |");
    cr_expect_eq(f.view.nodes[2].kind, GRAPH_VIEW_FOLD);
    view_fixture_set(&f, "expand", "~x2");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, 9);
    cr_expect_eq(f.view.n_clusters, 1);
}

// A detector: three modules with `between` operators behind the first and `behind` ones behind the
// last.
static void modules_and_operators(int between, int behind) {
    static const struct fixture_call calls[] = {{"backbone", "", 0, 0},
                                                {"rpn", "", 0, 0},
                                                {"heads", "", 0, 0}};
    struct model_builder *b = mb_new();
    int n = between + behind + 3, module = 1;
    char op[16], name[16], in[16], out[16];

    mb_input(b, "v0", "float[2]");
    for (int i = 0; i < n; i++) {
        bool is_module = i == 0 || i == between + 1 || i == between + 2;

        snprintf(op, sizeof(op), "Op%d", i);
        snprintf(name, sizeof(name), is_module ? "%d:m" : "o%d", is_module ? module : i);
        snprintf(in, sizeof(in), "v%d", i);
        snprintf(out, sizeof(out), "v%d", i + 1);
        mb_node(b, op, name, in, out);
        module += is_module;
    }
    mb_output(b, out, "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "fold", "1");
}

Test(view_sections, modules_stay_in_sight_and_what_is_between_them_is_a_section) {
    modules_and_operators(2, 40);
    view_fixture_set(&f, "max_boxes", "10");
    expect("v0 backbone o1 o2 rpn heads ~1 =v45 | v0>backbone backbone>o1 o1>o2 o2>rpn rpn>heads "
           "heads>~1 ~1>=v45 |");
    cr_expect_eq(f.view.nodes[6].group->n_shown, 40);
    cr_expect_eq(f.view.nodes[6].group->count, 1);
}

Test(view_sections, every_stretch_between_modules_is_a_section_of_its_own) {
    modules_and_operators(30, 40);
    view_fixture_set(&f, "max_boxes", "10");
    expect("v0 backbone ~1 rpn heads ~2 =v73 | v0>backbone backbone>~1 ~1>rpn rpn>heads heads>~2 "
           "~2>=v73 |");
}

Test(view_sections, a_section_between_modules_opens_into_sections) {
    modules_and_operators(0, 40);
    view_fixture_set(&f, "max_boxes", "10");
    view_fixture_set(&f, "expand", "~1");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_clusters, 1);
    cr_expect_leq(f.view.n_nodes, 5 + 10);
    cr_expect(str_eq_z(f.view.nodes[4].group->path, "~1.~1"));
}

Test(view_sections, modules_that_leave_no_room_lie_in_sections) {
    modules_and_operators(10, 40);
    view_fixture_set(&f, "max_boxes", "4");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.nodes[1].kind, GRAPH_VIEW_SECTION);
    cr_expect_leq(f.view.n_nodes, 4);
}
