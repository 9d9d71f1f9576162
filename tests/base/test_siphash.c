#include "base/siphash.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/attr.h"

struct vector {
    size_t n;
    uint64_t hash;
};

// Key 00 01 .. 0f, message 00 01 .. n-1: the vectors of the SipHash paper's scheme for one
// compression and three finalization rounds, as the standard library of Rust lists them (there as
// little-endian bytes).
static const struct vector vectors[] = {
    {0, 0xabac0158050fc4dc},  {1, 0xc9f49bf37d57ca93},  {2, 0x82cb9b024dc7d44d},
    {3, 0x8bf80ab8e7ddf7fb},  {4, 0xcf75576088d38328},  {5, 0xdef9d52f49533b67},
    {6, 0xc50d2b50c59f22a7},  {7, 0xd3927d989bb11140},  {8, 0x369095118d299a8e},
    {9, 0x25a48eb36c063de4},  {15, 0xd320d86d2a519956}, {16, 0xcc4fdd1a7d908b66},
    {31, 0x2370dd1f8c21d1bc}, {32, 0x81157b6c16a7b60d}, {63, 0x9d199062b7bbb3a8},
};

Test(siphash, agrees_with_published_vectors) {
    const struct siphash_key key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    uint8_t message[64];

    for (size_t i = 0; i < sizeof(message); i++) {
        message[i] = (uint8_t)i;
    }
    for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
        cr_expect_eq(siphash13(key, message, vectors[i].n), vectors[i].hash, "%zu bytes",
                     vectors[i].n);
    }
}

Test(siphash, does_not_depend_on_alignment) {
    const struct siphash_key key = {1, 2};
    char text[32] = "/layer1/layer1.0/conv1/Conv";
    uint64_t want = siphash13(key, text, 20);

    for (size_t shift = 1; shift < 8; shift++) {
        char moved[40];

        memcpy(moved + shift, text, 20);
        cr_expect_eq(siphash13(key, moved + shift, 20), want, "shift %zu", shift);
    }
}

Test(siphash, both_halves_of_the_key_matter) {
    uint64_t h = siphash13((struct siphash_key){1, 2}, "x", 1);

    cr_expect_neq(siphash13((struct siphash_key){3, 2}, "x", 1), h);
    cr_expect_neq(siphash13((struct siphash_key){1, 3}, "x", 1), h);
}

Test(siphash, nothing_may_be_null) {
    const struct siphash_key key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

    cr_expect_eq(siphash13(key, NULL, 0), vectors[0].hash);
}
