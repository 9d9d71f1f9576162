#include "base/siphash.h"

#include <endian.h>
#include <string.h>

struct state {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotl(uint64_t x, unsigned bits) {
    return x << bits | x >> (64 - bits);
}

static void sip_round(struct state *s) {
    s->v0 += s->v1;
    s->v1 = rotl(s->v1, 13) ^ s->v0;
    s->v0 = rotl(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotl(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotl(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotl(s->v1, 17) ^ s->v2;
    s->v2 = rotl(s->v2, 32);
}

static void compress(struct state *s, uint64_t word) {
    s->v3 ^= word;
    sip_round(s);
    s->v0 ^= word;
}

static uint64_t word_at(const uint8_t *p) {
    uint64_t word;

    memcpy(&word, p, sizeof(word));
    return le64toh(word);
}

// The bytes that fill no word, below the length in the top byte.
static uint64_t last_word(const uint8_t *p, size_t n) {
    uint64_t word = (uint64_t)n << 56;

    for (size_t i = n & ~(size_t)7; i < n; i++) {
        word |= (uint64_t)p[i] << (8 * (i & 7));
    }
    return word;
}

uint64_t siphash13(struct siphash_key key, const void *p, size_t n) {
    const uint8_t *bytes = p;
    struct state s = {
        .v0 = key.k0 ^ 0x736f6d6570736575u,
        .v1 = key.k1 ^ 0x646f72616e646f6du,
        .v2 = key.k0 ^ 0x6c7967656e657261u,
        .v3 = key.k1 ^ 0x7465646279746573u,
    };

    for (size_t i = 0; n - i >= 8; i += 8) {
        compress(&s, word_at(bytes + i));
    }
    compress(&s, last_word(bytes, n));
    s.v2 ^= 0xff;
    for (int i = 0; i < 3; i++) {
        sip_round(&s);
    }
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
