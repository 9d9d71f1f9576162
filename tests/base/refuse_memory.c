#include "tests/base/refuse_memory.h"

#include <stdlib.h>

bool refuse_memory;

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n) {
    return refuse_memory ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t size) {
    return refuse_memory ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t n) {
    return refuse_memory ? NULL : __real_realloc(p, n);
}
