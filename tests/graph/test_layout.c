#include "graph/layout.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/graph/hand_view.h"

static struct hand_view *h;
static struct graph_layout layout;
static struct graph_point spline[4];
static struct graph_route route = {.points = spline, .n = 4, .arrow = true};

// A node in a cluster and one outside, joined by an edge.
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
    layout.h = 200;
    layout.clusters[0] = (struct graph_box){10, 10, 80, 80};
    layout.nodes[0] = (struct graph_box){20, 30, 50, 20};
    layout.nodes[1] = (struct graph_box){20, 150, 50, 20};
    layout.edges[0] = (struct graph_edge_place){&route, 1, {45, 100}};
    for (int i = 0; i < 4; i++) {
        spline[i] = (struct graph_point){45, 50 + i * 100 / 3.0};
    }
    route.n = 4;
}

static void teardown(void) {
    graph_layout_release(&layout);
    hand_view_free(h);
}

TestSuite(layout, .init = setup, .fini = teardown);

static void assert_fault(const char *part) {
    struct error err = {0};

    cr_assert_eq(graph_layout_check(&layout, hand_view(h), &err), ERR_BUG);
    cr_assert(strstr(err.text, part), "%s", err.text);
}

Test(layout, rounds_to_an_eighth) {
    cr_assert_eq(graph_layout_round(1.06), 1.0);
    cr_assert_eq(graph_layout_round(1.0625), 1.125);
    cr_assert_eq(graph_layout_round(-1.07), -1.125);
    cr_assert_not(signbit(graph_layout_round(-0.01)));
}

Test(layout, passes_a_sane_one) {
    struct error err = {0};

    cr_assert_eq(graph_layout_check(&layout, hand_view(h), &err), 0, "%s", err.text);
}

Test(layout, refuses_numbers_that_are_none) {
    layout.nodes[1].x = NAN;
    assert_fault("node 1 has no sane box");
}

Test(layout, refuses_endless_routes) {
    spline[2].y = INFINITY;
    assert_fault("route 0 of edge 0");
}

Test(layout, refuses_routes_that_are_no_spline) {
    route.n = 3;
    assert_fault("route 0 of edge 0");
}

Test(layout, refuses_a_node_outside_of_its_cluster) {
    layout.nodes[0].y = 80;
    assert_fault("node 0 is outside of cluster 0");
}

Test(layout, refuses_what_is_outside_of_the_picture) {
    layout.nodes[1].y = 190;
    assert_fault("node 1 is outside of the picture");
}

Test(layout, refuses_an_endless_picture) {
    layout.w = GRAPH_LAYOUT_EXTENT_MAX * 2;
    assert_fault("no sane size");
}

Test(layout, refuses_a_box_without_size) {
    layout.clusters[0].w = 0;
    assert_fault("cluster 0 has no sane box");
}
