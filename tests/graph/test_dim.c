#include "graph/dim.h"

#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

static struct dim_pool pool;

static void begin(void) {
    dim_pool_init(&pool, 1 << 20);
}

static void end(void) {
    dim_pool_release(&pool);
}

TestSuite(dim, .init = begin, .fini = end);

static struct dim_num symbol(const char *name) {
    return dim_from((struct graph_dim){.value = -1, .symbol = str_from(name)});
}

static void expect(struct dim_num num, const char *text) {
    struct buf out;
    buf_init(&out, 256);
    infer_count_text(&out, num);
    cr_expect(str_eq_z(buf_str(&out), text), "%.*s, expected %s", STR_ARG(buf_str(&out)), text);
    buf_release(&out);
}

static struct dim_num add(struct dim_num a, int64_t b) {
    return dim_add(&pool, a, dim_int(b));
}

static struct dim_num mul(struct dim_num a, int64_t b) {
    return dim_mul(&pool, a, dim_int(b));
}

static struct dim_num half(struct dim_num a) {
    return dim_floor_div(&pool, a, dim_int(2));
}

Test(dim, sums_and_products_read_as_people_write_them) {
    struct dim_num batch = symbol("batch"), seq = symbol("seq");
    expect(mul(batch, 2), "2*batch");
    expect(add(seq, 1), "seq + 1");
    expect(add(seq, -1), "seq - 1");
    expect(dim_mul(&pool, batch, add(seq, 1)), "batch*seq + batch");
    expect(dim_sub(&pool, dim_int(3), batch), "-batch + 3");
    expect(dim_add(&pool, seq, dim_mul(&pool, batch, seq)), "batch*seq + seq");
}

Test(dim, equal_numbers_have_equal_texts) {
    struct dim_num n = symbol("n"), m = symbol("m");
    cr_expect(dim_same(mul(add(n, 1), 2), add(mul(n, 2), 2)));
    cr_expect(dim_same(dim_mul(&pool, n, m), dim_mul(&pool, m, n)));
    expect(dim_sub(&pool, add(n, 5), n), "5");
    expect(dim_sub(&pool, n, n), "0");
    cr_expect_not(dim_same(n, m));
    cr_expect_not(dim_same((struct dim_num){0}, (struct dim_num){0}));
}

Test(dim, quotients_are_rounded_down) {
    struct dim_num h = symbol("h");
    expect(dim_floor_div(&pool, dim_int(-3), dim_int(2)), "-2");
    expect(half(mul(h, 6)), "3*h");
    expect(half(h), "floor(h/2)");
    expect(half(add(mul(h, 4), 3)), "2*h + 1");
    expect(half(add(h, -1)), "floor((h + 1)/2) - 1");
    expect(dim_floor_div(&pool, dim_mul(&pool, h, symbol("w")), h), "w");
    expect(dim_floor_div(&pool, h, symbol("w")), "?");
    expect(dim_ceil_div(&pool, h, 2), "floor((h + 1)/2)");
    expect(dim_floor_div(&pool, h, dim_int(0)), "?");
}

// Five halvings of an image, as a convolutional network does: ceil(h / 32).
Test(dim, a_floor_in_a_floor_is_one) {
    struct dim_num h = symbol("h");
    for (unsigned i = 0; i < 5; i++) {
        h = dim_ceil_div(&pool, h, 2);
    }
    expect(h, "floor((h + 31)/32)");
}

Test(dim, a_quotient_that_has_no_rest_needs_no_floor) {
    struct dim_num n = symbol("n");
    expect(dim_exact_div(&pool, n, dim_int(768)), "n/768");
    expect(dim_exact_div(&pool, mul(n, 768), dim_int(768)), "n");
    expect(dim_exact_div(&pool, dim_int(7), dim_int(2)), "?");
    expect(dim_exact_div(&pool, n, dim_int(0)), "?");
}

Test(dim, what_overflows_is_cut_and_noted) {
    expect(mul(dim_int(INT64_MAX / 2 + 1), 2), "9223372036854775807");
    cr_expect(pool.saturated);
    pool.saturated = false;
    expect(add(dim_int(INT64_MAX), 1), "9223372036854775807");
    cr_expect(pool.saturated);
    expect(mul(mul(symbol("n"), INT64_MAX), 2), "?");
    expect(dim_floor_div(&pool, dim_add(&pool, mul(symbol("n"), INT64_MIN), dim_int(1)),
                         dim_int(3)),
           "?");
}

Test(dim, what_gets_too_long_is_unknown) {
    char name[DIM_TEXT_MAX + 1];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    struct dim_num n = symbol(name), power = symbol("m"), sum = dim_int(0);
    expect(n, name);
    expect(add(n, 1), "?");
    for (unsigned i = 0; i < DIM_ATOMS_MAX; i++) {
        power = dim_mul(&pool, power, symbol("m"));
    }
    expect(power, "?");
    static const char letters[] = "a\0b\0c\0d\0e\0f\0g\0h\0i";
    for (unsigned i = 0; i <= DIM_TERMS_MAX; i++) {
        sum = dim_add(&pool, sum, symbol(letters + (size_t)2 * i));
    }
    expect(sum, "?");
}

Test(dim, a_symbol_that_is_a_sum_keeps_its_brackets) {
    expect(mul(symbol("s0 + 1"), 2), "2*(s0 + 1)");
}

Test(dim, unknown_stays_unknown_but_for_zero) {
    const struct dim_num unknown = {0};
    expect(add(unknown, 1), "?");
    expect(mul(unknown, 2), "?");
    expect(mul(unknown, 0), "0");
    expect(dim_total(&pool, (struct dim_num[]){dim_int(1), unknown}, 2), "?");
}

Test(dim, a_total_is_the_sum) {
    struct dim_num n = symbol("n");
    const struct dim_num nums[] = {dim_int(1), mul(n, 2), dim_int(4), n};
    expect(dim_total(&pool, nums, 4), "3*n + 5");
    expect(dim_total(&pool, nums, 0), "0");
}

Test(dim, a_full_pool_gives_unknown) {
    struct dim_pool small;
    dim_pool_init(&small, 16);
    expect(dim_add(&small, symbol("n"), dim_int(1)), "?");
    dim_pool_release(&small);
}
