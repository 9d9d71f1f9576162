// Hash map from two 32-bit indexes to a third: "the child of this site with that name", "the call
// of this site with that number".
//
// Seeded like base/map.h. Zeroed is a valid empty map; iteration order is never exposed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"

#define GRAPH_PAIRS_NONE UINT32_MAX

struct graph_pair_slot;

struct graph_pairs {
    struct graph_pair_slot *slots;
    size_t cap;  // a power of two, or 0
    size_t n;
};

void graph_pairs_init(struct graph_pairs *p);
void graph_pairs_release(struct graph_pairs *p);

// Sets (a, b) -> value, replacing an older value. `value` is not GRAPH_PAIRS_NONE. Errors:
// ERR_NOMEM.
int graph_pairs_put(struct graph_pairs *p, uint32_t a, uint32_t b, uint32_t value,
                    struct error *err) WARN_UNUSED;

// The value, or GRAPH_PAIRS_NONE.
uint32_t graph_pairs_get(const struct graph_pairs *p, uint32_t a, uint32_t b);
