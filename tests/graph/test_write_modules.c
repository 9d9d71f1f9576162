#include <criterion/criterion.h>

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

    cr_assert_eq(graph_model_init(&f.model, mb_finish(b), NULL, &err), 0, "%s", err.text);
    buf_init(&f.text, 8 << 20);
    cr_assert_eq(graph_write_modules(&f.text, &f.model, &err), 0, "%s", err.text);
    cr_assert_eq(json_parse(&f.doc, buf_str(&f.text), &err), 0, "%s", err.text);
    return f;
}

static void release(struct fixture *f) {
    json_free(f->doc);
    buf_release(&f->text);
    graph_model_release(&f->model);
}

static const struct json *module(const struct fixture *f, const char *path) {
    const struct json *modules = json_get(f->doc, "modules");

    for (size_t i = 0; i < json_len(modules); i++) {
        if (str_eq_z(json_str(json_get(json_at(modules, i), "path")), path)) {
            return json_at(modules, i);
        }
    }
    cr_assert_fail("no module \"%s\"", path);
    return NULL;
}

// First dims of the values on one side of a call: they tell the values of these tests apart.
static void expect_dims(const struct fixture *f, const char *path, size_t call, const char *side,
                        const double *dims, size_t n) {
    const struct json *values = json_get(json_at(json_get(module(f, path), "calls"), call), side);

    cr_assert_eq(json_len(values), n, "%s %s: %zu values", path, side, json_len(values));
    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(json_num(json_at(json_get(json_at(values, i), "shape"), 0), -1), dims[i],
                     "%s %s %zu", path, side, i);
    }
}

#define expect_values(f, path, call, side, ...)                             \
    expect_dims((f), (path), (call), (side), (const double[]){__VA_ARGS__}, \
                sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static struct model_builder *two_blocks(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "a.fc.weight", "float[10,10]");
    mb_init(b, "b.weight", "float[5]");
    mb_value(b, "p", "float[2]");
    mb_value(b, "q", "float[3]");
    mb_value(b, "r", "float[4]");
    mb_output(b, "s", "float[5]");
    mb_node(b, "Gemm", "/a/fc/Gemm", "x,a.fc.weight", "p");
    mb_node(b, "Relu", "/a/Relu", "p", "q");
    mb_node(b, "Gemm", "/a/fc_1/Gemm", "q,a.fc.weight", "r");
    mb_node(b, "Mul", "/b/Mul", "r,p,b.weight", "s");
    return b;
}

Test(write_modules, module_says_where_it_is_and_what_it_holds) {
    struct fixture f = write(two_blocks());
    const struct json *fc = module(&f, "a.fc"), *root = module(&f, "");

    cr_expect(str_eq_z(json_str(json_get(f.doc, "schema")), "onnxscope/modules/1"));
    cr_expect_eq(json_len(json_get(f.doc, "modules")), 4);
    cr_expect(str_eq_z(json_str(json_get(fc, "parent")), "a"));
    cr_expect_eq(json_num(json_get(fc, "depth"), -1), 2);
    cr_expect_eq(json_num(json_get(fc, "nodes"), -1), 2);
    cr_expect_eq(json_num(json_get(fc, "parameters"), -1), 100, "read by two calls");
    cr_expect_eq(json_num(json_get(fc, "parameter_bytes"), -1), 400);
    cr_expect_eq(json_num(json_get(module(&f, "a"), "nodes"), -1), 3);
    cr_expect_eq(json_num(json_get(root, "nodes"), -1), 4);
    cr_expect_eq(json_num(json_get(root, "parameters"), -1), 105);
    cr_expect_null(json_str(json_get(root, "parent")).p);
    cr_expect_null(json_str(json_get(root, "class")).p);
    cr_expect_null(json_str(json_get(root, "macs")).p);
    release(&f);
}

Test(write_modules, calls_list_what_crosses_their_border) {
    struct fixture f = write(two_blocks());

    expect_values(&f, "", 0, "inputs", 1);
    expect_values(&f, "", 0, "outputs", 5);
    expect_values(&f, "a", 0, "inputs", 1);
    expect_values(&f, "a", 0, "outputs", 2, 4);
    expect_values(&f, "a.fc", 0, "outputs", 2);
    expect_values(&f, "a.fc", 1, "inputs", 3);
    expect_values(&f, "a.fc", 1, "outputs", 4);
    expect_values(&f, "b", 0, "inputs", 4, 2);
    expect_values(&f, "b", 0, "outputs", 5);
    release(&f);
}

Test(write_modules, inputs_come_in_the_order_of_first_reading_and_once) {
    struct model_builder *b = mb_new();
    struct fixture f;

    mb_input(b, "x", "float[1]");
    mb_input(b, "y", "float[2]");
    mb_node(b, "Relu", "/m/Relu", "y", "p");
    mb_node(b, "Add", "/m/Add", "p,x", "q");
    mb_node(b, "Add", "/m/Add_1", "q,y", "r");
    f = write(b);
    expect_values(&f, "m", 0, "inputs", 2, 1);
    release(&f);
}

Test(write_modules, sizes_and_weights_cross_no_border) {
    struct model_builder *b = mb_new();
    struct fixture f;

    mb_input(b, "x", "float[1]");
    mb_init(b, "w", "float[7]");
    mb_value(b, "size", "int64[3]");
    mb_node(b, "Shape", "/a/Shape", "x", "size");
    mb_node(b, "Mul", "/a/Mul", "x,w", "p");
    mb_node(b, "Reshape", "/b/Reshape", "p,size", "q");
    mb_value(b, "p", "float[9]");
    f = write(b);
    expect_values(&f, "a", 0, "inputs", 1);
    expect_values(&f, "a", 0, "outputs", 9);
    expect_values(&f, "b", 0, "inputs", 9);
    release(&f);
}

Test(write_modules, a_body_gives_its_output_to_its_operator) {
    struct model_builder *b = mb_new();
    struct fixture f;

    mb_input(b, "c", "bool[]");
    mb_input(b, "x", "float[1]");
    mb_node(b, "If", "/If", "c", "y");
    mb_open_body(b, "then_branch", "then");
    mb_output(b, "t", "float[2]");
    mb_node(b, "Relu", "/a/Relu", "x", "t");
    mb_close_body(b);
    mb_output(b, "y", "float[2]");
    f = write(b);
    expect_values(&f, "a", 0, "inputs", 1);
    expect_values(&f, "a", 0, "outputs", 2);
    release(&f);
}

Test(write_modules, a_document_past_its_limit_is_an_error) {
    struct graph_model model = {0};
    struct error err = {0};
    struct buf text;

    cr_assert_eq(graph_model_init(&model, mb_finish(two_blocks()), NULL, &err), 0);
    buf_init(&text, 100);
    cr_expect_eq(graph_write_modules(&text, &model, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-output");
    buf_release(&text);
    graph_model_release(&model);
}
