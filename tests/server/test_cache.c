#include "server/cache.h"

#include <criterion/criterion.h>
#include <pthread.h>

static struct srv_cache *cache;

#define ROOM 10000u

static void begin(void) {
    cr_assert_eq(srv_cache_new(&cache, ROOM, NULL), 0);
}

static void end(void) {
    srv_cache_free(cache);
}

TestSuite(cache, .init = begin, .fini = end);

static void key_of(uint8_t key[SRV_LRU_KEY], unsigned name) {
    memset(key, 0, SRV_LRU_KEY);
    memcpy(key, &name, sizeof(name));
}

static struct srv_document *document(unsigned name, size_t n, int fill) {
    struct srv_document *d = NULL;
    uint8_t key[SRV_LRU_KEY], *body = malloc(n ? n : 1);

    memset(body, fill, n);
    key_of(key, name);
    cr_assert_eq(srv_document_new(&d, key, body, n, NULL), 0);
    return d;
}

static void put(unsigned name, size_t n) {
    struct srv_document *d = document(name, n, 'a');

    srv_cache_put(cache, d);
    srv_document_unref(d);
}

static bool has(unsigned name) {
    uint8_t key[SRV_LRU_KEY];
    struct srv_document *d;

    key_of(key, name);
    d = srv_cache_get(cache, key);
    srv_document_unref(d);
    return d != NULL;
}

static struct srv_cache_stats stats(void) {
    struct srv_cache_stats s;

    srv_cache_stats(cache, &s);
    return s;
}

Test(cache, gives_back_what_was_put) {
    uint8_t key[SRV_LRU_KEY];
    struct srv_document *d;

    put(1, 100);
    key_of(key, 1);
    d = srv_cache_get(cache, key);
    cr_assert_not_null(d);
    cr_expect_eq(d->body.n, 100);
    cr_expect_eq(d->body.p[99], 'a');
    srv_document_unref(d);
    cr_expect_not(has(2));
}

Test(cache, drops_the_least_recently_used) {
    put(1, 3000);
    put(2, 3000);
    cr_expect(has(1));
    put(3, 3000);
    put(4, 3000);
    cr_expect(has(1) || has(4));
    cr_expect_not(has(2));
    cr_expect_leq(stats().bytes, ROOM);
}

Test(cache, counts_what_it_holds) {
    put(1, 1000);
    put(2, 0);
    cr_expect_eq(stats().documents, 2);
    cr_expect_eq(stats().bytes, 1000 + 2 * sizeof(struct srv_document));
}

Test(cache, keeps_nothing_larger_than_itself) {
    put(1, 1000);
    put(2, ROOM);
    cr_expect_not(has(2));
    cr_expect(has(1), "and drops nothing for it");
}

Test(cache, keeps_the_first_of_one_name) {
    struct srv_document *first = document(1, 10, 'a');

    srv_cache_put(cache, first);
    put(1, 20);
    cr_expect_eq(stats().documents, 1);
    srv_cache_put(cache, first);
    cr_expect_eq(stats().bytes, 10 + sizeof(struct srv_document));
    srv_document_unref(first);
}

Test(cache, lets_a_dropped_document_live_as_long_as_it_is_used) {
    struct srv_document *d = document(1, 4000, 'x');

    srv_cache_put(cache, d);
    put(2, 4000);
    put(3, 4000);
    cr_expect_not(has(1));
    cr_expect_eq(d->body.p[3999], 'x');
    srv_document_unref(d);
}

Test(cache, compresses_once) {
    struct srv_document *d = document(1, 4000, 'x');
    struct slice first, second;

    srv_cache_put(cache, d);
    first = srv_cache_gzip(cache, d);
    cr_assert(first.n > 0 && first.n < 4000);
    second = srv_cache_gzip(cache, d);
    cr_expect_eq(first.p, second.p);
    cr_expect_eq(stats().bytes, 4000 + first.n + sizeof(*d), "the compressed form counts");
    srv_document_unref(d);
}

Test(cache, compresses_what_it_does_not_keep) {
    struct srv_document *d = document(1, 4000, 'x');

    cr_expect_gt(srv_cache_gzip(cache, d).n, 0);
    cr_expect_eq(stats().bytes, 0);
    srv_document_unref(d);
}

Test(cache, has_no_compressed_form_that_is_longer) {
    struct srv_document *d = document(1, 3, 'x');

    cr_expect_eq(srv_cache_gzip(cache, d).n, 0);
    cr_expect_eq(srv_cache_gzip(cache, d).n, 0);
    srv_document_unref(d);
}

static void *use(void *arg) {
    unsigned i, from = *(unsigned *)arg;

    for (i = 0; i < 2000; i++) {
        uint8_t key[SRV_LRU_KEY];
        struct srv_document *d;

        key_of(key, (from + i) % 20);
        d = srv_cache_get(cache, key);
        if (d) {
            (void)srv_cache_gzip(cache, d);
        } else {
            d = document((from + i) % 20, 1000, 'z');
            srv_cache_put(cache, d);
        }
        srv_document_unref(d);
    }
    return NULL;
}

Test(cache, serves_several_threads) {
    pthread_t threads[4];
    unsigned from[4], i;

    for (i = 0; i < 4; i++) {
        from[i] = i * 7;
        cr_assert_eq(pthread_create(&threads[i], NULL, use, &from[i]), 0);
    }
    for (i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    cr_expect_leq(stats().bytes, ROOM);
}
