#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/pages.h"

#ifdef __has_feature
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

#define ALIGNMENT alignof(max_align_t)
#define BLOCK_MIN ((size_t)4 << 10)
#define BLOCK_MAX ((size_t)8 << 20)

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t cap;
    alignas(max_align_t) unsigned char bytes[];
};

void arena_init(struct arena *a, size_t max) {
    *a = (struct arena){.max = max};
}

void arena_release(struct arena *a) {
    struct arena_block *block, *next;

    if (!a) {
        return;
    }
    for (block = a->blocks; block; block = next) {
        next = block->next;
        UNPOISON(block->bytes, block->cap);
        free(block);
    }
    *a = (struct arena){0};
}

// calloc, because fresh pages come zeroed from the kernel and nothing in an arena is handed out
// twice.
static struct arena_block *block_new(size_t cap) {
    struct arena_block *block = calloc(1, sizeof(*block) + cap);

    if (!block) {
        return NULL;
    }
    pages_advise_large(block, sizeof(*block) + cap);
    block->cap = cap;
    POISON(block->bytes, cap);
    return block;
}

// Blocks grow with what the request has used: small requests stay small, large ones need few
// blocks.
static size_t block_size(const struct arena *a) {
    if (a->used < BLOCK_MIN) {
        return BLOCK_MIN;
    }
    return a->used < BLOCK_MAX ? a->used : BLOCK_MAX;
}

// A large item gets a block of its own behind the first, so that the rest of the first stays in
// use.
static struct arena_block *add_block(struct arena *a, size_t n) {
    size_t size = block_size(a);
    bool own = a->blocks && n > size / 4;
    struct arena_block *block = block_new(own || n > size ? n : size);

    if (!block) {
        return NULL;
    }
    if (own) {
        block->next = a->blocks->next;
        a->blocks->next = block;
    } else {
        block->next = a->blocks;
        a->blocks = block;
    }
    return block;
}

void *arena_alloc(struct arena *a, size_t n) {
    struct arena_block *block = a->blocks;
    size_t padded;
    void *p;

    if (!num_add(&padded, n ? n : 1, ALIGNMENT - 1)) {
        return NULL;
    }
    padded &= ~(ALIGNMENT - 1);
    if (padded > a->max - a->used) {
        return NULL;
    }
    if (!block || padded > block->cap - block->used) {
        block = add_block(a, padded);
    }
    if (!block) {
        return NULL;
    }
    p = block->bytes + block->used;
    block->used += padded;
    a->used += padded;
    UNPOISON(p, n);
    return p;
}

void *arena_array(struct arena *a, size_t count, size_t size) {
    size_t n;

    return num_mul(&n, count, size) ? arena_alloc(a, n) : NULL;
}

struct str arena_str(struct arena *a, struct str s) {
    char *copy = s.n ? arena_alloc(a, s.n) : NULL;

    if (!copy) {
        return (struct str){NULL, 0};
    }
    memcpy(copy, s.p, s.n);
    return (struct str){copy, s.n};
}

int arena_error(const struct arena *a, const char *what, struct error *err) {
    return error_set(err, ERR_NOMEM, "no memory left for %s: %zu of %zu bytes are in use", what,
                     a->used, a->max);
}
