#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void teardown(void) {
    view_fixture_release(&f);
}

TestSuite(view_extras, .fini = teardown);

Test(view_extras, tensors_stand_between_what_makes_and_what_reads_them) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "hide_inner_tensors", "0");
    cr_expect_str_eq(
        view_fixture_draw(&f),
        "x stem ~s layer1 ~f fc =y | x>stem stem>~s ~s>layer1 layer1>~f ~f>fc fc>=y |");
}

// A tensor lies in the innermost box that holds whatever touches it.
Test(view_extras, tensors_lie_where_all_their_readers_see_them) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "inf");
    view_fixture_set(&f, "hide_inner_tensors", "0");
    cr_expect_str_eq(
        view_fixture_draw(&f),
        "x stem ~s layer1.0.conv/layer1.0 ~a/layer1.0 layer1.0.relu/layer1.0 ~b/layer1.0 "
        "3:add0/layer1.0 ~c/layer1 layer1.1.conv/layer1.1 ~d/layer1.1 layer1.1.relu/layer1.1 "
        "~e/layer1.1 6:add1/layer1.1 ~f fc =y | x>stem stem>~s ~s>layer1.0.conv ~s>3:add0 "
        "layer1.0.conv>~a ~a>layer1.0.relu layer1.0.relu>~b ~b>3:add0 3:add0>~c "
        "~c>layer1.1.conv ~c>6:add1 layer1.1.conv>~d ~d>layer1.1.relu layer1.1.relu>~e "
        "~e>6:add1 6:add1>~f ~f>fc fc>=y | layer1 layer1.0/layer1 layer1.1/layer1");
}

Test(view_extras, an_output_that_is_read_too_hangs_on_its_tensor) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_node(b, "Relu", "r", "x", "y");
    mb_node(b, "Neg", "n", "y", "z");
    mb_output(b, "y", "float[1]");
    mb_output(b, "z", "float[1]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "hide_inner_tensors", "0");
    cr_expect_str_eq(view_fixture_draw(&f), "x r ~y n =y =z | x>r r>~y ~y>n ~y>=y n>=z |");
}

Test(view_extras, a_weight_is_one_node_before_its_first_reader) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "2");
    view_fixture_set(&f, "params", "node");
    // The blocks read it in their child modules, which are inside them.
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x +w stem layer1.0/layer1 layer1.1/layer1 fc =y | x>stem +w>stem "
                     "stem>layer1.0 layer1.0>layer1.1 layer1.1>fc fc>=y | layer1");
    view_fixture_set(&f, "depth", "inf");
    view_fixture_draw(&f);
    cr_expect(str_contains(buf_str(&f.text), STR("+w>stem +w>layer1.0.conv +w>layer1.1.conv")));
    cr_expect_eq(f.view.nodes[2].n_inputs, 1);  // weights are no inputs
}

static struct model_builder *scaled(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2,3]");
    mb_node(b, "Constant", "", "", "c");
    mb_attr_float(b, "value_float", 0.5F);
    mb_node(b, "Mul", "m", "x,c", "a");
    mb_node(b, "Sub", "s", "c,a", "b");
    mb_init_ints(b, "shape", "1,-1,6");
    mb_node(b, "Reshape", "r", "b,shape", "y");
    mb_output(b, "y", "float[1,1,6]");
    return b;
}

Test(view_extras, each_reader_of_a_constant_gets_its_own) {
    view_fixture_init(&f, scaled(), NULL, 0);
    view_fixture_set(&f, "consts", "node");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x #c m #c s #shape r =y | x>m #c>m m>s #c>s s>r #shape>r r>=y |");
}

Test(view_extras, nothing_is_added_without_the_options) {
    view_fixture_init(&f, scaled(), NULL, 0);
    cr_expect_str_eq(view_fixture_draw(&f), "x m s r =y | x>m m>s s>r r>=y |");
}

Test(view_extras, too_many_are_left_out_with_a_warning) {
    struct model_builder *b = mb_new();
    char in[16] = "x", out[16];

    mb_input(b, "x", "float[1]");
    for (int i = 0; i < 12; i++) {
        snprintf(out, sizeof(out), "v%d", i);
        mb_node(b, "Relu", "r", in, out);
        memcpy(in, out, sizeof(in));
    }
    mb_output(b, "v11", "float[1]");
    view_fixture_init(&f, b, NULL, 0);
    f.limits.max_drawn = 20;
    view_fixture_set(&f, "hide_inner_tensors", "0");
    view_fixture_draw(&f);
    cr_expect_eq(f.view.n_nodes, 14);
    cr_expect_eq(f.view.n_edges, 13);
    cr_assert_eq(f.view.warnings.n, 1);
    cr_expect_str_eq(f.view.warnings.items[0].code, "view-coarser");
}

// One cell of four calls: its weight is read once, its tensors are four.
Test(view_extras, rolled_calls_share_weights_and_keep_tensors) {
    static const struct fixture_call calls[] = {{"fc", "", 0, 0},
                                                {"fc", "", 0, 1},
                                                {"fc", "", 0, 2}};
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "fc.weight", "float[1,1]");
    mb_node(b, "Gemm", "1:g", "x,fc.weight", "a");
    mb_node(b, "Gemm", "2:g", "a,fc.weight", "b");
    mb_node(b, "Gemm", "3:g", "b,fc.weight", "y");
    mb_output(b, "y", "float[1]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "roll", "torchview");
    view_fixture_set(&f, "params", "node");
    view_fixture_set(&f, "hide_inner_tensors", "0");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x +fc.weight fc ~a ~b =y | x>fc +fc.weight>fc fc>~a fc>~b fc>=y ~a>fc "
                     "~b>fc |");
}
