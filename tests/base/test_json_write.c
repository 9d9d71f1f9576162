#include "base/json_write.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

#define OUT_MAX ((size_t)1 << 20)

static struct buf out;
static struct json_write w;

static void start(void) {
    buf_init(&out, OUT_MAX);
    json_write_init(&w, &out);
}

static void stop(void) {
    buf_release(&out);
}

TestSuite(json_write, .init = start, .fini = stop);

static void expect_output(const char *want) {
    cr_expect_eq(out.failed, 0);
    cr_expect(str_eq_z(buf_str(&out), want), "got %.*s, want %s", STR_ARG(buf_str(&out)), want);
}

static void restart(void) {
    buf_reset(&out);
    json_write_init(&w, &out);
}

Test(json_write, keeps_commas_and_nesting) {
    json_open_object(&w);
    json_key(&w, "a");
    json_open_array(&w);
    json_add_i64(&w, -1);
    json_open_object(&w);
    json_close_object(&w);
    json_open_array(&w);
    json_close_array(&w);
    json_add_null(&w);
    json_add_raw(&w, STR("{\"raw\":[1]}"));
    json_add_bool(&w, true);
    json_close_array(&w);
    json_member_bool(&w, "b", false);
    json_member_null(&w, "c");
    json_key_str(&w, STR("d"));
    json_open_object(&w);
    json_member_z(&w, "e", NULL);
    json_member_z(&w, "f", "x");
    json_member_str(&w, "g", (struct str){NULL, 0});
    json_close_object(&w);
    json_close_object(&w);
    expect_output("{\"a\":[-1,{},[],null,{\"raw\":[1]},true],\"b\":false,\"c\":null,"
                  "\"d\":{\"e\":null,\"f\":\"x\",\"g\":\"\"}}");
}

Test(json_write, integers_are_exact) {
    json_open_object(&w);
    json_member_i64(&w, "min", INT64_MIN);
    json_member_u64(&w, "max", UINT64_MAX);
    json_key(&w, "odd");
    json_add_u64(&w, 9007199254740993u);
    json_close_object(&w);
    expect_output("{\"min\":-9223372036854775808,\"max\":18446744073709551615,"
                  "\"odd\":9007199254740993}");
}

static const struct {
    struct str in;
    const char *want;
} strings[] = {
    {{"plain /path", 11}, "\"plain /path\""},
    {{"\"\\\b\f\n\r\t", 7}, "\"\\\"\\\\\\b\\f\\n\\r\\t\""},
    {{"\0\x1b\x7f", 3}, "\"\\u0000\\u001b\\u007f\""},
    {{"</script>&", 10}, "\"\\u003c/script\\u003e\\u0026\""},
    {{"\xC2\x85\xE2\x80\xA8\xE2\x80\xA9", 8}, "\"\\u0085\\u2028\\u2029\""},
    {{"a\xC3\xA9\xF0\x9F\x98\x80z", 8}, "\"a\xC3\xA9\xF0\x9F\x98\x80z\""},
    {{"a\xFF\xE2\x82", 4}, "\"a\uFFFD\uFFFD\""},
    {{"\xFF\nx", 3}, "\"\uFFFD\\nx\""},
    {{NULL, 0}, "\"\""},
};

Test(json_write, strings_are_escaped_and_well_formed) {
    for (size_t i = 0; i < ARRAY_LEN(strings); i++) {
        restart();
        json_add_str(&w, strings[i].in);
        expect_output(strings[i].want);
    }
}

Test(json_write, names_from_the_file_are_escaped_too) {
    json_open_object(&w);
    json_key_str(&w, STR("a\"<\n"));
    json_add_i64(&w, 1);
    json_close_object(&w);
    expect_output("{\"a\\\"\\u003c\\n\":1}");
}

// What Python's repr() gives, but for the form of the exponent and ".0".
static const struct {
    double in;
    const char *want;
} doubles[] = {
    {0, "0"},
    {1, "1"},
    {-1, "-1"},
    {0.5, "0.5"},
    {-0.125, "-0.125"},
    {0.001, "0.001"},
    {-0.01, "-0.01"},
    {0.1, "0.1"},
    {1.05, "1.05"},
    {123456.789, "123456.789"},
    {0.1 + 0.2, "0.30000000000000004"},
    {1.0 / 3, "0.3333333333333333"},
    {2.0 / 3, "0.6666666666666666"},
    {5e-324, "5e-324"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
    {1e22, "1e+22"},
    {1e23, "1e+23"},
    {9007199254740993.0, "9007199254740992"},
    {1e-7, "1e-07"},
    {123456789.0123, "123456789.0123"},
};

Test(json_write, doubles_are_short) {
    for (size_t i = 0; i < ARRAY_LEN(doubles); i++) {
        restart();
        json_add_double(&w, doubles[i].in);
        expect_output(doubles[i].want);
    }
}

Test(json_write, what_is_not_finite_is_null) {
    json_open_array(&w);
    json_add_double(&w, (double)NAN);
    json_add_double(&w, (double)INFINITY);
    json_add_double(&w, -(double)INFINITY);
    json_close_array(&w);
    expect_output("[null,null,null]");
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// Significant digits, which is what "shortest" counts.
static int digits_of(const char *text) {
    int n = 0, zeros = 0;

    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') {
            continue;
        }
        if (*text == '0') {
            zeros += n > 0;
            continue;
        }
        n += zeros + 1;
        zeros = 0;
    }
    return n;
}

static void expect_shortest(double v) {
    char shorter[40];
    int digits;

    restart();
    json_add_double(&w, v);
    buf_add_char(&out, '\0');
    cr_assert(strtod((char *)out.p, NULL) == v, "%s for %.17g", (char *)out.p, v);
    digits = digits_of((char *)out.p);
    if (digits < 2) {
        return;
    }
    snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, v);
    cr_assert(strtod(shorter, NULL) != v, "%s for %s", (char *)out.p, shorter);
}

Test(json_write, doubles_read_back_equal_and_no_shorter_form_does) {
    uint64_t state = 88172645463325252u;

    for (int i = 0; i < 50000; i++) {
        uint64_t bits = next_random(&state);
        double v;

        memcpy(&v, &bits, sizeof(v));
        if (isfinite(v)) {
            expect_shortest(v);
        }
        expect_shortest((double)(int64_t)(bits >> 20) / 1000.0);
        expect_shortest((double)(bits >> 40) / 8.0);
    }
}

// Names of every byte, read again by the other half of this pair.
Test(json_write, output_is_read_back_by_json_parse) {
    char every_byte[256];
    struct buf valid;
    struct json *doc = NULL;

    for (size_t i = 0; i < sizeof(every_byte); i++) {
        every_byte[i] = (char)i;
    }
    json_open_object(&w);
    json_member_str(&w, "all", (struct str){every_byte, sizeof(every_byte)});
    json_key(&w, "x");
    json_add_double(&w, -0.001);
    json_member_bool(&w, "yes", true);
    json_close_object(&w);
    cr_assert(utf8_valid(buf_str(&out)));
    cr_assert_eq(json_parse(&doc, buf_str(&out), NULL), 0);
    buf_init(&valid, 2000);
    buf_add_z(&valid, "\uFFFD");  // json_parse() reads \u0000 as this
    utf8_add_valid(&valid, (struct str){every_byte + 1, sizeof(every_byte) - 1});
    cr_expect(str_eq(json_str(json_get(doc, "all")), buf_str(&valid)));
    cr_expect_eq(json_num(json_get(doc, "x"), 0), -0.001);
    cr_expect(json_bool(json_get(doc, "yes"), false));
    json_free(doc);
    buf_release(&valid);
}

Test(json_write, nests_to_its_depth) {
    struct json *doc = NULL;

    for (int i = 0; i < JSON_WRITE_DEPTH; i++) {
        json_open_array(&w);
    }
    for (int i = 0; i < JSON_WRITE_DEPTH; i++) {
        json_close_array(&w);
    }
    cr_assert_eq(json_parse(&doc, buf_str(&out), NULL), 0);
    json_free(doc);
}

Test(json_write, a_full_buffer_fails_the_document) {
    struct error err;

    buf_release(&out);
    buf_init(&out, 10);
    json_open_object(&w);
    json_member_z(&w, "name", "longer than that");
    json_close_object(&w);
    cr_expect_eq(buf_check(&out, "graph.json", "max-output", &err), ERR_LIMIT);
}

#ifndef NDEBUG
Test(json_write, a_value_without_a_key_is_a_bug, .signal = SIGABRT) {
    json_open_object(&w);
    json_add_null(&w);
}

Test(json_write, closing_the_wrong_bracket_is_a_bug, .signal = SIGABRT) {
    json_open_object(&w);
    json_close_array(&w);
}

Test(json_write, two_documents_in_one_are_a_bug, .signal = SIGABRT) {
    json_add_null(&w);
    json_add_null(&w);
}
#endif
