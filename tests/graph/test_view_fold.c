#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/graph/view_fixture.h"

#define LAYERS 4

static struct view_fixture f;

static const struct fixture_call layers[] = {{"layers.0", "net.Layer", 0, 0},
                                             {"layers.1", "net.Layer", 0, 0},
                                             {"layers.2", "net.Layer", 0, 0},
                                             {"layers.3", "net.Layer", 0, 0}};

static void release(void) {
    view_fixture_release(&f);
}

static void fold(struct model_builder *b, const struct fixture_call *calls, size_t n) {
    view_fixture_init(&f, b, calls, n);
    view_fixture_set(&f, "fold", "1");
}

static void expect_at(const char *depth, const char *text) {
    view_fixture_set(&f, "depth", depth);
    cr_expect_str_eq(view_fixture_draw(&f), text);
}

// One node "K+1:op" in layer K, from value vK to v(K+1).
static void add_layer(struct model_builder *b, const char *op, int k, const char *more) {
    char name[32], out[32];
    struct buf in;

    buf_init(&in, 64);
    buf_printf(&in, "v%d", k);
    buf_add_z(&in, *more ? "," : "");
    buf_add_z(&in, more);
    buf_add_char(&in, '\0');
    snprintf(name, sizeof(name), "%d:op", k + 1);
    snprintf(out, sizeof(out), "v%d", k + 1);
    mb_node(b, op, name, (const char *)in.p, out);
    buf_release(&in);
}

static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "v0", "float[2]");
    return b;
}

static void finish(struct model_builder *b) {
    mb_output(b, "v4", "float[2]");
    fold(b, layers, LAYERS);
}

static void chain(void) {
    struct model_builder *b = begin();

    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "Relu", k, "");
    }
    finish(b);
}

TestSuite(view_fold, .fini = release);

Test(view_fold, a_chain_of_equal_modules_is_one_node_at_the_limit) {
    chain();
    expect_at("1", "v0 layers.0*4 =v4 | v0>layers.0*4 layers.0*4>=v4 |");
    cr_expect_eq(f.view.nodes[1].kind, GRAPH_VIEW_FOLD);
    cr_expect_eq(f.view.nodes[1].count, 4);
    cr_assert_eq(f.view.nodes[1].group->n_members, 4);
    cr_expect_eq(f.view.nodes[1].group->members[3].call, 4);
    cr_assert_eq(f.view.nodes[1].n_inputs, 1);
    cr_expect(str_eq_z(f.model.net.values[f.view.nodes[1].inputs[0]].name, "v0"));
    cr_assert_eq(f.view.nodes[1].n_outputs, 1);
    cr_expect(str_eq_z(f.model.net.values[f.view.nodes[1].outputs[0]].name, "v1"));
}

Test(view_fold, above_the_limit_it_is_a_box_around_the_first) {
    chain();
    view_fixture_set(&f, "hide_module_functions", "0");
    expect_at("2", "v0 1:op/layers.0*4 =v4 | v0>1:op 1:op>=v4 | layers.0*4");
    cr_expect_eq(f.view.clusters[0].kind, GRAPH_CLUSTER_FOLD);
    cr_expect_eq(f.view.clusters[0].group->count, 4);
    view_fixture_set(&f, "expand_nested", "0");
    expect_at("2", "v0 1:op/layers.0*4 =v4 | v0>1:op 1:op>=v4 | layers.0*4");
}

#define DRAWN_OUT                                                                 \
    "v0 layers.0 layers.1 layers.2 layers.3 =v4 | v0>layers.0 layers.0>layers.1 " \
    "layers.1>layers.2 layers.2>layers.3 layers.3>=v4 |"

Test(view_fold, fold_0_and_a_larger_minimum_draw_every_instance) {
    chain();
    view_fixture_set(&f, "fold", "5");
    expect_at("1", DRAWN_OUT);
    view_fixture_set(&f, "fold", "0");
    expect_at("1", DRAWN_OUT);
    view_fixture_set(&f, "fold", "4");
    expect_at("1", "v0 layers.0*4 =v4 | v0>layers.0*4 layers.0*4>=v4 |");
}

Test(view_fold, unfold_of_any_member_draws_the_run_out) {
    chain();
    view_fixture_set(&f, "unfold", "layers.2");
    expect_at("1", DRAWN_OUT);
    view_fixture_set(&f, "unfold", "class:Layer");
    expect_at("1", DRAWN_OUT);
    view_fixture_set(&f, "unfold", "~x1");
    expect_at("1", DRAWN_OUT);
    view_fixture_set(&f, "unfold", "other");
    expect_at("1", "v0 layers.0*4 =v4 | v0>layers.0*4 layers.0*4>=v4 |");
}

Test(view_fold, a_pattern_for_any_member_decides_for_the_first) {
    chain();
    view_fixture_set(&f, "expand", "layers.3");
    expect_at("1", "v0 1:op/layers.0*4 =v4 | v0>1:op 1:op>=v4 | layers.0*4");
    cr_expect_eq(f.view.warnings.n, 0);
    view_fixture_set(&f, "expand", "");
    view_fixture_set(&f, "hide_module_functions", "0");
    view_fixture_set(&f, "collapse", "layers.2");
    expect_at("2", "v0 layers.0*4 =v4 | v0>layers.0*4 layers.0*4>=v4 |");
    cr_expect_eq(f.view.warnings.n, 0);
}

// ---- what equal means

Test(view_fold, another_attribute_is_another_block) {
    struct model_builder *b = begin();

    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "LeakyRelu", k, "");
        mb_attr_float(b, "alpha", k == 2 ? 0.5f : 0.25f);
    }
    finish(b);
    expect_at("1", "v0 layers.0*2 layers.2 layers.3 =v4 | v0>layers.0*2 layers.0*2>layers.2 "
                   "layers.2>layers.3 layers.3>=v4 |");
}

static void weighted(const char *third) {
    struct model_builder *b = begin();

    mb_init(b, "w0", "float[2]");
    mb_init(b, "w1", "float[2]");
    mb_init(b, "w2", third);
    mb_init(b, "w3", "float[2]");
    add_layer(b, "Mul", 0, "w0");
    add_layer(b, "Mul", 1, "w1");
    add_layer(b, "Mul", 2, "w2");
    add_layer(b, "Mul", 3, "w3");
    finish(b);
}

Test(view_fold, weights_count_by_shape_and_dtype_not_by_name) {
    weighted("float[2]");
    expect_at("1", "v0 layers.0*4 =v4 | v0>layers.0*4 layers.0*4>=v4 |");
    view_fixture_release(&f);
    weighted("float[1]");
    expect_at("1", "v0 layers.0*2 layers.2 layers.3 =v4 | v0>layers.0*2 layers.0*2>layers.2 "
                   "layers.2>layers.3 layers.3>=v4 |");
    view_fixture_release(&f);
    weighted("double[2]");
    expect_at("1", "v0 layers.0*2 layers.2 layers.3 =v4 | v0>layers.0*2 layers.0*2>layers.2 "
                   "layers.2>layers.3 layers.3>=v4 |");
}

Test(view_fold, values_of_integer_constants_count) {
    struct model_builder *b = begin();

    mb_init_ints(b, "same", "0");
    mb_init_ints(b, "other", "1");
    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "Choose", k, k == 3 ? "other" : "same");
    }
    finish(b);
    expect_at("1", "v0 layers.0*3 layers.3 =v4 | v0>layers.0*3 layers.0*3>layers.3 layers.3>=v4 |");
}

// The same operators on other constants, two nodes away: another block.
Test(view_fold, what_a_constant_is_made_of_counts) {
    struct model_builder *b = begin();

    mb_node(b, "Constant", "c0", "", "c0");
    mb_attr_tensor_ints(b, "value", "2");
    mb_node(b, "Constant", "c1", "", "c1");
    mb_attr_tensor_ints(b, "value", "3");
    mb_node(b, "ConstantOfShape", "z0", "c0", "z0");
    mb_node(b, "ConstantOfShape", "z1", "c1", "z1");
    mb_node(b, "Neg", "same", "z0", "same");
    mb_node(b, "Neg", "other", "z1", "other");
    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "Choose", k, k == 3 ? "other" : "same");
    }
    finish(b);
    expect_at("1", "v0 layers.0*3 layers.3 =v4 | v0>layers.0*3 layers.0*3>layers.3 layers.3>=v4 |");
}

Test(view_fold, known_shapes_that_differ_are_other_blocks_unknown_ones_are_not) {
    struct model_builder *b = begin();

    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "Relu", k, "");
    }
    mb_value(b, "v1", "float[2]");
    mb_value(b, "v3", "float[3]");
    finish(b);
    expect_at("1", "v0 layers.0*2 layers.2 layers.3 =v4 | v0>layers.0*2 layers.0*2>layers.2 "
                   "layers.2>layers.3 layers.3>=v4 |");
}

Test(view_fold, another_class_is_another_block) {
    struct model_builder *b = begin();
    struct fixture_call calls[LAYERS];

    memcpy(calls, layers, sizeof(calls));
    calls[3].class_name = "net.Other";
    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "Relu", k, "");
    }
    mb_output(b, "v4", "float[2]");
    fold(b, calls, LAYERS);
    expect_at("1", "v0 layers.0*3 layers.3 =v4 | v0>layers.0*3 layers.0*3>layers.3 layers.3>=v4 |");
}

Test(view_fold, hidden_plumbing_inside_counts) {
    struct model_builder *b = begin();

    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "Relu", k, "");
    }
    mb_node(b, "Shape", "3:size", "v2", "s");
    finish(b);
    expect_at("1", "v0 layers.0*2 layers.2 layers.3 =v4 | v0>layers.0*2 layers.0*2>layers.2 "
                   "layers.2>layers.3 layers.3>=v4 |");
}

// ---- how instances hang together

Test(view_fold, a_residual_stream_goes_through_the_run) {
    struct model_builder *b = begin();
    char name[32], in[32], out[32];

    for (int k = 0; k < LAYERS; k++) {
        snprintf(name, sizeof(name), "%d:r", k + 1);
        snprintf(in, sizeof(in), "v%d", k);
        snprintf(out, sizeof(out), "r%d", k);
        mb_node(b, "Relu", name, in, out);
        add_layer(b, "Add", k, out);
    }
    finish(b);
    expect_at("1", "v0 layers.0*4 =v4 | v0>layers.0*4 layers.0*4>=v4 |");
    view_fixture_set(&f, "expand", "layers.0");
    expect_at("1", "v0 1:r/layers.0*4 1:op/layers.0*4 =v4 | v0>1:r v0>1:op 1:r>1:op 1:op>=v4 | "
                   "layers.0*4");
    cr_expect_eq(f.view.n_edges, 4);
}

Test(view_fold, a_value_that_all_read_is_one_edge) {
    struct model_builder *b = begin();

    mb_input(b, "mask", "float[2]");
    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "Add", k, "mask");
    }
    finish(b);
    expect_at("1", "v0 mask layers.0*4 =v4 | v0>layers.0*4 mask>layers.0*4 layers.0*4>=v4 |");
}

// past.K in, present.K out, as decoders have them.
static void decoder(void) {
    struct model_builder *b = begin();
    char name[32], in[64], out[32];

    for (int k = 0; k < LAYERS; k++) {
        snprintf(in, sizeof(in), "past.%d.key", k + 8);
        mb_input(b, in, "float[1,2]");
    }
    for (int k = 0; k < LAYERS; k++) {
        snprintf(name, sizeof(name), "%d:cat", k + 1);
        snprintf(in, sizeof(in), "v%d,past.%d.key", k, k + 8);
        snprintf(out, sizeof(out), "present.%d.key", k + 8);
        mb_node(b, "Concat", name, in, out);
        add_layer(b, "MatMul", k, out);
        mb_output(b, out, "float[1,3]");
    }
    finish(b);
}

Test(view_fold, inputs_and_outputs_of_each_instance_are_one_node) {
    decoder();
    expect_at("1", "v0 past.8.key*4 layers.0*4 =present.8.key*4 =v4 | v0>layers.0*4 "
                   "past.8.key*4>layers.0*4*4 layers.0*4>=present.8.key*4*4 layers.0*4>=v4 |");
    cr_assert_eq(f.view.nodes[1].n_merged, 4);
    cr_expect(str_eq_z(f.model.net.values[f.view.nodes[1].merged[3]].name, "past.11.key"));
    cr_expect_eq(f.view.nodes[2].n_inputs, 2);
    cr_expect_eq(f.view.nodes[2].n_outputs, 2);
    cr_expect_eq(f.view.nodes[1].n_outputs, 1);
}

Test(view_fold, an_input_that_is_read_elsewhere_too_is_not_merged) {
    struct model_builder *b = begin();

    mb_input(b, "a", "float[2]");
    mb_input(b, "b", "float[2]");
    mb_input(b, "c", "float[2]");
    add_layer(b, "Add", 0, "a");
    add_layer(b, "Add", 1, "b");
    add_layer(b, "Add", 2, "c");
    mb_node(b, "Max", "max", "v3,b", "v4");
    mb_output(b, "v4", "float[2]");
    fold(b, layers, 3);
    expect_at("1", "v0 a*2 b layers.0*3 max =v4 | v0>layers.0*3 a*2>layers.0*3*2 b>layers.0*3 "
                   "b>max layers.0*3>max max>=v4 |");
}

Test(view_fold, equal_branches_side_by_side_do_not_fold) {
    struct model_builder *b = begin();

    mb_node(b, "Relu", "1:op", "v0", "a");
    mb_node(b, "Relu", "2:op", "v0", "b");
    mb_node(b, "Relu", "3:op", "v0", "c");
    mb_node(b, "Sum", "4:sum", "a,b,c", "v4");
    finish(b);
    expect_at("1", "v0 layers.0 layers.1 layers.2 layers.3 =v4 | v0>layers.0 v0>layers.1 "
                   "v0>layers.2 layers.0>layers.3 layers.1>layers.3 layers.2>layers.3 "
                   "layers.3>=v4 |");
}

Test(view_fold, another_port_is_no_chain) {
    struct model_builder *b = begin();

    mb_input(b, "m", "float[2]");
    mb_node(b, "Sub", "1:op", "v0,m", "v1");
    mb_node(b, "Sub", "2:op", "v1,m", "v2");
    mb_node(b, "Sub", "3:op", "m,v2", "v3");
    mb_node(b, "Sub", "4:op", "v3,m", "v4");
    finish(b);
    expect_at("1", "v0 m layers.0*2 layers.2 layers.3 =v4 | v0>layers.0*2 m>layers.0*2 m>layers.2 "
                   "m>layers.3 layers.0*2>layers.2 layers.2>layers.3 layers.3>=v4 |");
}

Test(view_fold, reading_further_back_than_the_last_is_no_chain) {
    struct model_builder *b = begin();

    mb_node(b, "Add", "1:op", "v0,v0", "v1");
    mb_node(b, "Add", "2:op", "v1,v0", "v2");
    mb_node(b, "Add", "3:op", "v2,v1", "v3");
    mb_node(b, "Add", "4:op", "v3,v2", "v4");
    finish(b);
    view_fixture_draw(&f);
    expect_at("1", "v0 layers.0*2 layers.2*2 =v4 | v0>layers.0*2 layers.0*2>layers.2*2*2 "
                   "layers.2*2>=v4 |");
}

Test(view_fold, a_result_that_is_read_outside_ends_a_run) {
    struct model_builder *b = begin();

    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "Relu", k, "");
    }
    mb_output(b, "v2", "float[2]");
    finish(b);
    expect_at("1", "v0 layers.0*2 layers.2*2 =v2 =v4 | v0>layers.0*2 layers.0*2>layers.2*2 "
                   "layers.0*2>=v2 layers.2*2>=v4 |");
}

Test(view_fold, results_of_all_instances_are_one_edge) {
    struct model_builder *b = begin();

    for (int k = 0; k < LAYERS; k++) {
        add_layer(b, "Relu", k, "");
    }
    mb_node(b, "Concat", "all", "v1,v2,v3,v4", "y");
    mb_output(b, "y", "float[8]");
    fold(b, layers, LAYERS);
    expect_at("1", "v0 layers.0*4 all =y | v0>layers.0*4 layers.0*4>all*4 all>=y |");
    cr_expect_eq(f.view.nodes[1].n_outputs, 1);
    cr_expect_eq(f.view.nodes[2].n_inputs, 4);
}

// ---- several siblings, several levels

Test(view_fold, an_instance_may_be_several_siblings) {
    struct model_builder *b = begin();
    const struct fixture_call *calls = layers;

    mb_node(b, "Relu", "1:a", "v0", "a0");
    mb_node(b, "Neg", "neg0", "a0", "v1");
    mb_node(b, "Relu", "2:a", "v1", "a1");
    mb_node(b, "Neg", "neg1", "a1", "v2");
    mb_node(b, "Relu", "3:a", "v2", "a2");
    mb_node(b, "Neg", "neg2", "a2", "v3");
    mb_node(b, "Abs", "last", "v3", "v4");
    mb_output(b, "v4", "float[2]");
    fold(b, calls, 3);
    expect_at("1", "v0 layers.0/~x1*3 neg0/~x1*3 last =v4 | v0>layers.0 layers.0>neg0 neg0>last "
                   "last>=v4 | ~x1*3");
    cr_expect_eq(f.view.clusters[0].group->n_members, 6);
    view_fixture_set(&f, "collapse", "~x1");
    expect_at("1", "v0 ~x1*3 last =v4 | v0>~x1*3 ~x1*3>last last>=v4 |");
    view_fixture_set(&f, "collapse", "");
    view_fixture_set(&f, "unfold", "~x1");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, 9);
}

Test(view_fold, an_instance_begins_where_the_fewest_values_cross) {
    struct model_builder *b = begin();

    mb_input(b, "e", "float[2]");
    mb_node(b, "Add", "add", "v0,e", "h0");
    mb_node(b, "Exp", "exp0", "h0", "x0");
    mb_node(b, "Abs", "abs0", "x0", "a0");
    mb_node(b, "Add", "add0", "a0,h0", "h1");
    mb_node(b, "Exp", "exp1", "h1", "x1");
    mb_node(b, "Abs", "abs1", "x1", "a1");
    mb_node(b, "Add", "add1", "a1,h1", "h2");
    mb_node(b, "Exp", "exp2", "h2", "x2");
    mb_node(b, "Abs", "abs2", "x2", "a2");
    mb_node(b, "Add", "add2", "a2,h2", "h3");
    mb_output(b, "h3", "float[2]");
    fold(b, NULL, 0);
    expect_at("1", "v0 e add exp0/~x2*3 abs0/~x2*3 add0/~x2*3 =h3 | v0>add e>add add>exp0 "
                   "add>add0 exp0>abs0 abs0>add0 add0>=h3 | ~x2*3");
}

Test(view_fold, runs_in_runs) {
    const struct fixture_call calls[] = {{"a", "A", 0, 0}, {"a.0", "B", 1, 0}, {"a.1", "B", 1, 0},
                                         {"b", "A", 0, 0}, {"b.0", "B", 4, 0}, {"b.1", "B", 4, 0}};
    struct model_builder *b = begin();

    mb_node(b, "Relu", "2:op", "v0", "v1");
    mb_node(b, "Relu", "3:op", "v1", "v2");
    mb_node(b, "Relu", "5:op", "v2", "v3");
    mb_node(b, "Relu", "6:op", "v3", "v4");
    mb_output(b, "v4", "float[2]");
    fold(b, calls, ARRAY_LEN(calls));
    expect_at("1", "v0 a*2 =v4 | v0>a*2 a*2>=v4 |");
    expect_at("2", "v0 a.0*2/a*2 =v4 | v0>a.0*2 a.0*2>=v4 | a*2");
    view_fixture_set(&f, "hide_module_functions", "0");
    expect_at("3", "v0 2:op/a.0*2 =v4 | v0>2:op 2:op>=v4 | a*2 a.0*2/a*2");
    view_fixture_set(&f, "expand", "b.1");
    expect_at("2", "v0 2:op/a.0*2 =v4 | v0>2:op 2:op>=v4 | a*2 a.0*2/a*2");
    view_fixture_set(&f, "unfold", "a");
    expect_at("2", "v0 a.0*2/a 5:op/b.0*2 =v4 | v0>a.0*2 a.0*2>5:op 5:op>=v4 | a b b.0*2/b");
}

Test(view_fold, an_operator_with_bodies_is_one_sibling) {
    struct model_builder *b = begin();
    char name[16], in[16], out[16];

    mb_input(b, "k", "bool[]");
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof(name), "if%d", k);
        snprintf(in, sizeof(in), "v%d", k);
        snprintf(out, sizeof(out), "v%d", k + 1);
        mb_node(b, "If", name, "k", out);
        mb_open_body(b, "then_branch", "t");
        mb_node(b, "Relu", "relu", in, "r");
        mb_output(b, "r", "float[2]");
        mb_close_body(b);
    }
    mb_output(b, "v3", "float[2]");
    fold(b, NULL, 0);
    expect_at("2", "v0 k relu/If/then_branch if0/~x1*3 =v3 | v0>relu k>if0 relu>if0 if0>=v3 | "
                   "~x1*3 If/then_branch/~x1*3");
    expect_at("1", "v0 k if0/~x1*3 =v3 | v0>if0 k>if0 if0>=v3 | ~x1*3");
}

Test(view_fold, a_run_reads_another_one_instance_by_instance) {
    const struct fixture_call calls[] = {{"d.0", "D", 0, 0}, {"d.1", "D", 0, 0},
                                         {"d.2", "D", 0, 0}, {"u.0", "U", 0, 0},
                                         {"u.1", "U", 0, 0}, {"u.2", "U", 0, 0}};
    struct model_builder *b = begin();

    add_layer(b, "Relu", 0, "");
    add_layer(b, "Relu", 1, "");
    add_layer(b, "Relu", 2, "");
    mb_node(b, "Neg", "mid", "v3", "m");
    mb_node(b, "Add", "4:op", "m,v3", "u1");
    mb_node(b, "Add", "5:op", "u1,v2", "u2");
    mb_node(b, "Add", "6:op", "u2,v1", "u3");
    mb_output(b, "u3", "float[2]");
    fold(b, calls, ARRAY_LEN(calls));
    expect_at("1", "v0 d.0*3 mid u.0*3 =u3 | v0>d.0*3 d.0*3>mid d.0*3>u.0*3*3 mid>u.0*3 "
                   "u.0*3>=u3 |");
}

// One cell called three times: folded, unless its calls are to be rolled into one.
Test(view_fold, calls_of_one_module_are_left_to_roll) {
    const struct fixture_call calls[] = {{"cell", "Cell", 0, 0},
                                         {"cell", "Cell", 0, 1},
                                         {"cell", "Cell", 0, 2}};
    struct model_builder *b = begin();

    mb_init(b, "w", "float[2]");
    add_layer(b, "Mul", 0, "w");
    add_layer(b, "Mul", 1, "w");
    add_layer(b, "Mul", 2, "w");
    mb_output(b, "v3", "float[2]");
    fold(b, calls, ARRAY_LEN(calls));
    expect_at("1", "v0 cell*3 =v3 | v0>cell*3 cell*3>=v3 |");
    cr_expect_eq(f.view.nodes[1].kind, GRAPH_VIEW_FOLD);
    view_fixture_set(&f, "roll", "1");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, 3);
    cr_expect_eq(f.view.nodes[1].kind, GRAPH_VIEW_MODULE);
    cr_expect_eq(f.view.nodes[1].n_calls, 3);
}

// ---- the automatic depth

Test(view_fold, what_would_be_one_box_is_drawn_out) {
    chain();
    expect_at("auto", DRAWN_OUT);
    view_fixture_set(&f, "max_boxes", "5");
    expect_at("auto", "v0 layers.0*4 =v4 | v0>layers.0*4 layers.0*4>=v4 |");
}

Test(view_fold, the_automatic_depth_counts_what_folding_leaves) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "fold", "1");
    view_fixture_set(&f, "max_boxes", "7");
    expect_at("auto", "x stem layer1.0.conv/layer1.0*2 layer1.0.relu/layer1.0*2 "
                      "3:add0/layer1.0*2 fc =y | x>stem stem>layer1.0.conv stem>3:add0 "
                      "layer1.0.conv>layer1.0.relu layer1.0.relu>3:add0 3:add0>fc fc>=y | layer1 "
                      "layer1.0*2/layer1");
    cr_expect_eq(f.view.depth, 3);
    view_fixture_set(&f, "max_boxes", "6");
    expect_at("auto", "x stem layer1.0*2/layer1 fc =y | x>stem stem>layer1.0*2 layer1.0*2>fc "
                      "fc>=y | layer1");
}
