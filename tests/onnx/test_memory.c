#include "onnx/memory.h"

#include <criterion/criterion.h>
#include <string.h>

Test(memory, blocks_of_every_size_are_zeroed_and_aligned) {
    struct onnx_memory m;
    onnx_memory_init(&m, UINT64_C(64) << 20);
    for (size_t n = 0; n < 5000; n += 37) {
        unsigned char *p = onnx_memory_alloc(&m, n);
        cr_assert(p);
        cr_assert_eq((uintptr_t)p % 8, 0);
        for (size_t i = 0; i < n; i++) {
            cr_assert_eq(p[i], 0);
        }
        memset(p, 0xff, n);
    }
    cr_expect(!m.failed);
    onnx_memory_release(&m);
}

Test(memory, large_blocks_come_back_in_any_order) {
    struct onnx_memory m;
    void *p[3];
    onnx_memory_init(&m, 10000);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 3; i++) {
            cr_assert(p[i] = onnx_memory_alloc(&m, 3000));
        }
        onnx_memory_free(&m, p[1]);
        onnx_memory_free(&m, p[round % 2 ? 0 : 2]);
        onnx_memory_free(&m, p[round % 2 ? 2 : 0]);
    }
    cr_expect_eq(m.large_bytes, 0);
    onnx_memory_release(&m);
}

Test(memory, small_blocks_and_nothing_may_be_freed_too) {
    struct onnx_memory m;
    onnx_memory_init(&m, 10000);
    char *p = onnx_memory_alloc(&m, 10);
    onnx_memory_free(&m, p);
    onnx_memory_free(&m, NULL);
    memcpy(p, "still mine", 10);
    onnx_memory_release(&m);
}

Test(memory, the_maximum_is_kept_and_the_failure_sticks) {
    struct onnx_memory m;
    struct error err;
    onnx_memory_init(&m, 4000);
    cr_expect(onnx_memory_alloc(&m, 4001) == NULL);
    cr_expect(m.failed);
    cr_expect(onnx_memory_alloc(&m, 100) != NULL);
    cr_expect(m.failed);
    cr_expect_eq(onnx_memory_error(&m, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-memory");
    onnx_memory_release(&m);
}

Test(memory, a_product_that_overflows_is_refused) {
    struct onnx_memory m;
    onnx_memory_init(&m, UINT64_MAX);
    cr_expect(onnx_memory_array(&m, SIZE_MAX / 2, 3) == NULL);
    cr_expect(m.failed);
    onnx_memory_release(&m);
}
