#include <criterion/criterion.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void expect(const char *text) {
    cr_expect_str_eq(view_fixture_draw(&f), text);
}

Test(view_reads, weights_and_constants_carry_no_edge) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"a", "", 0, 0}, {"b", "", 0, 0}};

    mb_input(b, "x", "float[2]");
    mb_init(b, "w", "float[2]");
    mb_node(b, "Identity", "1:alias", "w", "w2");
    mb_node(b, "Constant", "1:k", "", "k");
    mb_attr_tensor_ints(b, "value", "1,2");
    mb_node(b, "Mul", "1:mul", "x,w", "h");
    mb_node(b, "Add", "2:add", "k,w2", "y0");
    mb_node(b, "Add", "2:sum", "y0,h", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    expect("x a b =y | x>a a>b b>=y |");
    cr_expect_eq(f.view.nodes[2].n_inputs, 1);
    view_fixture_release(&f);
}

// y = x.view(x.shape[0], -1), then z reads the size that was computed in `a`.
static void sizes(void) {
    struct model_builder *b = mb_new();
    const struct fixture_call calls[] = {{"a", "", 0, 0}, {"b", "", 0, 0}};

    mb_input(b, "x", "float[2,3]");
    mb_init_ints(b, "zero", "0");
    mb_init_ints(b, "minus", "-1");
    mb_node(b, "Relu", "relu", "x", "r");
    mb_node(b, "Shape", "1:shape", "r", "s");
    mb_node(b, "Gather", "1:gather", "s,zero", "n");
    mb_node(b, "Concat", "1:concat", "n,minus", "to");
    mb_node(b, "Abs", "1:abs", "x", "t");
    mb_node(b, "Reshape", "2:reshape", "t,to", "y");
    mb_output(b, "y", "float[2,3]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
}

Test(view_reads, shape_arithmetic_carries_no_edge_but_a_module_reads_for_it) {
    sizes();
    view_fixture_set(&f, "depth", "1");
    expect("x relu a b =y | x>relu x>a relu>a a>b b>=y |");
    cr_expect_eq(f.view.edges[3].count, 1);
    view_fixture_set(&f, "depth", "2");
    view_fixture_set(&f, "hide_module_functions", "0");
    expect("x relu 1:abs/a 2:reshape/b =y | x>relu x>1:abs 1:abs>2:reshape 2:reshape>=y | a b");
    view_fixture_release(&f);
}

Test(view_reads, shown_shape_arithmetic_carries_all_its_edges) {
    sizes();
    view_fixture_set(&f, "hide_shape_ops", "0");
    view_fixture_set(&f, "depth", "1");
    expect("x relu a b =y | x>relu x>a relu>a a>b*2 b>=y |");
    view_fixture_set(&f, "depth", "2");
    view_fixture_set(&f, "hide_module_functions", "0");
    expect("x relu 1:shape/a 1:gather/a 1:concat/a 1:abs/a 2:reshape/b =y | x>relu x>1:abs "
           "relu>1:shape 1:shape>1:gather 1:gather>1:concat 1:concat>2:reshape 1:abs>2:reshape "
           "2:reshape>=y | a b");
    view_fixture_release(&f);
}

Test(view_reads, shape_arithmetic_that_is_the_output_is_drawn) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2,3]");
    mb_init_ints(b, "zero", "0");
    mb_node(b, "Shape", "shape", "x", "s");
    mb_node(b, "Gather", "gather", "s,zero", "y");
    mb_node(b, "Cast", "other", "s", "unused");
    mb_attr_int(b, "to", 1);
    mb_output(b, "y", "int64[1]");
    view_fixture_init(&f, b, NULL, 0);
    expect("x shape gather =y | x>shape shape>gather gather>=y |");
    view_fixture_release(&f);
}

Test(view_reads, what_nobody_makes_is_a_missing_node) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2]");
    mb_node(b, "Add", "a", "x,gone", "h");
    mb_node(b, "Mul", "b", "gone,h", "y");
    mb_output(b, "y", "float[2]");
    mb_output(b, "lost", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    expect("x ?gone a b =y =lost | x>a ?gone>a ?gone>b a>b b>=y |");
    view_fixture_set(&f, "depth", "0");
    expect("x ?gone . =y =lost | x>. ?gone>. .>=y |");
    view_fixture_release(&f);
}

Test(view_reads, an_open_loop_takes_its_values_inside) {
    struct model_builder *b = mb_new();

    mb_input(b, "n", "int64[]");
    mb_input(b, "go", "bool[]");
    mb_input(b, "x", "float[2]");
    mb_input(b, "passed", "float[2]");
    mb_input(b, "outer", "float[2]");
    mb_node(b, "Loop", "loop", "n,go,x,passed", "y,z");
    mb_open_body(b, "body", "body");
    mb_input(b, "i", "int64[]");
    mb_input(b, "c", "bool[]");
    mb_input(b, "h", "float[2]");
    mb_input(b, "p", "float[2]");
    mb_node(b, "Not", "not", "c", "c2");
    mb_node(b, "Add", "add", "h,outer", "h2");
    mb_node(b, "Mul", "count", "i,h2", "h3");
    mb_output(b, "c2", "bool[]");
    mb_output(b, "h3", "float[2]");
    mb_output(b, "p", "float[2]");
    mb_close_body(b);
    mb_output(b, "y", "float[2]");
    mb_output(b, "z", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "depth", "1");
    expect("n go x passed outer loop =y =z | n>loop go>loop x>loop passed>loop outer>loop loop>=y "
           "loop>=z |");
    view_fixture_set(&f, "depth", "2");
    expect("n go x passed outer not/Loop/body add/Loop/body count/Loop/body loop =y =z | n>loop "
           "go>not x>add passed>loop outer>add not>loop add>count count>loop loop>=y loop>=z | "
           "Loop/body");
    view_fixture_release(&f);
}

// The standard gives branches no inputs; a tool that writes them means the value of that name.
Test(view_reads, a_branch_that_declares_an_input_reads_what_has_that_name_around_it) {
    struct model_builder *b = mb_new();

    mb_input(b, "go", "bool[]");
    mb_input(b, "x", "float[2]");
    mb_node(b, "Neg", "neg", "x", "h");
    mb_node(b, "If", "if", "go", "y");
    mb_open_body(b, "then_branch", "then");
    mb_input(b, "h", "float[2]");
    mb_input(b, "nowhere", "float[2]");
    mb_node(b, "Add", "add", "h,nowhere", "p");
    mb_output(b, "p", "float[2]");
    mb_close_body(b);
    mb_open_body(b, "else_branch", "else");
    mb_node(b, "Relu", "relu", "h", "q");
    mb_output(b, "q", "float[2]");
    mb_close_body(b);
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "depth", "1");
    expect("go x neg if =y | go>if x>neg neg>if if>=y |");
    view_fixture_set(&f, "depth", "2");
    expect("go x neg add/If/then_branch relu/If/else_branch if =y | go>if x>neg neg>add neg>relu "
           "add>if relu>if if>=y | If/then_branch If/else_branch");
    view_fixture_release(&f);
}

Test(view_reads, an_open_scan_of_either_opset_takes_its_values_inside) {
    for (int old = 0; old < 2; old++) {
        struct model_builder *b = mb_new();

        mb_input(b, "x", "float[2]");
        mb_input(b, "seq", "float[5,2]");
        mb_node(b, "Scan", "scan", old ? ",x,seq" : "x,seq", "y,ys");
        mb_open_body(b, "body", "body");
        mb_input(b, "h", "float[2]");
        mb_input(b, "s", "float[2]");
        mb_node(b, "Add", "add", "h,s", "h2");
        mb_node(b, "Abs", "abs", "s", "o");
        mb_output(b, "h2", "float[2]");
        mb_output(b, "o", "float[2]");
        mb_close_body(b);
        mb_output(b, "y", "float[2]");
        mb_output(b, "ys", "float[5,2]");
        view_fixture_init(&f, b, NULL, 0);
        view_fixture_set(&f, "depth", "2");
        expect("x seq add/Scan/body abs/Scan/body scan =y =ys | x>add seq>add seq>abs add>scan "
               "abs>scan scan>=y scan>=ys | Scan/body");
        view_fixture_release(&f);
    }
}
