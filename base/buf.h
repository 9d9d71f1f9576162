// A growing byte buffer that is born with its maximum, so that every buffer has an answer to "how
// big can an attacker make you?".
//
// Appending never returns an error: the first failure sticks (`failed` holds ERR_NOMEM or
// ERR_LIMIT), later appends do nothing, and one buf_check() at the end of a chain tells. The
// content is not NUL-terminated. A zeroed struct is a valid empty buffer with maximum 0.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

struct buf {
    uint8_t *p;
    size_t n;
    size_t cap;
    size_t max;  // bytes; n never exceeds it
    int failed;  // 0, ERR_NOMEM or ERR_LIMIT
};

void buf_init(struct buf *b, size_t max);
void buf_release(struct buf *b);  // NULL and zeroed are fine; leaves a zeroed struct
void buf_reset(struct buf *b);    // empties, forgets a failure, keeps memory and maximum

void buf_add(struct buf *b, const void *p, size_t n);
void buf_add_str(struct buf *b, struct str s);
void buf_add_z(struct buf *b, const char *z);
void buf_add_char(struct buf *b, char c);
void buf_add_u64(struct buf *b, uint64_t v);  // decimal
void buf_add_i64(struct buf *b, int64_t v);   // decimal

// For numbers and constants only: foreign text goes through the writer of its context.
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

// Makes room for n more bytes and returns where they start, or NULL (failed is set). The caller
// writes them and adds what was used to b->n.
uint8_t *buf_reserve(struct buf *b, size_t n);

// Cuts back to the first n bytes; n past the end is a no-op.
void buf_truncate(struct buf *b, size_t n);

static inline struct slice buf_slice(const struct buf *b) {
    return (struct slice){b->p, b->n};
}

static inline struct str buf_str(const struct buf *b) {
    return (struct str){(const char *)b->p, b->n};
}

// The content as a C string, valid until the next append; the NUL is not counted in n. NULL when
// something failed, or when there is no room for the NUL below the maximum.
const char *buf_z(struct buf *b);

// 0, or the failure as an error; `what` is the thing that was being written ("graph.json"), `limit`
// the setting that bounds it (may be NULL).
int buf_check(const struct buf *b, const char *what, const char *limit,
              struct error *err) WARN_UNUSED;
