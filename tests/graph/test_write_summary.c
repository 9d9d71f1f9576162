#include <criterion/criterion.h>
#include <stdio.h>

#include "base/json.h"
#include "graph/write_json.h"
#include "tests/support/model_builder.h"

struct fixture {
    struct graph_model model;
    struct buf text;
    struct json *doc;
};

static struct fixture write(struct model_builder *b) {
    struct fixture f = {0};
    struct error err = {0};
    const struct graph_source source = {STR("abc123"), 4096, true};
    cr_assert_eq(graph_model_init(&f.model, mb_finish(b), NULL, &err), 0, "%s", err.text);
    buf_init(&f.text, 1 << 20);
    cr_assert_eq(graph_write_summary(&f.text, &f.model, &source, &err), 0, "%s", err.text);
    cr_assert_eq(json_parse(&f.doc, buf_str(&f.text), &err), 0, "%s", err.text);
    return f;
}

static void release(struct fixture *f) {
    json_free(f->doc);
    buf_release(&f->text);
    graph_model_release(&f->model);
}

static double number(const struct json *object, const char *name) {
    return json_num(json_get(object, name), -1);
}

static void expect_holds(const struct fixture *f, const char *part) {
    cr_expect(str_contains(buf_str(&f->text), str_from(part)), "no %s in %.*s", part,
              STR_ARG(buf_str(&f->text)));
}

static struct model_builder *small_net(void) {
    struct model_builder *b = mb_new();
    mb_graph_name(b, "main_graph");
    mb_input(b, "x", "float[batch,3,?]");
    mb_init(b, "fc.weight", "float[4,3]");
    mb_node(b, "Relu", "/relu/Relu", "x", "h");
    mb_node(b, "Add", "/Add", "h,h", "s");
    mb_node(b, "MatMul", "/fc/MatMul", "s,fc.weight", "y");
    mb_output(b, "y", "float");
    return b;
}

Test(write_summary, says_what_the_file_is) {
    struct model_builder *b = small_net();
    mb_opset(b, "", 17);
    mb_opset(b, "com.microsoft", 1);
    mb_model_meta(b, "task", "demo");
    struct fixture f = write(b);

    cr_expect(str_eq_z(json_str(json_get(f.doc, "schema")), "onnxscope/model/1"));
    cr_expect(str_eq_z(json_str(json_get(f.doc, "id")), "abc123"));
    cr_expect_eq(number(f.doc, "size"), 4096);
    cr_expect(json_bool(json_get(f.doc, "complete"), false));
    expect_holds(&f, "\"producer\":\"pytorch\",\"producer_version\":\"2.1.0\",\"ir_version\":8");
    expect_holds(&f, "\"opsets\":{\"\":17,\"com.microsoft\":1},\"graph_name\":\"main_graph\"");
    expect_holds(&f, "\"metadata\":{\"task\":\"demo\"}");
    expect_holds(&f, "\"macs\":\"36*batch\",\"activation_bytes\":null");
    release(&f);
}

Test(write_summary, dims_are_numbers_symbols_or_null) {
    struct fixture f = write(small_net());

    expect_holds(&f,
                 "\"inputs\":[{\"name\":\"x\",\"dtype\":\"float\",\"shape\":[\"batch\",3,null]}]");
    expect_holds(&f,
                 "\"outputs\":[{\"name\":\"y\",\"dtype\":\"float\",\"shape\":[\"batch\",3,3]}]");
    release(&f);
}

Test(write_summary, counts_pairs_of_joined_nodes) {
    struct fixture f = write(small_net());

    const struct json *counts = json_get(f.doc, "counts");
    cr_expect_eq(number(counts, "nodes"), 3);
    cr_expect_eq(number(counts, "nodes_all_graphs"), 3);
    cr_expect_eq(number(counts, "edges"), 2, "Add reads one value twice");
    cr_expect_eq(number(counts, "initializers"), 1);
    cr_expect_eq(number(f.doc, "parameters"), 12);
    cr_expect_eq(number(f.doc, "parameter_bytes"), 48);
    expect_holds(&f, "\"operators\":{\"Add\":1,\"MatMul\":1,\"Relu\":1}");
    release(&f);
}

Test(write_summary, sources_add_up_to_all_nodes) {
    struct fixture f = write(small_net());

    static const char *const names[] = {"metadata",    "function",  "name", "output",
                                        "initializer", "neighbour", "none"};
    const struct json *sources = json_get(json_get(f.doc, "hierarchy"), "sources");
    double sum = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        sum += number(sources, names[i]);
    }
    cr_expect_eq(sum, 3);
    release(&f);
}

Test(write_summary, bodies_and_functions_are_told_apart) {
    struct model_builder *b = mb_new();
    mb_input(b, "c", "bool[]");
    mb_node(b, "If", "/If", "c", "y");
    mb_open_body(b, "then_branch", "g");
    mb_node(b, "Relu", "", "c", "t");
    mb_output(b, "t", "");
    mb_close_body(b);
    mb_open_body(b, "else_branch", "g");
    mb_node(b, "Neg", "", "c", "e");
    mb_output(b, "e", "");
    mb_close_body(b);
    mb_open_function(b, "local", "F", "a", "b");
    mb_node(b, "Relu", "", "a", "b");
    mb_close_function(b);
    struct fixture f = write(b);

    const struct json *counts = json_get(f.doc, "counts");
    cr_expect_eq(number(counts, "nodes"), 1);
    cr_expect_eq(number(counts, "nodes_all_graphs"), 3);
    cr_expect_eq(number(counts, "subgraphs"), 2);
    cr_expect_eq(number(counts, "functions"), 1);
    expect_holds(&f, "\"operators\":{\"If\":1}");
    release(&f);
}

Test(write_summary, names_that_stand_twice_stand_once) {
    struct model_builder *b = mb_new();
    mb_opset(b, "", 11);
    mb_opset(b, "", 13);
    mb_model_meta(b, "k", "first");
    mb_model_meta(b, "k", "second");
    struct fixture f = write(b);

    expect_holds(&f, "\"opsets\":{\"\":13}");
    expect_holds(&f, "\"metadata\":{\"k\":\"first\"}");
    release(&f);
}

Test(write_summary, big_integers_are_exact) {
    struct model_builder *b = mb_new();
    mb_ir_version(b, INT64_MAX);
    mb_init(b, "w", "float[1000000007,9007199]");
    mb_node(b, "A", "", "w", "y");
    struct fixture f = write(b);

    expect_holds(&f, "\"ir_version\":9223372036854775807");
    expect_holds(&f, "\"parameters\":9007199063050393");
    release(&f);
}

Test(write_summary, warnings_say_how_many_are_missing) {
    struct model_builder *b = mb_new();
    struct fixture f = {0};
    const struct graph_source source = {{NULL, 0}, 0, false};
    cr_assert_eq(graph_model_init(&f.model, mb_finish(b), NULL, NULL), 0);
    for (int i = 0; i < WARNINGS_MAX + 5; i++) {
        warnings_add(&f.model.warnings, "test", "here", "number %d", i);
    }
    buf_init(&f.text, 1 << 20);
    cr_assert_eq(graph_write_summary(&f.text, &f.model, &source, NULL), 0);
    cr_assert_eq(json_parse(&f.doc, buf_str(&f.text), NULL), 0);

    const struct json *list = json_get(f.doc, "warnings");
    cr_assert_eq(json_len(list), WARNINGS_MAX + 1);
    cr_expect(str_eq_z(json_str(json_get(json_at(list, 0), "where")), "here"));
    cr_expect(
        str_eq_z(json_str(json_get(json_at(list, WARNINGS_MAX), "message")), "5 more warnings"));
    expect_holds(&f, "\"id\":null");
    release(&f);
}

Test(write_summary, output_limit_is_an_error_that_names_it) {
    struct graph_model model = {0};
    struct error err = {0};
    const struct graph_source source = {0};
    struct buf out;
    cr_assert_eq(graph_model_init(&model, mb_finish(small_net()), NULL, NULL), 0);
    buf_init(&out, 100);
    cr_expect_eq(graph_write_summary(&out, &model, &source, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-output");
    buf_release(&out);
    graph_model_release(&model);
}
