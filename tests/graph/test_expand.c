#include "graph/expand.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "base/buf.h"
#include "tests/support/model_builder.h"

struct expand_case {
    struct onnx_model *model;
    struct graph_expansion out;
    struct warnings warnings;
    struct buf text;
};

static void begin(struct expand_case *c, struct model_builder *b) {
    *c = (struct expand_case){.model = mb_finish(b)};
    buf_init(&c->text, 1 << 20);
    cr_assert_eq(graph_expand(&c->out, c->model, &c->warnings, NULL), 0);
}

static void end(struct expand_case *c) {
    buf_release(&c->text);
    graph_expansion_release(&c->out);
    warnings_release(&c->warnings);
    onnx_model_free(c->model);
}

static void add_names(struct buf *out, const struct str *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        buf_add_z(out, i ? "," : "");
        buf_add_str(out, names[i]);
    }
}

// "Op(inputs)=outputs" for each node of a graph; "[Op](...)" for a call that is written out.
static void expect_graph(struct expand_case *c, size_t graph, const char *expected) {
    const struct onnx_graph *g = &c->out.model.graphs[graph];

    buf_reset(&c->text);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct onnx_node *node = &c->out.model.nodes[g->first_node + i];

        buf_add_z(&c->text, i ? " " : "");
        buf_add_z(&c->text, node->expanded ? "[" : "");
        buf_add_str(&c->text, node->op);
        buf_add_z(&c->text, node->expanded ? "](" : "(");
        add_names(&c->text, node->inputs, node->n_inputs);
        buf_add_z(&c->text, ")=");
        add_names(&c->text, node->outputs, node->n_outputs);
    }
    cr_expect(str_eq_z(buf_str(&c->text), expected), "%.*s", STR_ARG(buf_str(&c->text)));
}

static void call(struct model_builder *b, const char *op, const char *name, const char *inputs,
                 const char *outputs) {
    mb_node(b, op, name, inputs, outputs);
    mb_domain(b, "f");
}

static bool warned(const struct expand_case *c, const char *text) {
    for (size_t i = 0; i < c->warnings.n; i++) {
        if (str_contains(str_from(c->warnings.items[i].message), str_from(text))) {
            return true;
        }
    }
    return false;
}

Test(expand, a_model_without_calls_stays_as_it_is) {
    struct model_builder *b = mb_new();
    struct expand_case c;

    mb_input(b, "x", "float[2]");
    mb_node(b, "Relu", "", "x", "y");
    begin(&c, b);
    cr_expect_eq(c.out.model.nodes, c.model->nodes);
    end(&c);
}

Test(expand, the_body_stands_behind_its_call_with_the_callers_values) {
    struct model_builder *b = mb_new();
    struct expand_case c;

    mb_open_function(b, "f", "Twice", "a", "r");
    mb_node(b, "Relu", "", "a", "t");
    mb_node(b, "Neg", "", "t", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    call(b, "Twice", "one", "x", "m");
    call(b, "Twice", "two", "m", "y");
    begin(&c, b);
    expect_graph(&c, 0,
                 "[Twice](x)=m Relu(x)=one/t Neg(one/t)=m [Twice](m)=y Relu(m)=two/t Neg(two/t)=y");
    cr_expect_eq(graph_expansion_origin(&c.out.model, &c.out.model.nodes[5]),
                 &c.out.model.nodes[3]);
    cr_expect_eq(graph_count_file_nodes(c.model), 2);
    end(&c);
}

Test(expand, functions_in_functions_are_written_out_too) {
    struct model_builder *b = mb_new();
    struct expand_case c;

    mb_open_function(b, "f", "Inner", "a", "r");
    mb_node(b, "Relu", "", "a", "r");
    mb_close_function(b);
    mb_open_function(b, "f", "Outer", "a", "r");
    call(b, "Inner", "in", "a", "t");
    mb_node(b, "Neg", "", "t", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    call(b, "Outer", "out", "x", "y");
    begin(&c, b);
    expect_graph(&c, 0, "[Outer](x)=y [Inner](x)=out/t Relu(x)=out/t Neg(out/t)=y");
    cr_expect_eq(graph_expansion_origin(&c.out.model, &c.out.model.nodes[2]),
                 &c.out.model.nodes[0]);
    end(&c);
}

// Two calls with one name, and a value of the file that is called as one inside would be.
Test(expand, no_name_inside_meets_another_one) {
    struct model_builder *b = mb_new();
    struct expand_case c;

    mb_open_function(b, "f", "F", "a", "r");
    mb_node(b, "Relu", "", "a", "t");
    mb_node(b, "Neg", "", "t", "r");
    mb_close_function(b);
    mb_input(b, "n/t", "float[2]");
    call(b, "F", "n", "n/t", "m");
    call(b, "F", "n", "m", "y");
    begin(&c, b);
    expect_graph(&c, 0,
                 "[F](n/t)=m Relu(n/t)=n/t#2 Neg(n/t#2)=m [F](m)=y Relu(m)=n/t#3 Neg(n/t#3)=y");
    end(&c);
}

Test(expand, what_is_handed_through_or_given_twice_is_an_identity) {
    struct model_builder *b = mb_new();
    struct expand_case c;

    mb_open_function(b, "f", "F", "a,b", "a,r,r");
    mb_node(b, "Relu", "", "a", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    call(b, "F", "n", "x", "p,q,s");
    begin(&c, b);
    expect_graph(&c, 0, "[F](x)=p,q,s Relu(x)=q Identity(x)=p Identity(q)=s");
    end(&c);
}

Test(expand, left_out_arguments_and_unused_results_have_no_value) {
    struct model_builder *b = mb_new();
    struct expand_case c;

    mb_open_function(b, "f", "F", "a,b", "r,s");
    mb_node(b, "Clip", "", "a,,b", "r");
    mb_node(b, "Neg", "", "r", "s");
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    call(b, "F", "n", "x", "y");
    begin(&c, b);
    expect_graph(&c, 0, "[F](x)=y Clip(x,,)=y Neg(y)=n/s");
    end(&c);
}

Test(expand, attributes_come_from_the_call) {
    struct model_builder *b = mb_new();
    struct expand_case c;
    const struct onnx_attr *attr;

    mb_open_function(b, "f", "F", "a", "r");
    mb_node(b, "Softmax", "", "a", "r");
    mb_attr_ref(b, "axis", "along");
    mb_attr_ref(b, "other", "nowhere");
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    call(b, "F", "n", "x", "y");
    mb_attr_int(b, "along", 7);
    begin(&c, b);
    attr = onnx_node_attr(&c.out.model.nodes[1], "axis");
    cr_assert_not_null(attr);
    cr_expect_eq(attr->i, 7);
    cr_expect_eq(attr->ref.n, 0);
    cr_expect_eq(c.out.model.nodes[1].n_attrs, 1);
    end(&c);
}

Test(expand, a_body_in_a_function_is_a_graph_for_each_call) {
    struct model_builder *b = mb_new();
    struct expand_case c;

    mb_open_function(b, "f", "F", "c,a", "r");
    mb_node(b, "If", "if", "c", "r");
    mb_open_body(b, "then_branch", "then");
    mb_node(b, "Relu", "", "a", "t");
    mb_output(b, "t", "float[2]");
    mb_close_body(b);
    mb_open_body(b, "else_branch", "else");
    mb_node(b, "Neg", "", "a", "t");
    mb_output(b, "t", "float[2]");
    mb_close_body(b);
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    mb_input(b, "cond", "bool[]");
    call(b, "F", "one", "cond,x", "m");
    call(b, "F", "two", "cond,m", "y");
    begin(&c, b);
    size_t first = c.model->n_graphs;
    cr_assert_eq(c.out.model.n_graphs, first + 4);
    expect_graph(&c, 0, "[F](cond,x)=m If(cond)=m [F](cond,m)=y If(cond)=y");
    expect_graph(&c, first, "Relu(x)=one/t");
    expect_graph(&c, first + 1, "Neg(x)=one/t#2");
    expect_graph(&c, first + 2, "Relu(m)=two/t");
    cr_expect_eq(c.out.model.graphs[first + 2].holder, 3);
    cr_expect(str_eq_z(c.out.model.graphs[first + 2].outputs[0].name, "two/t"));
    cr_expect_eq(onnx_node_attr(&c.out.model.nodes[3], "then_branch")->graphs[0], first + 2);
    end(&c);
}

Test(expand, a_function_that_calls_itself_is_cut_with_a_warning) {
    struct model_builder *b = mb_new();
    struct expand_case c;

    mb_open_function(b, "f", "Even", "a", "r");
    call(b, "Odd", "o", "a", "r");
    mb_close_function(b);
    mb_open_function(b, "f", "Odd", "a", "r");
    call(b, "Even", "e", "a", "r");
    mb_close_function(b);
    mb_input(b, "x", "float[2]");
    call(b, "Even", "n", "x", "y");
    begin(&c, b);
    expect_graph(&c, 0, "[Even](x)=y [Odd](x)=y Even(x)=y");
    cr_assert_eq(c.warnings.n, 1);
    cr_expect(warned(&c, "\"Even\" calls itself"));
    end(&c);
}

// Each function calls the one before it twice: 2 to the power of 40.
Test(expand, functions_that_are_too_large_stay_closed) {
    struct model_builder *b = mb_new();
    struct expand_case c;
    char name[32], last[32] = "";

    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "F%d", i);
        mb_open_function(b, "f", name, "a", "r");
        if (i) {
            call(b, last, "", "a", "t");
            call(b, last, "", "t", "r");
        } else {
            mb_node(b, "Relu", "", "a", "r");
        }
        mb_close_function(b);
        memcpy(last, name, sizeof(last));
    }
    mb_input(b, "x", "float[2]");
    call(b, "F39", "n", "x", "m");
    call(b, "F1", "k", "m", "y");
    begin(&c, b);
    expect_graph(&c, 0, "F39(x)=m [F1](m)=y [F0](m)=k/t Relu(m)=k/t [F0](k/t)=y Relu(k/t)=y");
    cr_expect(warned(&c, "\"F39\" is too large"));
    end(&c);
}

Test(expand, functions_nest_only_so_deep) {
    struct model_builder *b = mb_new();
    struct expand_case c;
    char name[32], last[32] = "";
    size_t opened = 0;

    for (unsigned i = 0; i < EXPAND_DEPTH_MAX + 10; i++) {
        snprintf(name, sizeof(name), "F%u", i);
        mb_open_function(b, "f", name, "a", "r");
        if (i) {
            call(b, last, "", "a", "r");
        } else {
            mb_node(b, "Relu", "", "a", "r");
        }
        mb_close_function(b);
        memcpy(last, name, sizeof(last));
    }
    mb_input(b, "x", "float[2]");
    call(b, last, "n", "x", "y");
    begin(&c, b);
    for (size_t i = 0; i < c.out.model.n_nodes; i++) {
        opened += c.out.model.nodes[i].expanded;
    }
    cr_expect_eq(opened, EXPAND_DEPTH_MAX);
    cr_expect(warned(&c, "too deep"));
    end(&c);
}
