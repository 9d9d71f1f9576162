#include "server/store.h"

#include <criterion/criterion.h>

#include "tests/server/store_contract.h"

#define MAX_BYTES ((size_t)1 << 20)

static struct srv_store *store;

static void open_store(void) {
    cr_assert_eq(srv_store_memory_new(&store, MAX_BYTES, NULL), 0);
}

static void free_store(void) {
    store->ops->free(store);
}

TestSuite(store_memory, .init = open_store, .fini = free_store, .timeout = 60);

Test(store_memory, gives_back_what_it_took) {
    store_gives_back_what_it_took(store);
}

Test(store_memory, knows_what_it_has) {
    store_knows_what_it_has(store);
}

Test(store_memory, removes) {
    store_removes(store);
}

Test(store_memory, lists_by_id_in_pages) {
    store_lists_by_id_in_pages(store);
}

Test(store_memory, refuses_ids_that_are_none) {
    store_refuses_ids_that_are_none(store);
}

Test(store_memory, is_used_by_many_threads) {
    store_is_used_by_many_threads(store);
}

Test(store_memory, refuses_what_it_cannot_hold) {
    store_refuses_what_it_cannot_hold(store, MAX_BYTES);
}

Test(store_memory, evicts_the_least_recently_used) {
    store_evicts_the_least_recently_used(store, MAX_BYTES);
}
