#include "base/sha256.h"

#include <assert.h>
#include <nettle/sha2.h>
#include <stdalign.h>

// nettle renames its functions by macros, and ours have the same names.
#undef sha256_init

static_assert(sizeof(struct sha256_ctx) <= sizeof(struct sha256), "struct sha256 is too small");
static_assert(alignof(struct sha256_ctx) <= alignof(struct sha256), "struct sha256 is not aligned");

static struct sha256_ctx *context(struct sha256 *s) {
    return (struct sha256_ctx *)s->opaque;
}

void sha256_init(struct sha256 *s) {
    nettle_sha256_init(context(s));
}

void sha256_add(struct sha256 *s, struct slice bytes) {
    if (bytes.n) {
        nettle_sha256_update(context(s), bytes.n, bytes.p);
    }
}

void sha256_done(struct sha256 *s, uint8_t digest[SHA256_BYTES]) {
    nettle_sha256_digest(context(s), SHA256_BYTES, digest);
}

void sha256_hex(const uint8_t digest[SHA256_BYTES], char hex[SHA256_HEX + 1]) {
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < SHA256_BYTES; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[SHA256_HEX] = '\0';
}
