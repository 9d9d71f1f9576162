#include "graph/label.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "graph/metrics.h"
#include "tests/graph/hand_view.h"

static const int64_t image[] = {1, 3, 224, 224};

static struct hand_view *h;
static struct graph_labels labels;

static void setup(void) {
    h = hand_view_new();
}

static void teardown(void) {
    graph_labels_release(&labels);
    hand_view_free(h);
}

TestSuite(label, .init = setup, .fini = teardown);

static void make_as(uint32_t theme) {
    struct error err = {0};
    int rc = graph_labels_init(&labels, hand_view(h), graph_theme_get(theme), &err);

    cr_assert_eq(rc, 0, "%s", err.text);
}

static void make(void) {
    make_as(GRAPH_THEME_LIGHT);
}

static void assert_has(const char *html, const char *part) {
    cr_assert(strstr(html, part), "%s\nhas no %s", html, part);
}

static void assert_lacks(const char *html, const char *part) {
    cr_assert_not(strstr(html, part), "%s\nhas %s", html, part);
}

Test(label, escapes_markup_and_quotes) {
    hand_operator(h, ONNX_NONE, "<b>&\"'</b>", "");
    make();
    assert_has(labels.nodes[0].html, "<b>&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;</b>");
}

Test(label, doubles_backslashes) {
    hand_operator(h, ONNX_NONE, "a\\Nb\\G", "");
    make();
    assert_has(labels.nodes[0].html, "a\\\\Nb\\\\G");
}

Test(label, shows_control_and_bidi_characters_as_something_else) {
    hand_operator(h, ONNX_NONE,
                  "a\x01"
                  "b\xE2\x80\xAE"
                  "c\n\x7F",
                  "");
    make();
    for (const char *p = labels.nodes[0].html; *p; p++) {
        cr_assert_geq((unsigned char)*p, 0x20);
    }
    assert_lacks(labels.nodes[0].html, "\xE2\x80\xAE");
    assert_lacks(labels.nodes[0].html, "\x7F");
}

Test(label, cuts_long_captions_in_the_middle) {
    char op[4097] = {0};
    double widest = GRAPH_LABEL_CHARS * GRAPH_CAPTION_SIZE;

    memset(op, 'W', 4096);
    op[0] = 'A';
    op[4095] = 'Z';
    hand_operator(h, ONNX_NONE, op, "");
    make();
    assert_has(labels.nodes[0].html, "<b>AWW");
    assert_has(labels.nodes[0].html, "\xE2\x80\xA6");
    assert_has(labels.nodes[0].html, "WWZ</b>");
    cr_assert_lt(labels.nodes[0].w, widest + 20);
}

Test(label, names_what_has_no_name) {
    hand_operator(h, ONNX_NONE, "", "");
    hand_operator(h, ONNX_NONE, " \t", "");
    make();
    assert_has(labels.nodes[0].html, "<b>unnamed</b>");
    assert_has(labels.nodes[1].html, "<b>unnamed</b>");
}

Test(label, is_as_wide_as_its_widest_line_with_margins) {
    double line = graph_text_width(STR("(1, 3, 224, 224)"), GRAPH_DETAIL_SIZE, false);

    hand_value(h, GRAPH_VIEW_INPUT, ONNX_NONE, "x", 4, image);
    make();
    cr_assert_geq(labels.nodes[0].w, line + 2 * 9);
    cr_assert_leq(labels.nodes[0].w, line + 2 * 9 + 2);
    cr_assert_eq(fmod(labels.nodes[0].w, 2), 0);
    cr_assert_eq(labels.nodes[0].h, 30);
}

Test(label, shows_what_goes_in_and_comes_out) {
    uint32_t add = hand_operator(h, ONNX_NONE, "Add", "");
    uint32_t x = hand_tensor(h, "x", 4, image), y = hand_tensor(h, "y", 2, image);

    hand_reads(h, add, x);
    hand_reads(h, add, x);
    hand_makes(h, add, y);
    make();
    assert_has(labels.nodes[0].html, ">2 x (1, 3, 224, 224) \xE2\x86\x92 (1, 3)<");
}

Test(label, counts_shapes_beyond_the_second) {
    uint32_t cat = hand_operator(h, ONNX_NONE, "Concat", "");

    for (uint32_t rank = 1; rank <= 4; rank++) {
        hand_reads(h, cat, hand_tensor(h, "x", rank, image));
    }
    make();
    assert_has(labels.nodes[0].html, ">(1), (1, 3), +2 \xE2\x86\x92 ?<");
}

Test(label, leaves_unknown_shapes_out) {
    uint32_t a = hand_operator(h, ONNX_NONE, "A", ""), b = hand_operator(h, ONNX_NONE, "B", "");
    uint32_t unknown = hand_tensor(h, "u", 0, NULL), known = hand_tensor(h, "k", 2, image);

    hand_reads(h, a, unknown);
    hand_makes(h, a, unknown);
    hand_reads(h, b, unknown);
    hand_makes(h, b, known);
    make();
    assert_lacks(labels.nodes[a].html, "point-size=\"8\"");
    cr_assert_eq(labels.nodes[a].h, 20);
    assert_has(labels.nodes[b].html, ">\xE2\x86\x92 (1, 3)<");
}

Test(label, has_no_shapes_when_they_are_switched_off) {
    hand_value(h, GRAPH_VIEW_INPUT, ONNX_NONE, "x", 4, image);
    hand_options(h)->show_shapes = false;
    make();
    assert_lacks(labels.nodes[0].html, "224");
}

Test(label, sets_inferred_classes_in_italics) {
    hand_module(h, ONNX_NONE, "a", "torch.nn.Conv2d?");
    hand_module(h, ONNX_NONE, "b", "torch.nn.Conv2d");
    make();
    assert_has(labels.nodes[0].html, "<b>a: </b><b><i>Conv2d</i></b>");
    assert_has(labels.nodes[1].html, "<b>b: Conv2d</b>");
}

Test(label, captions_clusters) {
    hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "layer<1>", "models.Block");
    make();
    assert_has(labels.clusters[0].html, "<b>layer&lt;1&gt;: Block</b>");
    cr_assert_eq(labels.clusters[0].h, 12);
}

Test(label, counts_on_edges_that_stand_for_several) {
    hand_operator(h, ONNX_NONE, "A", "");
    hand_operator(h, ONNX_NONE, "B", "");
    hand_edge(h, 0, 1, 1);
    hand_edge(h, 0, 1, 3);
    make();
    cr_assert_null(labels.edges[0].html);
    assert_has(labels.edges[1].html, ">x3<");
}

// Graphviz takes a plain string that equals an HTML-like one for HTML: none of ours is plain.
Test(label, is_always_a_table) {
    hand_operator(h, ONNX_NONE, "A", "");
    hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "a", "A");
    hand_operator(h, ONNX_NONE, "B", "");
    hand_edge(h, 0, 1, 2);
    make();
    cr_assert(str_starts(str_from(labels.nodes[0].html), STR("<table ")));
    cr_assert(str_starts(str_from(labels.clusters[0].html), STR("<table ")));
    cr_assert(str_starts(str_from(labels.edges[0].html), STR("<table ")));
}

// Name and depth over both rows, then "input:" and "output:" with their shapes: five cells. The
// first holds the name, a gap and the depth as cells of a table of its own.
Test(label, torchview_theme_is_its_table_of_five_cells) {
    uint32_t box = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "net", "Net");
    uint32_t fc = hand_module(h, box, "net.fc", "torch.nn.Linear");
    uint32_t x = hand_tensor(h, "x", 2, image), y = hand_tensor(h, "y", 4, image);
    size_t cells = 0;

    hand_reads(h, fc, x);
    hand_reads(h, fc, x);
    hand_reads(h, fc, y);
    hand_makes(h, fc, y);
    make_as(GRAPH_THEME_TORCHVIEW);
    for (const char *at = labels.nodes[0].html; (at = strstr(at, "<td")) != NULL; at++) {
        cells++;
    }
    cr_assert_eq(cells, 5 + 3);
    assert_has(labels.nodes[0].html, "cellborder=\"1\"");
    assert_has(labels.nodes[0].html, "<td rowspan=\"2\"><table ");
    assert_has(labels.nodes[0].html, "<b>fc: Linear</b>");
    assert_has(labels.nodes[0].html, "</td></tr><tr><td height=\"4\"></td></tr><tr><td><font");
    assert_has(labels.nodes[0].html, ">depth:2<");
    assert_has(labels.nodes[0].html, ">input:</font></td><td><font");
    assert_has(labels.nodes[0].html, ">2 x (1, 3), (1, 3, 224, 224)<");
    assert_has(labels.nodes[0].html, "</td></tr><tr><td>");
}

Test(label, torchview_theme_shows_of_a_tensor_its_shape) {
    hand_value(h, GRAPH_VIEW_INPUT, ONNX_NONE, "x", 4, image);
    make_as(GRAPH_THEME_TORCHVIEW);
    assert_has(labels.nodes[0].html, "</table></td><td><font");
    assert_has(labels.nodes[0].html, ">(1, 3, 224, 224)<");
    assert_lacks(labels.nodes[0].html, "put:");
}

Test(label, torchview_theme_without_shapes_is_one_cell) {
    hand_operator(h, ONNX_NONE, "Add", "");
    hand_options(h)->show_shapes = false;
    make_as(GRAPH_THEME_TORCHVIEW);
    assert_has(labels.nodes[0].html, "<tr><td><table ");
    assert_lacks(labels.nodes[0].html, "</td><td");
}

Test(label, of_an_empty_view_is_empty) {
    make();
}
