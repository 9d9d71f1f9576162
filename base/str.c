#include "base/str.h"

int str_cmp(struct str a, struct str b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;

    if (order) {
        return order;
    }
    return (a.n > b.n) - (a.n < b.n);
}

bool str_starts(struct str s, struct str prefix) {
    return s.n >= prefix.n && str_eq(str_sub(s, 0, prefix.n), prefix);
}

bool str_ends(struct str s, struct str suffix) {
    return s.n >= suffix.n && str_eq(str_skip(s, s.n - suffix.n), suffix);
}

// tolower() would follow the locale.
static unsigned char lower(char c) {
    unsigned char u = (unsigned char)c;

    return u >= 'A' && u <= 'Z' ? (unsigned char)(u | 0x20) : u;
}

bool str_eq_nocase(struct str a, struct str b) {
    if (a.n != b.n) {
        return false;
    }
    for (size_t i = 0; i < a.n; i++) {
        if (lower(a.p[i]) != lower(b.p[i])) {
            return false;
        }
    }
    return true;
}

bool str_contains(struct str s, struct str part) {
    return part.n == 0 || (s.n && memmem(s.p, s.n, part.p, part.n));
}

size_t str_find(struct str s, char c) {
    const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

    return at ? (size_t)(at - s.p) : STR_NPOS;
}

size_t str_rfind(struct str s, char c) {
    const char *at = s.n ? memrchr(s.p, c, s.n) : NULL;

    return at ? (size_t)(at - s.p) : STR_NPOS;
}

// "a," must give one more part after "a", yet an empty view that never was split must give none. So
// the rest behind a final separator points here: one byte per separator, so that it means nothing
// to a split by another one.
static const char empty_part_left[256];

bool str_next(struct str *rest, char sep, struct str *part) {
    const char *mark = &empty_part_left[(unsigned char)sep];
    size_t at;

    if (rest->n == 0) {
        bool left = rest->p == mark;

        *rest = (struct str){NULL, 0};
        *part = (struct str){"", 0};
        return left;
    }
    at = str_find(*rest, sep);
    *part = str_sub(*rest, 0, at);
    if (at == STR_NPOS) {
        *rest = (struct str){NULL, 0};
    } else if (at + 1 == rest->n) {
        *rest = (struct str){mark, 0};
    } else {
        *rest = str_skip(*rest, at + 1);
    }
    return true;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s) {
    while (s.n && is_blank(s.p[0])) {
        s = str_skip(s, 1);
    }
    while (s.n && is_blank(s.p[s.n - 1])) {
        s.n--;
    }
    return s;
}
