#include "graph/layout_place.h"

#include <criterion/criterion.h>
#include <math.h>

#include "graph/layout_route.h"
#include "tests/graph/local_case.h"

#define W 60.0
#define H 20.0

static struct arena arena;
static struct layout_local local;
static struct layout_layers layers;
static struct layout_order order;
static struct layout_placed placed;
static struct layout_ports none[16];
static struct layout_item items[16];
static struct layout_points points;
static struct layout_way ways[16];

static const double *room;  // for labels of edges

static void setup(void) {
    arena_init(&arena, 64 << 20);
    for (size_t i = 0; i < 16; i++) {
        items[i] = (struct layout_item){.w = W, .h = H};
    }
}

static void teardown(void) {
    room = NULL;
    graph_layout_points_release(&points);
    arena_release(&arena);
}

TestSuite(layout_place, .init = setup, .fini = teardown);
TestSuite(layout_route, .init = setup, .fini = teardown);

static void place(uint32_t n_items, uint32_t n_in, uint32_t n_out, const struct layout_arc *arcs,
                  uint32_t n_arcs, struct layout_caption caption) {
    struct layout_fixed fixed = {.in = none, .out = none};
    uint32_t budget = LAYOUT_VIRTUAL_MAX;

    local = local_case(&arena, n_items, n_in, n_out, arcs, n_arcs);
    cr_assert(graph_layout_layers(&layers, &local, &budget, &arena));
    cr_assert(graph_layout_order(&order, &layers, &fixed, NULL, &arena));
    cr_assert(graph_layout_place(&placed, &layers, &order, &fixed, items, &caption, room, &arena));
}

static const struct layout_caption no_caption = {LAYOUT_BAND_NONE, 0, 0};

Test(layout_place, opens_a_gap_for_the_label_of_an_edge) {
    static const struct layout_arc chain[] = {{0, 1, 0, 0}, {1, 2, 0, 0}};
    static const double second[] = {0, 100};
    double gap;

    place(3, 0, 0, chain, 2, no_caption);
    gap = placed.top[1] - placed.top[0];
    cr_assert_eq(placed.top[2] - placed.top[1], gap);
    room = second;
    place(3, 0, 0, chain, 2, no_caption);
    cr_assert_eq(placed.top[1] - placed.top[0], gap);
    cr_assert_geq(placed.top[2] - placed.top[1], H + 100);
}

// 0 -> 1 -> 2 -> 3 and 0 -> 3: a trunk and a rail.
static const struct layout_arc residual[] = {
    {0, 1, 0, 0}, {0, 3, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}};

Test(layout_place, stacks_a_chain_in_one_column) {
    place(3, 0, 0, (const struct layout_arc[]){{0, 1, 0, 0}, {1, 2, 0, 0}}, 2, no_caption);
    cr_assert_eq(placed.x[0], placed.x[1]);
    cr_assert_eq(placed.x[1], placed.x[2]);
    cr_assert_geq(placed.top[1], placed.top[0] + H);
    cr_assert_geq(placed.top[2], placed.top[1] + H);
    cr_assert_geq(placed.w, W);
    cr_assert_geq(placed.h, placed.top[2] + H);
}

Test(layout_place, keeps_the_trunk_straight_beside_a_rail) {
    place(4, 0, 0, residual, 4, no_caption);
    for (uint32_t v = 1; v < 4; v++) {
        cr_assert_eq(placed.x[v], placed.x[0], "vertex %u", v);
    }
    // The rail's two virtual vertices stand above each other, clear of the boxes.
    cr_assert_eq(placed.x[4], placed.x[5]);
    cr_assert_gt(fabs(placed.x[4] - placed.x[1]), W / 2);
}

Test(layout_place, keeps_neighbours_apart) {
    place(5, 0, 0,
          (const struct layout_arc[]){{0, 1, 0, 0}, {0, 2, 0, 0}, {0, 3, 0, 0}, {0, 4, 0, 0}}, 4,
          no_caption);
    for (uint32_t a = 1; a < 5; a++) {
        for (uint32_t b = a + 1; b < 5; b++) {
            cr_assert_gt(fabs(placed.x[a] - placed.x[b]), W);
        }
    }
    // Four readers: their middle is the source's.
    cr_assert_float_eq(placed.x[0], (placed.x[1] + placed.x[2] + placed.x[3] + placed.x[4]) / 4, 1);
}

// An edge that enters from above must not touch the caption, however wide that is.
Test(layout_place, puts_the_caption_beside_the_edges) {
    struct layout_caption caption = {LAYOUT_BAND_TOP, 200, 12};

    place(1, 1, 1, (const struct layout_arc[]){{1, 0, 0, 0}, {0, 2, 0, 0}}, 2, caption);
    cr_assert(placed.in_x[0] <= placed.caption_x || placed.in_x[0] >= placed.caption_x + caption.w);
    cr_assert_geq(placed.caption_x, 0);
    cr_assert_leq(placed.caption_x + caption.w, placed.w);
    cr_assert_geq(placed.top[0], placed.caption_y + caption.h);
    cr_assert_eq(placed.in_x[0], placed.out_x[0]);
}

Test(layout_place, has_a_caption_at_the_left_when_the_flow_will_lie) {
    struct layout_caption caption = {LAYOUT_BAND_LEFT, 200, 12};

    place(1, 1, 1, (const struct layout_arc[]){{1, 0, 0, 0}, {0, 2, 0, 0}}, 2, caption);
    cr_assert_geq(placed.h, 200);
    cr_assert_gt(placed.x[0] - W / 2, placed.caption_x + caption.h);
    cr_assert_eq(placed.top[2], placed.h);
}

// Two sources side by side lead to one reader; each of its edges has a point of its own.
Test(layout_place, spreads_the_ends_of_edges) {
    place(3, 0, 0, (const struct layout_arc[]){{0, 2, 0, 0}, {1, 2, 0, 0}}, 2, no_caption);
    cr_assert_float_eq(fabs(placed.attach.lower[0] - placed.attach.lower[1]), 12, 1e-9);
}

static void route(void) {
    struct error err = {0};

    cr_assert_eq(graph_layout_route(ways, &points, &layers, &placed, items, &arena, &err), 0, "%s",
                 err.text);
}

static struct graph_point start_of(uint32_t arc) {
    return points.items[ways[arc].first];
}

static struct graph_point end_of(uint32_t arc) {
    return points.items[ways[arc].first + ways[arc].n - 1];
}

Test(layout_route, runs_from_box_to_box) {
    place(4, 0, 0, residual, 4, no_caption);
    route();
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(ways[i].n % 3, 1);
        cr_assert_eq(start_of(i).y, placed.top[residual[i].from] + H);
        cr_assert_eq(end_of(i).y, placed.top[residual[i].to]);
    }
}

Test(layout_route, makes_one_piece_of_a_straight_arc) {
    place(4, 0, 0, residual, 4, no_caption);
    route();
    cr_assert_eq(ways[2].n, 4);
    cr_assert_eq(start_of(2).x, end_of(2).x);
}

// 0 -> 1 -> 2 -> 3 -> 4, 0 -> 3 and 0 -> 4: the way to 4 begins as the way to 3 does.
Test(layout_route, tells_what_two_arcs_of_a_net_share) {
    place(5, 0, 0,
          (const struct layout_arc[]){
              {0, 1, 0, 0}, {0, 3, 0, 0}, {0, 4, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}, {3, 4, 0, 0}},
          6, no_caption);
    route();
    cr_assert_eq(ways[1].shared, 0);
    cr_assert_gt(ways[2].shared, 1);
    cr_assert_eq(ways[2].shared % 3, 1);
    for (uint32_t i = 0; i < ways[2].shared; i++) {
        cr_assert_eq(points.items[ways[1].first + i].x, points.items[ways[2].first + i].x);
        cr_assert_eq(points.items[ways[1].first + i].y, points.items[ways[2].first + i].y);
    }
}
