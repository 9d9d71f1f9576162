#include "onnx/limits.h"

#include <criterion/criterion.h>
#include <string.h>

#include "onnx/strip.h"

Test(limits, the_table_covers_every_field_once) {
    cr_expect_eq(onnx_limit_count * sizeof(uint64_t), sizeof(struct onnx_limits));
    for (size_t i = 0; i < onnx_limit_count; i++) {
        cr_expect_eq(onnx_limit_table[i].offset, i * sizeof(uint64_t));
        cr_expect(strlen(onnx_limit_table[i].help) > 0);
        cr_expect_eq(strncmp(onnx_limit_table[i].name, "max-", 4), 0);
    }
}

Test(limits, defaults_are_those_that_are_promised) {
    struct onnx_limits limits;
    onnx_limits_init(&limits);
    cr_expect_eq(limits.max_model, UINT64_C(16) << 30);
    cr_expect_eq(limits.max_skeleton, UINT64_C(256) << 20);
    cr_expect_eq(limits.max_tensor, 1024);
}

Test(limits, defaults_are_within_what_may_be_set) {
    for (size_t i = 0; i < onnx_limit_count; i++) {
        const struct onnx_limit *row = &onnx_limit_table[i];

        cr_expect(row->min >= 1 && row->min <= row->standard, "%s", row->name);
        cr_expect(row->standard <= row->max, "%s", row->name);
    }
}

// A larger value would be one that nothing can hold: the stripper refuses it for every model.
Test(limits, no_depth_may_be_set_that_nobody_can_keep) {
    struct onnx_limits limits;
    struct onnx_strip *strip = NULL;

    onnx_limits_init(&limits);
    for (size_t i = 0; i < onnx_limit_count; i++) {
        *(uint64_t *)(void *)((char *)&limits + onnx_limit_table[i].offset) =
            onnx_limit_table[i].max;
    }
    cr_expect_eq(onnx_strip_new(&strip, &limits, NULL), 0);
    onnx_strip_free(strip);
}
