#include "onnx/memory.h"

#include <stdlib.h>

#include "base/num.h"

// The scratch arrays of protobuf-c start at twice this size.
#define SMALL_MAX 512

// An allocation may cost this much more than was asked for.
#define ROUNDING 32

struct onnx_block {
    struct onnx_block *prev, *next;
    size_t n;
};

// What tells the two kinds apart when they are freed: the arena hands out multiples of 16, malloc,
// too, and a large block's content lies behind its 24 bytes of header.
_Static_assert(sizeof(struct onnx_block) % 16 == 8, "a large block must not look like a small one");

static bool is_large(const void *p) {
    return (uintptr_t)p % 16 == 8;
}

void onnx_memory_init(struct onnx_memory *m, uint64_t max) {
    *m = (struct onnx_memory){.max = max};
    arena_init(&m->small, max < SIZE_MAX ? (size_t)max : SIZE_MAX);
}

void onnx_memory_release(struct onnx_memory *m) {
    struct onnx_block *next;
    for (struct onnx_block *b = m->large; b; b = next) {
        next = b->next;
        free(b);
    }
    arena_release(&m->small);
    *m = (struct onnx_memory){0};
}

static void *alloc_large(struct onnx_memory *m, size_t n) {
    size_t size;
    if (!num_add(&size, n, sizeof(struct onnx_block))) {
        return NULL;
    }
    struct onnx_block *b = calloc(1, size);
    if (!b) {
        return NULL;
    }
    *b = (struct onnx_block){.next = m->large, .n = size};
    if (m->large) {
        m->large->prev = b;
    }
    m->large = b;
    m->large_bytes += size;
    return b + 1;
}

void *onnx_memory_alloc(struct onnx_memory *m, size_t n) {
    uint64_t used = m->small.used + m->large_bytes;
    if (used > m->max || m->max - used < n || m->max - used - n < ROUNDING) {
        m->full = true;
        m->failed = true;
        return NULL;
    }
    void *p = n > SMALL_MAX ? alloc_large(m, n) : arena_alloc(&m->small, n);
    if (!p) {
        m->failed = true;
    }
    return p;
}

void *onnx_memory_array(struct onnx_memory *m, size_t count, size_t size) {
    size_t n;
    if (num_mul(&n, count, size)) {
        return onnx_memory_alloc(m, n);
    }
    m->failed = true;
    m->full = true;
    return NULL;
}

void onnx_memory_free(struct onnx_memory *m, void *p) {
    if (!p || !is_large(p)) {
        return;
    }
    struct onnx_block *b = (struct onnx_block *)p - 1;
    if (b->prev) {
        b->prev->next = b->next;
    } else {
        m->large = b->next;
    }
    if (b->next) {
        b->next->prev = b->prev;
    }
    m->large_bytes -= b->n;
    free(b);
}

int onnx_memory_error(const struct onnx_memory *m, struct error *err) {
    if (!m->full) {
        return error_set(err, ERR_NOMEM, "out of memory for the decoded model");
    }
    return error_set_limit(err, "max-memory",
                           "the decoded model needs more than %llu bytes (max-memory)",
                           (unsigned long long)m->max);
}
