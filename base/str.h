// Borrowed views of bytes and text. A view owns nothing and is valid as long as what it points
// into.
//
// `struct str` is text that need not end in NUL and may hold NUL; NUL-terminated strings are used
// only at the borders to libc and libraries. {NULL, 0} is the valid empty view of both kinds.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
    const uint8_t *p;
    size_t n;
};

struct str {
    const char *p;
    size_t n;
};

// A literal as a view; only for string literals.
#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})

// printf arguments for "%.*s". The view must not be longer than INT_MAX.
#define STR_ARG(s) (int)(s).n, (s).n ? (s).p : ""

#define STR_NPOS SIZE_MAX

static inline struct str str_from(const char *z) {
    return (struct str){z, z ? strlen(z) : 0};
}

static inline struct slice slice_from_str(struct str s) {
    return (struct slice){(const uint8_t *)s.p, s.n};
}

static inline struct str str_from_slice(struct slice s) {
    return (struct str){(const char *)s.p, s.n};
}

static inline bool str_eq(struct str a, struct str b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_eq_z(struct str a, const char *z) {
    return str_eq(a, str_from(z));
}

// Part of `s` from `from`, at most `n` bytes; positions past the end give an empty view.
static inline struct str str_sub(struct str s, size_t from, size_t n) {
    if (from >= s.n) {
        return (struct str){s.n ? s.p + s.n : s.p, 0};
    }
    return (struct str){s.p + from, n < s.n - from ? n : s.n - from};
}

static inline struct str str_skip(struct str s, size_t n) {
    return str_sub(s, n, SIZE_MAX);
}

// Byte order, shorter first when one is a prefix: <0, 0, >0.
int str_cmp(struct str a, struct str b);
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
bool str_eq_nocase(struct str a, struct str b);  // ASCII letters only
bool str_contains(struct str s, struct str part);

// Index of a byte, from the front or the back, or STR_NPOS.
size_t str_find(struct str s, char c);
size_t str_rfind(struct str s, char c);

// Takes the part before the first `sep` off *rest into *part; false when *rest had nothing left.
// The last part has no separator behind it: "a,b" gives "a", "b"; "a," gives "a", ""; "" gives
// nothing. An empty *rest may point anywhere.
bool str_next(struct str *rest, char sep, struct str *part);

// Without spaces, tabs, CR and LF at both ends.
struct str str_trim(struct str s);
