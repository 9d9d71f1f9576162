#include "tests/onnx/refuse_after.h"

#include <stdlib.h>

long refuse_after = -1;
bool refused;

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t n);

static bool refuse(void) {
    if (refuse_after > 0) {
        refuse_after--;
    } else if (refuse_after == 0) {
        refused = true;
    } else {
        return false;
    }
    return refused;
}

void *__wrap_malloc(size_t n) {
    return refuse() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t size) {
    return refuse() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t n) {
    return refuse() ? NULL : __real_realloc(p, n);
}
