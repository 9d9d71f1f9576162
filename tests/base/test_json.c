#include "base/json.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/base/refuse_memory.h"

static struct json *parse(const char *text) {
    struct json *doc = NULL;
    struct error err;

    cr_assert_eq(json_parse(&doc, str_from(text), &err), 0, "%s: %s", text, err.text);
    return doc;
}

Test(json, reads_every_kind_of_value) {
    struct json *doc = parse(" { \"s\" : \"a\\u00e9\\ud83d\\ude00\\n\" , \"n\" : -1.5e1 ,"
                             "\"t\":true,\"f\":false,\"z\":null,\"a\":[1,[2],{}]}\n");
    const struct json *a = json_get(doc, "a");

    cr_expect(str_eq_z(json_str(json_get(doc, "s")), "a\u00e9\U0001f600\n"));
    cr_expect_eq(json_num(json_get(doc, "n"), 0), -15);
    cr_expect(json_bool(json_get(doc, "t"), false));
    cr_expect_not(json_bool(json_get(doc, "f"), true));
    cr_expect_eq(json_len(a), 3);
    cr_expect_eq(json_num(json_at(a, 0), 0), 1);
    cr_expect_eq(json_len(json_at(a, 1)), 1);
    cr_expect(json_at(a, 2) != NULL);
    cr_expect(json_at(a, 3) == NULL);
    cr_expect(json_at(a, SIZE_MAX) == NULL);
    json_free(doc);
}

Test(json, other_kinds_give_nothing_or_the_fallback) {
    struct json *doc = parse("{\"s\":\"x\",\"n\":1,\"z\":null,\"o\":{\"k\":1},\"big\":1e999}");

    cr_expect(json_get(doc, "missing") == NULL);
    cr_expect(json_get(doc, "S") == NULL);
    cr_expect(json_get(json_get(doc, "s"), "k") == NULL);
    cr_expect(json_get(NULL, "k") == NULL);
    cr_expect(json_str(json_get(doc, "n")).p == NULL);
    cr_expect(json_str(NULL).p == NULL);
    cr_expect_eq(json_num(json_get(doc, "s"), 7), 7);
    cr_expect_eq(json_num(json_get(doc, "big"), 7), 7);
    cr_expect_eq(json_num(NULL, 7), 7);
    cr_expect(json_bool(json_get(doc, "z"), true));
    cr_expect(json_bool(NULL, true));
    cr_expect_eq(json_len(json_get(doc, "o")), 0);
    cr_expect(json_at(json_get(doc, "o"), 0) == NULL);
    cr_expect_eq(json_len(NULL), 0);
    json_free(doc);
    json_free(NULL);
}

Test(json, scalars_are_documents) {
    static const char *const texts[] = {"0", "-0", "1.25", "1E+2", "\"\"", "true", "null", "[]"};

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        json_free(parse(texts[i]));
    }
}

static const struct {
    const char *text;
    uint64_t offset;
} refused[] = {
    {"", 0},
    {" ", 1},
    {"{", 1},
    {"[1", 2},
    {"[1,]", 3},
    {"[1 2]", 3},
    {"{\"a\"}", 4},
    {"{\"a\":1,}", 7},
    {"{\"1\":1,", 7},
    {"{a:1}", 1},
    {"[1]x", 3},
    {"tru", 0},
    {"\"abc", 4},
    {"\"abc\\", 5},
    {"\"\\x\"", 1},
    {"\"\\ud800\"", 1},
    {"\"\\u00x0\"", 1},
    {"\"ab\\u12\"", 3},
    {"\"\\u", 1},
    {"\"a\nb\"", 2},
    {"\f1", 0},
    {"01", 2},
    {"-01", 3},
    {"1.", 2},
    {"[1.e3]", 3},
    {"1e", 2},
    {"1e+", 3},
    {"-", 1},
    {".5", 0},
    {"+1", 0},
    {"[NaN]", 1},
    {"[\"\xff\"]", 2},
    {"[\"\xed\xa0\x80\"]", 2},
};

// Inside an object cJSON points one byte behind the one that is wrong.
Test(json, refuses_what_is_no_json_and_says_where) {
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        struct json *doc = NULL;
        struct error err;
        int rc = json_parse(&doc, str_from(refused[i].text), &err);

        cr_expect_eq(rc, ERR_FORMAT, "\"%s\"", refused[i].text);
        cr_expect(doc == NULL, "\"%s\"", refused[i].text);
        cr_expect(err.offset == refused[i].offset || err.offset == refused[i].offset + 1,
                  "\"%s\": at %d, %s", refused[i].text, (int)err.offset, err.text);
        json_free(doc);
    }
}

Test(json, refuses_a_raw_nul) {
    struct json *doc = NULL;
    struct error err;

    cr_expect_eq(json_parse(&doc, STR("1\0garbage"), &err), ERR_FORMAT);
    cr_expect_eq(err.offset, 1);
    cr_expect_eq(json_parse(&doc, STR("\"a\0b\""), &err), ERR_FORMAT);
    cr_expect_eq(json_parse(&doc, (struct str){NULL, 0}, &err), ERR_FORMAT);
    cr_expect(doc == NULL);
}

// Each prefix in memory of exactly its length: a read behind the view is caught by
// AddressSanitizer.
Test(json, never_reads_behind_the_view) {
    static const char text[] = "{\"a\":[1,-2.5e3,\"\\u00e9\\\\\"],\"b\":{\"c\":true,\"d\":null}}";

    for (size_t n = 0; n < sizeof(text) - 1; n++) {
        char *exact = malloc(n ? n : 1);
        struct json *doc = NULL;

        cr_assert(exact != NULL);
        memcpy(exact, text, n);
        cr_expect_eq(json_parse(&doc, (struct str){exact, n}, NULL), ERR_FORMAT, "%zu", n);
        free(exact);
    }
    json_free(parse(text));
}

Test(json, an_escaped_nul_does_not_end_a_string) {
    struct json *doc = parse("[\"a\\u0000b\",\"a\\\\u0000b\",\"\\\\\\u0000\"]");

    cr_expect(str_eq_z(json_str(json_at(doc, 0)), "a\uFFFDb"));
    cr_expect(str_eq_z(json_str(json_at(doc, 1)), "a\\u0000b"));
    cr_expect(str_eq_z(json_str(json_at(doc, 2)), "\\\uFFFD"));
    json_free(doc);
}

static int parse_nested(size_t depth, struct error *err) {
    char *text = malloc(2 * depth);
    struct json *doc = NULL;
    int rc;

    cr_assert(text != NULL);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    rc = json_parse(&doc, (struct str){text, 2 * depth}, err);
    json_free(doc);
    free(text);
    return rc;
}

Test(json, nesting_has_a_limit) {
    struct error err;

    cr_expect_eq(parse_nested(1000, &err), 0);
    cr_expect_eq(parse_nested(1001, &err), ERR_FORMAT);
    cr_expect_str_eq(err.text, "the JSON text is nested too deeply");
    cr_expect_eq(parse_nested(1000000, &err), ERR_FORMAT);
    cr_expect_eq(err.offset, 1001);
}

static int parse_long(size_t n) {
    char *text = malloc(n);
    struct json *doc = NULL;
    int rc;

    cr_assert(text != NULL);
    memset(text, 'x', n);
    text[0] = text[n - 1] = '"';
    rc = json_parse(&doc, (struct str){text, n}, NULL);
    json_free(doc);
    free(text);
    return rc;
}

Test(json, refused_memory_is_an_error) {
    struct json *doc = NULL;
    int rc;

    refuse_memory = true;
    rc = json_parse(&doc, STR("[]"), NULL);
    refuse_memory = false;
    cr_expect_eq(rc, ERR_NOMEM);
    cr_expect(doc == NULL);
}

Test(json, size_has_a_limit) {
    cr_expect_eq(parse_long(JSON_PARSE_MAX), 0);
    cr_expect_eq(parse_long(JSON_PARSE_MAX + 1), ERR_LIMIT);
}
