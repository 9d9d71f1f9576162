#include "graph/shape.h"

#include <criterion/criterion.h>

#include "tests/support/model_builder.h"

struct fixture {
    struct onnx_model *model;
    struct graph_net net;
    struct graph_shapes shapes;
    struct warnings warnings;
};

static struct fixture build(struct model_builder *b) {
    struct fixture f = {.model = mb_finish(b)};
    cr_assert_eq(graph_net_init(&f.net, f.model, &f.warnings, NULL), 0);
    cr_assert_eq(graph_shapes_init(&f.shapes, &f.net, &f.warnings, NULL), 0);
    return f;
}

static void release(struct fixture *f) {
    graph_shapes_release(&f->shapes);
    graph_net_release(&f->net);
    warnings_release(&f->warnings);
    onnx_model_free(f->model);
}

static const struct graph_tensor_type *type_of(const struct fixture *f, const char *name) {
    for (size_t v = 0; v < f->net.n_values; v++) {
        if (str_eq_z(f->net.values[v].name, name)) {
            return &f->shapes.values[v];
        }
    }
    cr_assert_fail("no value %s", name);
    return NULL;
}

static void expect_type(const struct fixture *f, const char *name, const char *text, int32_t dtype,
                        enum graph_shape_source source) {
    const struct graph_tensor_type *type = type_of(f, name);
    struct buf out;
    buf_init(&out, 256);
    graph_shape_text(&out, type);
    cr_expect(str_eq_z(buf_str(&out), text), "%s is %.*s, expected %s", name,
              STR_ARG(buf_str(&out)), text);
    cr_expect_eq(type->dtype, dtype, "%s has dtype %d", name, type->dtype);
    cr_expect_eq(type->source, source, "%s was learned from %d", name, type->source);
    buf_release(&out);
}

Test(shape, reads_declarations) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[batch,3,?]");
    mb_input(b, "s", "int64[]");
    mb_node(b, "A", "", "x,s", "h");
    mb_node(b, "B", "", "h", "y");
    mb_value(b, "h", "float16[1,-5]");
    mb_output(b, "y", "bool");
    struct fixture f = build(b);

    expect_type(&f, "x", "(batch, 3, ?)", 1, GRAPH_SHAPE_DECLARED);
    expect_type(&f, "s", "()", 7, GRAPH_SHAPE_DECLARED);
    expect_type(&f, "h", "(1, ?)", 10, GRAPH_SHAPE_DECLARED);
    expect_type(&f, "y", "?", 9, GRAPH_SHAPE_DECLARED);
    release(&f);
}

Test(shape, unknown_stays_unknown) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "");
    mb_node(b, "A", "", "x", "y");
    struct fixture f = build(b);

    expect_type(&f, "x", "?", 0, GRAPH_SHAPE_NONE);
    expect_type(&f, "y", "?", 0, GRAPH_SHAPE_NONE);
    release(&f);
}

Test(shape, weight_is_what_the_tensor_says) {
    struct model_builder *b = mb_new();
    mb_init(b, "w", "float[64,3,7,7]");
    mb_init(b, "bad", "float[2,-1]");
    mb_value(b, "w", "float[1]");
    mb_node(b, "Identity", "", "w", "alias");
    mb_node(b, "Identity", "", "alias", "alias2");
    mb_node(b, "A", "", "alias2,bad", "y");
    struct fixture f = build(b);

    expect_type(&f, "w", "(64, 3, 7, 7)", 1, GRAPH_SHAPE_INITIALIZER);
    expect_type(&f, "bad", "(2, ?)", 1, GRAPH_SHAPE_INITIALIZER);
    expect_type(&f, "alias2", "(64, 3, 7, 7)", 1, GRAPH_SHAPE_INFERRED);
    release(&f);
}

Test(shape, input_default_gives_a_type_where_none_is_declared) {
    struct model_builder *b = mb_new();
    mb_input(b, "a", "float[n]");
    mb_init(b, "a", "float[4]");
    mb_input(b, "b", "");
    mb_init(b, "b", "float[4]");
    struct fixture f = build(b);

    expect_type(&f, "a", "(n)", 1, GRAPH_SHAPE_DECLARED);
    expect_type(&f, "b", "(4)", 1, GRAPH_SHAPE_INITIALIZER);
    release(&f);
}

Test(shape, constant_has_the_type_of_its_value) {
    struct model_builder *b = mb_new();
    mb_node(b, "Constant", "", "", "t");
    mb_attr_tensor(b, "value", "float[2,5]");
    mb_node(b, "Constant", "", "", "i");
    mb_attr_int(b, "value_int", 3);
    mb_node(b, "Constant", "", "", "l");
    mb_attr_ints(b, "value_ints", "1,2,3");
    mb_node(b, "Constant", "", "", "f");
    mb_attr_float(b, "value_float", 0.5F);
    mb_node(b, "Constant", "", "", "s");
    mb_attr_str(b, "value_string", "mean");
    mb_node(b, "Constant", "", "", "none");
    struct fixture f = build(b);

    expect_type(&f, "t", "(2, 5)", 1, GRAPH_SHAPE_INFERRED);
    expect_type(&f, "i", "()", 7, GRAPH_SHAPE_INFERRED);
    expect_type(&f, "l", "(3)", 7, GRAPH_SHAPE_INFERRED);
    expect_type(&f, "f", "()", 1, GRAPH_SHAPE_INFERRED);
    expect_type(&f, "s", "()", 8, GRAPH_SHAPE_INFERRED);
    expect_type(&f, "none", "?", 0, GRAPH_SHAPE_NONE);
    release(&f);
}
