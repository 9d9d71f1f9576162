#include "base/warnings.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/base/refuse_memory.h"

Test(warnings, keeps_code_place_and_message_in_order) {
    struct warnings w = {0};

    warnings_add(&w, "cycle", "/layer1/Add", "node %d reads itself", 3);
    warnings_add(&w, "truncated", NULL, "the file ends early");
    cr_assert_eq(w.n, 2);
    cr_expect_eq(w.total, 2);
    cr_expect_str_eq(w.items[0].code, "cycle");
    cr_expect_str_eq(w.items[0].where, "/layer1/Add");
    cr_expect_str_eq(w.items[0].message, "node 3 reads itself");
    cr_expect_str_eq(w.items[1].where, "");
    warnings_release(&w);
    cr_expect(w.items == NULL && w.n == 0 && w.total == 0);
}

Test(warnings, past_the_maximum_only_the_total_grows) {
    struct warnings w = {0};

    for (int i = 0; i < WARNINGS_MAX + 10; i++) {
        warnings_add(&w, "cycle", NULL, "%d", i);
    }
    cr_expect_eq(w.n, WARNINGS_MAX);
    cr_expect_eq(w.total, WARNINGS_MAX + 10);
    cr_expect_str_eq(w.items[WARNINGS_MAX - 1].message, "255");
    warnings_release(&w);
}

Test(warnings, foreign_text_loses_its_control_characters) {
    struct warnings w = {0};

    warnings_add(&w, "duplicate-value", "a\r\nb\x1b", "\"%s\" is there twice", "\x07\xC2\x85");
    cr_assert_eq(w.n, 1);
    cr_expect_str_eq(w.items[0].where, "a  b\uFFFD");
    cr_expect_str_eq(w.items[0].message, "\"\uFFFD\uFFFD\" is there twice");
    warnings_release(&w);
}

Test(warnings, long_text_is_cut) {
    struct warnings w = {0};
    char text[1000];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    warnings_add(&w, "cycle", text, "%s", text);
    cr_assert_eq(w.n, 1);
    cr_expect_eq(strlen(w.items[0].message), sizeof(w.items[0].message) - 1);
    cr_expect_eq(strlen(w.items[0].where), sizeof(w.items[0].where) - 1);
    warnings_release(&w);
}

Test(warnings, an_error_brings_its_place) {
    struct warnings w = {0};
    struct error err;

    error_set_at(&err, ERR_TRUNCATED, 1234, "graph.node[17]", "the file ends");
    warnings_add_error(&w, "truncated", &err);
    error_set_at(&err, ERR_TRUNCATED, 0, NULL, "the file ends");
    warnings_add_error(&w, "truncated", &err);
    error_set_at(&err, ERR_FORMAT, ERROR_NO_OFFSET, "graph", "no name");
    warnings_add_error(&w, "format", &err);
    error_set(&err, ERR_FORMAT, "100%% wrong: %%s");
    warnings_add_error(&w, "format", &err);
    cr_assert_eq(w.n, 4);
    cr_expect_str_eq(w.items[0].where, "byte 1234, graph.node[17]");
    cr_expect_str_eq(w.items[0].message, "the file ends");
    cr_expect_str_eq(w.items[1].where, "byte 0");
    cr_expect_str_eq(w.items[2].where, "graph");
    cr_expect_str_eq(w.items[3].where, "");
    cr_expect_str_eq(w.items[3].message, "100% wrong: %s");
    warnings_release(&w);
}

Test(warnings, without_memory_only_the_total_grows) {
    struct warnings w = {0};

    refuse_memory = true;
    warnings_add(&w, "cycle", NULL, "lost");
    refuse_memory = false;
    cr_expect_eq(w.n, 0);
    cr_expect_eq(w.total, 1);
    warnings_release(&w);
}

Test(warnings, release_takes_null_and_zeroed) {
    struct warnings w = {0};

    warnings_release(NULL);
    warnings_release(&w);
    cr_expect(w.items == NULL);
}
