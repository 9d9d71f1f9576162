// Incremental SHA-256 (FIPS 180-4): a model's id is the digest of its bytes as posted. nettle does
// the work; its header stays in sha256.c.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define SHA256_BYTES 32
#define SHA256_HEX 64

struct sha256 {
    uint64_t opaque[16];  // room for nettle's context; its size is asserted in sha256.c
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, struct slice bytes);
void sha256_done(struct sha256 *s, uint8_t digest[SHA256_BYTES]);

// Lower-case hex and a NUL.
void sha256_hex(const uint8_t digest[SHA256_BYTES], char hex[SHA256_HEX + 1]);
