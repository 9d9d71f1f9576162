#include "graph/write_dot.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;
static struct buf text;

static void write_dot(void) {
    struct error err;

    view_fixture_draw(&f);
    buf_release(&text);
    buf_init(&text, 1 << 22);
    cr_assert_eq(graph_write_dot(&text, &f.view, &err), 0, "%s", err.text);
}

static void release(void) {
    buf_release(&text);
    view_fixture_release(&f);
}

static bool has(const char *part) {
    return str_contains(buf_str(&text), str_from(part));
}

static void expect_part(const char *part) {
    cr_expect(has(part), "%s is not in %.*s", part, STR_ARG(buf_str(&text)));
}

static size_t where(const char *part) {
    const char *at = memmem(text.p, text.n, part, strlen(part));

    cr_assert_not_null(at, "%s", part);
    return (size_t)(at - (const char *)text.p);
}

Test(write_dot, nodes_edges_and_boxes_of_the_view) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "2");
    write_dot();
    expect_part("digraph model {\n");
    expect_part("  n0 [label=\"x\\n(1, 3, 8, 8)\"");
    expect_part("  n1 [label=\"stem: Conv2d\\n(1, 3, 8, 8) \xE2\x86\x92 (1, 3, 8, 8)\\n9 params\"");
    expect_part("  subgraph cluster_m0 {\n");
    expect_part("label=\"layer1: Sequential\\n9 params\"");
    expect_part(
        "  n3 [label=\"layer1.1: Block\\n(1, 3, 8, 8) \xE2\x86\x92 (1, 3, 8, 8)\\n9 params\", ");
    expect_part("  n0 -> n1;\n");
    cr_expect_lt(where("cluster_m0"), where("  n2 ["));
    cr_expect_lt(where("  n3 ["), where("  }\n"));
    cr_expect_lt(where("  n4 ["), where("cluster_m0"));
    release();
}

Test(write_dot, boxes_nest_and_close) {
    size_t opened = 0, closed = 0;

    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "3");
    write_dot();
    for (size_t i = 0; i < text.n; i++) {
        opened += text.p[i] == '{';
        closed += text.p[i] == '}';
        cr_assert_leq(closed, opened);
    }
    cr_expect_eq(opened, 4);
    cr_expect_eq(closed, 4);
    cr_expect_lt(where("cluster_m0"), where("cluster_m1"));
    cr_expect_lt(where("  n4 ["), where("cluster_m2"));
    release();
}

Test(write_dot, options_that_are_seen_are_followed) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "graph_dir", "RL");
    view_fixture_set(&f, "show_shapes", "0");
    view_fixture_set(&f, "theme", "light");
    write_dot();
    expect_part("rankdir=RL");
    expect_part("bgcolor=\"#ffffff\"");
    expect_part("[label=\"x\",");
    cr_expect_not(has("(1, 3"));
    view_fixture_set(&f, "theme", "dark");
    write_dot();
    cr_expect_not(has("bgcolor=\"#ffffff\""));
    release();
}

Test(write_dot, counts_label_merged_edges) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[4]");
    mb_node(b, "Split", "split", "x", "p,q");
    mb_node(b, "Add", "add", "p,q", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    write_dot();
    expect_part("  n1 -> n2 [label=\"x2\"];\n");
    view_fixture_set(&f, "strict", "0");
    write_dot();
    expect_part("  n1 -> n2;\n  n1 -> n2;\n");
    release();
}

// Graphviz reads \N, \G, &amp; and a closing quote in labels.
Test(write_dot, foreign_text_stays_text) {
    struct model_builder *b = mb_new();

    mb_input(b, "a\"];evil[x=\"\\N\\", "float[2]");
    mb_node(b, "R&amp;<b>\n\x1b", "", "a\"];evil[x=\"\\N\\", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    write_dot();
    expect_part("n0 [label=\"a\\\"];evil[x=\\\"\\\\N\\\\\\n(2)\"");
    expect_part("n1 [label=\"R&amp;amp;<b> \xEF\xBF\xBD\\n");
    cr_expect_eq(str_find(buf_str(&text), '\x1b'), STR_NPOS);
    release();
}

Test(write_dot, long_text_and_many_shapes_are_cut) {
    struct model_builder *b = mb_new();
    char name[5001];

    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    mb_input(b, name, "float[2]");
    mb_node(b, "Part", "", name, "p,q,r,s,t,u");
    mb_node(b, "Concat", "", "p,q,r,s,t,u", "y");
    mb_output(b, "y", "float[2]");
    view_fixture_init(&f, b, NULL, 0);
    write_dot();
    cr_expect_lt(text.n, 3000);
    expect_part("[label=\"Concat\\n\xE2\x86\x92 (2)\"");
    expect_part("[label=\"Part\\n(2) \xE2\x86\x92 ?\"");
    release();
}

Test(write_dot, says_what_the_picture_says) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "edge_labels", "shape");
    view_fixture_set(&f, "params", "list");
    view_fixture_set(&f, "highlight", "path:stem");
    view_fixture_set(&f, "legend", "1");
    write_dot();
    expect_part("\\n9 params\\nweight (3, 3, 1, 1)\"");
    expect_part("penwidth=2.4];");
    expect_part("  n0 -> n1 [label=\"(1, 3, 8, 8)\"];\n");
    expect_part("  subgraph cluster_legend {\n");
    expect_part("  l2 [label=\"module\"");
    release();
}

Test(write_dot, torchview_theme_has_its_tables) {
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "1");
    view_fixture_set(&f, "theme", "torchview");
    view_fixture_set(&f, "costs", "none");
    write_dot();
    expect_part("node [shape=plaintext");
    expect_part("fillcolor=\"#c1ffc1\"");
    expect_part(">depth:1</font></td></tr></table></td><td><font");
    expect_part(">input:</font>");
    release();
}

Test(write_dot, a_full_buffer_is_an_error_that_names_its_limit) {
    struct error err;

    view_fixture_residual(&f);
    view_fixture_draw(&f);
    buf_init(&text, 100);
    cr_expect_eq(graph_write_dot(&text, &f.view, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-output");
    release();
}
