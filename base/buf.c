#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 64
#define PRINTF_ROOM 256
#define DECIMAL_ROOM 24  // 20 digits and a sign

void buf_init(struct buf *b, size_t max) {
    *b = (struct buf){.max = max};
}

void buf_release(struct buf *b) {
    if (!b) {
        return;
    }
    free(b->p);
    *b = (struct buf){0};
}

void buf_reset(struct buf *b) {
    b->n = 0;
    b->failed = 0;
}

// Doubles, so that n appends cost O(n), but never past the maximum.
static size_t next_cap(const struct buf *b, size_t need) {
    size_t cap = b->cap < FIRST_CAP ? FIRST_CAP : b->cap > b->max / 2 ? b->max : b->cap * 2;

    if (cap > b->max) {
        cap = b->max;
    }
    return cap > need ? cap : need;
}

static bool grow(struct buf *b, size_t need) {
    size_t cap = next_cap(b, need);
    uint8_t *p = realloc(b->p, cap ? cap : 1);

    if (!p) {
        b->failed = ERR_NOMEM;
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

uint8_t *buf_reserve(struct buf *b, size_t n) {
    if (b->failed) {
        return NULL;
    }
    if (n > b->max - b->n) {
        b->failed = ERR_LIMIT;
        return NULL;
    }
    if ((!b->p || n > b->cap - b->n) && !grow(b, b->n + n)) {
        return NULL;
    }
    return b->p + b->n;
}

void buf_add(struct buf *b, const void *p, size_t n) {
    uint8_t *to;

    if (n == 0) {
        return;
    }
    to = buf_reserve(b, n);
    if (!to) {
        return;
    }
    memcpy(to, p, n);
    b->n += n;
}

void buf_add_str(struct buf *b, struct str s) {
    buf_add(b, s.p, s.n);
}

void buf_add_z(struct buf *b, const char *z) {
    buf_add_str(b, str_from(z));
}

void buf_add_char(struct buf *b, char c) {
    buf_add(b, &c, 1);
}

void buf_add_u64(struct buf *b, uint64_t v) {
    char digits[DECIMAL_ROOM];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    buf_add(b, digits + at, sizeof(digits) - at);
}

void buf_add_i64(struct buf *b, int64_t v) {
    if (v >= 0) {
        buf_add_u64(b, (uint64_t)v);
        return;
    }
    buf_add_char(b, '-');
    buf_add_u64(b, 0 - (uint64_t)v);
}

static PRINTF_LIKE(2, 0) void add_long_format(struct buf *b, const char *fmt, va_list args) {
    char *text = NULL;
    int n = vasprintf(&text, fmt, args);

    if (n < 0) {
        b->failed = ERR_NOMEM;
        return;
    }
    buf_add(b, text, (size_t)n);
    free(text);
}

void buf_printf(struct buf *b, const char *fmt, ...) {
    char text[PRINTF_ROOM];
    va_list args;
    int n;

    if (b->failed) {
        return;
    }
    va_start(args, fmt);
    n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof(text)) {
        buf_add(b, text, (size_t)n);
        return;
    }
    va_start(args, fmt);
    add_long_format(b, fmt, args);
    va_end(args);
}

void buf_truncate(struct buf *b, size_t n) {
    if (n < b->n) {
        b->n = n;
    }
}

const char *buf_z(struct buf *b) {
    uint8_t *end = buf_reserve(b, 1);

    if (!end) {
        return NULL;
    }
    *end = '\0';
    return (const char *)b->p;
}

int buf_check(const struct buf *b, const char *what, const char *limit, struct error *err) {
    if (!b->failed) {
        return 0;
    }
    if (b->failed == ERR_LIMIT) {
        return error_set_limit(err, limit, "%s would be larger than %zu bytes", what, b->max);
    }
    return error_set(err, ERR_NOMEM, "no memory left for %s", what);
}
