// SipHash-1-3 (Aumasson and Bernstein, 2012): a hash of foreign bytes that nobody can aim without
// the key.
//
// map_hash() is what tables use; this is the bare function, for a key that the caller names.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
    uint64_t k0, k1;
};

uint64_t siphash13(struct siphash_key key, const void *p, size_t n);
