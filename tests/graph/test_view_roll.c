// Counts are those that torchview draws for the same modules.
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/graph/view_fixture.h"

#define CALLS 16

static struct view_fixture f;
static struct fixture_call calls[CALLS];
static size_t n_calls;

static void setup(void) {
    n_calls = 0;
}

static void teardown(void) {
    view_fixture_release(&f);
}

TestSuite(view_roll, .init = setup, .fini = teardown);

static void call(const char *path, uint32_t parent, uint32_t number) {
    calls[n_calls++] = (struct fixture_call){path, "", parent, number};
}

static void roll(struct model_builder *b, const char *how) {
    view_fixture_init(&f, b, calls, n_calls);
    view_fixture_set(&f, "depth", "inf");
    view_fixture_set(&f, "roll", how);
}

static void expect_calls(uint32_t node, const char *numbers) {
    const struct graph_view_node *n = &f.view.nodes[node];
    char text[CALLS + 1] = "";

    cr_assert_leq(n->n_calls, CALLS);
    for (uint32_t i = 0; i < n->n_calls; i++) {
        text[i] = (char)('0' + f.model.hierarchy.calls[n->calls[i]].number);
    }
    cr_expect_str_eq(text, numbers);
}

// One ReLU eight times: seven feed the ReLU, the last the output (RecursiveRelu: 4 nodes, 4 edges,
// the loop x6).
static struct model_builder *recursive_relu(void) {
    struct model_builder *b = mb_new();
    char name[24], in[16], out[16];

    mb_input(b, "x", "float[1,2]");
    for (uint32_t i = 0; i < 8; i++) {
        snprintf(name, sizeof(name), "%u:relu", i + 1);
        snprintf(in, sizeof(in), i ? "v%u" : "x", i);
        snprintf(out, sizeof(out), i < 7 ? "v%u" : "y", i + 1);
        mb_node(b, "Relu", name, in, out);
        call("relu", 0, i);
    }
    mb_output(b, "y", "float[1,2]");
    return b;
}

Test(view_roll, stateless_calls_merge_when_they_feed_the_same_module) {
    roll(recursive_relu(), "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x relu relu@7 =y | x>relu relu>relu*6 relu>relu@7 relu@7>=y |");
    expect_calls(1, "0123456");
    expect_calls(2, "7");
    cr_expect_eq(f.view.nodes[1].count, 7);
}

Test(view_roll, full_merges_the_last_call_too) {
    roll(recursive_relu(), "full");
    cr_expect_str_eq(view_fixture_draw(&f), "x relu =y | x>relu relu>relu*7 relu>=y |");
}

Test(view_roll, without_strict_every_reading_is_an_edge) {
    roll(recursive_relu(), "torchview");
    view_fixture_set(&f, "strict", "0");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_edges, 9);
}

Test(view_roll, tensors_keep_stateless_calls_apart) {
    roll(recursive_relu(), "torchview");
    view_fixture_set(&f, "hide_inner_tensors", "0");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, 10 + 7);
}

// A convolution six times, a ReLU behind three of them (RecursiveNet: 4 nodes, 10 readings, 5
// edges, at most x3).
Test(view_roll, stateful_calls_merge_whoever_reads_them) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,64,28,28]");
    mb_init(b, "conv.weight", "float[64,64,3,3]");
    mb_node(b, "Conv", "1:c", "x,conv.weight", "a");
    mb_node(b, "Relu", "2:r", "a", "b");
    mb_node(b, "Conv", "3:c", "b,conv.weight", "c");
    mb_node(b, "Conv", "4:c", "c,conv.weight", "d");
    mb_node(b, "Relu", "5:r", "d", "e");
    mb_node(b, "Conv", "6:c", "e,conv.weight", "g");
    mb_node(b, "Conv", "7:c", "g,conv.weight", "h");
    mb_node(b, "Relu", "8:r", "h", "i");
    mb_node(b, "Conv", "9:c", "i,conv.weight", "y");
    mb_output(b, "y", "float[1,64,28,28]");
    call("conv", 0, 0);
    call("relu", 0, 0);
    call("conv", 0, 1);
    call("conv", 0, 2);
    call("relu", 0, 1);
    call("conv", 0, 3);
    call("conv", 0, 4);
    call("relu", 0, 2);
    call("conv", 0, 5);
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x conv relu =y | x>conv conv>conv*2 conv>relu*3 conv>=y relu>conv*3 |");
    expect_calls(1, "012345");
    view_fixture_set(&f, "strict", "0");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_edges, 10);
}

// One cell four times with the same input, an activation behind each (SimpleRNN: 5 nodes, 15
// readings, 6 edges).
static struct model_builder *simple_rnn(void) {
    static const char *const in[] = {"x,w", "x,b0,a0,w", "x,b1,a1,w", "x,b2,a2,w"};
    static const char *const out[] = {"a0,c0", "a1,c1", "a2,c2", "a3,c3"};
    struct model_builder *b = mb_new();
    char cell[24], act[24], from[16], to[16];

    mb_input(b, "x", "float[2,3]");
    mb_init(b, "w", "float[2,3]");
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(cell, sizeof(cell), "%u:cell", 2 * i + 1);
        snprintf(act, sizeof(act), "%u:act", 2 * i + 2);
        snprintf(from, sizeof(from), "a%u", i);
        snprintf(to, sizeof(to), "b%u", i);
        mb_node(b, "Cell", cell, in[i], out[i]);
        mb_node(b, "LeakyRelu", act, from, i < 3 ? to : "y");
        call("cell", 0, i);
        call("act", 0, i);
    }
    mb_output(b, "y", "float[2,2]");
    return b;
}

Test(view_roll, one_value_read_by_every_call_counts_for_each) {
    roll(simple_rnn(), "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x cell act act@3 =y | x>cell*4 cell>cell*3 cell>act*3 cell>act@3 "
                     "act>cell*3 act@3>=y |");
    cr_expect_eq(f.view.edges[0].n_values, 1);
    view_fixture_set(&f, "strict", "0");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_edges, 15);
}

// The shapes of a rolled node are those of its last call.
Test(view_roll, the_last_call_tells_the_shapes) {
    struct model_builder *b = simple_rnn();

    mb_value(b, "b0", "float[9,9]");
    mb_value(b, "b2", "float[2,2]");
    roll(b, "torchview");
    view_fixture_draw(&f);
    cr_assert_eq(f.view.nodes[1].n_inputs, 3);
    cr_expect(str_eq_z(f.model.net.values[f.view.nodes[1].inputs[1]].name, "b2"));
}

Test(view_roll, full_shows_the_union_of_the_shapes) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_node(b, "Relu", "1:r", "x", "a");
    mb_node(b, "Relu", "2:r", "a", "b");
    mb_node(b, "Relu", "3:r", "b", "y");
    mb_value(b, "a", "float[2]");
    mb_value(b, "b", "float[2]");
    mb_output(b, "y", "float[3]");
    call("relu", 0, 0);
    call("relu", 0, 1);
    call("relu", 0, 2);
    roll(b, "full");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.nodes[1].n_inputs, 2);
    cr_expect_eq(f.view.nodes[1].n_outputs, 2);
}

// Two towers through the same modules: the last pooling of each feeds an operator of its own.
Test(view_roll, siamese_towers_meet_where_modules_are_shared) {
    struct model_builder *b = mb_new();

    mb_input(b, "p", "float[1,3]");
    mb_input(b, "q", "float[1,3]");
    mb_init(b, "fc.weight", "float[3,3]");
    mb_node(b, "Gemm", "1:fc", "p,fc.weight", "p1");
    mb_node(b, "Relu", "2:r", "p1", "p2");
    mb_node(b, "Gemm", "3:fc", "q,fc.weight", "q1");
    mb_node(b, "Relu", "4:r", "q1", "q2");
    mb_node(b, "Neg", "n1", "p2", "p3");
    mb_node(b, "Neg", "n2", "q2", "q3");
    mb_node(b, "Sub", "sub", "p3,q3", "y");
    mb_output(b, "y", "float[1,3]");
    call("fc", 0, 0);
    call("relu", 0, 0);
    call("fc", 0, 1);
    call("relu", 0, 1);
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "p q fc relu relu@1 n1 sub =y | p>fc q>fc fc>relu fc>relu@1 relu>n1 "
                     "relu@1>n1 n1>sub*2 sub>=y |");
}

// tanh(relu(lin(x))) three times: tanh merges where it feeds the module, relu feeds operators.
Test(view_roll, operators_merge_by_their_reader) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "lin.weight", "float[1,1]");
    mb_node(b, "Gemm", "1:l", "x,lin.weight", "a0");
    mb_node(b, "Relu", "r0", "a0", "b0");
    mb_node(b, "Tanh", "t0", "b0", "c0");
    mb_node(b, "Gemm", "2:l", "c0,lin.weight", "a1");
    mb_node(b, "Relu", "r1", "a1", "b1");
    mb_node(b, "Tanh", "t1", "b1", "c1");
    mb_node(b, "Gemm", "3:l", "c1,lin.weight", "a2");
    mb_node(b, "Relu", "r2", "a2", "b2");
    mb_node(b, "Tanh", "t2", "b2", "y");
    mb_output(b, "y", "float[1]");
    call("lin", 0, 0);
    call("lin", 0, 1);
    call("lin", 0, 2);
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x lin r0 t0 r1 r2 t2 =y | x>lin lin>r0 lin>r1 lin>r2 r0>t0 t0>lin*2 r1>t0 "
                     "r2>t2 t2>=y |");
}

// The same ReLU twice on one tensor, both before one Add: the branches merge.
Test(view_roll, branches_into_one_operator_merge) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_node(b, "Relu", "1:r", "x", "p");
    mb_node(b, "Relu", "2:r", "x", "q");
    mb_node(b, "Add", "add", "p,q", "y");
    mb_output(b, "y", "float[1]");
    call("relu", 0, 0);
    call("relu", 0, 1);
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f), "x relu add =y | x>relu*2 relu>add*2 add>=y |");
}

Test(view_roll, readers_that_are_other_modules_keep_calls_apart) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "a.weight", "float[1,1]");
    mb_init(b, "b.weight", "float[1,1]");
    mb_node(b, "Relu", "1:r", "x", "p");
    mb_node(b, "Gemm", "2:a", "p,a.weight", "q");
    mb_node(b, "Relu", "3:r", "q", "r");
    mb_node(b, "Gemm", "4:b", "r,b.weight", "y");
    mb_output(b, "y", "float[1]");
    call("relu", 0, 0);
    call("a", 0, 0);
    call("relu", 0, 1);
    call("b", 0, 0);
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x relu a relu@1 b =y | x>relu relu>a a>relu@1 relu@1>b b>=y |");
}

// A block of a linear and a ReLU, three times, then a head.
static struct model_builder *shared_block(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "blk.lin.weight", "float[1,1]");
    mb_init(b, "head.weight", "float[1,1]");
    mb_node(b, "Gemm", "2:l", "x,blk.lin.weight", "a0");
    mb_node(b, "Relu", "3:r", "a0", "b0");
    mb_node(b, "Gemm", "5:l", "b0,blk.lin.weight", "a1");
    mb_node(b, "Relu", "6:r", "a1", "b1");
    mb_node(b, "Gemm", "8:l", "b1,blk.lin.weight", "a2");
    mb_node(b, "Relu", "9:r", "a2", "b2");
    mb_node(b, "Gemm", "10:h", "b2,head.weight", "y");
    mb_output(b, "y", "float[1]");
    for (uint32_t i = 0; i < 3; i++) {
        call("blk", 0, i);
        call("blk.lin", 3 * i + 1, i);
        call("blk.relu", 3 * i + 1, i);
    }
    call("head", 0, 0);
    return b;
}

Test(view_roll, closed_blocks_merge) {
    roll(shared_block(), "torchview");
    view_fixture_set(&f, "depth", "1");
    cr_expect_str_eq(view_fixture_draw(&f), "x blk head =y | x>blk blk>blk*2 blk>head head>=y |");
}

Test(view_roll, open_blocks_are_one_box) {
    roll(shared_block(), "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x blk.lin/blk blk.relu/blk blk.relu@2/blk head =y | x>blk.lin "
                     "blk.lin>blk.relu*2 blk.lin>blk.relu@2 blk.relu>blk.lin*2 blk.relu@2>head "
                     "head>=y | blk");
    cr_assert_eq(f.view.n_clusters, 1);
    cr_expect_eq(f.view.clusters[0].n_calls, 3);
    view_fixture_set(&f, "strict", "0");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_edges, 8);
}

Test(view_roll, full_merges_operators_by_their_place_in_the_call) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "blk.w", "float[1,1]");
    mb_node(b, "Gemm", "1:g0", "x,blk.w", "a");
    mb_node(b, "Relu", "1:r0", "a", "b");
    mb_node(b, "Gemm", "2:g1", "b,blk.w", "c");
    mb_node(b, "Relu", "2:r1", "c", "y");
    mb_output(b, "y", "float[1]");
    call("blk", 0, 0);
    call("blk", 0, 1);
    roll(b, "full");
    view_fixture_set(&f, "hide_module_functions", "0");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x 1:g0/blk 1:r0/blk =y | x>1:g0 1:g0>1:r0*2 1:r0>1:g0 1:r0>=y | blk");
}

Test(view_roll, calls_that_read_other_weights_are_other_modules) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "onnx::MatMul_1", "float[2,2]");
    mb_init(b, "onnx::MatMul_2", "float[2,2]");
    mb_init(b, "bias", "float[2]");
    mb_node(b, "Gemm", "1:l", "x,onnx::MatMul_1,bias", "a");
    mb_node(b, "Gemm", "2:l", "a,onnx::MatMul_2,bias", "c");
    mb_node(b, "Gemm", "3:l", "c,onnx::MatMul_1", "y");
    mb_output(b, "y", "float[1]");
    call("lin", 0, 0);
    call("lin", 0, 1);
    call("lin", 0, 2);
    roll(b, "full");
    cr_expect_str_eq(view_fixture_draw(&f), "x lin lin@1 =y | x>lin lin>lin@1 lin>=y lin@1>lin |");
    expect_calls(1, "02");
    view_fixture_set(&f, "roll", "torchview");
    cr_expect_str_eq(view_fixture_draw(&f), "x lin lin@1 =y | x>lin lin>lin@1 lin>=y lin@1>lin |");
}

Test(view_roll, operators_with_other_weights_do_not_merge) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "u", "float[2,2]");
    mb_init(b, "v", "float[2,2]");
    mb_node(b, "MatMul", "p", "x,u", "a");
    mb_node(b, "MatMul", "q", "x,v", "b");
    mb_node(b, "Add", "add", "a,b", "y");
    mb_output(b, "y", "float[1]");
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f), "x p q add =y | x>p x>q p>add q>add add>=y |");
}

// Rolling leaves 4 of the 10 nodes: they fit where the calls do not.
Test(view_roll, automatic_depth_counts_what_is_left) {
    roll(shared_block(), "torchview");
    view_fixture_set(&f, "depth", "auto");
    view_fixture_set(&f, "max_boxes", "6");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.depth, 2);
    cr_expect_eq(f.view.n_nodes, 6);
    view_fixture_set(&f, "max_boxes", "5");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.depth, 1);
    cr_expect_eq(f.view.n_nodes, 4);
}

// One use of a block's two modules: what flows in, through the middle and out.
struct use {
    const char *operands, *gemm, *mid, *relu, *out;
};

// Two shared activations in each of three equal blocks: what folds is one module after another,
// what rolls are calls of one.
Test(view_roll, folded_blocks_roll_inside) {
    static const char *const paths[] = {"blk.0", "blk.1", "blk.2"};
    static const char *const acts[] = {"blk.0.act", "blk.1.act", "blk.2.act"};
    static const char *const fcs[] = {"blk.0.fc", "blk.1.fc", "blk.2.fc"};
    static const char *const weights[] = {"blk.0.fc.weight", "blk.1.fc.weight", "blk.2.fc.weight"};
    static const struct use uses[3][2] = {
        {{"x,blk.0.fc.weight", "2:g", "m0", "3:r", "v0"},
         {"v0,blk.0.fc.weight", "4:g", "m1", "5:r", "v1"}},
        {{"v1,blk.1.fc.weight", "7:g", "m2", "8:r", "v2"},
         {"v2,blk.1.fc.weight", "9:g", "m3", "10:r", "v3"}},
        {{"v3,blk.2.fc.weight", "12:g", "m4", "13:r", "v4"},
         {"v4,blk.2.fc.weight", "14:g", "m5", "15:r", "y"}},
    };
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2,2]");
    for (uint32_t i = 0; i < 3; i++) {
        mb_init(b, weights[i], "float[2,2]");
        call(paths[i], 0, 0);
        for (uint32_t k = 0; k < 2; k++) {
            const struct use *u = &uses[i][k];

            mb_node(b, "Gemm", u->gemm, u->operands, u->mid);
            mb_node(b, "Relu", u->relu, u->mid, u->out);
            call(fcs[i], 5 * i + 1, k);
            call(acts[i], 5 * i + 1, k);
        }
    }
    mb_output(b, "y", "float[2,2]");
    roll(b, "full");
    view_fixture_set(&f, "fold", "2");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, 4, "%s", (const char *)f.text.p);
    cr_expect_eq(f.view.nodes[1].count, 2);
}

// Sizes are numbers in PyTorch: who measures a tensor does not read it.
Test(view_roll, shape_arithmetic_is_no_reader) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "fc.weight", "float[2,2]");
    mb_node(b, "Relu", "1:r", "x", "a");
    mb_node(b, "Shape", "s0", "a", "s");
    mb_node(b, "Gemm", "2:g", "a,fc.weight", "b");
    mb_node(b, "Relu", "3:r", "b", "c");
    mb_node(b, "Gemm", "4:g", "c,fc.weight", "d");
    mb_node(b, "Reshape", "e", "d,s", "y");
    mb_output(b, "y", "float[1]");
    call("relu", 0, 0);
    call("fc", 0, 0);
    call("relu", 0, 1);
    call("fc", 0, 1);
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x relu fc e =y | x>relu relu>fc*2 fc>relu fc>e e>=y |");
}

// Two LSTM cells on top of each other, three steps: h and c go on to the next step (lstmcell_loop:
// 3 modules, 6 edges).
Test(view_roll, stacked_cells_hand_two_values_to_themselves) {
    static const char *const lower[] = {"x,w0", "x,h0,c0,w0", "x,h1,c1,w0"};
    static const char *const upper[] = {"h0,w1", "h1,i0,d0,w1", "h2,i1,d1,w1"};
    struct model_builder *b = mb_new();
    char name[24], out[16];

    mb_input(b, "x", "float[2]");
    mb_init(b, "w0", "float[2]");
    mb_init(b, "w1", "float[2]");
    mb_init(b, "head.weight", "float[2]");
    for (uint32_t t = 0; t < 3; t++) {
        snprintf(name, sizeof(name), "%u:cell", 2 * t + 1);
        snprintf(out, sizeof(out), "h%u,c%u", t, t);
        mb_node(b, "Cell", name, lower[t], out);
        call("cells.0", 0, t);
        snprintf(name, sizeof(name), "%u:cell", 2 * t + 2);
        snprintf(out, sizeof(out), "i%u,d%u", t, t);
        mb_node(b, "Cell", name, upper[t], out);
        call("cells.1", 0, t);
    }
    mb_node(b, "Gemm", "7:head", "i2,head.weight", "y");
    call("head", 0, 0);
    mb_output(b, "y", "float[2]");
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x cells.0 cells.1 head =y | x>cells.0*3 cells.0>cells.0*4 "
                     "cells.0>cells.1*3 cells.1>cells.1*4 cells.1>head head>=y |");
}

// h = tanh(i2h(x) + h2h(h)) four times, then out(h) (rnn_unrolled4: 5 modules; 10 edges between
// modules and the ends, the Add contracted).
Test(view_roll, the_last_activation_of_an_unrolled_rnn_stays_apart) {
    struct model_builder *b = mb_new();
    char name[24], in[32], out[16];

    mb_input(b, "x", "float[2]");
    mb_input(b, "h0", "float[2]");
    mb_init(b, "i2h.weight", "float[2]");
    mb_init(b, "h2h.weight", "float[2]");
    mb_init(b, "out.weight", "float[2]");
    for (uint32_t t = 0; t < 4; t++) {
        snprintf(name, sizeof(name), "%u:g", 3 * t + 1);
        snprintf(out, sizeof(out), "a%u", t);
        mb_node(b, "Gemm", name, "x,i2h.weight", out);
        call("i2h", 0, t);
        snprintf(name, sizeof(name), "%u:g", 3 * t + 2);
        snprintf(in, sizeof(in), "h%u,h2h.weight", t);
        snprintf(out, sizeof(out), "b%u", t);
        mb_node(b, "Gemm", name, in, out);
        call("h2h", 0, t);
        snprintf(name, sizeof(name), "add%u", t);
        snprintf(in, sizeof(in), "a%u,b%u", t, t);
        snprintf(out, sizeof(out), "s%u", t);
        mb_node(b, "Add", name, in, out);
        snprintf(name, sizeof(name), "%u:act", 3 * t + 3);
        snprintf(in, sizeof(in), "s%u", t);
        snprintf(out, sizeof(out), "h%u", t + 1);
        mb_node(b, "Tanh", name, in, out);
        call("act", 0, t);
    }
    mb_node(b, "Gemm", "13:out", "h4,out.weight", "y");
    call("out", 0, 0);
    mb_output(b, "y", "float[2]");
    mb_output(b, "h4", "float[2]");
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x h0 i2h h2h add0 act act@3 out =y =h4 | x>i2h*4 h0>h2h i2h>add0*4 "
                     "h2h>add0*4 add0>act*3 add0>act@3 act>h2h*3 act@3>out act@3>=h4 out>=y |");
}

// Two encoders before one head (shared_head).
Test(view_roll, a_shared_head_is_one_node_behind_both_of_its_readers) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2]");
    mb_init(b, "a.weight", "float[2]");
    mb_init(b, "b.weight", "float[2]");
    mb_init(b, "head.weight", "float[2]");
    mb_node(b, "Gemm", "1:a", "x,a.weight", "p");
    mb_node(b, "Gemm", "2:h", "p,head.weight", "y");
    mb_node(b, "Gemm", "3:b", "x,b.weight", "q");
    mb_node(b, "Gemm", "4:h", "q,head.weight", "z");
    mb_output(b, "y", "float[2]");
    mb_output(b, "z", "float[2]");
    call("a", 0, 0);
    call("head", 0, 0);
    call("b", 0, 0);
    call("head", 0, 1);
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x a head b =y =z | x>a x>b a>head head>=y head>=z b>head |");
}

// Greedy decoding: one embedding for both sides, what was said goes back into it.
Test(view_roll, a_decoder_reads_what_it_said) {
    struct model_builder *b = mb_new();

    mb_input(b, "s0", "int64[1]");
    mb_input(b, "s1", "int64[1]");
    mb_input(b, "bos", "int64[1]");
    mb_init(b, "emb.weight", "float[9,2]");
    mb_init(b, "enc.weight", "float[2]");
    mb_init(b, "dec.weight", "float[2]");
    mb_init(b, "fc.weight", "float[2]");
    mb_node(b, "Gather", "1:e", "emb.weight,s0", "e0");
    mb_node(b, "Cell", "2:enc", "e0,enc.weight", "h0");
    mb_node(b, "Gather", "3:e", "emb.weight,s1", "e1");
    mb_node(b, "Cell", "4:enc", "e1,h0,enc.weight", "h1");
    mb_node(b, "Gather", "5:e", "emb.weight,bos", "e2");
    mb_node(b, "Cell", "6:dec", "e2,h1,dec.weight", "h2");
    mb_node(b, "Gemm", "7:fc", "h2,fc.weight", "y0");
    mb_node(b, "ArgMax", "said", "y0", "t0");
    mb_node(b, "Gather", "8:e", "emb.weight,t0", "e3");
    mb_node(b, "Cell", "9:dec", "e3,h2,dec.weight", "h3");
    mb_node(b, "Gemm", "10:fc", "h3,fc.weight", "y1");
    mb_output(b, "y0", "float[2]");
    mb_output(b, "y1", "float[2]");
    call("emb", 0, 0);
    call("enc", 0, 0);
    call("emb", 0, 1);
    call("enc", 0, 1);
    call("emb", 0, 2);
    call("dec", 0, 0);
    call("fc", 0, 0);
    call("emb", 0, 3);
    call("dec", 0, 1);
    call("fc", 0, 1);
    roll(b, "torchview");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "s0 s1 bos emb enc dec fc said =y0 =y1 | s0>emb s1>emb bos>emb emb>enc*2 "
                     "emb>dec*2 enc>enc enc>dec dec>dec dec>fc*2 fc>said fc>=y0 fc>=y1 said>emb |");
}
