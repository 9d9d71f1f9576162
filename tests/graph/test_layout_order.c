#include "graph/layout_order.h"

#include <criterion/criterion.h>

#include "tests/graph/local_case.h"

static struct arena arena;
static struct layout_local local;
static struct layout_layers layers;
static struct layout_order order;
static struct layout_ports none[16];

static void setup(void) {
    arena_init(&arena, 64 << 20);
}

static void teardown(void) {
    arena_release(&arena);
}

TestSuite(layout_order, .init = setup, .fini = teardown);

static void make_layers(uint32_t n_items, uint32_t n_in, uint32_t n_out,
                        const struct layout_arc *arcs, uint32_t n_arcs) {
    uint32_t budget = LAYOUT_VIRTUAL_MAX;

    local = local_case(&arena, n_items, n_in, n_out, arcs, n_arcs);
    cr_assert(graph_layout_layers(&layers, &local, &budget, &arena));
}

static uint64_t crossings(const struct layout_fixed *fixed) {
    cr_assert(graph_layout_order(&order, &layers, fixed, NULL, &arena));
    return order.crossings;
}

Test(layout_order, of_nothing_is_nothing) {
    struct layout_fixed fixed = {.in = none, .out = none};

    make_layers(0, 0, 0, NULL, 0);
    cr_assert_eq(crossings(&fixed), 0);
}

// 0 -> 3, 1 -> 2.
Test(layout_order, unties_two_arcs) {
    struct layout_fixed fixed = {.in = none, .out = none};

    make_layers(4, 0, 0, (const struct layout_arc[]){{0, 3, 0, 0}, {1, 2, 0, 0}}, 2);
    cr_assert_eq(crossings(&fixed), 0);
    cr_assert_eq(order.pos[0] < order.pos[1], order.pos[3] < order.pos[2]);
}

// Between 3 and 3 vertices, all joined, C(3,2) * C(3,2) = 9 pairs cross in every order.
Test(layout_order, counts_what_cannot_be_untied) {
    struct layout_fixed fixed = {.in = none, .out = none};
    struct layout_arc arcs[9];

    for (uint32_t i = 0; i < 9; i++) {
        arcs[i] = (struct layout_arc){i / 3, 3 + i % 3, 0, 0};
    }
    make_layers(6, 0, 0, arcs, 9);
    cr_assert_eq(crossings(&fixed), 9);
}

// Two in-ports in the other order than the out-ports that they lead to, by items 0 and 1.
Test(layout_order, keeps_the_ports_that_are_given) {
    const uint32_t as_is[] = {0, 1}, swapped[] = {1, 0};
    struct layout_fixed fixed = {
        .in = none, .out = none, .own_in = {as_is, 2}, .own_out = {swapped, 2}};

    make_layers(2, 2, 2,
                (const struct layout_arc[]){{2, 0, 0, 0}, {3, 1, 0, 0}, {0, 4, 0, 0}, {1, 5, 0, 0}},
                4);
    cr_assert_eq(crossings(&fixed), 1);
    cr_assert_eq(order.pos[2], 0);
    cr_assert_eq(order.pos[4], 1);
    fixed.own_out.place = as_is;
    cr_assert_eq(crossings(&fixed), 0);
}

// Cluster 0 is read by 1 -> 2 at its first port and by 3 at its second, which stand in given ports'
// order on the other side: it turns over as a whole.
Test(layout_order, mirrors_clusters) {
    const uint32_t as_is[] = {0, 1}, in_ports[] = {1, 0};
    struct layout_ports ports[3] = {{as_is, 2}, {NULL, 0}, {NULL, 0}};
    struct layout_fixed fixed = {.in = ports, .out = none, .own_in = {in_ports, 2}};

    make_layers(1, 2, 0, (const struct layout_arc[]){{1, 0, 0, 0}, {2, 0, 0, 1}}, 2);
    cr_assert_eq(crossings(&fixed), 0);
    cr_assert(order.is_mirrored[0]);
}

// The ports of cluster 2 should stand in the order of the items that lead to them.
Test(layout_order, asks_ports_for_the_order_around_them) {
    const uint32_t as_is[] = {0, 1}, in_ports[] = {1, 0};
    struct layout_ports in[3] = {{NULL, 0}, {NULL, 0}, {as_is, 2}};
    struct layout_fixed fixed = {.in = in, .out = none, .own_in = {in_ports, 2}};
    uint32_t place[2];

    make_layers(3, 2, 0,
                (const struct layout_arc[]){{3, 0, 0, 0}, {4, 1, 0, 0}, {0, 2, 0, 0}, {1, 2, 0, 1}},
                4);
    (void)crossings(&fixed);
    cr_assert(graph_layout_order_ports(place, &layers, &order, &fixed, 2, true, &arena));
    cr_assert_eq(place[0], 1);
    cr_assert_eq(place[1], 0);
}

// The way from 0 to the second port of 3 is a lane: nothing of it stands on the rank above.
static void ask_beside_a_lane(const uint32_t *as_is, uint32_t *place) {
    const struct layout_arc arcs[] = {{0, 1, 0, 0}, {0, 3, 1, 1}, {1, 2, 0, 0}, {2, 3, 0, 0}};
    struct layout_ports in[4] = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {as_is, 2}};
    struct layout_fixed fixed = {.in = in, .out = none};
    uint32_t budget = 1;

    local = local_case(&arena, 4, 0, 0, arcs, 4);
    cr_assert(graph_layout_layers(&layers, &local, &budget, &arena));
    cr_assert_eq(layers.n_lanes, 1);
    (void)crossings(&fixed);
    cr_assert(graph_layout_order_ports(place, &layers, &order, &fixed, 3, true, &arena));
}

Test(layout_order, leaves_a_port_without_links_where_it_is) {
    static const uint32_t second[] = {0, 1}, first[] = {1, 0};
    uint32_t place[2];

    ask_beside_a_lane(second, place);
    cr_expect_eq(place[0], 0);
    cr_expect_eq(place[1], 1);
    ask_beside_a_lane(first, place);
    cr_expect_eq(place[0], 1);
    cr_expect_eq(place[1], 0);
}

// 0 -> 1 -> 2 -> 3, and 0 -> 3 by the same net: one chain of two, of which the last link is its
// own.
Test(layout_order, shares_the_chain_of_a_net) {
    make_layers(
        5, 0, 0,
        (const struct layout_arc[]){
            {0, 1, 0, 0}, {0, 3, 0, 0}, {0, 4, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}, {3, 4, 0, 0}},
        6);
    // Ranks 0 .. 4; the way to 4 passes ranks 1, 2, 3, the way to 3 is a part of it.
    cr_assert_eq(layers.n, 5 + 3);
    cr_assert_eq(layers.n_lanes, 0);
}

Test(layout_order, makes_lanes_of_what_is_too_long) {
    uint32_t budget = 1;

    local = local_case(
        &arena, 4, 0, 0,
        (const struct layout_arc[]){{0, 1, 0, 0}, {0, 3, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}}, 4);
    cr_assert(graph_layout_layers(&layers, &local, &budget, &arena));
    cr_assert_eq(layers.n_lanes, 1);
    cr_assert_eq(layers.last[1], LAYOUT_NONE);
    cr_assert_eq(layers.n, 4);
}
