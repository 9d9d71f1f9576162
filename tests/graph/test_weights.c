// What is a weight, what a constant, and how both are written (graph/weights.h, value_text.h).
#include "graph/weights.h"

#include <criterion/criterion.h>

#include "graph/value_text.h"
#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void teardown(void) {
    view_fixture_release(&f);
}

TestSuite(weights, .fini = teardown);

static uint32_t value_of(const char *name) {
    const struct graph_net *net = &f.model.net;

    for (uint32_t v = 0; v < net->n_values; v++) {
        if (str_eq_z(net->values[v].name, name)) {
            return v;
        }
    }
    cr_assert_fail("no value %s", name);
    return 0;
}

static bool is_weight(const char *name) {
    return graph_weight_root(&f.model.net, &f.model.plumbing, value_of(name)) != ONNX_NONE;
}

static bool is_constant(const char *name) {
    return graph_is_constant(&f.model.net, &f.model.plumbing, value_of(name));
}

static const char *text_of(const char *name, size_t most) {
    static struct buf text;
    bool written;

    buf_release(&text);
    buf_init(&text, 4096);
    written = graph_constant_text(&text, &f.model.net, &f.model.plumbing, value_of(name), most);
    cr_expect_eq(written, text.n > 0);
    buf_add_char(&text, '\0');
    return (const char *)text.p;
}

static void make(void) {
    static const struct fixture_call calls[] = {{"conv1", "", 0, 0}};
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "conv1.weight", "float[8,3,3,3]");
    mb_init(b, "onnx::Conv_7", "float[8]");
    mb_init(b, "index", "int64[4,4]");
    mb_init(b, "val_3", "float[]");
    mb_init(b, "act.weight", "float[1]");
    mb_init_ints(b, "shape", "1,-1,9223372036854775807");
    mb_node(b, "Conv", "1:c", "x,conv1.weight,onnx::Conv_7", "a");
    mb_node(b, "Identity", "", "conv1.weight", "alias");
    mb_node(b, "PRelu", "", "a,act.weight", "b");
    mb_node(b, "Add", "", "b,val_3", "c");
    mb_node(b, "Gather", "", "c,index", "d");
    mb_node(b, "Constant", "", "", "half");
    mb_attr_float(b, "value_float", 0.1F);
    mb_node(b, "Constant", "", "", "one");
    mb_attr_float(b, "value_float", 1);
    mb_node(b, "Constant", "", "", "axes");
    mb_attr_tensor_ints(b, "value", "2");
    mb_node(b, "Unsqueeze", "", "axes,axes", "axes2");
    mb_node(b, "Mul", "", "d,half", "e");
    mb_node(b, "Div", "", "e,one", "g");
    mb_node(b, "Squeeze", "", "g,axes2", "h");
    mb_node(b, "Reshape", "", "h,shape", "y");
    mb_output(b, "y", "float[1]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
}

Test(weights, tables_of_numbers_are_weights) {
    make();
    cr_expect(is_weight("conv1.weight"));
    cr_expect(is_weight("onnx::Conv_7"));
    cr_expect(is_weight("alias"));
    cr_expect(is_weight("act.weight"));
    cr_expect_not(is_weight("x"));
    cr_expect_not(is_weight("a"));
}

Test(weights, indexes_scalars_and_what_the_file_computes_are_constants) {
    static const char *const constants[] = {"index", "val_3", "shape", "half", "axes", "axes2"};

    make();
    for (size_t i = 0; i < ARRAY_LEN(constants); i++) {
        cr_expect(is_constant(constants[i]), "%s", constants[i]);
        cr_expect_not(is_weight(constants[i]), "%s", constants[i]);
    }
    cr_expect_not(is_constant("conv1.weight"));
    cr_expect_not(is_constant("a"));
}

Test(weights, constants_are_written_as_a_reader_would) {
    make();
    cr_expect_str_eq(text_of("half", 8), "0.1");
    cr_expect_str_eq(text_of("one", 8), "1.0");
    cr_expect_str_eq(text_of("axes", 8), "2");
    cr_expect_str_eq(text_of("axes2", 8), "2");
    cr_expect_str_eq(text_of("shape", 8), "(1, -1, max)");
}

Test(weights, what_is_long_or_not_there_is_not_written) {
    make();
    cr_expect_str_eq(text_of("shape", 2), "");
    cr_expect_str_eq(text_of("index", 100), "");
    cr_expect_str_eq(text_of("val_3", 8), "");
    cr_expect_str_eq(text_of("a", 8), "");
}

static void expect_caption(const char *name, uint32_t node, uint32_t slot, const char *path,
                           const char *want) {
    struct buf text;

    buf_init(&text, 4096);
    graph_weight_caption(&text, &f.model.net, value_of(name), node, slot, str_from(path));
    cr_expect(str_eq_z(buf_str(&text), want), "%.*s", STR_ARG(buf_str(&text)));
    buf_release(&text);
}

Test(weights, captions_are_those_of_the_module_or_of_the_role) {
    make();
    expect_caption("conv1.weight", 0, 1, "conv1", "weight");
    expect_caption("conv1.weight", 0, 1, "conv", "conv1.weight");
    expect_caption("onnx::Conv_7", 0, 2, "conv1", "bias");
    expect_caption("act.weight", 2, 1, "", "act.weight");
}
