#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

#define FIRST_CAP 8

static size_t next_cap(size_t cap, size_t need, size_t max) {
    size_t next = cap > max / 2 ? max : cap * 2;

    if (next < FIRST_CAP && FIRST_CAP <= max) {
        next = FIRST_CAP;
    }
    return next > need ? next : need;
}

int array_grow_(void **items, size_t *cap, size_t need, size_t size, size_t max, const char *what,
                struct error *err) {
    size_t next, bytes;
    void *old, *p;

    if (need <= *cap) {
        return 0;
    }
    if (need > max) {
        return error_set_limit(err, NULL, "there are more than %zu %s", max, what);
    }
    next = next_cap(*cap, need, max);
    // The owner's pointer has its own type: memcpy is the way to read and write it that aliasing
    // rules allow.
    memcpy(&old, items, sizeof(old));
    p = num_mul(&bytes, next, size) ? realloc(old, bytes) : NULL;
    if (!p) {
        return error_set(err, ERR_NOMEM, "no memory left for %zu %s", need, what);
    }
    memset((uint8_t *)p + *cap * size, 0, bytes - *cap * size);
    memcpy(items, &p, sizeof(p));
    *cap = next;
    return 0;
}
