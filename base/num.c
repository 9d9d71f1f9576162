#include "base/num.h"

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"K", 1ull << 10},
    {"KB", 1ull << 10},
    {"KiB", 1ull << 10},
    {"M", 1ull << 20},
    {"MB", 1ull << 20},
    {"MiB", 1ull << 20},
    {"G", 1ull << 30},
    {"GB", 1ull << 30},
    {"GiB", 1ull << 30},
    {"T", 1ull << 40},
    {"TB", 1ull << 40},
    {"TiB", 1ull << 40},
};

static const struct unit duration_units[] = {
    {"", 1},
    {"ms", 1},
    {"s", 1000},
    {"m", 60000},
};

static const struct unit shown_sizes[] = {
    {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30},
    {"TiB", 1ull << 40}, {"PiB", 1ull << 50}, {"EiB", 1ull << 60},
};

static const struct unit shown_counts[] = {
    {"k", 1000ull},          {"M", 1000000ull},          {"G", 1000000000ull},
    {"T", 1000000000000ull}, {"P", 1000000000000000ull}, {"E", 1000000000000000000ull},
};

static size_t count_digits(struct str s) {
    size_t n = 0;

    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9') {
        n++;
    }
    return n;
}

bool num_parse_u64(struct str s, uint64_t *out) {
    uint64_t v = 0;

    if (s.n == 0 || count_digits(s) != s.n) {
        return false;
    }
    for (size_t i = 0; i < s.n; i++) {
        if (!num_mul(&v, v, (uint64_t)10) || !num_add(&v, v, (uint64_t)(s.p[i] - '0'))) {
            return false;
        }
    }
    *out = v;
    return true;
}

bool num_parse_i64(struct str s, int64_t *out) {
    bool negative = s.n && s.p[0] == '-';
    uint64_t v;

    if (!num_parse_u64(negative ? str_skip(s, 1) : s, &v)) {
        return false;
    }
    if (v > (uint64_t)INT64_MAX + negative) {
        return false;
    }
    // -(v - 1) - 1, because -v has no value to start from when v is 2^63.
    *out = negative && v ? -(int64_t)(v - 1) - 1 : (int64_t)v;
    return true;
}

int num_hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_unit(struct str s, const struct unit *units, size_t n_units, uint64_t *out) {
    size_t digits = count_digits(s);
    struct str name = str_skip(s, digits);
    uint64_t v, product;

    if (!num_parse_u64(str_sub(s, 0, digits), &v)) {
        return false;
    }
    for (size_t i = 0; i < n_units; i++) {
        if (!str_eq_nocase(name, str_from(units[i].name))) {
            continue;
        }
        if (!num_mul(&product, v, units[i].factor)) {
            return false;
        }
        *out = product;
        return true;
    }
    return false;
}

bool num_parse_size(struct str s, uint64_t *out) {
    return parse_unit(s, size_units, ARRAY_LEN(size_units), out);
}

bool num_parse_duration(struct str s, uint64_t *out_ms) {
    return parse_unit(s, duration_units, ARRAY_LEN(duration_units), out_ms);
}

// One decimal, half rounded up, in integers only: the same text on every machine.
static void add_scaled(struct buf *b, uint64_t v, const struct unit *units, size_t n_units) {
    size_t i = n_units - 1;
    uint64_t whole, tenths;

    while (i > 0 && v < units[i].factor) {
        i--;
    }
    whole = v / units[i].factor;
    tenths = (v % units[i].factor * 10 + units[i].factor / 2) / units[i].factor;
    whole += tenths / 10;
    tenths %= 10;
    // Rounding may have reached the next unit: 1023.96 KiB is 1 MiB.
    if (i + 1 < n_units && whole == units[i + 1].factor / units[i].factor) {
        whole = 1;
        i++;
    }
    buf_add_u64(b, whole);
    if (tenths) {
        buf_add_char(b, '.');
        buf_add_u64(b, tenths);
    }
    buf_add_char(b, ' ');
    buf_add_z(b, units[i].name);
}

void num_add_size(struct buf *b, uint64_t bytes) {
    if (bytes >= shown_sizes[0].factor) {
        add_scaled(b, bytes, shown_sizes, ARRAY_LEN(shown_sizes));
        return;
    }
    buf_add_u64(b, bytes);
    buf_add_z(b, bytes == 1 ? " byte" : " bytes");
}

void num_add_grouped(struct buf *b, uint64_t n) {
    uint64_t unit = 1;
    while (n / unit >= 1000) {
        unit *= 1000;
    }
    buf_add_u64(b, n / unit);
    while (unit > 1) {
        n %= unit;
        unit /= 1000;
        uint64_t group = n / unit;
        buf_add_char(b, ',');
        buf_add_char(b, (char)('0' + group / 100));
        buf_add_char(b, (char)('0' + group / 10 % 10));
        buf_add_char(b, (char)('0' + group % 10));
    }
}

void num_add_count(struct buf *b, uint64_t n) {
    if (n >= shown_counts[0].factor) {
        add_scaled(b, n, shown_counts, ARRAY_LEN(shown_counts));
    } else {
        buf_add_u64(b, n);
    }
}
