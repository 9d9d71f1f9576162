#include "base/num.h"

#include <criterion/criterion.h>

struct text_case {
    const char *text;
    bool ok;
    uint64_t want;
};

static void expect_parsed(bool (*parse)(struct str, uint64_t *), const struct text_case *cases,
                          size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t got = 12345;
        bool ok = parse(str_from(cases[i].text), &got);

        cr_expect(ok == cases[i].ok, "\"%s\"", cases[i].text);
        cr_expect_eq(got, cases[i].ok ? cases[i].want : 12345, "\"%s\"", cases[i].text);
    }
}

Test(num, arithmetic_tells_overflow) {
    uint32_t small;
    size_t z;

    cr_expect(num_add(&z, SIZE_MAX - 1, (size_t)1));
    cr_expect_eq(z, SIZE_MAX);
    cr_expect_not(num_add(&z, SIZE_MAX, (size_t)1));
    cr_expect_not(num_sub(&z, (size_t)1, (size_t)2));
    cr_expect_not(num_mul(&z, SIZE_MAX / 2, (size_t)3));
    cr_expect_not(num_mul(&small, (uint64_t)1 << 20, (uint64_t)1 << 20));
    cr_expect_not(num_sub(&z, 1, 2));
}

Test(num, parses_unsigned_decimals) {
    static const struct text_case cases[] = {
        {"0", true, 0},
        {"007", true, 7},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"18446744073709551620", false, 0},
        {"99999999999999999999999999", false, 0},
        {"", false, 0},
        {"-1", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"0x10", false, 0},
        {"1.0", false, 0},
        {"1e3", false, 0},
        {"\xD9\xA1", false, 0},
    };

    expect_parsed(num_parse_u64, cases, ARRAY_LEN(cases));
}

Test(num, takes_the_view_for_the_whole_text) {
    uint64_t v = 0;

    cr_expect(num_parse_u64((struct str){"1234", 2}, &v));
    cr_expect_eq(v, 12);
    cr_expect_not(num_parse_u64(STR("1\0"), &v));
    cr_expect_not(num_parse_u64((struct str){NULL, 0}, &v));
}

Test(num, parses_signed_decimals) {
    static const struct {
        const char *text;
        bool ok;
        int64_t want;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"-1", true, -1},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"-", false, 0},
        {"--1", false, 0},
        {"- 1", false, 0},
        {"+1", false, 0},
        {"", false, 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t got = 12345;

        cr_expect(num_parse_i64(str_from(cases[i].text), &got) == cases[i].ok, "\"%s\"",
                  cases[i].text);
        cr_expect_eq(got, cases[i].ok ? cases[i].want : 12345, "\"%s\"", cases[i].text);
    }
}

Test(num, parses_sizes) {
    static const struct text_case cases[] = {
        {"1500", true, 1500},
        {"64MiB", true, 67108864},
        {"2g", true, 2147483648},
        {"1K", true, 1024},
        {"1kb", true, 1024},
        {"3tIB", true, 3298534883328},
        {"16777215T", true, 18446742974197923840u},
        {"16777216T", false, 0},
        {"MiB", false, 0},
        {"", false, 0},
        {"1 MiB", false, 0},
        {"1Mi", false, 0},
        {"1.5M", false, 0},
        {"-1M", false, 0},
        {"1P", false, 0},
        {"1MiBs", false, 0},
    };

    expect_parsed(num_parse_size, cases, ARRAY_LEN(cases));
}

Test(num, parses_durations) {
    static const struct text_case cases[] = {
        {"30s", true, 30000}, {"250ms", true, 250}, {"5m", true, 300000},
        {"1500", true, 1500}, {"0", true, 0},       {"18446744073709551615s", false, 0},
        {"s", false, 0},      {"", false, 0},       {"1 s", false, 0},
        {"1.5s", false, 0},   {"-1s", false, 0},    {"1d", false, 0},
    };

    expect_parsed(num_parse_duration, cases, ARRAY_LEN(cases));
}

struct shown_case {
    uint64_t v;
    const char *want;
};

static void expect_shown(void (*add)(struct buf *, uint64_t), const struct shown_case *cases,
                         size_t n) {
    struct buf b;

    buf_init(&b, 100);
    for (size_t i = 0; i < n; i++) {
        buf_reset(&b);
        add(&b, cases[i].v);
        cr_expect(str_eq_z(buf_str(&b), cases[i].want), "got \"%.*s\", want \"%s\"",
                  STR_ARG(buf_str(&b)), cases[i].want);
    }
    buf_release(&b);
}

Test(num, shows_sizes) {
    static const struct shown_case cases[] = {
        {0, "0 bytes"},
        {1, "1 byte"},
        {40, "40 bytes"},
        {1023, "1023 bytes"},
        {1024, "1 KiB"},
        {12288, "12 KiB"},
        {1572864, "1.5 MiB"},
        {1048575, "1 MiB"},
        {1048524, "1023.9 KiB"},
        {1048525, "1 MiB"},
        {1152921504606846975, "1 EiB"},
        {UINT64_MAX, "16 EiB"},
    };

    expect_shown(num_add_size, cases, ARRAY_LEN(cases));
}

Test(num, shows_counts) {
    static const struct shown_case cases[] = {
        {0, "0"},
        {950, "950"},
        {999, "999"},
        {1000, "1 k"},
        {1049, "1 k"},
        {1050, "1.1 k"},
        {999949, "999.9 k"},
        {999950, "1 M"},
        {25557032, "25.6 M"},
        {1235814400, "1.2 G"},
        {UINT64_MAX, "18.4 E"},
    };

    expect_shown(num_add_count, cases, ARRAY_LEN(cases));
}

Test(num, reads_hexadecimal_digits_of_both_cases) {
    static const char digits[] = "0123456789abcdef";

    for (int i = 0; i < 16; i++) {
        cr_expect_eq(num_hex_digit(digits[i]), i);
    }
    cr_expect_eq(num_hex_digit('A'), 10);
    cr_expect_eq(num_hex_digit('F'), 15);
    for (int c = 0; c < 256; c++) {
        if (!strchr("0123456789abcdefABCDEF", c) || c == 0) {
            cr_expect_eq(num_hex_digit((char)c), -1, "%d", c);
        }
    }
}

Test(num, long_numbers_are_grouped_by_thousands) {
    static const struct {
        uint64_t n;
        const char *text;
    } cases[] = {
        {0, "0"},
        {999, "999"},
        {1000, "1,000"},
        {25557032, "25,557,032"},
        {7000005, "7,000,005"},
        {UINT64_MAX, "18,446,744,073,709,551,615"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf out;
        buf_init(&out, 64);
        num_add_grouped(&out, cases[i].n);
        cr_expect(str_eq_z(buf_str(&out), cases[i].text), "%.*s", STR_ARG(buf_str(&out)));
        buf_release(&out);
    }
}
