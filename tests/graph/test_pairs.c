#include "graph/pairs.h"

#include <criterion/criterion.h>

Test(pairs, finds_what_was_put_under_both_indexes) {
    struct graph_pairs p;

    graph_pairs_init(&p);
    cr_expect_eq(graph_pairs_get(&p, 1, 2), GRAPH_PAIRS_NONE);
    cr_assert_eq(graph_pairs_put(&p, 1, 2, 7, NULL), 0);
    cr_assert_eq(graph_pairs_put(&p, 2, 1, 8, NULL), 0);
    cr_expect_eq(graph_pairs_get(&p, 1, 2), 7);
    cr_expect_eq(graph_pairs_get(&p, 2, 1), 8);
    cr_expect_eq(graph_pairs_get(&p, 1, 1), GRAPH_PAIRS_NONE);
    cr_assert_eq(graph_pairs_put(&p, 1, 2, 9, NULL), 0);
    cr_expect_eq(graph_pairs_get(&p, 1, 2), 9);
    cr_expect_eq(p.n, 2);
    graph_pairs_release(&p);
}

Test(pairs, keeps_everything_while_it_grows) {
    struct graph_pairs p = {0};

    for (uint32_t i = 0; i < 5000; i++) {
        cr_assert_eq(graph_pairs_put(&p, i % 71, i, i, NULL), 0);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        cr_assert_eq(graph_pairs_get(&p, i % 71, i), i);
    }
    cr_expect_eq(p.n, 5000);
    graph_pairs_release(&p);
    cr_expect_eq(graph_pairs_get(&p, 0, 0), GRAPH_PAIRS_NONE);
}
