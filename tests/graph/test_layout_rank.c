#include "graph/layout_rank.h"

#include <criterion/criterion.h>

#include "tests/graph/local_case.h"

static struct arena arena;
static struct layout_local local;
static struct layout_ranks ranks;

static void setup(void) {
    arena_init(&arena, 16 << 20);
}

static void teardown(void) {
    arena_release(&arena);
}

TestSuite(layout_rank, .init = setup, .fini = teardown);

static void rank(uint32_t n_items, uint32_t n_in, uint32_t n_out, const struct layout_arc *arcs,
                 uint32_t n_arcs) {
    local = local_case(&arena, n_items, n_in, n_out, arcs, n_arcs);
    cr_assert(graph_layout_rank(&ranks, &local, &arena));
    for (uint32_t i = 0; i < n_arcs; i++) {
        cr_assert_lt(ranks.of[arcs[i].from], ranks.of[arcs[i].to], "arc %u", i);
    }
}

static void assert_ranks(const uint32_t *expected, uint32_t n) {
    for (uint32_t v = 0; v < n; v++) {
        cr_assert_eq(ranks.of[v], expected[v], "vertex %u: %u, not %u", v, ranks.of[v],
                     expected[v]);
    }
}

Test(layout_rank, of_nothing_is_nothing) {
    rank(0, 0, 0, NULL, 0);
    cr_assert_eq(ranks.n_ranks, 0);
}

Test(layout_rank, puts_a_chain_one_below_the_other) {
    rank(3, 0, 0, (const struct layout_arc[]){{0, 1, 0, 0}, {1, 2, 0, 0}}, 2);
    assert_ranks((const uint32_t[]){0, 1, 2}, 3);
    cr_assert_eq(ranks.n_ranks, 3);
}

// Item 0 between in-port 2 and out-port 3; item 1 beside it reads nothing.
Test(layout_rank, keeps_ports_on_ranks_of_their_own) {
    rank(2, 1, 1, (const struct layout_arc[]){{2, 0, 0, 0}, {0, 3, 0, 0}}, 2);
    assert_ranks((const uint32_t[]){1, 1, 0, 2}, 4);
}

// 0 -> 1 -> 2 -> 3, and 4 -> 3.
Test(layout_rank, puts_a_source_above_its_reader) {
    rank(5, 0, 0,
         (const struct layout_arc[]){{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}, {4, 3, 0, 0}}, 4);
    assert_ranks((const uint32_t[]){0, 1, 2, 3, 2}, 5);
}

// 0 -> 1 -> 2 -> 3 -> 4; 5 -> 6 -> 4 and 7 -> 6: all three stand as low as they can.
Test(layout_rank, moves_what_hangs_together_down_together) {
    rank(8, 0, 0,
         (const struct layout_arc[]){{0, 1, 0, 0},
                                     {1, 2, 0, 0},
                                     {2, 3, 0, 0},
                                     {3, 4, 0, 0},
                                     {5, 6, 0, 0},
                                     {6, 4, 0, 0},
                                     {7, 6, 0, 0}},
         7);
    assert_ranks((const uint32_t[]){0, 1, 2, 3, 4, 2, 3, 2}, 8);
}

// 0 -> 1 -> 2 -> 3, and 0 -> 4 by another net.
Test(layout_rank, leaves_a_sink_below_what_it_reads) {
    rank(5, 0, 0,
         (const struct layout_arc[]){{0, 1, 0, 0}, {0, 4, 1, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}}, 4);
    assert_ranks((const uint32_t[]){0, 1, 2, 3, 1}, 5);
}

// 0 -> 1 -> 2 -> 3 -> 5, 0 -> 4 -> 5, and 0 -> 3 along the way of 0 -> 4: the line is there anyway.
Test(layout_rank, lets_a_reader_use_a_line_that_passes_by) {
    rank(6, 0, 0,
         (const struct layout_arc[]){{0, 1, 0, 0},
                                     {0, 3, 0, 0},
                                     {0, 4, 0, 0},
                                     {1, 2, 0, 0},
                                     {2, 3, 0, 0},
                                     {3, 5, 0, 0},
                                     {4, 5, 0, 0}},
         7);
    assert_ranks((const uint32_t[]){0, 1, 2, 3, 3, 4}, 6);
}

Test(layout_rank, measures_the_longest_path_through_a_vertex) {
    // 0 -> 1 -> 2, 0 -> 3.
    rank(4, 0, 0, (const struct layout_arc[]){{0, 1, 0, 0}, {0, 3, 0, 0}, {1, 2, 0, 0}}, 3);
    cr_assert_eq(ranks.through[0], 3);
    cr_assert_eq(ranks.through[1], 3);
    cr_assert_eq(ranks.through[3], 2);
}

// 100 sources of one reader: rows of at most 40, so 3 of them.
Test(layout_rank, wraps_many_sources_into_rows) {
    struct layout_arc arcs[100];
    uint32_t in_row[3] = {0};

    for (uint32_t i = 0; i < 100; i++) {
        arcs[i] = (struct layout_arc){i, 100, 0, 0};
    }
    rank(101, 0, 0, arcs, 100);
    cr_assert_eq(ranks.n_ranks, 4);
    cr_assert_eq(ranks.of[100], 3);
    for (uint32_t i = 0; i < 100; i++) {
        in_row[ranks.of[i]]++;
    }
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert(in_row[i] == 33 || in_row[i] == 34);
    }
    cr_assert_eq(ranks.wrapped, 100 - in_row[2]);
}
