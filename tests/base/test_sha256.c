#include "base/sha256.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect_digest(struct sha256 *s, const char *want) {
    uint8_t digest[SHA256_BYTES];
    char hex[SHA256_HEX + 1];

    sha256_done(s, digest);
    sha256_hex(digest, hex);
    cr_expect_str_eq(hex, want);
}

// The examples that NIST publishes for FIPS 180-4.
static const struct {
    const char *text;
    const char *digest;
} vectors[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
     "lmnopqrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

Test(sha256, agrees_with_the_vectors_of_the_standard) {
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        struct sha256 s;

        sha256_init(&s);
        sha256_add(&s, slice_from_str(str_from(vectors[i].text)));
        expect_digest(&s, vectors[i].digest);
    }
}

Test(sha256, a_million_letters_in_uneven_pieces) {
    const size_t n = 1000000;
    uint8_t *letters = malloc(n);
    struct sha256 s;
    size_t piece = 1;

    cr_assert(letters != NULL);
    memset(letters, 'a', n);
    sha256_init(&s);
    for (size_t at = 0; at < n; piece = piece * 3 % 1009 + 1) {
        size_t take = piece < n - at ? piece : n - at;

        sha256_add(&s, (struct slice){letters + at, take});
        at += take;
    }
    expect_digest(&s, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(letters);
}

Test(sha256, empty_pieces_change_nothing) {
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, (struct slice){NULL, 0});
    sha256_add(&s, slice_from_str(STR("abc")));
    sha256_add(&s, (struct slice){NULL, 0});
    expect_digest(&s, vectors[1].digest);
}

Test(sha256, state_starts_afresh) {
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, slice_from_str(STR("something else")));
    sha256_init(&s);
    sha256_add(&s, slice_from_str(STR("abc")));
    expect_digest(&s, vectors[1].digest);
}
