#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    return b;
}

// Only scopes that own nodes are numbered, each for itself; ancestors are printed without.
Test(calls, numbered_scopes_find_the_call_around_them) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Sub", "/block/norm/Sub", "x", "n0");
    mb_node(b, "MatMul", "/block/ff/ff.0/MatMul", "n0", "f0");
    mb_node(b, "Add", "/block/Add", "f0,x", "b0");
    mb_node(b, "Sub", "/block/norm_1/Sub", "b0", "n1");
    mb_node(b, "MatMul", "/block/ff/ff.0_1/MatMul", "n1", "f1");
    mb_node(b, "Add", "/block_1/Add", "f1,b0", "b1");
    scope_case_init(&s, b);
    scope_expect_place(&s, "n0", "block@0 block.norm@0");
    scope_expect_place(&s, "f0", "block@0 block.ff@0 block.ff.0@0");
    scope_expect_place(&s, "n1", "block@1 block.norm@1");
    scope_expect_place(&s, "f1", "block@1 block.ff@1 block.ff.0@1");
    scope_expect_place(&s, "b1", "block@1");
    scope_case_release(&s);
}

Test(calls, a_module_called_twice_inside_one_call_stays_there) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Conv", "/block/conv/Conv", "x", "c0");
    mb_node(b, "Relu", "/block/relu/Relu", "c0", "r0");
    mb_node(b, "Relu", "/block/relu_1/Relu", "r0", "r1");
    mb_node(b, "Conv", "/block/conv_1/Conv", "r1", "c1");
    mb_node(b, "Relu", "/block/relu_2/Relu", "c1", "r2");
    mb_node(b, "Relu", "/block/relu_3/Relu", "r2", "r3");
    scope_case_init(&s, b);
    scope_expect_place(&s, "r1", "block@0 block.relu@1");
    scope_case_release(&s);
}

Test(calls, an_uneven_child_belongs_to_the_nearest_call) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Add", "/block/Add", "x", "a0");
    mb_node(b, "Relu", "/block/act/Relu", "a0", "r0");
    mb_node(b, "Relu", "/block/act_1/Relu", "r0", "r1");
    mb_node(b, "Mul", "/block/Mul", "r1", "m0");
    mb_node(b, "Add", "/block_1/Add", "m0", "a1");
    mb_node(b, "Relu", "/block/act_2/Relu", "a1", "r2");
    mb_node(b, "Mul", "/block_1/Mul", "r2", "m1");
    scope_case_init(&s, b);
    scope_expect_place(&s, "r1", "block@0 block.act@1");
    scope_expect_place(&s, "r2", "block@1 block.act@2");
    scope_case_release(&s);
}

#define CLASSES "['M', 'B', 'L', 'aten.linear']"
#define TRACE(outer, inner)                                               \
    "File \"m.py\", line " outer ", in forward\n    x = self.b(x)\n"      \
    "  File \"m.py\", line " inner ", in forward\n    return self.l(x)\n" \
    "  File \"linear.py\", line 9, in forward\n    return F.linear(x)"

static void linear(struct model_builder *b, const char *input, const char *output,
                   const char *names, const char *trace) {
    scope_dynamo_node(b, "Gemm", input, output, names, CLASSES, trace);
}

// Stack traces differ in the caller's line only: the same code ran again.
Test(calls, the_same_step_from_another_line_begins_a_call) {
    struct model_builder *b = begin();
    struct scope_case s;

    linear(b, "x", "y", "['', 'b', 'b.l', 'linear']", TRACE("80", "20"));
    linear(b, "y", "z", "['', 'b', 'b.l', 'linear_1']", TRACE("81", "20"));
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "b@0 b.l@0");
    scope_expect_place(&s, "z", "b@1 b.l@1");
    scope_case_release(&s);
}

Test(calls, a_child_used_on_two_lines_of_one_call_is_called_twice_there) {
    struct model_builder *b = begin();
    struct scope_case s;

    linear(b, "x", "y", "['', 'b', 'b.l', 'linear']", TRACE("80", "20"));
    linear(b, "y", "z", "['', 'b', 'b.l', 'linear_1']", TRACE("80", "21"));
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "b@0 b.l@0");
    scope_expect_place(&s, "z", "b@0 b.l@1");
    scope_case_release(&s);
}

Test(calls, nodes_of_one_step_are_one_call) {
    struct model_builder *b = begin();
    struct scope_case s;

    linear(b, "x", "y", "['', 'b', 'b.l', 'linear']", TRACE("80", "20"));
    linear(b, "y", "z", "['', 'b', 'b.l', 'linear']", TRACE("80", "20"));
    scope_case_init(&s, b);
    scope_expect_place(&s, "z", "b@0 b.l@0");
    scope_case_release(&s);
}

static void step(struct model_builder *b, const char *op, const char *input, const char *output) {
    struct buf names, classes;

    buf_init(&names, 1 << 10);
    buf_add_z(&names, "['', 'cell', '");
    buf_add_z(&names, output);
    buf_add(&names, "']", sizeof("']"));
    buf_init(&classes, 1 << 10);
    buf_add_z(&classes, "['M', 'Cell', 'aten.");
    buf_add_z(&classes, op);
    buf_add(&classes, "']", sizeof("']"));
    scope_dynamo_node(b, op, input, output, (const char *)names.p, (const char *)classes.p,
                      "File \"m.py\", line 5, in forward\n    h = self.cell(h)\n"
                      "  File \"m.py\", line 9, in forward\n    return f(x)");
    buf_release(&names);
    buf_release(&classes);
}

// A loop gives all steps the same trace: then the whole run has to repeat itself.
Test(calls, a_run_that_repeats_itself_is_that_many_calls) {
    struct model_builder *b = begin();
    struct scope_case s;

    step(b, "Mul", "x", "a");
    step(b, "Tanh", "a", "b");
    step(b, "Mul", "b", "c");
    step(b, "Tanh", "c", "d");
    step(b, "Mul", "d", "e");
    step(b, "Tanh", "e", "f");
    scope_case_init(&s, b);
    scope_expect_place(&s, "b", "cell@0");
    scope_expect_place(&s, "c", "cell@1");
    scope_expect_place(&s, "f", "cell@2");
    scope_case_release(&s);
}

Test(calls, an_operator_used_twice_in_one_formula_is_no_new_call) {
    struct model_builder *b = begin();
    struct scope_case s;

    step(b, "Mul", "x", "a");
    step(b, "Tanh", "a", "b");
    step(b, "Mul", "b", "c");
    step(b, "Add", "c", "d");
    scope_case_init(&s, b);
    scope_expect_place(&s, "a", "cell@0");
    scope_expect_place(&s, "d", "cell@0");
    scope_case_release(&s);
}

Test(calls, nodes_outside_end_a_call) {
    struct model_builder *b = begin();
    struct scope_case s;

    step(b, "Mul", "x", "a");
    scope_dynamo_node(b, "Relu", "a", "r", "['', 'relu']", "['M', 'aten.relu']", NULL);
    step(b, "Mul", "r", "c");
    scope_case_init(&s, b);
    scope_expect_place(&s, "a", "cell@0");
    scope_expect_place(&s, "c", "cell@1");
    scope_case_release(&s);
}

Test(calls, come_in_execution_order_with_parents_first) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Conv", "/b/c/Conv", "x", "p");
    mb_node(b, "Conv", "/a/Conv", "p", "q");
    mb_node(b, "Add", "/b/Add", "q", "r");
    scope_case_init(&s, b);
    cr_assert_eq(s.hierarchy.n_calls, 4);
    cr_expect(str_eq_z(s.hierarchy.modules[s.hierarchy.calls[1].module].path, "b"));
    cr_expect(str_eq_z(s.hierarchy.modules[s.hierarchy.calls[2].module].path, "b.c"));
    cr_expect(str_eq_z(s.hierarchy.modules[s.hierarchy.calls[3].module].path, "a"));
    cr_expect_eq(s.hierarchy.calls[2].parent, 1);
    cr_expect_eq(s.hierarchy.calls[2].depth, 2);
    cr_expect(!s.hierarchy.calls[0].leaf && !s.hierarchy.calls[1].leaf);
    cr_expect(s.hierarchy.calls[2].leaf && s.hierarchy.calls[3].leaf);
    scope_case_release(&s);
}

Test(calls, a_call_that_holds_only_constants_cannot_be_drawn) {
    struct model_builder *b = begin();
    struct scope_case s;
    uint32_t call;

    mb_node(b, "Constant", "/a/pos/Constant", "", "k");
    mb_attr_tensor_ints(b, "value", "1");
    mb_node(b, "Add", "/a/Add", "x,k", "y");
    scope_case_init(&s, b);
    scope_expect_place(&s, "k", "a@0 a.pos@0");
    call = s.hierarchy.node_call[scope_case_node(&s, "k")];
    cr_expect(!s.hierarchy.calls[call].owns);
    cr_expect(s.hierarchy.calls[s.hierarchy.calls[call].parent].owns);
    cr_expect(s.hierarchy.calls[s.hierarchy.calls[call].parent].leaf);
    scope_case_release(&s);
}

// Equal initializers are merged at the head of the file; what restores their names is no execution.
Test(calls, an_alias_at_the_head_of_the_file_begins_nothing) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "w", "float[4,4]");
    mb_node(b, "Identity", "Identity_0", "w", "w2");
    mb_node(b, "Gemm", "/enc/enc.0/Gemm", "x,w", "a");
    mb_node(b, "Gemm", "/enc/enc.0_1/Gemm", "a,w2", "b");
    scope_case_init(&s, b);
    scope_expect_place(&s, "a", "enc@0 enc.0@0");
    scope_expect_place(&s, "b", "enc@1 enc.0@1");
    scope_case_release(&s);
}
