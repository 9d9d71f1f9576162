#include "onnx/decode.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/onnx/bytes.h"

static struct onnx_limits standard_limits(void) {
    struct onnx_limits limits;
    onnx_limits_init(&limits);
    return limits;
}

static struct onnx_model *decode(struct bytes *b, struct warnings *warnings) {
    struct onnx_limits limits = standard_limits();
    struct onnx_model *model;
    struct error err;
    int rc = onnx_decode(&model, bytes_slice(b), &limits, warnings, &err);
    cr_assert_eq(rc, 0, "%s", err.text);
    // The model must not need the skeleton any more.
    memset(b->out.p, 0xAA, b->out.n);
    bytes_free(b);
    return model;
}

static struct onnx_model *decode_quietly(struct bytes *b) {
    struct warnings warnings = {0};
    struct onnx_model *model = decode(b, &warnings);
    cr_expect_eq(warnings.total, 0);
    warnings_release(&warnings);
    return model;
}

#define EXPECT_STR(got, want) \
    cr_expect(str_eq_z(got, want), "'%.*s' instead of '%s'", STR_ARG(got), want)

Test(decode, a_model_without_anything_has_an_empty_graph) {
    struct bytes b = {0};
    put_int(&b, 1, 8);
    struct onnx_model *m = decode_quietly(&b);
    cr_expect(m->has_ir_version && m->ir_version == 8);
    cr_assert_eq(m->n_graphs, 1);
    cr_expect_eq(m->graphs[0].n_nodes, 0);
    cr_expect_eq(m->graphs[0].holder, ONNX_NONE);
    onnx_model_free(m);
}

Test(decode, reads_the_fields_of_a_model) {
    struct bytes b = {0};
    put_text(&b, 2, "pytorch");
    put_text(&b, 3, "2.1.0");
    put_text(&b, 4, "org");
    put_int(&b, 5, 3);
    put_text(&b, 6, "words");
    put_property(&b, 14, "key", "value");
    open_field(&b, 8);
    put_text(&b, 1, "custom");
    put_int(&b, 2, 4);
    close_field(&b);
    struct onnx_model *m = decode_quietly(&b);
    cr_expect(!m->has_ir_version && m->ir_version == 0);
    EXPECT_STR(m->producer, "pytorch");
    EXPECT_STR(m->producer_version, "2.1.0");
    EXPECT_STR(m->domain, "org");
    EXPECT_STR(m->doc, "words");
    cr_expect_eq(m->model_version, 3);
    EXPECT_STR(onnx_props_get(m->metadata, "key"), "value");
    cr_assert_eq(m->n_opsets, 1);
    EXPECT_STR(m->opsets[0].domain, "custom");
    cr_expect_eq(m->opsets[0].version, 4);
    onnx_model_free(m);
}

Test(decode, reads_the_fields_of_a_node) {
    struct bytes b = {0};
    open_field(&b, 7);
    open_field(&b, 1);
    put_text(&b, 1, "x");
    put_text(&b, 1, "");
    put_text(&b, 1, "w");
    put_text(&b, 2, "y");
    put_text(&b, 3, "old");
    put_text(&b, 3, "name");
    put_text(&b, 4, "Op");
    put_text(&b, 6, "doc");
    put_text(&b, 7, "domain");
    put_text(&b, 8, "overload");
    put_property(&b, 9, "k", "v");
    close_field(&b);
    close_field(&b);
    struct onnx_model *m = decode_quietly(&b);
    const struct onnx_node *n = &m->nodes[0];
    cr_assert_eq(n->n_inputs, 3);
    EXPECT_STR(n->inputs[0], "x");
    EXPECT_STR(n->inputs[1], "");
    EXPECT_STR(n->inputs[2], "w");
    cr_assert_eq(n->n_outputs, 1);
    EXPECT_STR(n->outputs[0], "y");
    EXPECT_STR(n->name, "name");
    EXPECT_STR(n->op, "Op");
    EXPECT_STR(n->doc, "doc");
    EXPECT_STR(n->domain, "domain");
    EXPECT_STR(n->overload, "overload");
    EXPECT_STR(onnx_props_get(n->metadata, "k"), "v");
    onnx_model_free(m);
}

Test(decode, text_keeps_nul_and_loses_what_is_not_utf8) {
    struct bytes b = {0};
    open_field(&b, 7);
    open_field(&b, 1);
    put_data(&b, 1, "a\0b", 3);
    put_text(&b, 2, "a\xff\xfez");
    put_text(&b, 4, "Op");
    close_field(&b);
    close_field(&b);
    struct onnx_model *m = decode_quietly(&b);
    cr_expect(str_eq(m->nodes[0].inputs[0], STR("a\0b")));
    EXPECT_STR(m->nodes[0].outputs[0], "a\xef\xbf\xbd\xef\xbf\xbdz");
    onnx_model_free(m);
}

Test(decode, nodes_without_a_readable_op_type_are_left_out_with_a_warning) {
    struct bytes b = {0};
    struct warnings warnings = {0};
    open_field(&b, 7);
    put_node(&b, "R\xff", "x", "y");
    put_node(&b, "Relu", "x", "y");
    put_node(&b, "", "x", "y");
    close_field(&b);
    struct onnx_model *m = decode(&b, &warnings);
    cr_assert_eq(m->n_nodes, 1);
    EXPECT_STR(m->nodes[0].op, "Relu");
    cr_assert_eq(warnings.n, 1);
    cr_expect_str_eq(warnings.items[0].code, "unreadable-node");
    cr_expect(strstr(warnings.items[0].message, "2 nodes"), "%s", warnings.items[0].message);
    warnings_release(&warnings);
    onnx_model_free(m);
}

Test(decode, a_graph_that_comes_twice_is_one_graph) {
    struct bytes b = {0};
    open_field(&b, 7);
    put_node(&b, "Relu", "x", "t");
    put_text(&b, 2, "first");
    open_field(&b, 11);
    put_text(&b, 1, "x");
    close_field(&b);
    close_field(&b);
    open_field(&b, 7);
    put_node(&b, "Tanh", "t", "y");
    put_text(&b, 2, "second");
    open_field(&b, 11);
    put_text(&b, 1, "x2");
    close_field(&b);
    close_field(&b);
    struct onnx_model *m = decode_quietly(&b);
    cr_assert_eq(m->n_graphs, 1);
    EXPECT_STR(m->graphs[0].name, "second");
    cr_assert_eq(m->graphs[0].n_nodes, 2);
    EXPECT_STR(m->nodes[1].op, "Tanh");
    cr_assert_eq(m->graphs[0].n_inputs, 2);
    EXPECT_STR(m->graphs[0].inputs[1].name, "x2");
    onnx_model_free(m);
}

// ---- graphs in graphs

static void open_holder(struct bytes *b, const char *op, const char *attribute) {
    open_field(b, 1);
    put_text(b, 4, op);
    open_field(b, 5);
    put_text(b, 1, attribute);
}

static void put_body(struct bytes *b, uint32_t number, const char *op) {
    open_field(b, number);
    put_node(b, op, "x", "y");
    close_field(b);
}

static void put_function(struct bytes *b, const char *domain, const char *name, const char *op) {
    open_field(b, 25);
    put_text(b, 1, name);
    put_text(b, 10, domain);
    put_text(b, 4, "in");
    put_text(b, 5, "out");
    put_text(b, 6, "alpha");
    open_field(b, 11);
    put_text(b, 1, "beta");
    put_int(b, 3, 2);
    close_field(b);
    open_field(b, 7);
    put_text(b, 4, op);
    open_field(b, 5);
    put_text(b, 1, "body");
    put_body(b, 6, "Inner");
    close_field(b);
    close_field(b);
    close_field(b);
}

// Graph 0: If(then, else of two levels), Switch(three branches), Call; one function whose node has
// a body.
static struct onnx_model *decode_nested(void) {
    struct bytes b = {0};
    open_field(&b, 7);
    open_holder(&b, "If", "then_branch");
    put_body(&b, 6, "Then");
    close_field(&b);
    open_field(&b, 5);
    put_text(&b, 1, "else_branch");
    open_field(&b, 6);
    open_holder(&b, "Loop", "body");
    put_body(&b, 6, "Deep");
    close_field(&b);
    close_field(&b);
    close_field(&b);
    close_field(&b);
    close_field(&b);
    open_holder(&b, "Switch", "branches");
    put_body(&b, 11, "B0");
    put_body(&b, 11, "B1");
    close_field(&b);
    close_field(&b);
    put_node(&b, "Last", "x", "y");
    close_field(&b);
    put_function(&b, "local", "f", "Outer");
    return decode_quietly(&b);
}

Test(decode, nodes_of_a_graph_are_contiguous_and_bodies_follow_their_holders) {
    static const char *const ops[] = {"If",   "Switch", "Last", "Outer", "Then",
                                      "Loop", "B0",     "B1",   "Inner", "Deep"};
    struct onnx_model *m = decode_nested();
    cr_assert_eq(m->n_nodes, 10);
    for (size_t i = 0; i < 10; i++) {
        EXPECT_STR(m->nodes[i].op, ops[i]);
    }
    cr_assert_eq(m->n_graphs, 8);
    uint32_t next = 0;
    for (uint32_t g = 0; g < m->n_graphs; g++) {
        const struct onnx_graph *graph = &m->graphs[g];
        cr_expect_eq(graph->first_node, next);
        next += graph->n_nodes;
        for (uint32_t i = 0; i < graph->n_nodes; i++) {
            cr_expect_eq(m->nodes[graph->first_node + i].graph, g);
        }
        cr_expect(graph->holder == ONNX_NONE || m->nodes[graph->holder].graph < g);
    }
    onnx_model_free(m);
}

static void expect_graph(const struct onnx_graph *g, uint32_t holder, const char *attribute,
                         uint32_t function, unsigned depth) {
    cr_expect_eq(g->holder, holder);
    EXPECT_STR(g->holder_attr, attribute);
    cr_expect_eq(g->function, function);
    cr_expect_eq(g->depth, depth);
}

Test(decode, bodies_know_their_holder_attribute_function_and_depth) {
    struct onnx_model *m = decode_nested();
    expect_graph(&m->graphs[0], ONNX_NONE, "", ONNX_NONE, 0);
    expect_graph(&m->graphs[1], ONNX_NONE, "", 0, 0);
    expect_graph(&m->graphs[2], 0, "then_branch", ONNX_NONE, 1);
    expect_graph(&m->graphs[3], 0, "else_branch", ONNX_NONE, 1);
    expect_graph(&m->graphs[4], 1, "branches[0]", ONNX_NONE, 1);
    expect_graph(&m->graphs[5], 1, "branches[1]", ONNX_NONE, 1);
    expect_graph(&m->graphs[6], 3, "body", 0, 1);
    expect_graph(&m->graphs[7], 5, "body", ONNX_NONE, 2);
    onnx_model_free(m);
}

Test(decode, graph_attributes_point_to_their_graphs) {
    struct onnx_model *m = decode_nested();
    const struct onnx_attr *a = onnx_node_attr(&m->nodes[0], "else_branch");
    cr_assert(a && a->type == ONNX_ATTR_GRAPH && a->n == 1);
    cr_expect_eq(a->graphs[0], 3);
    a = onnx_node_attr(&m->nodes[1], "branches");
    cr_assert(a && a->type == ONNX_ATTR_GRAPHS && a->n == 2);
    cr_expect(a->graphs[0] == 4 && a->graphs[1] == 5);
    a = onnx_node_attr(&m->nodes[5], "body");
    cr_assert(a && a->n == 1);
    cr_expect_eq(a->graphs[0], 7);
    onnx_model_free(m);
}

Test(decode, reads_the_fields_of_a_function) {
    struct onnx_model *m = decode_nested();
    cr_assert_eq(m->n_functions, 1);
    const struct onnx_function *f = &m->functions[0];
    EXPECT_STR(f->name, "f");
    EXPECT_STR(f->domain, "local");
    EXPECT_STR(f->inputs[0], "in");
    EXPECT_STR(f->outputs[0], "out");
    EXPECT_STR(f->attributes[0], "alpha");
    cr_assert_eq(f->n_defaults, 1);
    EXPECT_STR(f->defaults[0].name, "beta");
    cr_expect_eq(f->defaults[0].i, 2);
    cr_expect_eq(f->graph, 1);
    EXPECT_STR(m->graphs[1].name, "f");
    onnx_model_free(m);
}

Test(decode, a_graph_among_function_defaults_takes_no_index) {
    struct bytes b = {0};
    open_field(&b, 7);
    open_holder(&b, "If", "then_branch");
    put_body(&b, 6, "Then");
    close_field(&b);
    close_field(&b);
    close_field(&b);
    open_field(&b, 25);
    open_field(&b, 11);
    put_text(&b, 1, "body");
    put_body(&b, 6, "Default");
    close_field(&b);
    close_field(&b);
    struct onnx_model *m = decode_quietly(&b);
    cr_assert_eq(m->n_graphs, 3);
    cr_expect_eq(m->nodes[0].attrs[0].graphs[0], 2);
    cr_expect_eq(m->functions[0].defaults[0].n, 0);
    onnx_model_free(m);
}

// ---- refusals

static void expect_refused(const struct bytes *b, const struct onnx_limits *limits, int code,
                           const char *limit) {
    struct onnx_model *model;
    struct warnings warnings = {0};
    struct error err;
    cr_expect_eq(onnx_decode(&model, bytes_slice(b), limits, &warnings, &err), code, "%s",
                 err.text);
    cr_expect_str_eq(err.limit, limit);
    warnings_release(&warnings);
}

Test(decode, names_the_limit_that_was_reached) {
    struct onnx_limits limits = standard_limits();
    struct bytes b = {0};
    put_chain_model(&b, 100);
    limits.max_nodes = 99;
    expect_refused(&b, &limits, ERR_LIMIT, "max-nodes");
    limits = standard_limits();
    limits.max_depth = 6;
    expect_refused(&b, &limits, ERR_LIMIT, "max-depth");
    limits = standard_limits();
    limits.max_memory = 10000;
    expect_refused(&b, &limits, ERR_LIMIT, "max-memory");
    bytes_free(&b);
}

Test(decode, any_budget_of_memory_gives_a_model_or_an_error) {
    struct onnx_limits limits = standard_limits();
    struct bytes b = {0};
    int rc = ERR_LIMIT;
    put_chain_model(&b, 20);
    put_function(&b, "local", "f", "Outer");
    for (limits.max_memory = 0; rc < 0; limits.max_memory += 97) {
        struct onnx_model *model = NULL;
        struct warnings warnings = {0};
        struct error err;
        rc = onnx_decode(&model, bytes_slice(&b), &limits, &warnings, &err);
        cr_assert(rc == 0 || rc == ERR_LIMIT, "%d %s", rc, err.text);
        onnx_model_free(model);
        warnings_release(&warnings);
    }
    bytes_free(&b);
}

Test(decode, refuses_what_is_no_skeleton) {
    struct onnx_limits limits = standard_limits();
    struct bytes b = {0};
    put_raw(&b, "\x3a\x05\x0a", 3);
    expect_refused(&b, &limits, ERR_FORMAT, "");
    bytes_free(&b);
    put_text(&b, 1, "ir_version as text");
    expect_refused(&b, &limits, ERR_FORMAT, "");
    bytes_free(&b);
}

// Repetitions of one message are merged in linear time; 8 bytes of input make each.
Test(decode, a_graph_in_many_parts_is_read_in_time, .timeout = 20) {
    struct bytes b = {0};
    for (size_t i = 0; i < 100000; i++) {
        open_field(&b, 7);
        put_node(&b, "R", "", "");
        close_field(&b);
    }
    struct onnx_model *m = decode_quietly(&b);
    cr_expect_eq(m->n_nodes, 100000);
    onnx_model_free(m);
}
