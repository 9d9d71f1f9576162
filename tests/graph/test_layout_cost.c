#include "graph/layout_cost.h"

#include <criterion/criterion.h>

#include "tests/graph/hand_view.h"

static struct hand_view *h;

static void setup(void) {
    h = hand_view_new();
}

static void teardown(void) {
    hand_view_free(h);
}

TestSuite(layout_cost, .init = setup, .fini = teardown);

static struct graph_layout_cost measure(void) {
    struct graph_layout_cost cost = {0};
    struct error err = {0};

    cr_assert_eq(graph_layout_cost(&cost, hand_view(h), &err), 0, "%s", err.text);
    return cost;
}

static void add_operators(uint32_t n, uint32_t cluster) {
    for (uint32_t i = 0; i < n; i++) {
        hand_operator(h, cluster, "A", "");
    }
}

Test(layout_cost, of_nothing_is_nothing) {
    struct graph_layout_cost cost = measure();

    cr_assert_eq(cost.vertices, 0);
    cr_assert_eq(cost.squares, 0);
}

// A chain of 4: one edge below each of 3 ranks.
Test(layout_cost, of_a_chain_is_its_length) {
    struct graph_layout_cost cost;

    add_operators(4, ONNX_NONE);
    for (uint32_t i = 0; i + 1 < 4; i++) {
        hand_edge(h, i, i + 1, 1);
    }
    cost = measure();
    cr_assert_eq(cost.vertices, 4 + 3);
    cr_assert_eq(cost.squares, 3);
}

// The same with an edge from top to bottom: two cross each of the 3 gaps.
Test(layout_cost, counts_every_rank_that_an_edge_crosses) {
    struct graph_layout_cost cost;

    add_operators(4, ONNX_NONE);
    hand_edge(h, 0, 1, 1);
    hand_edge(h, 0, 3, 1);
    hand_edge(h, 1, 2, 1);
    hand_edge(h, 2, 3, 1);
    cost = measure();
    cr_assert_eq(cost.vertices, 4 + 6);
    cr_assert_eq(cost.squares, 12);
}

// 0 -> 1 -> 2 -> 3 and a source 4, read by 3 only: it stands above 3, not at the top.
Test(layout_cost, puts_sources_above_their_reader) {
    add_operators(5, ONNX_NONE);
    hand_edge(h, 0, 2, 1);
    hand_edge(h, 1, 4, 1);
    hand_edge(h, 2, 3, 1);
    hand_edge(h, 3, 4, 1);
    cr_assert_eq(measure().vertices, 5 + 4);
}

// A cluster of 3 in a chain, passed by an edge: the edge crosses as many ranks as the cluster has,
// and the gap behind it.
Test(layout_cost, knows_how_high_a_cluster_is) {
    struct graph_layout_cost cost;
    uint32_t cluster = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "a", "A");

    add_operators(1, ONNX_NONE);
    add_operators(3, cluster);
    add_operators(1, ONNX_NONE);
    hand_edge(h, 0, 1, 1);
    hand_edge(h, 0, 4, 1);
    hand_edge(h, 1, 2, 1);
    hand_edge(h, 2, 3, 1);
    hand_edge(h, 3, 4, 1);
    cost = measure();
    cr_assert_eq(cost.vertices, 5 + 4 + 4);
}

Test(layout_cost, survives_cycles_and_loops) {
    add_operators(3, ONNX_NONE);
    hand_edge(h, 0, 0, 1);
    hand_edge(h, 0, 1, 1);
    hand_edge(h, 1, 2, 1);
    hand_edge(h, 2, 0, 1);
    cr_assert_leq(measure().vertices, 12);
}

// n(n-1)/2 edges over n ranks: squares grow with the fifth power.
Test(layout_cost, is_far_higher_for_dense_graphs) {
    uint64_t small;

    add_operators(80, ONNX_NONE);
    for (uint32_t i = 0; i < 80; i++) {
        for (uint32_t k = i + 1; k < 80; k++) {
            hand_edge(h, i, k, 1);
        }
    }
    small = 80 + 80 * 3;
    cr_assert_gt(measure().squares, small * 1000);
}
