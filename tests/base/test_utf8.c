#include "base/utf8.h"

#include <criterion/criterion.h>
#include <iconv.h>
#include <stdlib.h>

#define BYTES(literal) STR(literal)

static void expect_content(const struct buf *b, struct str want, const char *what) {
    cr_expect(str_eq(buf_str(b), want), "%s: got \"%.*s\", want \"%.*s\"", what,
              STR_ARG(buf_str(b)), STR_ARG(want));
}

// Unicode 15, section 3.9: tables 3-8 to 3-11, and the example of table 3-8 of Unicode 6. R is
// U+FFFD.
#define R "\uFFFD"
static const struct {
    const char *what;
    struct str in, want;
} repairs[] = {
    {"non-shortest forms", {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", 9}, {R R R R R R R R "A", 25}},
    {"surrogates", {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", 9}, {R R R R R R R R "A", 25}},
    {"other ill-formed", {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", 9}, {R R R R R "A" R R "B", 23}},
    {"truncated", {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 9}, {R R R R "A", 13}},
    {"maximal subparts",
     {"\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64", 13},
     {"a" R R R "b" R "c" R R "d", 22}},
    {"end inside a character", {"a\xF0\x9F\x98", 4}, {"a" R, 4}},
    {"well-formed",
     {"a\0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 11},
     {"a\0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 11}},
    {"U+FFFD itself", {R, 3}, {R, 3}},
    {"nothing", {NULL, 0}, {NULL, 0}},
};

Test(utf8, repairs_as_the_unicode_standard_recommends) {
    struct buf b;

    buf_init(&b, 100);
    for (size_t i = 0; i < ARRAY_LEN(repairs); i++) {
        buf_reset(&b);
        utf8_add_valid(&b, repairs[i].in);
        expect_content(&b, repairs[i].want, repairs[i].what);
        cr_expect_eq(utf8_count(repairs[i].in), utf8_count(repairs[i].want), "%s", repairs[i].what);
        cr_expect(utf8_valid(repairs[i].in) == str_eq(repairs[i].in, repairs[i].want), "%s",
                  repairs[i].what);
        cr_expect(utf8_valid(repairs[i].want), "%s", repairs[i].what);
    }
    buf_release(&b);
}

static bool is_surrogate(uint32_t c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

Test(utf8, encodes_every_character_as_iconv_reads_it) {
    const size_t n_chars = 0x110000 - 0x800;
    iconv_t cd = iconv_open("UCS-4LE", "UTF-8");
    uint32_t *chars = calloc(n_chars, sizeof(*chars));
    struct buf b;
    char *in, *out = (char *)chars;
    size_t n_in, n_out = n_chars * sizeof(*chars), at = 0, pos = 0;

    buf_init(&b, 5000000);
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (!is_surrogate(c)) {
            utf8_add(&b, c);
        }
    }
    cr_assert_eq(buf_check(&b, "text", NULL, NULL), 0);
    cr_expect(utf8_valid(buf_str(&b)));
    in = (char *)b.p;
    n_in = b.n;
    cr_assert_eq(iconv(cd, &in, &n_in, &out, &n_out), 0);
    cr_assert_eq(n_out, 0);
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (is_surrogate(c)) {
            continue;
        }
        cr_assert_eq(chars[at++], c);
        cr_assert_eq(utf8_next(buf_str(&b), &pos), c);
    }
    cr_expect_eq(pos, b.n);
    iconv_close(cd);
    free(chars);
    buf_release(&b);
}

// Every sequence of two bytes, and of three with a first byte whose second has bounds of its own.
Test(utf8, accepts_what_iconv_accepts) {
    iconv_t cd = iconv_open("UCS-4LE", "UTF-8");
    static const unsigned firsts[] = {0xE0, 0xE1, 0xED, 0xEE, 0xEF};

    for (unsigned i = 0; i < 0x10000 + ARRAY_LEN(firsts) * 0x10000; i++) {
        unsigned first = i >= 0x10000 ? firsts[i / 0x10000 - 1] : 0;
        char bytes[3] = {(char)first, (char)(i >> 8), (char)i}, room[16];
        char *in = bytes + (first ? 0 : 1), *out = room;
        size_t n_in = first ? 3 : 2, n_out = sizeof(room);
        struct str s = {in, n_in};
        bool accepted;

        iconv(cd, NULL, NULL, NULL, NULL);
        accepted = iconv(cd, &in, &n_in, &out, &n_out) == 0 && n_in == 0;
        cr_assert(utf8_valid(s) == accepted, "%02x %06x", first, i);
    }
    iconv_close(cd);
}

Test(utf8, four_byte_bounds) {
    cr_expect(utf8_valid(BYTES("\xF0\x90\x80\x80")));
    cr_expect_not(utf8_valid(BYTES("\xF0\x8F\xBF\xBF")));
    cr_expect(utf8_valid(BYTES("\xF4\x8F\xBF\xBF")));
    cr_expect_not(utf8_valid(BYTES("\xF4\x90\x80\x80")));
    cr_expect_not(utf8_valid(BYTES("\xF5\x80\x80\x80")));
    cr_expect_not(utf8_valid(BYTES("\xF0\x90\x80")));
}

// The run of ASCII before it decides which path of the scan meets the bad byte.
Test(utf8, valid_length_points_at_the_first_bad_byte) {
    char text[40];

    for (size_t n = 0; n < sizeof(text); n++) {
        memset(text, 'a', sizeof(text));
        text[n] = '\xFF';
        cr_expect_eq(utf8_valid_length((struct str){text, sizeof(text)}), n);
    }
    cr_expect_eq(utf8_valid_length(BYTES("ab\xC3\xA9\xE2\x82")), 4);
    cr_expect_eq(utf8_valid_length(BYTES("ab\xC3\xA9")), 4);
    cr_expect_eq(utf8_valid_length((struct str){NULL, 0}), 0);
}

Test(utf8, never_reads_behind_the_view) {
    static const char whole[] = "\xF0\x9F\x98\x80";

    for (size_t n = 1; n < 4; n++) {
        char *exact = malloc(n);
        size_t pos = 0;

        cr_assert(exact != NULL);
        memcpy(exact, whole, n);
        cr_expect_eq(utf8_next((struct str){exact, n}, &pos), UTF8_REPLACEMENT);
        cr_expect_eq(pos, n);
        free(exact);
    }
}

Test(utf8, adds_replacement_for_what_is_no_character) {
    struct buf b;

    buf_init(&b, 100);
    utf8_add(&b, 0xD800);
    utf8_add(&b, 0xDFFF);
    utf8_add(&b, 0x110000);
    utf8_add(&b, UINT32_MAX);
    expect_content(&b, STR(R R R R), "no characters");
    buf_release(&b);
}

static void expect_range(uint32_t first, uint32_t last, uint32_t as) {
    for (uint32_t c = first; c <= last; c++) {
        cr_expect_eq(utf8_shown(c), as, "U+%04X", (unsigned)c);
    }
}

Test(utf8, shows_controls_as_replacement_and_blanks_as_space) {
    expect_range('\t', '\n', ' ');
    expect_range('\r', '\r', ' ');
    expect_range(0x00, 0x08, UTF8_REPLACEMENT);
    expect_range(0x0B, 0x0C, UTF8_REPLACEMENT);
    expect_range(0x0E, 0x1F, UTF8_REPLACEMENT);
    expect_range(0x7F, 0x9F, UTF8_REPLACEMENT);
    expect_range(0xD800, 0xF8FF, UTF8_REPLACEMENT);
    expect_range(0xFDD0, 0xFDEF, UTF8_REPLACEMENT);
    expect_range(0xFFFE, 0xFFFF, UTF8_REPLACEMENT);
    expect_range(0x1FFFE, 0x1FFFF, UTF8_REPLACEMENT);
    expect_range(0x10FFFE, 0x110000, UTF8_REPLACEMENT);
    expect_range(0xF0000, 0xF0001, UTF8_REPLACEMENT);
    expect_range(UINT32_MAX - 1, UINT32_MAX - 1, UTF8_REPLACEMENT);
}

Test(utf8, shows_a_stand_in_for_what_hides_or_reorders) {
    expect_range(0x202A, 0x202E, UTF8_INVISIBLE);
    expect_range(0x2066, 0x2069, UTF8_INVISIBLE);
    expect_range(0x200B, 0x200F, UTF8_INVISIBLE);
    expect_range(0x2028, 0x2029, UTF8_INVISIBLE);
    expect_range(0x061C, 0x061C, UTF8_INVISIBLE);
    expect_range(0x2060, 0x2060, UTF8_INVISIBLE);
    expect_range(0xFEFF, 0xFEFF, UTF8_INVISIBLE);
    expect_range(0xE0020, 0xE007F, UTF8_INVISIBLE);
}

Test(utf8, shows_ordinary_characters_as_they_are) {
    static const uint32_t same[] = {' ',    '!',    '~',    0xA0,   0xAC,    0xAE,   0x3B1,
                                    0x2010, 0x2026, 0x202F, 0x2030, 0x4E2D,  0xFFFD, 0xFDF0,
                                    0xFDCF, 0xF900, 0xD7FF, 0xFF9F, 0x1F600, 0x20000};

    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        cr_expect_eq(utf8_shown(same[i]), same[i]);
    }
}

static const struct {
    struct str in;
    size_t max_chars, max_bytes;
    const char *want;
} cuts[] = {
    {{"abcdefghij", 10}, 10, 100, "abcdefghij"},
    {{"abcdefghij", 10}, 9, 100, "abcd\u2026ghij"},
    {{"abcdefghij", 10}, 6, 100, "abc\u2026ij"},
    {{"abcdefghij", 10}, 2, 100, "a\u2026"},
    {{"abcdefghij", 10}, 1, 100, "\u2026"},
    {{"abcdefghij", 10}, 0, 100, ""},
    {{"abcdefghij", 10}, 100, 10, "abcdefghij"},
    {{"abcdefghij", 10}, 100, 9, "abc\u2026hij"},
    {{"abcdefghij", 10}, 100, 4, "a\u2026"},
    {{"abcdefghij", 10}, 100, 3, "\u2026"},
    {{"abcdefghij", 10}, 100, 2, ""},
    {{"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 8}, 100, 7, "\u00E9\u2026\u00E9"},
    {{"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 8}, 3, 100, "\u00E9\u2026\u00E9"},
    {{"\xFF\xFF\xFF", 3}, 3, 9, R R R},
    {{"\xFF\xFF\xFF", 3}, 3, 8, R "\u2026"},
    {{"a\tb\0c", 5}, 10, 100, "a b" R "c"},
    {{NULL, 0}, 0, 0, ""},
};

Test(utf8, cuts_shown_text_in_the_middle) {
    struct buf b;

    buf_init(&b, 100);
    for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
        buf_reset(&b);
        utf8_add_shown(&b, cuts[i].in, cuts[i].max_chars, cuts[i].max_bytes);
        cr_expect(str_eq_z(buf_str(&b), cuts[i].want), "case %zu: got \"%.*s\", want \"%s\"", i,
                  STR_ARG(buf_str(&b)), cuts[i].want);
    }
    buf_release(&b);
}

// Every mixture of widths, at every budget: the bounds hold, the result is well-formed, and nothing
// is lost that had room.
Test(utf8, shown_text_keeps_both_budgets) {
    static const struct str text = {"a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xFF z\xE2\x82", 15};
    struct buf b;

    buf_init(&b, 1000);
    for (size_t chars = 0; chars < 12; chars++) {
        for (size_t bytes = 0; bytes < 24; bytes++) {
            buf_reset(&b);
            utf8_add_shown(&b, text, chars, bytes);
            cr_expect(b.n <= bytes && utf8_count(buf_str(&b)) <= chars, "%zu, %zu", chars, bytes);
            cr_expect(utf8_valid(buf_str(&b)), "%zu, %zu", chars, bytes);
            cr_expect((b.n > 0) == (chars >= 1 && bytes >= 3), "%zu, %zu", chars, bytes);
        }
    }
    buf_release(&b);
}

Test(utf8, copy_ends_in_nul_and_at_a_character) {
    char out[6];

    utf8_copy_shown(out, sizeof(out), STR("abcdefgh"));
    cr_expect_str_eq(out, "abcde");
    utf8_copy_shown(out, sizeof(out), STR("abcd\u00E9"));
    cr_expect_str_eq(out, "abcd");
    utf8_copy_shown(out, sizeof(out), STR("abc\u00E9"));
    cr_expect_str_eq(out, "abc\u00E9");
    utf8_copy_shown(out, 1, STR("abc"));
    cr_expect_str_eq(out, "");
    out[0] = 'x';
    utf8_copy_shown(out, 0, STR("abc"));
    cr_expect_eq(out[0], 'x');
}
