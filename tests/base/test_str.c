#include "base/str.h"

#include <criterion/criterion.h>

static void expect_text(struct str s, const char *want) {
    cr_expect(str_eq_z(s, want), "got \"%.*s\", want \"%s\"", STR_ARG(s), want);
}

Test(str, cmp_follows_bytes_then_length) {
    cr_expect(str_cmp(STR("a"), STR("b")) < 0);
    cr_expect(str_cmp(STR("b"), STR("a")) > 0);
    cr_expect(str_cmp(STR("ab"), STR("a")) > 0);
    cr_expect(str_cmp(STR("a"), STR("ab")) < 0);
    cr_expect(str_cmp(STR("ab"), STR("ab")) == 0);
    cr_expect(str_cmp(STR("\xff"), STR("a")) > 0);
    cr_expect(str_cmp(STR("a\0b"), STR("a\0c")) < 0);
    cr_expect(str_cmp((struct str){NULL, 0}, STR("")) == 0);
    cr_expect(str_cmp((struct str){NULL, 0}, STR("a")) < 0);
}

Test(str, starts_and_ends) {
    cr_expect(str_starts(STR("layer1.0"), STR("layer")));
    cr_expect(str_starts(STR("layer"), STR("layer")));
    cr_expect(str_starts(STR("layer"), STR("")));
    cr_expect_not(str_starts(STR("lay"), STR("layer")));
    cr_expect_not(str_starts(STR("blayer"), STR("layer")));
    cr_expect(str_ends(STR("a.onnx"), STR(".onnx")));
    cr_expect(str_ends(STR("a"), (struct str){NULL, 0}));
    cr_expect_not(str_ends(STR("onnx"), STR(".onnx")));
    cr_expect_not(str_ends(STR("a.onnx "), STR(".onnx")));
}

Test(str, eq_nocase_folds_ascii_letters_only) {
    cr_expect(str_eq_nocase(STR("KiB"), STR("kIb")));
    cr_expect(str_eq_nocase(STR(""), (struct str){NULL, 0}));
    cr_expect_not(str_eq_nocase(STR("a"), STR("ab")));
    cr_expect_not(str_eq_nocase(STR("["), STR("{")));
    cr_expect_not(str_eq_nocase(STR("@"), STR("`")));
    cr_expect_not(str_eq_nocase(STR("\xC3\x84"), STR("\xC3\xA4")));
}

Test(str, contains_finds_parts_and_bytes_behind_nul) {
    cr_expect(str_contains(STR("abcabd"), STR("abd")));
    cr_expect(str_contains(STR("a\0bc"), STR("bc")));
    cr_expect(str_contains(STR(""), STR("")));
    cr_expect_not(str_contains(STR("abc"), STR("abcd")));
    cr_expect_not(str_contains((struct str){NULL, 0}, STR("a")));
}

Test(str, find_gives_the_first_and_rfind_the_last) {
    cr_expect_eq(str_find(STR("a.b.c"), '.'), 1);
    cr_expect_eq(str_rfind(STR("a.b.c"), '.'), 3);
    cr_expect_eq(str_find(STR("abc"), '.'), STR_NPOS);
    cr_expect_eq(str_rfind(STR("abc"), '.'), STR_NPOS);
    cr_expect_eq(str_find((struct str){NULL, 0}, '.'), STR_NPOS);
    cr_expect_eq(str_rfind((struct str){NULL, 0}, '.'), STR_NPOS);
    cr_expect_eq(str_find(STR("\xff"), '\xff'), 0);
}

Test(str, sub_clips_at_the_end) {
    expect_text(str_sub(STR("abcd"), 1, 2), "bc");
    expect_text(str_sub(STR("abcd"), 1, SIZE_MAX), "bcd");
    expect_text(str_sub(STR("abcd"), 9, 1), "");
    expect_text(str_skip(STR("abcd"), 4), "");
    expect_text(str_skip(STR("abcd"), 3), "d");
}

// Joins the parts with '|' behind each.
static void expect_parts(struct str s, char sep, const char *want) {
    struct str rest = s, part;
    char got[64] = "";
    size_t n = 0;

    while (str_next(&rest, sep, &part)) {
        cr_assert(n + part.n + 2 < sizeof(got));
        memcpy(got + n, part.p, part.n);
        n += part.n;
        got[n++] = '|';
    }
    cr_expect_str_eq(got, want, "parts of \"%.*s\"", STR_ARG(s));
    cr_expect_not(str_next(&rest, sep, &part), "stays at the end");
}

Test(str, next_gives_every_part_once) {
    expect_parts(STR("a,b"), ',', "a|b|");
    expect_parts(STR("a,"), ',', "a||");
    expect_parts(STR(",a"), ',', "|a|");
    expect_parts(STR(","), ',', "||");
    expect_parts(STR("a,,b"), ',', "a||b|");
    expect_parts(STR("abc"), ',', "abc|");
    expect_parts(STR(""), ',', "");
    expect_parts((struct str){NULL, 0}, ',', "");
    expect_parts(STR("a\xff"
                     "b"),
                 '\xff', "a|b|");
}

// What is left behind "key=" is an empty text to everybody else.
Test(str, next_leaves_an_empty_rest_that_other_separators_see_as_nothing) {
    struct str rest = STR("key="), part;

    cr_assert(str_next(&rest, '=', &part));
    expect_text(part, "key");
    cr_expect_eq(rest.n, 0);
    cr_expect_not(str_next(&rest, ',', &part));
}

Test(str, next_splits_an_empty_part_into_nothing) {
    struct str outer = STR("x,"), part, inner;

    cr_assert(str_next(&outer, ',', &part));
    cr_assert(str_next(&outer, ',', &part));
    cr_expect_eq(part.n, 0);
    cr_expect_not(str_next(&part, ',', &inner));
}

Test(str, trim_takes_blanks_off_both_ends_only) {
    expect_text(str_trim(STR(" \t a b\r\n")), "a b");
    expect_text(str_trim(STR("   ")), "");
    expect_text(str_trim(STR("")), "");
    expect_text(str_trim((struct str){NULL, 0}), "");
    expect_text(str_trim(STR("\va")), "\va");
}
