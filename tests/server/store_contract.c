#include "tests/server/store_contract.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/server/records.h"

#define THREADS 4
#define ROUNDS 300
#define PAGE 100

static void id_text(char id[SRV_ID_CHARS + 1], unsigned i) {
    snprintf(id, SRV_ID_CHARS + 1, "%064x", i);
}

static int get(struct srv_store *s, unsigned i, struct srv_record **out) {
    char id[SRV_ID_CHARS + 1];

    id_text(id, i);
    return s->ops->get(s, str_from(id), out, NULL);
}

static int remove_it(struct srv_store *s, unsigned i) {
    char id[SRV_ID_CHARS + 1];

    id_text(id, i);
    return s->ops->remove(s, str_from(id), NULL);
}

static bool put(struct srv_store *s, struct srv_record *r) {
    bool existed;
    struct error e;

    cr_assert_eq(s->ops->put(s, r, &existed, &e), 0, "%s", e.text);
    srv_record_unref(r);
    return existed;
}

bool store_has(struct srv_store *s, unsigned i) {
    static struct srv_listing rows[PAGE];
    char id[SRV_ID_CHARS + 1];
    size_t n;
    bool more;

    id_text(id, i);
    cr_assert_eq(s->ops->list(s, (struct str){NULL, 0}, rows, PAGE, &n, &more, NULL), 0);
    for (size_t k = 0; k < n; k++) {
        if (strcmp(rows[k].id, id) == 0) {
            return true;
        }
    }
    return false;
}

void store_gives_back_what_it_took(struct srv_store *s) {
    struct srv_record *given = make_record(1, "skeleton", "{\"a\":1}");
    struct srv_record *back;
    bool existed = true;

    cr_assert_eq(get(s, 1, &back), ERR_NOT_FOUND);
    cr_assert_eq(s->ops->put(s, given, &existed, NULL), 0);
    cr_assert_not(existed);
    cr_assert_eq(get(s, 1, &back), 0);
    cr_assert(same_record(given, back));
    srv_record_unref(back);
    srv_record_unref(given);
    cr_assert_eq(get(s, 2, &back), ERR_NOT_FOUND);
    put(s, make_record(2, "", ""));
    cr_assert_eq(get(s, 2, &back), 0);
    cr_assert_eq(back->skeleton.n, 0);
    srv_record_unref(back);
}

void store_knows_what_it_has(struct srv_store *s) {
    cr_assert_not(put(s, make_record(1, "a", "b")));
    cr_assert(put(s, make_record(1, "a", "b")));
}

void store_removes(struct srv_store *s) {
    struct srv_record *held, *back;

    put(s, make_record(1, "skeleton", "b"));
    put(s, make_record(2, "c", "d"));
    cr_assert_eq(get(s, 1, &held), 0);
    cr_assert_eq(remove_it(s, 1), 0);
    cr_assert_eq(get(s, 1, &back), ERR_NOT_FOUND);
    cr_assert_eq(remove_it(s, 1), ERR_NOT_FOUND);
    cr_assert_eq(get(s, 2, &back), 0);
    srv_record_unref(back);
    // Whoever holds a record keeps it.
    cr_assert(str_eq(str_from_slice(held->skeleton), STR("skeleton")));
    srv_record_unref(held);
}

void store_lists_by_id_in_pages(struct srv_store *s) {
    static const unsigned order[] = {7, 3, 9, 1, 5};
    struct srv_listing rows[2];
    char id[SRV_ID_CHARS + 1];
    size_t n;
    bool more;

    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        put(s, make_record(order[i], "a", "b"));
    }
    cr_assert_eq(s->ops->list(s, STR(""), rows, 2, &n, &more, NULL), 0);
    cr_assert_eq(n, 2);
    cr_assert(more);
    id_text(id, 1);
    cr_assert_str_eq(rows[0].id, id);
    cr_assert_eq(rows[0].size, 1001);
    cr_assert_eq(rows[0].nodes, 11);
    cr_assert_eq(rows[0].created, 1700000001);
    cr_assert_str_eq(rows[0].producer, "pytorch 2.1");
    id_text(id, 3);
    cr_assert_str_eq(rows[1].id, id);
    id_text(id, 6);
    cr_assert_eq(s->ops->list(s, str_from(id), rows, 2, &n, &more, NULL), 0);
    cr_assert_eq(n, 2);
    cr_assert_not(more);
    id_text(id, 7);
    cr_assert_str_eq(rows[0].id, id);
    id_text(id, 9);
    cr_assert_eq(s->ops->list(s, str_from(id), rows, 2, &n, &more, NULL), 0);
    cr_assert_eq(n, 0);
    cr_assert_eq(s->ops->list(s, STR("x"), rows, 2, &n, &more, NULL), ERR_USAGE);
}

void store_refuses_ids_that_are_none(struct srv_store *s) {
    static const char *const ids[] = {
        "",
        "00",
        "../../../../../../../../../../../../../../../../../../etc/passwd",
        "000000000000000000000000000000000000000000000000000000000000000A",
        "00000000000000000000000000000000000000000000000000000000000000001",
    };
    struct srv_record *back;

    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        cr_expect_eq(s->ops->get(s, str_from(ids[i]), &back, NULL), ERR_NOT_FOUND);
        cr_expect_eq(s->ops->remove(s, str_from(ids[i]), NULL), ERR_NOT_FOUND);
    }
}

static void *use(void *arg) {
    struct srv_store *s = arg;
    struct srv_record *back;

    for (unsigned i = 0; i < ROUNDS; i++) {
        put(s, make_record(i % 7, "skeleton", "summary"));
        if (get(s, (i + 1) % 7, &back) == 0) {
            cr_assert(str_eq(str_from_slice(back->skeleton), STR("skeleton")));
            srv_record_unref(back);
        }
        if (i % 5 == 0) {
            remove_it(s, (i + 2) % 7);
        }
        store_has(s, i % 7);
    }
    return NULL;
}

void store_is_used_by_many_threads(struct srv_store *s) {
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, use, s), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

void store_refuses_what_it_cannot_hold(struct srv_store *s, size_t max_bytes) {
    struct srv_record *r = make_large_record(1, max_bytes);
    struct error e;
    bool existed;

    cr_assert_eq(s->ops->put(s, r, &existed, &e), ERR_LIMIT);
    cr_assert_str_eq(e.limit, "store-size");
    srv_record_unref(r);
    cr_assert_not(store_has(s, 1));
}

void store_evicts_the_least_recently_used(struct srv_store *s, size_t max_bytes) {
    const size_t third = max_bytes * 3 / 10;
    struct srv_record *back;

    for (unsigned i = 1; i <= 3; i++) {
        put(s, make_large_record(i, third));
    }
    cr_assert(store_has(s, 1) && store_has(s, 2) && store_has(s, 3));
    cr_assert_eq(get(s, 1, &back), 0);
    srv_record_unref(back);
    put(s, make_large_record(4, third));
    cr_assert(store_has(s, 1) && !store_has(s, 2) && store_has(s, 3) && store_has(s, 4));
    cr_assert(put(s, make_large_record(3, third)));
    put(s, make_large_record(5, third));
    cr_assert(!store_has(s, 1) && store_has(s, 3) && store_has(s, 4) && store_has(s, 5));
    cr_assert_eq(get(s, 1, &back), ERR_NOT_FOUND);
}
