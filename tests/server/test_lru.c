#include "server/lru.h"

#include <criterion/criterion.h>
#include <string.h>

static struct srv_lru lru;
static struct srv_lru_entry entries[1000];

// Keys that sort by i.
static struct srv_lru_entry *entry(size_t i) {
    struct srv_lru_entry *e = &entries[i];

    memset(e, 0, sizeof(*e));
    e->key[0] = (uint8_t)(i >> 8);
    e->key[1] = (uint8_t)i;
    e->bytes = i;
    return e;
}

static void add(size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        cr_assert_eq(srv_lru_add(&lru, entry(i), NULL), 0);
    }
}

static void release(void) {
    srv_lru_release(&lru);
}

TestSuite(lru, .fini = release, .timeout = 20);

Test(lru, finds_all_of_many_and_nothing_else) {
    add(0, 999);
    for (size_t i = 0; i < 999; i++) {
        cr_assert_eq(srv_lru_find(&lru, entries[i].key), &entries[i]);
    }
    cr_assert_null(srv_lru_find(&lru, entry(999)->key));
    cr_assert_eq(lru.n, 999);
    cr_assert_eq(lru.bytes, 999 * 998 / 2);
}

Test(lru, an_empty_one_finds_nothing) {
    struct srv_lru_entry *row;

    cr_assert_null(srv_lru_find(&lru, entry(0)->key));
    cr_assert_eq(srv_lru_list(&lru, NULL, &row, 1), 0);
    cr_assert_null(lru.oldest);
}

Test(lru, the_oldest_is_the_one_not_used) {
    add(0, 3);
    srv_lru_use(&lru, &entries[0]);
    cr_assert_eq(lru.oldest, &entries[1]);
    srv_lru_use(&lru, &entries[1]);
    cr_assert_eq(lru.oldest, &entries[2]);
    srv_lru_use(&lru, &entries[1]);
    cr_assert_eq(lru.newest, &entries[1]);
}

Test(lru, removes_from_every_place) {
    add(0, 200);
    for (size_t i = 0; i < 200; i += 2) {
        srv_lru_remove(&lru, &entries[i]);
    }
    srv_lru_remove(&lru, &entries[1]);
    srv_lru_remove(&lru, &entries[199]);
    cr_assert_eq(lru.n, 98);
    cr_assert_null(srv_lru_find(&lru, entries[4].key));
    cr_assert_eq(srv_lru_find(&lru, entries[5].key), &entries[5]);
    cr_assert_eq(lru.oldest, &entries[3]);
    cr_assert_eq(lru.newest, &entries[197]);
    for (size_t i = 3; i < 199; i += 2) {
        srv_lru_remove(&lru, &entries[i]);
    }
    cr_assert_eq(lru.bytes, 0);
    cr_assert_null(lru.newest);
    cr_assert_null(lru.oldest);
}

Test(lru, lists_by_key_whatever_the_order_of_use) {
    struct srv_lru_entry *rows[4];

    add(5, 10);
    add(0, 5);
    srv_lru_use(&lru, &entries[7]);
    cr_assert_eq(srv_lru_list(&lru, NULL, rows, 4), 4);
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(rows[i], &entries[i]);
    }
    cr_assert_eq(srv_lru_list(&lru, entries[3].key, rows, 4), 4);
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(rows[i], &entries[4 + i]);
    }
    cr_assert_eq(srv_lru_list(&lru, entries[7].key, rows, 4), 2);
    cr_assert_eq(rows[0], &entries[8]);
    cr_assert_eq(rows[1], &entries[9]);
    cr_assert_eq(srv_lru_list(&lru, entries[9].key, rows, 4), 0);
}

Test(lru, lists_the_smallest_of_many_in_every_order_of_use) {
    struct srv_lru_entry *rows[7];

    add(0, 200);
    for (size_t step = 1; step < 200; step += 42) {
        for (size_t i = 0; i < 200; i++) {
            srv_lru_use(&lru, &entries[i * step % 200]);
        }
        for (size_t max = 0; max <= 7; max++) {
            cr_assert_eq(srv_lru_list(&lru, entries[99].key, rows, max), max);
            for (size_t i = 0; i < max; i++) {
                cr_expect_eq(rows[i], &entries[100 + i]);
            }
        }
    }
}
