#include "graph/label_lines.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;
static struct graph_lines lines;

static void setup(void) {
    graph_lines_init(&lines);
}

static void teardown(void) {
    graph_lines_release(&lines);
    view_fixture_release(&f);
}

TestSuite(label_lines, .init = setup, .fini = teardown);

// The lines of a node, joined by "|".
static const char *lines_of(uint32_t node) {
    static char text[1024];
    size_t n = 0;

    view_fixture_draw(&f);
    graph_lines_of_node(&lines, &f.view, node);
    for (size_t i = 0; i < lines.n; i++) {
        struct str line = graph_lines_at(&lines, i);

        cr_assert_lt(n + line.n + 2, sizeof(text));
        if (i) {
            text[n++] = '|';
        }
        memcpy(text + n, line.p, line.n);
        n += line.n;
    }
    text[n] = '\0';
    return text;
}

static const struct fixture_call calls[] = {
    {"conv1", "torch.nn.Conv2d", 0, 0},
    {"block", "net.Block", 0, 0},
    {"block.fc", "torch.nn.Linear", 2, 0},
};

static void make(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,3,8,8]");
    mb_init(b, "conv1.weight", "float[64,3,7,7]");
    mb_init(b, "onnx::Conv_9", "float[64]");
    mb_init(b, "block.scale", "float[64]");
    mb_init(b, "block.fc.weight", "float[64,64]");
    mb_node(b, "Conv", "1:c", "x,conv1.weight,onnx::Conv_9", "a");
    mb_attr_ints(b, "kernel_shape", "7,7");
    mb_attr_ints(b, "strides", "2,2");
    mb_attr_ints(b, "pads", "3,3,3,3");
    mb_attr_ints(b, "dilations", "1,1");
    mb_attr_int(b, "group", 1);
    mb_node(b, "Gemm", "3:g", "a,block.fc.weight", "b");
    mb_node(b, "Mul", "2:m", "b,block.scale", "y");
    mb_value(b, "a", "float[1,64,4,4]");
    mb_output(b, "y", "float[1,64]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "show_shapes", "0");
    view_fixture_set(&f, "costs", "none");
}

Test(label_lines, parameters_are_counted_by_default) {
    make();
    view_fixture_set(&f, "costs", "params");
    view_fixture_set(&f, "show_shapes", "1");
    cr_expect_str_eq(lines_of(1),
                     "(1, 3, 8, 8) \xE2\x86\x92 (1, 64, 4, 4)|9.5 k params");  // 64 * 147 + 64
    cr_expect_str_eq(lines_of(2), "(1, 64, 4, 4) \xE2\x86\x92 (1, 64)|4.2 k params");
    cr_expect_str_eq(lines_of(0), "(1, 3, 8, 8)");
}

// 64 x 4 x 4 sums of 3 x 7 x 7 products.
Test(label_lines, work_is_shown_where_it_is_known) {
    make();
    view_fixture_set(&f, "costs", "macs");
    cr_expect_str_eq(lines_of(1), "150.5 k MACs");
    view_fixture_set(&f, "costs", "all");
    cr_expect_str_eq(lines_of(1), "9.5 k params, 150.5 k MACs");
    cr_expect_str_eq(lines_of(0), "");
}

Test(label_lines, nothing_without_options) {
    make();
    cr_expect_str_eq(lines_of(1), "");
}

// A module lists what its own code reads: the rest is in its child modules.
Test(label_lines, weights_are_listed_by_their_short_names) {
    make();
    view_fixture_set(&f, "params", "list");
    cr_expect_str_eq(lines_of(1), "weight (64, 3, 7, 7)|bias (64)");
    cr_expect_str_eq(lines_of(2), "scale (64)");
    cr_expect_str_eq(lines_of(0), "");
}

// An exporter keeps equal weights once: the alias of a bias in the module is not another weight.
Test(label_lines, an_alias_of_a_weight_is_listed_once) {
    static const struct fixture_call conv = {"conv", "", 0, 0};
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,64,8,8]");
    mb_init(b, "onnx::Conv_193", "float[64,64,3,3]");
    mb_init(b, "onnx::Conv_194", "float[64]");
    mb_node(b, "Identity", "1:alias", "onnx::Conv_194", "onnx::Conv_197");
    mb_node(b, "Conv", "1:conv", "x,onnx::Conv_193,onnx::Conv_197", "y");
    mb_output(b, "y", "float[1,64,8,8]");
    view_fixture_init(&f, b, &conv, 1);
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "params", "list");
    view_fixture_set(&f, "show_shapes", "0");
    view_fixture_set(&f, "costs", "none");
    view_fixture_draw(&f);
    cr_expect_str_eq(lines_of(1), "weight (64, 64, 3, 3)|bias (64)");
}

Test(label_lines, many_weights_are_cut_with_a_count) {
    struct model_builder *b = mb_new();
    char name[16];
    struct buf in;

    buf_init(&in, 256);
    mb_input(b, "x", "float[1]");
    buf_add_z(&in, "x");
    for (int i = 0; i < 11; i++) {
        snprintf(name, sizeof(name), "w%d", i);
        mb_init(b, name, "float[2]");
        buf_printf(&in, ",w%d", i);
    }
    buf_add_char(&in, '\0');
    mb_node(b, "Many", "m", (const char *)in.p, "y");
    mb_output(b, "y", "float[1]");
    buf_release(&in);
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "params", "list");
    view_fixture_set(&f, "show_shapes", "0");
    cr_expect_str_eq(lines_of(1),
                     "w0 (2)|w1 (2)|w2 (2)|w3 (2)|w4 (2)|w5 (2)|w6 (2)|w7 (2)|+3 more");
}

Test(label_lines, attributes_fill_lines) {
    make();
    view_fixture_set(&f, "attrs", "1");
    cr_expect_str_eq(lines_of(1), "kernel_shape (7, 7), strides (2, 2), pads (3, 3, 3, 3)|"
                                  "dilations (1, 1), group 1");
    cr_expect_str_eq(lines_of(2), "");
}

Test(label_lines, rolled_calls_are_counted) {
    static const struct fixture_call relu[] = {{"r", "", 0, 0}, {"r", "", 0, 1}};
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_node(b, "Relu", "1:r", "x", "a");
    mb_node(b, "Relu", "2:r", "a", "y");
    mb_output(b, "y", "float[1]");
    view_fixture_init(&f, b, relu, ARRAY_LEN(relu));
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "roll", "full");
    view_fixture_set(&f, "show_shapes", "0");
    cr_expect_str_eq(lines_of(1), "2 calls");
}

static void expect_edge(uint32_t edge, const char *labels, const char *want) {
    struct buf text;

    view_fixture_set(&f, "edge_labels", labels);
    view_fixture_draw(&f);
    buf_init(&text, 4096);
    graph_edge_text(&text, &f.view, edge);
    cr_expect(str_eq_z(buf_str(&text), want), "%s: %.*s", labels, STR_ARG(buf_str(&text)));
    buf_release(&text);
}

Test(label_lines, edges_say_what_runs_along_them) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[batch,4]");
    mb_node(b, "Split", "s", "x", "p,q,r");
    mb_node(b, "Concat", "c", "p,q,r", "y");
    mb_value(b, "p", "float[batch,2]");
    mb_value(b, "q", "float[batch,2]");
    mb_value(b, "r", "int64[?]");
    mb_output(b, "y", "float[batch,4]");
    view_fixture_init(&f, b, NULL, 0);
    expect_edge(0, "none", "");
    expect_edge(0, "shape", "(batch, 4)");
    expect_edge(0, "dtype", "float");
    expect_edge(0, "name", "x");
    expect_edge(1, "none", "x3");
    expect_edge(1, "shape", "2 x (batch, 2), (?)");
    expect_edge(1, "dtype", "2 x float, int64");
    expect_edge(1, "name", "p, q, +1");
}

static void make_concat(const char *first, const char *second) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_node(b, "Split", "s", "x", "p,q,r");
    mb_node(b, "Concat", "c", "p,q,r", "y");
    mb_value(b, "p", first);
    mb_value(b, "q", second);
    mb_value(b, "r", second);
    mb_output(b, "y", "float[1]");
    view_fixture_init(&f, b, NULL, 0);
}

// Two at 40 characters and the count would be cut within one: a part of a shape is another shape.
Test(label_lines, a_shape_without_room_is_left_out_and_counted) {
    make_concat("float[1,256,200,200]", "float[1000,256,100,100]");
    expect_edge(1, "shape", "(1, 256, 200, 200), +2");
    cr_expect_str_eq(lines_of(2), "(1, 256, 200, 200), +2 \xE2\x86\x92 (1)");
}

Test(label_lines, dimensions_too_long_for_a_line_are_left_out) {
    make_concat("float[1,a_name_of_thirty_characters_xx,another_of_thirty_characters_x,64]",
                "float[2]");
    expect_edge(1, "shape", "(1, \xE2\x80\xA6, \xE2\x80\xA6, 64), 2 x (2)");
}

// 25 dimensions of one character take more than a line.
Test(label_lines, a_shape_of_many_dimensions_shows_none) {
    make_concat("float[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "float[2]");
    expect_edge(1, "shape", "(\xE2\x80\xA6), 2 x (2)");
}

// Only the name is cut.
Test(label_lines, a_weight_with_a_long_name_keeps_its_shape) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_init(b, "weight_with_a_name_that_is_longer_than_a_line_of_a_label_can_hold",
            "float[1024,1024,3,3]");
    mb_node(b, "Many", "m", "x,weight_with_a_name_that_is_longer_than_a_line_of_a_label_can_hold",
            "y");
    mb_output(b, "y", "float[1]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "params", "list");
    view_fixture_set(&f, "show_shapes", "0");
    cr_expect(strstr(lines_of(1), " (1024, 1024, 3, 3)"), "%s", lines_of(1));
}

// Scan reads (5, 2) and gives its body rows of it (ONNX operator Scan).
Test(label_lines, in_a_body_shapes_are_those_of_its_own_values) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2]");
    mb_input(b, "seq", "float[5,2]");
    mb_node(b, "Scan", "scan", "x,seq", "y,ys");
    mb_attr_int(b, "num_scan_inputs", 1);
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
    cr_expect_str_eq(lines_of(2), "2 x (2) \xE2\x86\x92 (2)");
    cr_expect_str_eq(lines_of(3), "(2) \xE2\x86\x92 (2)");
    view_fixture_set(&f, "hide_inner_tensors", "0");
    cr_expect_str_eq(lines_of(2), "2 x (2) \xE2\x86\x92 (2)");
    view_fixture_set(&f, "hide_inner_tensors", "1");
    view_fixture_set(&f, "depth", "1");
    cr_expect_str_eq(lines_of(2), "(2), (5, 2) \xE2\x86\x92 (2), (5, 2)");
}
