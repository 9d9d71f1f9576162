// Memory of one request: many small allocations, one release. Bounded by a budget given at birth.
//
// Everything comes zeroed and aligned for any type. Nothing is freed singly. Not for more than one
// thread. Under AddressSanitizer the unused rest of each block is poisoned.
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t used;  // bytes handed out, padding included
    size_t max;   // budget in bytes
};

void arena_init(struct arena *a, size_t max);
void arena_release(struct arena *a);  // NULL and zeroed are fine

// NULL when the budget or memory is exhausted. n = 0 gives a valid pointer.
void *arena_alloc(struct arena *a, size_t n);

// Room for `count` items of `size` bytes; the product is checked.
void *arena_array(struct arena *a, size_t count, size_t size);

// A copy that lives as long as the arena; {NULL, 0} on failure and for an empty view.
struct str arena_str(struct arena *a, struct str s);

// The text of a failed arena as an error. Returns ERR_NOMEM.
int arena_error(const struct arena *a, const char *what, struct error *err);
