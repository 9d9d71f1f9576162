// However an upload is cut into chunks, the result is the same.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/onnx/run_strip.h"

static void expect_same_for_every_split(struct slice in, const char *what) {
    struct stripped whole = strip_all(in);
    for (size_t at = 0; at <= in.n; at++) {
        struct stripped r = strip_at(in, at);
        cr_assert(stripped_equal(&whole, &r), "%s cut at %zu", what, at);
        stripped_free(&r);
    }
    stripped_free(&whole);
}

static void expect_same_for_every_size(struct slice in, const char *what) {
    static const size_t sizes[] = {1, 2, 3, 7, 16, 61, 512, 4096};
    struct stripped whole = strip_all(in);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct stripped r = strip_by(in, sizes[i]);
        cr_assert(stripped_equal(&whole, &r), "%s in chunks of %zu", what, sizes[i]);
        stripped_free(&r);
    }
    stripped_free(&whole);
}

static const char *const fixtures[] = {
    "wire/mlp.onnx",         "wire/script_if.onnx",       "wire/script_loop.onnx",
    "wire/dynamo.onnx",      "wire/unknown_fields.onnx",  "wire/nested_graphs.onnx",
    "wire/mixed_dims.onnx",  "wire/truncated.onnx",       "wire/ragged_floats.onnx",
    "wire/stray_group.onnx", "wire/long_tag.onnx",        "wire/any_bytes.onnx",
    "wire/replaced.onnx",    "wire/line_feeds_lost.onnx", "wire/noise.onnx",
};

Test(strip_chunks, one_cut_anywhere_changes_nothing) {
    for (size_t i = 0; i < sizeof(fixtures) / sizeof(*fixtures); i++) {
        struct slice in = read_fixture(fixtures[i]);
        if (in.n <= 3000) {
            expect_same_for_every_split(in, fixtures[i]);
        }
        free((void *)(uintptr_t)in.p);
    }
}

Test(strip_chunks, small_and_large_chunks_change_nothing) {
    for (size_t i = 0; i < sizeof(fixtures) / sizeof(*fixtures); i++) {
        struct slice in = read_fixture(fixtures[i]);
        expect_same_for_every_size(in, fixtures[i]);
        free((void *)(uintptr_t)in.p);
    }
}

Test(strip_chunks, a_payload_is_dropped_wherever_it_is_cut) {
    struct bytes in = {0};
    open_field(&in, 7);
    put_node(&in, "Relu", "x", "y");
    open_field(&in, 5);
    put_int(&in, 5, 77);
    open_field(&in, 9);
    put_zeros(&in, 1500);
    close_field(&in);
    put_text(&in, 8, "w");
    close_field(&in);
    close_field(&in);
    expect_same_for_every_split(bytes_slice(&in), "a payload");
    expect_same_for_every_size(bytes_slice(&in), "a payload");
    bytes_free(&in);
}

Test(strip_chunks, stripping_twice_is_stripping_once) {
    for (size_t i = 0; i < sizeof(fixtures) / sizeof(*fixtures); i++) {
        struct slice in = read_fixture(fixtures[i]);
        struct stripped once = strip_all(in);
        if (once.rc == 0) {
            struct stripped twice = strip_all(once.skeleton);
            cr_assert_eq(twice.rc, 0, "%s: %s", fixtures[i], twice.err.text);
            cr_expect(twice.facts.complete, "%s", fixtures[i]);
            cr_expect_eq(twice.facts.nodes, once.facts.nodes, "%s", fixtures[i]);
            cr_expect_eq(twice.facts.unknown_fields, 0, "%s", fixtures[i]);
            cr_expect(twice.skeleton.n == once.skeleton.n &&
                          !memcmp(twice.skeleton.p, once.skeleton.p, once.skeleton.n),
                      "%s", fixtures[i]);
            stripped_free(&twice);
        }
        stripped_free(&once);
        free((void *)(uintptr_t)in.p);
    }
}
