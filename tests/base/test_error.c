#include "base/error.h"

#include <criterion/criterion.h>
#include <string.h>

Test(error, set_fills_code_and_text_and_no_place) {
    struct error err;

    memset(&err, 'x', sizeof(err));
    cr_assert_eq(error_set(&err, ERR_IO, "cannot open %s: %d", "a.onnx", 7), ERR_IO);
    cr_expect_eq(err.code, ERR_IO);
    cr_expect_str_eq(err.text, "cannot open a.onnx: 7");
    cr_expect(err.offset == ERROR_NO_OFFSET);
    cr_expect_str_eq(err.field, "");
    cr_expect_str_eq(err.limit, "");
}

Test(error, set_at_keeps_offset_and_field) {
    struct error err;

    error_set_at(&err, ERR_TRUNCATED, 1234, "graph.node[17]", "the file ends");
    cr_expect_eq(err.offset, 1234);
    cr_expect_str_eq(err.field, "graph.node[17]");
    error_set_at(&err, ERR_TRUNCATED, 0, NULL, "the file ends");
    cr_expect_eq(err.offset, 0);
    cr_expect_str_eq(err.field, "");
}

Test(error, set_limit_names_the_limit) {
    struct error err;

    cr_assert_eq(error_set_limit(&err, "max-body", "too long"), ERR_LIMIT);
    cr_expect_eq(err.code, ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-body");
    cr_expect(err.offset == ERROR_NO_OFFSET);
}

Test(error, without_a_struct_only_the_code_is_returned) {
    cr_expect_eq(error_set(NULL, ERR_FULL, "%s", "full"), ERR_FULL);
    cr_expect_eq(error_set_at(NULL, ERR_FORMAT, 1, "f", "x"), ERR_FORMAT);
    cr_expect_eq(error_set_limit(NULL, "l", "x"), ERR_LIMIT);
}

Test(error, control_characters_of_foreign_text_are_replaced) {
    struct error err;

    error_set_at(&err, ERR_FORMAT, 0, "a\x1b[31m", "op \"%s\"", "Co\x1b[2J\nnv\x7f\xff");
    cr_expect_str_eq(err.text, "op \"Co\uFFFD[2J nv\uFFFD\uFFFD\"");
    cr_expect_str_eq(err.field, "a\uFFFD[31m");
}

Test(error, long_text_is_cut_at_a_character) {
    char two_bytes_each[2048] = {0};
    struct error err;

    for (size_t i = 0; i < sizeof(two_bytes_each) - 1; i++) {
        two_bytes_each[i] = "\xC3\xA9"[i % 2];
    }
    error_set(&err, ERR_FORMAT, "%s", two_bytes_each);
    cr_assert_eq(strlen(err.text), 510);
    cr_expect(memcmp(err.text, two_bytes_each, 510) == 0);
}

// 2047 raw bytes end inside a character; what is cut there must not show up as U+FFFD.
Test(error, text_longer_than_the_format_room_leaves_no_torn_character) {
    char text[4096] = "";
    struct error err;

    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        text[i] = "\xF0\x9F\x98\x80"[i % 4];
    }
    error_set(&err, ERR_FORMAT, "%s", text);
    cr_assert_eq(strlen(err.text), 508);
    cr_expect(strstr(err.text, "\uFFFD") == NULL);
}

Test(error, may_be_wrapped_into_itself) {
    struct error err;

    error_set_at(&err, ERR_FORMAT, 9, "graph.node[1]", "no op_type");
    error_set_at(&err, err.code, err.offset, err.field, "part 2: %s", err.text);
    cr_expect_str_eq(err.text, "part 2: no op_type");
    cr_expect_str_eq(err.field, "graph.node[1]");
}

// An error travels to other processes as it lies in memory.
Test(error, bytes_behind_its_texts_are_zero) {
    struct error err;

    memset(&err, 'x', sizeof(err));
    error_set_at(&err, ERR_FORMAT, 1, "a long field path", "%0500d", 7);
    error_set_at(&err, ERR_FORMAT, 1, "f", "t");
    for (size_t i = 1; i < sizeof(err.field); i++) {
        cr_assert_eq(err.field[i], 0);
    }
    for (size_t i = 1; i < sizeof(err.text); i++) {
        cr_assert_eq(err.text[i], 0);
    }
}

Test(error, every_code_has_a_name_of_its_own) {
    for (int code = ERR_NOMEM; code >= ERR_UNSUPPORTED; code--) {
        cr_expect_str_neq(error_name(code), "unknown", "code %d", code);
        for (int other = ERR_NOMEM; other > code; other--) {
            cr_expect(strcmp(error_name(code), error_name(other)) != 0, "%d and %d", code, other);
        }
    }
    cr_expect_str_eq(error_name(ERR_LIMIT), "limit");
    cr_expect_str_eq(error_name(ERR_TRUNCATED), "truncated");
}

Test(error, other_codes_are_unknown) {
    const int others[] = {0, 1, ERR_UNSUPPORTED - 1, -1000, 2147483647, -2147483647 - 1};

    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        cr_expect_str_eq(error_name(others[i]), "unknown", "code %d", others[i]);
    }
}
