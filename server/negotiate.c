#include "server/negotiate.h"

#include <stdint.h>

#define FULL 1000  // q=1; qualities are thousandths

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// "0.75" -> 750. A malformed weight counts as 1, as most servers have it.
static int parse_quality(struct str s) {
    int q, unit = 100;
    size_t i;

    if (s.n == 0 || (s.p[0] != '0' && s.p[0] != '1')) {
        return FULL;
    }
    q = (s.p[0] - '0') * FULL;
    for (i = 2; i < s.n && s.p[1] == '.' && is_digit(s.p[i]) && unit; i++) {
        q += (s.p[i] - '0') * unit;
        unit /= 10;
    }
    return q > FULL ? FULL : q;
}

// One element of a list: its name, and its weight behind other parameters.
static struct str split_element(struct str element, int *quality) {
    struct str part, name = {NULL, 0};
    bool first = true;

    *quality = FULL;
    while (str_next(&element, ';', &part)) {
        part = str_trim(part);
        if (first) {
            name = part;
        } else if (part.n > 2 && (part.p[0] | 0x20) == 'q' && part.p[1] == '=') {
            *quality = parse_quality(str_skip(part, 2));
        }
        first = false;
    }
    return name;
}

// How exactly a range names a type: 0 not at all, 1 "*/*", 2 "image/*", 3 "image/svg+xml".
static int match_type(struct str range, struct str type) {
    struct str main_type = str_sub(type, 0, str_find(type, '/') + 1);

    if (str_eq_nocase(range, type)) {
        return 3;
    }
    if (range.n == main_type.n + 1 && range.p[range.n - 1] == '*' &&
        str_eq_nocase(str_sub(range, 0, main_type.n), main_type)) {
        return 2;
    }
    return str_eq_z(range, "*/*") || str_eq_z(range, "*") ? 1 : 0;
}

// Weight of one offer: that of the most exact range.
static int type_quality(struct str accept, struct str type) {
    struct str element;
    int best = 0, quality = 0, ranges = 0;

    while (ranges++ < SRV_ACCEPT_RANGES && str_next(&accept, ',', &element)) {
        int q;
        int exact = match_type(split_element(str_trim(element), &q), type);

        if (exact > best) {
            best = exact;
            quality = q;
        }
    }
    return quality;
}

int srv_negotiate_type(struct str accept, const char *const *offers, size_t n) {
    int best = -1, quality = 0;
    size_t i;

    if (str_trim(accept).n == 0) {
        return n ? 0 : -1;
    }
    for (i = 0; i < n; i++) {
        struct str offer = str_from(offers[i]);
        int q = type_quality(accept, str_trim(str_sub(offer, 0, str_find(offer, ';'))));

        if (q > quality) {
            quality = q;
            best = (int)i;
        }
    }
    return best;
}

bool srv_negotiate_gzip(struct str accept_encoding) {
    struct str element;
    int gzip = -1, identity = -1, any = -1, ranges = 0;

    while (ranges++ < SRV_ACCEPT_RANGES && str_next(&accept_encoding, ',', &element)) {
        int q;
        struct str name = split_element(str_trim(element), &q);

        if (str_eq_nocase(name, STR("gzip")) || str_eq_nocase(name, STR("x-gzip"))) {
            gzip = q;
        } else if (str_eq_nocase(name, STR("identity"))) {
            identity = q;
        } else if (str_eq_z(name, "*")) {
            any = q;
        }
    }
    gzip = gzip < 0 ? any : gzip;
    return gzip > 0 && gzip >= identity;
}

bool srv_etag_listed(struct str if_none_match, struct str etag) {
    struct str part;

    if (str_eq_z(str_trim(if_none_match), "*")) {
        return true;
    }
    // Our tags hold no comma, so splitting at commas finds every one of them.
    while (str_next(&if_none_match, ',', &part)) {
        part = str_trim(part);
        if (str_starts(part, STR("W/"))) {
            part = str_skip(part, 2);
        }
        if (str_eq(part, etag)) {
            return true;
        }
    }
    return false;
}
