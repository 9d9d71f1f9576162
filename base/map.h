// Hash map from text to a 32-bit index: the one look-up table for names out of a file.
//
// Keys are borrowed: they must outlive the map. The hash is SipHash-1-3 with a seed drawn once per
// process, so that a hostile file cannot choose colliding names; iteration order is never exposed.
// Zeroed is a valid empty map.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

#define MAP_NONE UINT32_MAX

struct map_slot;

struct map {
    struct map_slot *slots;
    size_t cap;  // a power of two, or 0
    size_t n;
};

void map_init(struct map *m);
void map_release(struct map *m);

// Makes room for n keys in one step; a hint, never needed. Errors: ERR_NOMEM.
int map_reserve(struct map *m, size_t n, struct error *err) WARN_UNUSED;

// Sets key -> value, replacing an older value. Errors: ERR_NOMEM.
int map_put(struct map *m, struct str key, uint32_t value, struct error *err) WARN_UNUSED;

// Sets key -> value only when the key is new. *found is the value that holds afterwards.
int map_put_new(struct map *m, struct str key, uint32_t value, uint32_t *found,
                struct error *err) WARN_UNUSED;

// For many keys in a row: hashes the key and starts to fetch its slot, so that the wait for memory
// overlaps with other work. The hash it returns is for map_put_new_hashed() and for this key only;
// it stays good whatever happens to the map.
uint32_t map_fetch(const struct map *m, struct str key);

// map_put_new() of a key that map_fetch() has hashed.
int map_put_new_hashed(struct map *m, struct str key, uint32_t hash, uint32_t value,
                       uint32_t *found, struct error *err) WARN_UNUSED;

// The value, or MAP_NONE.
uint32_t map_get(const struct map *m, struct str key);

// 64-bit seeded hash of some bytes (SipHash-1-3 with the seed of the process): for tables of other
// key types.
uint64_t map_hash(const void *p, size_t n);
