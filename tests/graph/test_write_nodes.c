#include <criterion/criterion.h>
#include <stdio.h>

#include "base/json.h"
#include "graph/write_attr.h"
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
    cr_assert_eq(graph_model_init(&f.model, mb_finish(b), NULL, &err), 0, "%s", err.text);
    buf_init(&f.text, 8 << 20);
    cr_assert_eq(graph_write_nodes(&f.text, &f.model, &err), 0, "%s", err.text);
    cr_assert_eq(json_parse(&f.doc, buf_str(&f.text), &err), 0, "%s", err.text);
    return f;
}

static void release(struct fixture *f) {
    json_free(f->doc);
    buf_release(&f->text);
    graph_model_release(&f->model);
}

static const struct json *node(const struct fixture *f, size_t i) {
    const struct json *nodes = json_get(f->doc, "nodes");
    cr_assert_lt(i, json_len(nodes));
    return json_at(nodes, i);
}

static void expect_holds(const struct fixture *f, const char *part) {
    cr_expect(str_contains(buf_str(&f->text), str_from(part)), "no %s in %.*s", part,
              STR_ARG(buf_str(&f->text)));
}

Test(write_nodes, node_says_where_it_is_and_what_it_reads) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "Clip", "/features/features.0/Clip", "x,,x", "y");
    mb_domain(b, "custom");
    mb_node(b, "Relu", "/features/features.1/Relu", "y", "z");
    struct fixture f = write(b);

    cr_expect(str_eq_z(json_str(json_get(f.doc, "schema")), "onnxscope/nodes/1"));
    expect_holds(&f, "{\"index\":0,\"graph\":\"\",\"name\":\"/features/features.0/Clip\","
                     "\"op\":\"Clip\",\"domain\":\"custom\","
                     "\"scope\":[\"features\",\"features.0\"],\"call\":0,"
                     "\"scope_source\":\"name\",\"plumbing\":false,"
                     "\"inputs\":[\"x\",\"\",\"x\"],\"outputs\":[\"y\"],"
                     "\"attributes\":{},\"macs\":null}");
    release(&f);
}

Test(write_nodes, plumbing_is_marked) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "Shape", "", "x", "s");
    mb_node(b, "Relu", "", "x", "y");
    struct fixture f = write(b);

    cr_expect(json_bool(json_get(node(&f, 0), "plumbing"), false));
    cr_expect_not(json_bool(json_get(node(&f, 1), "plumbing"), true));
    release(&f);
}

// ---- attributes

Test(write_nodes, attributes_are_json_values) {
    struct model_builder *b = mb_new();
    mb_node(b, "A", "", "", "y");
    mb_attr_int(b, "axis", INT64_MIN);
    mb_attr_float(b, "epsilon", 1e-5F);
    mb_attr_float(b, "third", 1.0F / 3);
    mb_attr_str(b, "mode", "a\"b");
    mb_attr_ints(b, "pads", "1,-1");
    mb_attr_tensor(b, "big", "float[64,3]");
    mb_attr_tensor_ints(b, "value", "5,6");
    mb_attr_ref(b, "outer", "alpha");
    struct fixture f = write(b);

    expect_holds(&f, "\"axis\":-9223372036854775808,\"epsilon\":1e-05,\"third\":0.33333334,"
                     "\"mode\":\"a\\\"b\",\"pads\":[1,-1],"
                     "\"big\":{\"dtype\":\"float\",\"shape\":[64,3]},"
                     "\"value\":{\"dtype\":\"int64\",\"shape\":[2],\"values\":[5,6]},"
                     "\"outer\":{\"ref\":\"alpha\"}}");
    release(&f);
}

Test(write_nodes, first_of_two_attributes_with_a_name_counts) {
    struct model_builder *b = mb_new();
    mb_node(b, "A", "", "", "y");
    mb_attr_int(b, "axis", 1);
    mb_attr_int(b, "axis", 2);
    struct fixture f = write(b);

    expect_holds(&f, "\"attributes\":{\"axis\":1}");
    release(&f);
}

static char *list_of_ones(size_t n) {
    char *text = malloc(2 * n);
    cr_assert_not_null(text);
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = '1';
        text[2 * i + 1] = ',';
    }
    text[2 * n - 1] = '\0';
    return text;
}

Test(write_nodes, list_past_its_limit_says_how_long_it_is) {
    char *full = list_of_ones(GRAPH_ATTR_ITEMS), *longer = list_of_ones(GRAPH_ATTR_ITEMS + 1);
    struct model_builder *b = mb_new();
    mb_node(b, "A", "", "", "y");
    mb_attr_ints(b, "full", full);
    mb_attr_ints(b, "longer", longer);
    struct fixture f = write(b);

    const struct json *attributes = json_get(node(&f, 0), "attributes");
    cr_expect_eq(json_len(json_get(attributes, "full")), GRAPH_ATTR_ITEMS);
    const struct json *cut = json_get(attributes, "longer");
    cr_expect_eq(json_num(json_get(cut, "count"), 0), GRAPH_ATTR_ITEMS + 1);
    cr_expect_eq(json_len(json_get(cut, "first")), GRAPH_ATTR_FIRST);
    release(&f);
    free(full);
    free(longer);
}

Test(write_nodes, text_past_its_limit_says_how_long_it_is) {
    char *text = list_of_ones(GRAPH_ATTR_BYTES);
    struct model_builder *b = mb_new();
    mb_node(b, "A", "", "", "y");
    mb_attr_str(b, "text", text);
    struct fixture f = write(b);

    const struct json *cut = json_get(json_get(node(&f, 0), "attributes"), "text");
    cr_expect_eq(json_num(json_get(cut, "bytes"), 0), 2 * GRAPH_ATTR_BYTES - 1);
    cr_expect_eq(json_str(json_get(cut, "start")).n, GRAPH_ATTR_START);
    release(&f);
    free(text);
}

// ---- values

static void expect_value(const struct fixture *f, const char *key, const char *dtype,
                         const char *source) {
    const struct json *value = json_get(json_get(f->doc, "values"), key);
    cr_assert_not_null(value, "no value %s", key);
    cr_expect(str_eq_z(json_str(json_get(value, "dtype")), dtype), "dtype of %s", key);
    cr_expect(str_eq_z(json_str(json_get(value, "source")), source), "source of %s", key);
}

Test(write_nodes, known_values_are_listed_by_name) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float16[1]");
    mb_init(b, "w", "float[2]");
    mb_node(b, "Identity", "", "w", "alias");
    mb_node(b, "A", "", "x,alias", "y");
    struct fixture f = write(b);

    expect_value(&f, "x", "float16", "declared");
    expect_value(&f, "w", "float", "initializer");
    expect_value(&f, "alias", "float", "inferred");
    cr_expect_null(json_get(json_get(f.doc, "values"), "y"), "nothing is known of y");
    release(&f);
}

Test(write_nodes, types_of_values_that_nothing_makes_are_listed) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_node(b, "Relu", "", "x", "y");
    mb_value(b, "y", "float[1]");
    mb_value(b, "fused_away", "float16[1,16,64]");
    mb_value(b, "fused_away", "int64[2]");
    mb_value(b, "pkg::f/inner", "bool[3]");
    struct fixture f = write(b);

    expect_value(&f, "y", "float", "declared");
    expect_value(&f, "fused_away", "float16", "declared");
    expect_value(&f, "pkg::f/inner", "bool", "declared");
    expect_holds(&f, "\"fused_away\":{\"dtype\":\"float16\",\"shape\":[1,16,64],");
    release(&f);
}

static void add_branch(struct model_builder *b, const char *attribute, const char *type) {
    mb_open_body(b, attribute, "g");
    mb_init(b, "v", type);
    mb_node(b, "Relu", "", "v", "t");
    mb_output(b, "t", type);
    mb_close_body(b);
}

Test(write_nodes, main_graph_wins_plain_names) {
    struct model_builder *b = mb_new();
    mb_input(b, "c", "bool[]");
    mb_node(b, "If", "/If", "c", "v");
    add_branch(b, "then_branch", "float[1]");
    add_branch(b, "else_branch", "double[1]");
    mb_output(b, "v", "int32[1]");
    struct fixture f = write(b);

    expect_value(&f, "v", "int32", "declared");
    expect_value(&f, "/If/then_branch/v", "float", "initializer");
    expect_value(&f, "/If/else_branch/v", "double", "initializer");
    expect_value(&f, "t", "float", "declared");
    expect_value(&f, "/If/else_branch/t", "double", "declared");
    cr_expect(str_eq_z(json_str(json_get(node(&f, 1), "graph")), "/If/then_branch"));
    expect_holds(&f, "\"attributes\":{\"then_branch\":\"/If/then_branch\","
                     "\"else_branch\":\"/If/else_branch\"}");
    release(&f);
}

Test(write_nodes, output_limit_is_an_error_that_names_it) {
    struct model_builder *b = mb_new();
    mb_node(b, "A", "", "", "y");
    struct graph_model model = {0};
    struct error err = {0};
    struct buf out;
    cr_assert_eq(graph_model_init(&model, mb_finish(b), NULL, NULL), 0);
    buf_init(&out, 50);
    cr_expect_eq(graph_write_nodes(&out, &model, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-output");
    buf_release(&out);
    graph_model_release(&model);
}
