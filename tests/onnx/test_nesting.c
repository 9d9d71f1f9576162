#include "onnx/nesting.h"

#include <criterion/criterion.h>

#include "tests/onnx/bytes.h"

// graph > node > attribute > graph: a model of 4 levels, and 3 more per round.
static void put_nested(struct bytes *b, size_t rounds) {
    open_field(b, 7);
    for (size_t i = 0; i < rounds; i++) {
        open_field(b, 1);
        open_field(b, 5);
        open_field(b, 6);
    }
    for (size_t i = 0; i < 3 * rounds + 1; i++) {
        close_field(b);
    }
}

Test(nesting, counts_levels_of_messages) {
    struct bytes b = {0};
    struct error err;
    put_nested(&b, 3);
    cr_expect_eq(onnx_nesting_check(bytes_slice(&b), 11, &err), 0);
    cr_expect_eq(onnx_nesting_check(bytes_slice(&b), 10, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-depth");
    bytes_free(&b);
}

Test(nesting, no_setting_allows_what_would_overflow_a_stack) {
    struct bytes deep = {0};
    struct error err;
    // Types nest, too: sequence(sequence(...)), built from the inside.
    for (size_t i = 0; i < 300; i++) {
        struct bytes element = {0}, type = {0};
        put_message(&element, 1, &deep);
        put_message(&type, 4, &element);
        bytes_free(&element);
        bytes_free(&deep);
        deep = type;
    }
    struct bytes model = {0};
    open_field(&model, 7);
    open_field(&model, 11);
    put_message(&model, 2, &deep);
    close_field(&model);
    close_field(&model);
    cr_expect_eq(onnx_nesting_check(bytes_slice(&model), UINT64_MAX, &err), ERR_LIMIT);
    bytes_free(&model);
    bytes_free(&deep);
}

Test(nesting, refuses_what_is_not_well_formed) {
    struct error err;
    struct slice broken = {(const uint8_t *)"\x08\x08\x3a\x03\x0a\x05x", 7};
    cr_expect_eq(onnx_nesting_check(broken, 100, &err), ERR_FORMAT);
    cr_expect_eq(err.offset, 4);
}
