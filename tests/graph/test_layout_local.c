#include "graph/layout_local.h"

#include <criterion/criterion.h>

#include "tests/graph/hand_view.h"

static struct hand_view *h;
static struct arena arena;
static struct layout_locals locals;

static void setup(void) {
    h = hand_view_new();
    arena_init(&arena, 64 << 20);
}

static void teardown(void) {
    arena_release(&arena);
    hand_view_free(h);
}

TestSuite(layout_local, .init = setup, .fini = teardown);

static void find(void) {
    struct error err = {0};

    cr_assert_eq(graph_layout_local(&locals, hand_view(h), &arena, &err), 0, "%s", err.text);
}

static void carry(uint32_t edge, const char *name) {
    hand_carries(h, edge, hand_tensor(h, name, 0, NULL));
}

// x -> [a], x -> b, [a] -> b: the box has one port on either side.
Test(layout_local, gives_a_box_a_port_for_each_net) {
    uint32_t box = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "m", "M");
    uint32_t x = hand_operator(h, ONNX_NONE, "X", ""), a = hand_operator(h, box, "A", "");
    uint32_t b = hand_operator(h, ONNX_NONE, "B", "");

    hand_edge(h, x, a, 1);
    hand_edge(h, x, b, 1);
    hand_edge(h, a, b, 1);
    find();
    cr_assert_eq(locals.n_containers, 2);
    cr_assert_eq(locals.of[box].n_in, 1);
    cr_assert_eq(locals.of[box].n_out, 1);
    cr_assert_eq(locals.of[box].n_arcs, 2);
    cr_assert_eq(locals.of[1].n_items, 3);
    cr_assert_eq(locals.of[1].n_arcs, 3);
    cr_assert_eq(locals.n_pieces[0], 2);
    cr_assert_eq(locals.n_pieces[1], 1);
}

// Two readers of one value in a box enter it together, of two values apart.
Test(layout_local, shares_ports_between_readers_of_a_value) {
    uint32_t box = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "m", "M");
    uint32_t x = hand_operator(h, ONNX_NONE, "X", "");
    uint32_t value = hand_tensor(h, "v", 0, NULL);

    for (uint32_t i = 0; i < 3; i++) {
        uint32_t edge = hand_edge(h, x, hand_operator(h, box, "A", ""), 1);

        if (i < 2) {
            hand_carries(h, edge, value);
        } else {
            carry(edge, "w");
        }
    }
    find();
    cr_assert_eq(locals.of[box].n_in, 2);
    cr_assert_eq(locals.of[1].n_arcs, 2);
}

// a -> [b] -> c -> [d] of one box: what leads back into it runs upwards.
Test(layout_local, turns_what_closes_a_cycle) {
    uint32_t box = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "m", "M");
    uint32_t a = hand_operator(h, ONNX_NONE, "A", ""), b = hand_operator(h, box, "B", "");
    uint32_t c = hand_operator(h, ONNX_NONE, "C", ""), d = hand_operator(h, box, "D", "");

    hand_edge(h, a, b, 1);
    hand_edge(h, b, c, 1);
    hand_edge(h, c, d, 1);
    find();
    cr_assert_not(locals.is_up[0]);
    cr_assert_not(locals.is_up[1]);
    cr_assert(locals.is_up[2]);
    // It leaves the box below d and reaches c from above.
    cr_assert_eq(locals.of[box].n_out, 2);
}

Test(layout_local, leaves_edges_against_the_order_that_close_no_cycle) {
    uint32_t a = hand_operator(h, ONNX_NONE, "A", ""), b = hand_operator(h, ONNX_NONE, "B", "");

    hand_edge(h, b, a, 1);
    find();
    cr_assert_not(locals.is_up[0]);
}

Test(layout_local, has_no_piece_for_an_edge_back_to_its_node) {
    uint32_t a = hand_operator(h, ONNX_NONE, "A", "");

    hand_edge(h, a, a, 1);
    find();
    cr_assert_eq(locals.n_pieces[0], 0);
    cr_assert_eq(locals.of[0].n_arcs, 0);
}

Test(layout_local, merges_the_ports_beyond_the_last) {
    uint32_t box = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "m", "M");
    uint32_t target = hand_operator(h, box, "T", "");

    for (uint32_t i = 0; i < GRAPH_LAYOUT_PORTS_MAX + 10; i++) {
        hand_edge(h, hand_operator(h, ONNX_NONE, "S", ""), target, 1);
    }
    find();
    cr_assert_eq(locals.of[box].n_in, GRAPH_LAYOUT_PORTS_MAX);
    cr_assert_eq(locals.merged, 10);
}

Test(layout_local, refuses_boxes_nested_too_deeply) {
    struct error err = {0};
    uint32_t box = ONNX_NONE;

    for (uint32_t i = 0; i <= GRAPH_VIEW_NESTING_MAX; i++) {
        box = hand_cluster(h, GRAPH_CLUSTER_MODULE, box, "m", "M");
    }
    hand_operator(h, box, "A", "");
    cr_assert_eq(graph_layout_local(&locals, hand_view(h), &arena, &err), ERR_LIMIT);
}
