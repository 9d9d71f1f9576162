#include "graph/write_layout.h"

#include <criterion/criterion.h>

#include "base/json.h"
#include "graph/write_json.h"
#include "tests/graph/hand_view.h"

static struct hand_view *h;
static struct graph_layout layout;
static struct buf text;
static struct json *doc;

// A node in a box, an edge out of it: a straight piece to the border, a curve behind it.
static const struct graph_point inner[] = {{30, 40}, {30, 50}, {30, 60}, {30, 70}};
static const struct graph_point outer[] = {{30, 70}, {30, 100}, {60, 70}, {60, 100}};
static const struct graph_route routes[] = {{.points = inner, .n = 4},
                                            {.points = outer, .n = 4, .arrow = true}};

static void setup(void) {
    struct error err = {0};
    uint32_t cluster;

    h = hand_view_new();
    cluster = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "a", "A");
    hand_operator(h, cluster, "A", "");
    hand_operator(h, ONNX_NONE, "B", "");
    hand_edge(h, 0, 1, 1);
    cr_assert_eq(graph_layout_init(&layout, hand_view(h), &err), 0);
    layout.w = 100;
    layout.h = 200.5;
    layout.clusters[0] = (struct graph_box){10, 10, 80, 60};
    layout.nodes[0] = (struct graph_box){20, 20.125, 50, 19.875};
    layout.nodes[1] = (struct graph_box){35, 100, 50, 20};
    layout.edges[0] = (struct graph_edge_place){.routes = routes, .n_routes = 2};
    buf_init(&text, 1 << 20);
    cr_assert_eq(graph_write_layout(&text, hand_view(h), &layout, &err), 0);
    cr_assert_eq(json_parse(&doc, buf_str(&text), &err), 0, "%s", err.text);
}

static void teardown(void) {
    json_free(doc);
    buf_release(&text);
    graph_layout_release(&layout);
    hand_view_free(h);
}

TestSuite(write_layout, .init = setup, .fini = teardown);

static void expect_numbers(const struct json *array, const double *numbers, size_t n) {
    cr_assert_eq(json_len(array), n);
    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(json_num(json_at(array, i), -1), numbers[i]);
    }
}

Test(write_layout, has_its_own_schema_and_the_size) {
    cr_assert(str_eq_z(json_str(json_get(doc, "schema")), "onnxscope/layout/1"));
    expect_numbers(json_get(doc, "size"), (const double[]){100, 200.5}, 2);
}

Test(write_layout, has_a_box_for_nodes_and_clusters) {
    expect_numbers(json_get(json_at(json_get(doc, "nodes"), 0), "box"),
                   (const double[]){20, 20.125, 50, 19.875}, 4);
    expect_numbers(json_get(json_at(json_get(doc, "clusters"), 0), "box"),
                   (const double[]){10, 10, 80, 60}, 4);
}

Test(write_layout, cuts_curves_and_leaves_lines_whole) {
    const struct json *lines = json_get(json_at(json_get(doc, "edges"), 0), "routes");
    const struct json *curve = json_at(lines, 1);

    cr_assert_eq(json_len(lines), 2);
    cr_assert_eq(json_len(json_at(lines, 0)), 2);
    cr_assert_eq(json_len(curve), 9);
    expect_numbers(json_at(curve, 0), (const double[]){30, 70}, 2);
    // Half way: (30 + 3 * 30 + 3 * 60 + 60) / 8, (70 + 3 * 100 + 3 * 70 + 100) / 8.
    expect_numbers(json_at(curve, 4), (const double[]){45, 85}, 2);
    expect_numbers(json_at(curve, 8), (const double[]){60, 100}, 2);
}
