#include "base/buf.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/base/refuse_memory.h"

static void expect_content(const struct buf *b, const char *want) {
    cr_expect(str_eq_z(buf_str(b), want), "got \"%.*s\", want \"%s\"", STR_ARG(buf_str(b)), want);
}

Test(buf, collects_all_kinds) {
    struct buf b;

    buf_init(&b, 1000);
    buf_add(&b, "ab", 2);
    buf_add_str(&b, STR("c\0d"));
    buf_truncate(&b, 3);
    buf_add_z(&b, "-z-");
    buf_add_char(&b, '!');
    buf_printf(&b, "%04x", 0xabu);
    expect_content(&b, "abc-z-!00ab");
    cr_expect_eq(buf_check(&b, "x", NULL, NULL), 0);
    buf_release(&b);
}

Test(buf, writes_extreme_integers) {
    struct buf b;

    buf_init(&b, 1000);
    buf_add_u64(&b, 0);
    buf_add_char(&b, ' ');
    buf_add_u64(&b, UINT64_MAX);
    buf_add_char(&b, ' ');
    buf_add_i64(&b, INT64_MIN);
    buf_add_char(&b, ' ');
    buf_add_i64(&b, -1);
    buf_add_char(&b, ' ');
    buf_add_i64(&b, INT64_MAX);
    expect_content(&b, "0 18446744073709551615 -9223372036854775808 -1 9223372036854775807");
    buf_release(&b);
}

Test(buf, fills_its_maximum_to_the_last_byte) {
    struct buf b;

    buf_init(&b, 100);
    for (int i = 0; i < 100; i++) {
        buf_add_char(&b, 'x');
    }
    cr_expect_eq(buf_check(&b, "x", NULL, NULL), 0);
    cr_expect_eq(b.n, 100);
    cr_expect(b.cap <= 100);
    buf_add_char(&b, 'y');
    cr_expect_eq(b.failed, ERR_LIMIT);
    cr_expect_eq(b.n, 100);
    buf_release(&b);
}

Test(buf, first_failure_sticks) {
    struct error err;
    struct buf b;

    buf_init(&b, 4);
    buf_add_z(&b, "abc");
    buf_add_z(&b, "de");
    buf_add_z(&b, "f");
    expect_content(&b, "abc");
    cr_assert_eq(buf_check(&b, "graph.json", "max-output", &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-output");
    cr_expect_str_eq(err.text, "graph.json would be larger than 4 bytes");
    cr_assert_eq(buf_check(&b, "graph.json", NULL, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "");
    buf_release(&b);
}

Test(buf, reset_forgets_content_and_failure_and_keeps_the_maximum) {
    struct buf b;

    buf_init(&b, 2);
    buf_add_z(&b, "abc");
    buf_reset(&b);
    buf_add_z(&b, "ok");
    expect_content(&b, "ok");
    buf_add_char(&b, '!');
    cr_expect_eq(b.failed, ERR_LIMIT);
    buf_release(&b);
}

Test(buf, zeroed_is_empty_with_maximum_0) {
    struct buf b = {0};

    buf_add(&b, NULL, 0);
    buf_add_z(&b, "");
    buf_add_z(&b, NULL);
    cr_expect_eq(b.failed, 0);
    buf_add_char(&b, 'x');
    cr_expect_eq(b.failed, ERR_LIMIT);
    buf_release(&b);
    buf_release(NULL);
    cr_expect(b.p == NULL);
}

Test(buf, lengths_near_the_end_of_size_t_are_refused) {
    struct buf b;

    buf_init(&b, 1000);
    buf_add_z(&b, "abc");
    cr_expect(buf_reserve(&b, SIZE_MAX) == NULL);
    cr_expect_eq(b.failed, ERR_LIMIT);
    buf_release(&b);
}

Test(buf, out_of_memory_is_an_error_and_keeps_the_content) {
    struct error err;
    struct buf b;

    buf_init(&b, 1000);
    buf_add_z(&b, "abc");
    refuse_memory = true;
    cr_expect(buf_reserve(&b, 500) == NULL);
    refuse_memory = false;
    buf_add_char(&b, 'd');
    cr_assert_eq(buf_check(&b, "graph.svg", "max-output", &err), ERR_NOMEM);
    cr_expect_str_eq(err.text, "no memory left for graph.svg");
    cr_expect_str_eq(err.limit, "");
    expect_content(&b, "abc");
    buf_release(&b);
}

Test(buf, reserve_gives_room_that_counts_when_the_caller_says_so) {
    struct buf b;
    uint8_t *p;

    buf_init(&b, 5000);
    buf_add_z(&b, "ab");
    p = buf_reserve(&b, 3000);
    cr_assert(p != NULL);
    memset(p, 'c', 3000);
    cr_expect_eq(b.n, 2);
    b.n += 1;
    expect_content(&b, "abc");
    buf_release(&b);
}

Test(buf, reserve_of_nothing_gives_a_pointer) {
    struct buf b;

    buf_init(&b, 0);
    cr_expect(buf_reserve(&b, 0) != NULL);
    cr_expect_eq(b.failed, 0);
    buf_release(&b);
}

Test(buf, printf_longer_than_its_first_try_is_whole) {
    struct buf b;

    buf_init(&b, 2000);
    buf_printf(&b, "%01000d", 7);
    cr_assert_eq(b.n, 1000);
    cr_expect(b.p[0] == '0' && b.p[998] == '0' && b.p[999] == '7');
    buf_printf(&b, "%01001d", 7);
    cr_expect_eq(b.failed, ERR_LIMIT);
    cr_expect_eq(b.n, 1000);
    buf_release(&b);
}

Test(buf, truncate_past_the_end_does_nothing) {
    struct buf b;

    buf_init(&b, 10);
    buf_add_z(&b, "abc");
    buf_truncate(&b, 4);
    expect_content(&b, "abc");
    buf_truncate(&b, 0);
    expect_content(&b, "");
    buf_release(&b);
}

Test(buf, gives_its_content_as_a_c_string) {
    struct buf b;

    buf_init(&b, 4);
    cr_expect_str_eq(buf_z(&b), "");
    buf_add_z(&b, "abc");
    cr_expect_str_eq(buf_z(&b), "abc");
    cr_expect_eq(b.n, 3);
    buf_add_char(&b, 'd');
    cr_expect_null(buf_z(&b), "no room for the NUL");
    cr_expect_null(buf_z(&b));
    buf_release(&b);
}
