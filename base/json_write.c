#include "base/json_write.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

#define DOUBLE_ROOM 40
#define DOUBLE_SAFE_DIGITS 15  // a decimal this long survives the way through a double
#define DOUBLE_DIGITS 17       // enough for any double
#define THOUSANDTHS 1000
#define THOUSANDTHS_MAX 1e15

void json_write_init(struct json_write *w, struct buf *out) {
    *w = (struct json_write){.out = out};
}

static char level(const struct json_write *w) {
    return w->depth ? w->open[w->depth - 1] : 0;
}

static void comma(struct json_write *w) {
    if (w->need_comma) {
        buf_add_char(w->out, ',');
    }
}

static void begin_value(struct json_write *w) {
    assert(level(w) != '{' || w->have_key);
    assert(w->depth || !w->need_comma);
    if (!w->have_key) {
        comma(w);
    }
    w->have_key = false;
    w->need_comma = true;
}

static void open_level(struct json_write *w, char bracket) {
    begin_value(w);
    assert(w->depth < JSON_WRITE_DEPTH);
    if (w->depth == JSON_WRITE_DEPTH) {
        w->out->failed = ERR_LIMIT;
        return;
    }
    w->open[w->depth++] = bracket;
    w->need_comma = false;
    buf_add_char(w->out, bracket);
}

static void close_level(struct json_write *w, char open, char bracket) {
    assert(level(w) == open && !w->have_key);
    if (level(w) != open) {
        return;
    }
    w->depth--;
    w->need_comma = true;
    buf_add_char(w->out, bracket);
}

void json_open_object(struct json_write *w) {
    open_level(w, '{');
}

void json_close_object(struct json_write *w) {
    close_level(w, '{', '}');
}

void json_open_array(struct json_write *w) {
    open_level(w, '[');
}

void json_close_array(struct json_write *w) {
    close_level(w, '[', ']');
}

// Besides what RFC 8259 asks for: markup, so that a document can stand inside HTML, and every other
// control character and line separator, so that it can stand in a log or in a script.
static bool is_plain(uint32_t c) {
    if (c < 0x80) {
        return c >= 0x20 && c != 0x7F && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
    }
    return c > 0x9F && c != 0x2028 && c != 0x2029;
}

static const char short_escapes[128] = {
    ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
    ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
};

static void add_escape(struct buf *b, uint32_t c) {
    if (c < ARRAY_LEN(short_escapes) && short_escapes[c]) {
        buf_add_char(b, '\\');
        buf_add_char(b, short_escapes[c]);
        return;
    }
    buf_printf(b, "\\u%04x", (unsigned)c);
}

// Copies runs of plain characters at once.
static void add_quoted(struct buf *b, struct str s) {
    size_t from = 0, pos = 0;

    buf_add_char(b, '"');
    while (pos < s.n) {
        size_t at = pos;
        uint32_t c = utf8_next(s, &pos);

        if (is_plain(c)) {
            continue;
        }
        utf8_add_valid(b, str_sub(s, from, at - from));
        add_escape(b, c);
        from = pos;
    }
    utf8_add_valid(b, str_skip(s, from));
    buf_add_char(b, '"');
}

void json_key_str(struct json_write *w, struct str name) {
    assert(level(w) == '{' && !w->have_key);
    comma(w);
    add_quoted(w->out, name);
    buf_add_char(w->out, ':');
    w->have_key = true;
}

void json_key(struct json_write *w, const char *name) {
    json_key_str(w, str_from(name));
}

void json_add_str(struct json_write *w, struct str s) {
    begin_value(w);
    add_quoted(w->out, s);
}

void json_add_z(struct json_write *w, const char *z) {
    if (z) {
        json_add_str(w, str_from(z));
    } else {
        json_add_null(w);
    }
}

void json_add_i64(struct json_write *w, int64_t v) {
    begin_value(w);
    buf_add_i64(w->out, v);
}

void json_add_u64(struct json_write *w, uint64_t v) {
    begin_value(w);
    buf_add_u64(w->out, v);
}

// Coordinates lie on a grid and are written by the hundred thousand: those that equal a number of
// thousandths need no printf. Division rounds correctly, so equality means that the decimal reads
// back as this double.
static bool add_thousandths(struct buf *b, double v) {
    double rounded = nearbyint(v * THOUSANDTHS);
    uint64_t n, rest;

    if (!(fabs(rounded) < THOUSANDTHS_MAX) || rounded / THOUSANDTHS != v) {
        return false;
    }
    n = (uint64_t)fabs(rounded);
    if (rounded < 0) {
        buf_add_char(b, '-');
    }
    buf_add_u64(b, n / THOUSANDTHS);
    rest = n % THOUSANDTHS;
    if (rest == 0) {
        return true;
    }
    buf_add_char(b, '.');
    for (uint64_t unit = THOUSANDTHS / 10; rest; unit /= 10) {
        buf_add_char(b, (char)('0' + rest / unit));
        rest %= unit;
    }
    return true;
}

// Subnormal numbers have fewer digits to find than the safe ones.
static void add_shortest(struct buf *b, double v) {
    int digits = fpclassify(v) == FP_SUBNORMAL ? 1 : DOUBLE_SAFE_DIGITS;
    char text[DOUBLE_ROOM];

    do {
        snprintf(text, sizeof(text), "%.*g", digits, v);
    } while (digits++ < DOUBLE_DIGITS && strtod(text, NULL) != v);
    buf_add_z(b, text);
}

void json_add_double(struct json_write *w, double v) {
    begin_value(w);
    if (!isfinite(v)) {
        buf_add_z(w->out, "null");
    } else if (!add_thousandths(w->out, v)) {
        add_shortest(w->out, v);
    }
}

void json_add_bool(struct json_write *w, bool v) {
    begin_value(w);
    buf_add_z(w->out, v ? "true" : "false");
}

void json_add_null(struct json_write *w) {
    begin_value(w);
    buf_add_z(w->out, "null");
}

void json_add_raw(struct json_write *w, struct str json) {
    begin_value(w);
    buf_add_str(w->out, json);
}

void json_member_str(struct json_write *w, const char *name, struct str s) {
    json_key(w, name);
    json_add_str(w, s);
}

void json_member_z(struct json_write *w, const char *name, const char *z) {
    json_key(w, name);
    json_add_z(w, z);
}

void json_member_i64(struct json_write *w, const char *name, int64_t v) {
    json_key(w, name);
    json_add_i64(w, v);
}

void json_member_u64(struct json_write *w, const char *name, uint64_t v) {
    json_key(w, name);
    json_add_u64(w, v);
}

void json_member_bool(struct json_write *w, const char *name, bool v) {
    json_key(w, name);
    json_add_bool(w, v);
}

void json_member_null(struct json_write *w, const char *name) {
    json_key(w, name);
    json_add_null(w);
}
