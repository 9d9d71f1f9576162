#include "graph/net.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/model_builder.h"

struct fixture {
    struct onnx_model *model;
    struct graph_net net;
    struct warnings warnings;
};

static struct fixture build(struct model_builder *b) {
    struct fixture f = {.model = mb_finish(b)};
    struct error err = {0};
    cr_assert_eq(graph_net_init(&f.net, f.model, &f.warnings, &err), 0, "%s", err.text);
    return f;
}

static void release(struct fixture *f) {
    graph_net_release(&f->net);
    warnings_release(&f->warnings);
    onnx_model_free(f->model);
}

// Name of the value in an input slot.
static const struct graph_value *read_value(const struct fixture *f, uint32_t node, uint32_t slot) {
    cr_assert_lt(slot, f->net.nodes[node].n_inputs);
    uint32_t value = f->net.nodes[node].inputs[slot];
    cr_assert_neq(value, ONNX_NONE);
    return &f->net.values[value];
}

static void expect_order(const struct fixture *f, const uint32_t *order, size_t n) {
    cr_assert_eq(f->net.n_nodes, n);
    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(f->net.order[i], order[i], "place %zu: node %u, expected %u", i,
                     f->net.order[i], order[i]);
    }
}

#define EXPECT_ORDER(f, ...) \
    expect_order((f), (const uint32_t[]){__VA_ARGS__}, ARRAY_LEN(((const uint32_t[]){__VA_ARGS__})))

static size_t count_warnings(const struct fixture *f, const char *code) {
    size_t n = 0;
    for (size_t i = 0; i < f->warnings.n; i++) {
        n += strcmp(f->warnings.items[i].code, code) == 0;
    }
    return n;
}

Test(net, joins_producers_and_readers) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1,3]");
    mb_init(b, "w", "float[3,4]");
    mb_node(b, "MatMul", "m", "x,w", "h");
    mb_node(b, "Relu", "r", "h", "y");
    mb_output(b, "y", "float[1,4]");
    struct fixture f = build(b);

    cr_expect_eq(read_value(&f, 0, 0)->kind, GRAPH_VALUE_INPUT);
    cr_expect_eq(read_value(&f, 0, 1)->kind, GRAPH_VALUE_INITIALIZER);
    cr_assert_not_null(read_value(&f, 0, 1)->tensor);
    cr_expect_eq(read_value(&f, 1, 0)->producer, 0);
    uint32_t h = f.net.nodes[0].outputs[0];
    cr_assert_eq(f.net.first_use[h + 1] - f.net.first_use[h], 1);
    cr_expect_eq(f.net.uses[f.net.first_use[h]].node, 1);
    cr_assert_eq(f.net.graphs[0].n_inputs, 1);
    cr_assert_eq(f.net.graphs[0].n_outputs, 1);
    cr_expect_eq(f.net.graphs[0].outputs[0], f.net.nodes[1].outputs[0]);
    cr_expect_eq(f.warnings.total, 0);
    EXPECT_ORDER(&f, 0, 1);
    release(&f);
}

Test(net, left_out_inputs_and_outputs_have_no_value) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "Clip", "", "x,,x", "y");
    mb_node(b, "Split", "", "y", ",b");
    struct fixture f = build(b);

    cr_expect_eq(f.net.nodes[0].inputs[1], ONNX_NONE);
    cr_expect_neq(f.net.nodes[0].inputs[2], ONNX_NONE);
    cr_expect_eq(f.net.nodes[1].outputs[0], ONNX_NONE);
    cr_expect_eq(f.net.values[f.net.nodes[1].outputs[1]].slot, 1);
    cr_expect_eq(f.warnings.total, 0);
    release(&f);
}

Test(net, unsorted_file_has_the_order_of_its_data) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "C", "", "b", "y");
    mb_node(b, "B", "", "a", "b");
    mb_node(b, "A", "", "x", "a");
    mb_node(b, "D", "", "x", "d");
    mb_output(b, "y", "float[1]");
    struct fixture f = build(b);

    cr_expect_eq(f.warnings.total, 0);
    EXPECT_ORDER(&f, 2, 1, 0, 3);
    release(&f);
}

Test(net, reader_gets_the_last_writer_before_it) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "A", "", "x", "v");
    mb_node(b, "R1", "", "v", "r1");
    mb_node(b, "B", "", "r1", "v");
    mb_node(b, "R2", "", "v", "r2");
    mb_output(b, "v", "float[1]");
    struct fixture f = build(b);

    cr_expect_eq(read_value(&f, 1, 0)->producer, 0);
    cr_expect_eq(read_value(&f, 3, 0)->producer, 2);
    cr_expect_eq(f.net.values[f.net.graphs[0].outputs[0]].producer, 2);
    cr_expect_eq(count_warnings(&f, "duplicate-value"), 1);
    release(&f);
}

Test(net, output_may_take_the_name_of_an_input) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "A", "", "x", "x");
    mb_node(b, "B", "", "x", "y");
    struct fixture f = build(b);

    cr_expect_eq(read_value(&f, 0, 0)->kind, GRAPH_VALUE_INPUT);
    cr_expect_eq(read_value(&f, 1, 0)->producer, 0);
    EXPECT_ORDER(&f, 0, 1);
    release(&f);
}

Test(net, name_that_nobody_makes_is_one_missing_value) {
    struct model_builder *b = mb_new();
    mb_node(b, "A", "", "ghost", "a");
    mb_node(b, "B", "", "a,ghost", "b");
    mb_output(b, "unmade", "float[1]");
    struct fixture f = build(b);

    cr_expect_eq(read_value(&f, 0, 0)->kind, GRAPH_VALUE_MISSING);
    cr_expect_eq(f.net.nodes[0].inputs[0], f.net.nodes[1].inputs[1]);
    cr_expect_eq(f.net.values[f.net.graphs[0].outputs[0]].kind, GRAPH_VALUE_MISSING);
    cr_expect_eq(count_warnings(&f, "missing-value"), 2);
    release(&f);
}

Test(net, warnings_of_one_kind_are_bounded) {
    struct model_builder *b = mb_new();
    for (int i = 0; i < 100; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "ghost%d", i);
        mb_node(b, "A", "", name, "");
    }
    struct fixture f = build(b);

    cr_expect_eq(count_warnings(&f, "missing-value"), 17);
    cr_expect_not_null(strstr(f.warnings.items[16].message, "84 more"));
    release(&f);
}

Test(net, missing_values_of_a_file_that_breaks_off_are_one_warning) {
    for (unsigned n = 0; n < 3; n++) {
        struct model_builder *b = mb_new();
        mb_input(b, "x", "float[1]");
        for (unsigned i = 0; i < n; i++) {
            char inputs[32], output[16];
            (void)snprintf(inputs, sizeof(inputs), "x,lost%u", i);
            (void)snprintf(output, sizeof(output), "y%u", i);
            mb_node(b, "Add", "", inputs, output);
        }
        mb_node(b, "Relu", "", "x", "y");
        struct fixture f = {.model = mb_finish(b), .net.cut = true};
        cr_assert_eq(graph_net_init(&f.net, f.model, &f.warnings, NULL), 0);
        cr_expect_eq(f.warnings.total, n > 0);
        cr_expect(n == 0 ||
                  strstr(f.warnings.items[0].message, n == 1 ? "1 value is" : "2 values"));
        release(&f);
    }
}

// ---- inputs and weights

Test(net, listed_weight_of_ir_3_is_no_input) {
    struct model_builder *b = mb_new();
    mb_ir_version(b, 3);
    mb_input(b, "x", "float[1]");
    mb_input(b, "w", "float[1]");
    mb_init(b, "w", "float[1]");
    mb_node(b, "Add", "", "x,w", "y");
    struct fixture f = build(b);

    cr_expect_eq(f.net.graphs[0].n_inputs, 1);
    cr_expect_eq(read_value(&f, 0, 1)->kind, GRAPH_VALUE_INITIALIZER);
    release(&f);
}

Test(net, input_with_initializer_keeps_it_as_default) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_input(b, "w", "float[1]");
    mb_init(b, "w", "float[1]");
    mb_node(b, "Add", "", "x,w", "y");
    struct fixture f = build(b);

    cr_expect_eq(f.net.graphs[0].n_inputs, 2);
    cr_expect_eq(read_value(&f, 0, 1)->kind, GRAPH_VALUE_INPUT);
    cr_expect_not_null(read_value(&f, 0, 1)->tensor);
    release(&f);
}

Test(net, many_weights_all_listed_are_no_inputs) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    for (int i = 0; i < 8; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "w%d", i);
        mb_input(b, name, "float[1]");
        mb_init(b, name, "float[1]");
    }
    mb_node(b, "Sum", "", "x,w0,w1,w2,w3,w4,w5,w6,w7", "y");
    struct fixture f = build(b);

    cr_assert_eq(f.net.graphs[0].n_inputs, 1);
    cr_expect(str_eq_z(f.net.values[f.net.graphs[0].inputs[0]].name, "x"));
    release(&f);
}

Test(net, names_listed_twice_are_one_input_and_one_output) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_input(b, "x", "float[1]");
    mb_input(b, "z", "float[1]");
    mb_node(b, "Add", "", "x,z", "y");
    mb_output(b, "y", "float[1]");
    mb_output(b, "y", "float[1]");
    struct fixture f = build(b);

    cr_assert_eq(f.net.graphs[0].n_inputs, 2);
    cr_expect_eq(f.net.values[f.net.graphs[0].inputs[1]].slot, 1);
    cr_expect_eq(f.net.graphs[0].n_outputs, 1);
    release(&f);
}

Test(net, first_of_two_initializers_with_a_name_counts) {
    struct model_builder *b = mb_new();
    mb_init(b, "w", "float[3]");
    mb_init(b, "w", "float[5]");
    mb_node(b, "A", "", "w", "y");
    struct fixture f = build(b);

    cr_expect_eq(read_value(&f, 0, 0)->tensor->dims[0], 3);
    cr_expect_eq(count_warnings(&f, "duplicate-value"), 1);
    release(&f);
}

// ---- declared types

Test(net, declaration_with_a_shape_wins_over_one_without) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "A", "", "x", "y");
    mb_output(b, "y", "float");
    mb_value(b, "y", "float[2,3]");
    struct fixture f = build(b);

    const struct onnx_type *declared = f.net.values[f.net.nodes[0].outputs[0]].declared;
    cr_assert_not_null(declared);
    cr_expect_eq(declared->n_dims, 2);
    release(&f);
}

// ---- bodies

static void add_if(struct model_builder *b, const char *name, const char *reads) {
    mb_node(b, "If", name, "c", "y");
    mb_open_body(b, "then_branch", "graph");
    mb_node(b, "Relu", "", reads, "t");
    mb_output(b, "t", "");
    mb_close_body(b);
    mb_open_body(b, "else_branch", "graph");
    mb_output(b, "outer", "");
    mb_close_body(b);
}

Test(net, body_reads_outer_values_for_its_holder) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_input(b, "c", "bool[]");
    mb_node(b, "A", "", "x", "outer");
    add_if(b, "/If", "outer");
    mb_output(b, "y", "float[1]");
    struct fixture f = build(b);

    cr_assert_eq(f.net.n_nodes, 3);
    uint32_t outer = f.net.nodes[0].outputs[0];
    cr_expect_eq(f.net.nodes[2].inputs[0], outer);
    cr_assert_eq(f.net.nodes[1].n_captured, 1);
    cr_expect_eq(f.net.nodes[1].captured[0], outer);
    cr_expect_eq(f.net.graphs[2].outputs[0], outer);
    cr_expect_eq(f.net.holder[1], 1);
    cr_expect_eq(f.net.holder[2], 1);
    uint32_t first = f.net.first_use[outer];
    cr_assert_eq(f.net.first_use[outer + 1] - first, 2);
    cr_expect_eq(f.net.uses[first].node, 1);
    cr_expect_eq(f.net.uses[first].slot, 1);
    cr_expect_eq(f.net.uses[first + 1].node, 2);
    EXPECT_ORDER(&f, 0, 2, 1);
    release(&f);
}

Test(net, body_may_read_what_a_later_node_makes) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_input(b, "c", "bool[]");
    add_if(b, "", "outer");
    mb_node(b, "A", "", "x", "outer");
    struct fixture f = build(b);

    cr_expect_eq(f.warnings.total, 0);
    EXPECT_ORDER(&f, 1, 2, 0);
    release(&f);
}

Test(net, inner_name_hides_the_outer_one) {
    struct model_builder *b = mb_new();
    mb_input(b, "n", "int64[]");
    mb_input(b, "v", "float[1]");
    mb_node(b, "Loop", "", "n,,v", "y");
    mb_open_body(b, "body", "body");
    mb_input(b, "i", "int64[]");
    mb_input(b, "cond", "bool[]");
    mb_input(b, "v", "float[1]");
    mb_node(b, "Relu", "", "v", "w");
    mb_output(b, "cond", "bool[]");
    mb_output(b, "cond", "bool[]");
    mb_output(b, "w", "float[1]");
    mb_close_body(b);
    struct fixture f = build(b);

    cr_expect_eq(read_value(&f, 1, 0)->graph, 1);
    cr_expect_eq(f.net.nodes[0].n_captured, 0);
    cr_expect_eq(f.net.graphs[1].n_inputs, 3);
    cr_expect_eq(f.net.graphs[1].n_outputs, 3, "outputs of a body stand by position");
    release(&f);
}

Test(net, capture_passes_through_nested_bodies) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_input(b, "c", "bool[]");
    mb_node(b, "If", "outer_if", "c", "y");
    mb_open_body(b, "then_branch", "g");
    mb_node(b, "If", "inner_if", "c", "z");
    mb_open_body(b, "then_branch", "g");
    mb_node(b, "Relu", "r", "x", "q");
    mb_output(b, "q", "");
    mb_close_body(b);
    mb_output(b, "z", "");
    mb_close_body(b);
    struct fixture f = build(b);

    uint32_t x = f.net.graphs[0].inputs[0], c = f.net.graphs[0].inputs[1];
    cr_assert_eq(f.net.nodes[1].n_captured, 1);
    cr_expect_eq(f.net.nodes[1].captured[0], x);
    cr_assert_eq(f.net.nodes[0].n_captured, 2);
    cr_expect_eq(f.net.nodes[0].captured[0], c);
    cr_expect_eq(f.net.nodes[0].captured[1], x);
    EXPECT_ORDER(&f, 2, 1, 0);
    cr_expect(
        str_eq_z(graph_net_graph_path(&f.net, 2), "/outer_if/then_branch/inner_if/then_branch"));
    release(&f);
}

Test(net, paths_of_graphs_are_distinct) {
    struct model_builder *b = mb_new();
    mb_input(b, "c", "bool[]");
    mb_init(b, "outer", "float[1]");
    add_if(b, "/If", "outer");
    add_if(b, "/If", "outer");
    add_if(b, "", "outer");
    struct fixture f = build(b);

    static const char *const paths[] = {"",
                                        "/If/then_branch",
                                        "/If/else_branch",
                                        "/If/then_branch#2",
                                        "/If/else_branch#2",
                                        "/If_2/then_branch",
                                        "/If_2/else_branch"};
    cr_assert_eq(f.model->n_graphs, ARRAY_LEN(paths));
    for (uint32_t g = 0; g < ARRAY_LEN(paths); g++) {
        struct str path = graph_net_graph_path(&f.net, g);
        cr_expect(str_eq_z(path, paths[g]), "graph %u: %.*s", g, STR_ARG(path));
    }
    release(&f);
}

Test(net, function_bodies_are_left_out) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "Block", "call", "x", "y");
    mb_domain(b, "local");
    mb_open_function(b, "local", "Block", "a", "b");
    mb_node(b, "Relu", "", "a", "b");
    mb_close_function(b);
    struct fixture f = build(b);

    cr_expect_eq(f.net.n_nodes, 1);
    cr_expect_eq(f.warnings.total, 0);
    release(&f);
}

// ---- cycles

Test(net, cycle_is_cut_once_at_its_smallest_node) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "After", "", "c", "y");
    mb_node(b, "A", "first", "c,x", "a");
    mb_node(b, "B", "", "a", "b");
    mb_node(b, "C", "", "b", "c");
    struct fixture f = build(b);

    EXPECT_ORDER(&f, 1, 2, 3, 0);
    cr_assert_eq(f.warnings.total, 1);
    cr_expect_not_null(strstr(f.warnings.items[0].message, "\"first\""));
    release(&f);
}

Test(net, node_that_reads_itself_is_a_cycle) {
    struct model_builder *b = mb_new();
    mb_node(b, "A", "self", "a,a", "a");
    mb_node(b, "B", "", "a", "y");
    struct fixture f = build(b);

    EXPECT_ORDER(&f, 0, 1);
    cr_expect_eq(count_warnings(&f, "cycle"), 1);
    release(&f);
}

Test(net, holder_that_captures_its_own_output_is_a_cycle) {
    struct model_builder *b = mb_new();
    mb_input(b, "c", "bool[]");
    mb_init(b, "outer", "float[1]");
    add_if(b, "loop", "y");
    struct fixture f = build(b);

    EXPECT_ORDER(&f, 1, 0);
    cr_expect_eq(count_warnings(&f, "cycle"), 1);
    release(&f);
}

Test(net, many_cycles_behind_a_long_way_stay_cheap) {
    enum { LENGTH = 20000 };
    struct model_builder *b = mb_new();
    // Node i reads itself and node i + 1: the walk to the first cycle is as long as the file.
    for (int i = 0; i < LENGTH; i++) {
        char inputs[64], output[32];
        (void)snprintf(inputs, sizeof(inputs), "v%d,v%d", i + 1 < LENGTH ? i + 1 : i, i);
        (void)snprintf(output, sizeof(output), "v%d", i);
        mb_node(b, "A", "", inputs, output);
    }
    struct fixture f = build(b);

    cr_expect_eq(f.net.order[0], LENGTH - 1);
    cr_expect_eq(f.net.order[LENGTH - 1], 0);
    release(&f);
}

Test(net, empty_model_is_an_empty_net) {
    struct fixture f = build(mb_new());

    cr_expect_eq(f.net.n_nodes, 0);
    cr_expect_eq(f.net.graphs[0].n_outputs, 0);
    cr_expect_eq(f.net.first_use[0], 0);
    release(&f);
}
