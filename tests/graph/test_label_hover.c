#include <criterion/criterion.h>

#include "graph/label.h"
#include "tests/graph/hand_view.h"

static const int64_t image[] = {1, 3, 224, 224};

static struct hand_view *h;
static struct buf out;

static void setup(void) {
    h = hand_view_new();
    buf_init(&out, 1 << 20);
}

static void teardown(void) {
    buf_release(&out);
    hand_view_free(h);
}

TestSuite(label_hover, .init = setup, .fini = teardown);

static void assert_text(const char *expected) {
    cr_assert(str_eq_z(buf_str(&out), expected), "got:\n%.*s\nexpected:\n%s",
              STR_ARG(buf_str(&out)), expected);
}

Test(label_hover, tells_operator_name_and_types) {
    uint32_t conv = hand_operator(h, ONNX_NONE, "Conv", "/layer1/conv1/Conv");

    hand_reads(h, conv, hand_tensor(h, "x", 4, image));
    hand_makes(h, conv, hand_tensor(h, "y", 0, NULL));
    graph_hover_node(&out, hand_view(h), conv);
    assert_text("Conv /layer1/conv1/Conv\nin float (1, 3, 224, 224)\nout float ?");
}

Test(label_hover, tells_path_and_full_class_of_a_module) {
    uint32_t conv = hand_module(h, ONNX_NONE, "layer1.0.conv1", "torch.nn.Conv2d?");

    graph_hover_node(&out, hand_view(h), conv);
    assert_text("layer1.0.conv1: torch.nn.Conv2d (inferred)");
}

Test(label_hover, tells_name_and_type_of_an_input) {
    hand_value(h, GRAPH_VIEW_INPUT, ONNX_NONE, "pixels", 4, image);
    graph_hover_node(&out, hand_view(h), 0);
    assert_text("input pixels float (1, 3, 224, 224)");
}

Test(label_hover, lists_few_values_and_counts_the_rest) {
    uint32_t cat = hand_operator(h, ONNX_NONE, "Concat", "");
    uint32_t x = hand_tensor(h, "x", 1, image);

    for (int i = 0; i < GRAPH_HOVER_VALUES + 2; i++) {
        hand_reads(h, cat, x);
    }
    graph_hover_node(&out, hand_view(h), cat);
    assert_text("Concat\nin float (1), float (1), float (1), float (1), float (1), float (1), "
                "2 more");
}

Test(label_hover, names_the_values_of_an_edge) {
    hand_operator(h, ONNX_NONE, "A", "");
    hand_operator(h, ONNX_NONE, "B", "");
    hand_edge(h, 0, 1, 2);
    hand_carries(h, 0, hand_tensor(h, "a", 1, image));
    hand_carries(h, 0, hand_tensor(h, "b", 2, image));
    graph_hover_edge(&out, hand_view(h), 0);
    assert_text("a float (1)\nb float (1, 3)");
}

Test(label_hover, is_silent_about_types_that_are_unknown) {
    uint32_t a = hand_operator(h, ONNX_NONE, "A", ""), t = hand_tensor(h, "t", 0, NULL);

    hand_dtype(h, t, 0);
    hand_reads(h, a, t);
    hand_operator(h, ONNX_NONE, "B", "");
    hand_edge(h, 0, 1, 1);
    hand_carries(h, 0, t);
    graph_hover_node(&out, hand_view(h), a);
    assert_text("A");
    buf_reset(&out);
    graph_hover_edge(&out, hand_view(h), 0);
    assert_text("t");
}

Test(label_hover, tells_what_a_cluster_is) {
    hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "layer1", "torch.nn.Sequential");
    graph_hover_cluster(&out, hand_view(h), 0);
    assert_text("layer1: torch.nn.Sequential");
}

Test(label_hover, cleans_and_cuts_foreign_text) {
    char name[2001] = {0};

    for (int i = 0; i < 2000; i++) {
        name[i] = 'n';
    }
    name[0] = '\x02';
    hand_operator(h, ONNX_NONE, "Op\x01", name);
    graph_hover_node(&out, hand_view(h), 0);
    cr_assert_leq(out.n, 8 + (GRAPH_HOVER_CHARS + 1) * 4u);
    cr_assert_eq(str_find(buf_str(&out), '\x01'), STR_NPOS);
    cr_assert_eq(str_find(buf_str(&out), '\x02'), STR_NPOS);
}

Test(label_hover, titles_a_picture_by_its_graph_when_no_class_is_known) {
    graph_hover_title(&out, hand_view(h));
    assert_text("main_graph");
}
