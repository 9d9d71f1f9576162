// An index of things by a digest, bounded by bytes: look-up, order of use, sum. Entries are
// embedded in the owner's struct; the index owns nothing and locks nothing.
//
// Keys are hashed with the seed of the process (base/map.h), so nobody outside can choose colliding
// ones.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/sha256.h"

#define SRV_LRU_KEY SHA256_BYTES

struct srv_lru_entry {
    uint8_t key[SRV_LRU_KEY];
    uint64_t bytes;
    struct srv_lru_entry *newer, *older;  // order of use
    struct srv_lru_entry *chain;          // same bucket
};

struct srv_lru {
    struct srv_lru_entry **buckets;
    size_t n_buckets;  // a power of two, or 0
    size_t n;
    uint64_t bytes;
    struct srv_lru_entry *newest, *oldest;
};

// Zeroed is a valid empty index. Release frees the index, not the entries.
void srv_lru_release(struct srv_lru *lru);

// The entry, or NULL; the order does not change.
struct srv_lru_entry *srv_lru_find(const struct srv_lru *lru, const uint8_t key[SRV_LRU_KEY]);

// Adds an entry as the newest; its key must not be there yet. Errors: ERR_NOMEM.
int srv_lru_add(struct srv_lru *lru, struct srv_lru_entry *e, struct error *err) WARN_UNUSED;

// Makes an entry the newest.
void srv_lru_use(struct srv_lru *lru, struct srv_lru_entry *e);

void srv_lru_remove(struct srv_lru *lru, struct srv_lru_entry *e);

// The up to `max` entries with the smallest keys greater than `after` (NULL = from the first),
// sorted, into `rows`. Returns how many.
size_t srv_lru_list(const struct srv_lru *lru, const uint8_t *after, struct srv_lru_entry **rows,
                    size_t max);
