// What killed its process, or did not end in time, is remembered for a while, so that the same
// input is not tried again at once. A bounded table; the oldest entry makes room. The owner locks.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

#define SRV_POISON_ENTRIES 256
#define SRV_POISON_MS 60000  // how long

struct srv_poison_entry {
    uint8_t key[SHA256_BYTES];
    int code;        // ERR_CRASH or ERR_TIMEOUT, 0 = free
    uint64_t until;  // milliseconds
};

// Zeroed is a valid empty table.
struct srv_poison {
    struct srv_poison_entry entries[SRV_POISON_ENTRIES];
    size_t next;
};

// `now` is any clock of milliseconds, the same for all calls.
void srv_poison_add(struct srv_poison *p, const uint8_t key[SHA256_BYTES], int code, uint64_t now);

// The code that is remembered, or 0. *left_ms: how long it still will be.
int srv_poison_find(const struct srv_poison *p, const uint8_t key[SHA256_BYTES], uint64_t now,
                    uint64_t *left_ms);
