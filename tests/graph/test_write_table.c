#include "graph/write_table.h"

#include <criterion/criterion.h>

#include "tests/support/model_builder.h"

static struct model_builder *model(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[2,4]");
    mb_init(b, "net.fc.weight", "float[4,4]");
    mb_value(b, "h", "float[2,4]");
    mb_output(b, "y", "float[2,n]");
    mb_node(b, "Gemm", "/net/fc/Gemm", "x,net.fc.weight", "h");
    mb_attr_int(b, "transB", 1);
    mb_node(b, "Relu", "/net/Relu", "h", "g");
    mb_node(b, "Gemm", "/net/fc_1/Gemm", "g,net.fc.weight", "y");
    mb_attr_int(b, "transB", 1);
    return b;
}

typedef int write_fn(struct buf *out, const struct graph_model *model, struct error *err);

static void expect_table(write_fn *write, const char *text) {
    struct graph_model m = {0};
    struct error err = {0};
    struct buf out;

    buf_init(&out, 1 << 16);
    cr_assert_eq(graph_model_init(&m, mb_finish(model()), NULL, &err), 0, "%s", err.text);
    cr_assert_eq(write(&out, &m, &err), 0, "%s", err.text);
    cr_expect(str_eq_z(buf_str(&out), text), "%.*s", STR_ARG(buf_str(&out)));
    buf_release(&out);
    graph_model_release(&m);
}

Test(write_table, modules_are_a_tree_with_totals) {
    expect_table(
        graph_write_modules_table,
        "module   class     calls  nodes  parameters     bytes  macs  outputs\n"
        "(model)                1      3          16  64 bytes    64  float (2, 4)\n"
        "  net                  1      3          16  64 bytes    64  float (2, 4)\n"
        "    fc   (Linear)      2      2          16  64 bytes    64  float (2, 4)\n"
        "total                  4      3          16  64 bytes    64  activations 96 bytes\n");
}

Test(write_table, nodes_say_where_they_belong) {
    expect_table(graph_write_nodes_table,
                 "node  operator  module    source    output        name\n"
                 "   0  Gemm      net.fc@0  name      float (2, 4)  /net/fc/Gemm\n"
                 "   1  Relu      net       name      float (2, 4)  /net/Relu\n"
                 "   2  Gemm      net.fc@1  name      float (2, 4)  /net/fc_1/Gemm\n");
}

static int write_summary(struct buf *out, const struct graph_model *m, struct error *err) {
    const struct graph_source source = {.size = 2048, .complete = true};

    return graph_write_summary_table(out, m, &source, err);
}

Test(write_table, summary_has_a_fact_a_line) {
    expect_table(write_summary, "size          2 KiB\n"
                                "producer      pytorch 2.1.0\n"
                                "opsets        ai.onnx 17\n"
                                "graph\n"
                                "inputs        x: float (2, 4)\n"
                                "outputs       y: float (2, 4)\n"
                                "nodes         3\n"
                                "initializers  1\n"
                                "modules       2\n"
                                "module calls  3\n"
                                "depth         2\n"
                                "hierarchy     3 nodes by name\n"
                                "parameters    16, 64 bytes\n"
                                "macs          64\n"
                                "activations   96 bytes\n");
}
