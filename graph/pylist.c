#include "graph/pylist.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/utf8.h"

void graph_pylist_init(struct graph_pylist *l) {
    *l = (struct graph_pylist){0};
}

void graph_pylist_release(struct graph_pylist *l) {
    if (!l) {
        return;
    }
    free(l->items);
    buf_release(&l->text);
    *l = (struct graph_pylist){0};
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The character of \xNN, \uNNNN or \UNNNNNNNN; *pos stands on the first digit.
static bool take_hex(struct str s, size_t *pos, size_t digits, struct buf *out) {
    uint32_t value = 0;

    if (s.n - *pos < digits) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        int d = hex_digit(s.p[*pos + i]);

        if (d < 0) {
            return false;
        }
        value = value << 4 | (uint32_t)d;
    }
    *pos += digits;
    utf8_add(out, value);
    return true;
}

static bool take_escape(struct str s, size_t *pos, struct buf *out) {
    static const struct {
        char letter;
        char byte;
    } simple[] = {{'\\', '\\'}, {'\'', '\''}, {'"', '"'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}};
    static const struct {
        char letter;
        size_t digits;
    } hex[] = {{'x', 2}, {'u', 4}, {'U', 8}};

    if (*pos == s.n) {
        return false;
    }
    char c = s.p[(*pos)++];

    for (size_t i = 0; i < ARRAY_LEN(simple); i++) {
        if (c == simple[i].letter) {
            buf_add_char(out, simple[i].byte);
            return true;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(hex); i++) {
        if (c == hex[i].letter) {
            return take_hex(s, pos, hex[i].digits, out);
        }
    }
    return false;
}

// A string literal from its opening quote on. Without escapes it is a view into the text: no copy.
static bool take_string(struct graph_pylist *l, struct str s, size_t *pos, struct str *item) {
    char quote = s.p[(*pos)++];
    size_t start = *pos, unescaped = l->text.n;

    while (*pos < s.n && s.p[*pos] != quote && s.p[*pos] != '\\') {
        (*pos)++;
    }
    if (*pos < s.n && s.p[*pos] == quote) {
        *item = str_sub(s, start, (*pos)++ - start);
        return true;
    }
    buf_add(&l->text, s.p + start, *pos - start);
    while (*pos < s.n && s.p[*pos] != quote) {
        char c = s.p[(*pos)++];

        if (c != '\\') {
            buf_add_char(&l->text, c);
        } else if (!take_escape(s, pos, &l->text)) {
            return false;
        }
    }
    *item = str_skip(buf_str(&l->text), unescaped);
    return (*pos)++ < s.n;
}

static void skip_spaces(struct str s, size_t *pos) {
    while (*pos < s.n && s.p[*pos] == ' ') {
        (*pos)++;
    }
}

// Items behind '[': 1 when the list closed properly, 0 when the text is none, <0 on error.
static int take_items(struct graph_pylist *l, struct str s, size_t *pos, struct error *err) {
    skip_spaces(s, pos);
    while (*pos < s.n && (s.p[*pos] == '\'' || s.p[*pos] == '"')) {
        if (array_grow(&l->items, &l->cap, l->n + 1, sizeof(*l->items), SIZE_MAX / 2, "list items",
                       err) < 0) {
            return ERR_NOMEM;
        }
        l->last = *pos;
        if (!take_string(l, s, pos, &l->items[l->n])) {
            return 0;
        }
        l->n++;
        skip_spaces(s, pos);
        if (*pos == s.n || s.p[*pos] != ',') {
            break;
        }
        (*pos)++;
        skip_spaces(s, pos);
    }
    return *pos + 1 == s.n && s.p[*pos] == ']';
}

int graph_pylist_parse(struct graph_pylist *l, struct str text, bool *ok, struct error *err) {
    struct str s = str_trim(text);
    size_t pos = 1;
    int found;

    *ok = false;
    l->n = 0;
    l->last = 0;
    if (s.n < 2 || s.p[0] != '[') {
        return 0;
    }
    // Items point into the buffer, so it must not move: no escape is shorter than what it stands
    // for.
    buf_release(&l->text);
    buf_init(&l->text, s.n);
    if (memchr(s.p, '\\', s.n) && !buf_reserve(&l->text, s.n)) {
        return error_set(err, ERR_NOMEM, "no memory left for a list of names");
    }
    found = take_items(l, s, &pos, err);
    *ok = found > 0;
    return found < 0 ? found : 0;
}
