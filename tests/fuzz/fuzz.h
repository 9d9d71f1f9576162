// What a fuzz target is: one function, as libFuzzer calls it. The input has a heap block of its own
// size.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A property of the code under test; the input that breaks it is kept by the fuzzer.
#define FUZZ_REQUIRE(condition)                                                     \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

// Frees bytes that came out of the code under test as a view.
static inline void fuzz_free(struct slice s) {
    free((void *)(uintptr_t)s.p);
}
