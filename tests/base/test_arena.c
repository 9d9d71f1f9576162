#include "base/arena.h"

#include <criterion/criterion.h>
#include <stdalign.h>
#include <stdlib.h>

#include "tests/base/refuse_memory.h"

#ifdef __has_feature
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif

#define MIB ((size_t)1 << 20)

static void expect_zeroed(const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        cr_assert(p[i] == 0, "byte %zu of %zu", i, n);
    }
}

Test(arena, memory_is_zeroed_aligned_and_apart) {
    struct arena a;

    arena_init(&a, 64 * MIB);
    for (size_t n = 1; n < 5000; n += 7) {
        unsigned char *p = arena_alloc(&a, n);

        cr_assert(p != NULL);
        cr_assert_eq((uintptr_t)p % alignof(max_align_t), 0);
        expect_zeroed(p, n);
        memset(p, 0xff, n);
    }
    arena_release(&a);
}

Test(arena, large_items_do_not_waste_the_block_in_use) {
    struct arena a;
    char *before, *after;

    arena_init(&a, 64 * MIB);
    before = arena_alloc(&a, 16);
    cr_assert(arena_alloc(&a, 8 * MIB) != NULL);
    after = arena_alloc(&a, 16);
    cr_expect(after == before + 16);
    arena_release(&a);
}

Test(arena, budget_is_kept_to_the_byte) {
    struct arena a;
    struct error err;

    arena_init(&a, 64);
    cr_expect(arena_alloc(&a, 65) == NULL);
    cr_expect(arena_alloc(&a, 33) != NULL);
    cr_expect_eq(a.used, 48);
    cr_expect(arena_alloc(&a, 17) == NULL);
    cr_expect(arena_alloc(&a, 16) != NULL);
    cr_expect(arena_alloc(&a, 0) == NULL);
    cr_assert_eq(arena_error(&a, "the model", &err), ERR_NOMEM);
    cr_expect_str_eq(err.text, "no memory left for the model: 64 of 64 bytes are in use");
    arena_release(&a);
}

Test(arena, sizes_that_overflow_are_refused) {
    struct arena a;

    arena_init(&a, SIZE_MAX);
    cr_expect(arena_alloc(&a, SIZE_MAX) == NULL);
    cr_expect(arena_array(&a, SIZE_MAX / 2, 3) == NULL);
    cr_expect(arena_array(&a, (size_t)1 << 33, (size_t)1 << 31) == NULL);
    cr_expect_eq(a.used, 0);
    arena_release(&a);
}

Test(arena, array_gives_room_for_all_items) {
    struct arena a;
    uint64_t *items;

    arena_init(&a, MIB);
    items = arena_array(&a, 1000, sizeof(*items));
    cr_assert(items != NULL);
    for (size_t i = 0; i < 1000; i++) {
        items[i] = i;
    }
    cr_expect_eq(a.used, 8000);
    arena_release(&a);
}

Test(arena, refused_memory_is_null_and_costs_nothing) {
    struct arena a;

    arena_init(&a, MIB);
    refuse_memory = true;
    cr_expect(arena_alloc(&a, 100) == NULL);
    refuse_memory = false;
    cr_expect_eq(a.used, 0);
    cr_expect(arena_alloc(&a, 100) != NULL);
    arena_release(&a);
}

Test(arena, nothing_is_a_valid_pointer) {
    struct arena a;

    arena_init(&a, MIB);
    cr_expect(arena_alloc(&a, 0) != NULL);
    cr_expect(arena_array(&a, 0, 8) != NULL);
    arena_release(&a);
}

Test(arena, str_outlives_its_source) {
    struct arena a;
    char *source = strdup("layer1.0");
    struct str copy;

    arena_init(&a, MIB);
    copy = arena_str(&a, str_from(source));
    free(source);
    cr_expect(str_eq_z(copy, "layer1.0"));
    cr_expect(arena_str(&a, (struct str){NULL, 0}).p == NULL);
    cr_expect(arena_str(&a, STR("")).p == NULL);
    arena_release(&a);
}

Test(arena, str_over_the_budget_is_empty) {
    struct arena a;
    struct str copy;

    arena_init(&a, 4);
    copy = arena_str(&a, STR("layer1.0"));
    cr_expect(copy.p == NULL && copy.n == 0);
    arena_release(&a);
}

Test(arena, release_takes_null_and_zeroed_and_twice) {
    struct arena a = {0};

    arena_release(NULL);
    arena_release(&a);
    arena_init(&a, MIB);
    cr_assert(arena_alloc(&a, 1) != NULL);
    arena_release(&a);
    arena_release(&a);
    cr_expect(a.blocks == NULL && a.used == 0 && a.max == 0);
}

#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>

Test(arena, bytes_behind_an_item_are_poisoned) {
    struct arena a;
    char *p;

    arena_init(&a, MIB);
    p = arena_alloc(&a, 13);
    cr_expect_not(__asan_address_is_poisoned(p + 12));
    cr_expect(__asan_address_is_poisoned(p + 13));
    cr_expect(__asan_address_is_poisoned(p + 16));
    arena_release(&a);
}
#endif
