#include "base/utf8.h"
#include "graph/finish_svg_internal.h"

#define NUMBER_DIGITS 15  // a double holds them exactly

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Index behind the first `mark` at or after `from`, or STR_NPOS.
static size_t behind(struct str raw, size_t from, struct str mark) {
    for (size_t i = from; i + mark.n <= raw.n; i++) {
        if (str_eq(str_sub(raw, i, mark.n), mark)) {
            return i + mark.n;
        }
    }
    return STR_NPOS;
}

static size_t skip_markup(struct str raw, size_t at) {
    struct str rest = str_skip(raw, at);

    if (str_starts(rest, STR("<!--"))) {
        return behind(raw, at + 4, STR("-->"));
    }
    return behind(raw, at, STR(">"));
}

// The end of a tag is the first > outside of quotes.
static size_t tag_end(struct str raw, size_t at) {
    char quote = 0;

    for (size_t i = at; i < raw.n; i++) {
        char c = raw.p[i];

        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '>') {
            return i;
        }
    }
    return STR_NPOS;
}

static void split_tag(struct str inside, struct svg_token *token) {
    size_t n = 0;

    token->kind = SVG_OPEN;
    if (str_starts(inside, STR("/"))) {
        token->kind = SVG_CLOSE;
        inside = str_skip(inside, 1);
    } else if (str_ends(inside, STR("/"))) {
        token->kind = SVG_EMPTY;
        inside = str_sub(inside, 0, inside.n - 1);
    }
    while (n < inside.n && !is_space(inside.p[n])) {
        n++;
    }
    token->name = str_sub(inside, 0, n);
    token->attrs = str_skip(inside, n);
}

int graph_svg_next(struct str raw, size_t *pos, struct svg_token *token) {
    size_t end;

    *token = (struct svg_token){.kind = SVG_TEXT};
    while (*pos < raw.n && raw.p[*pos] == '<' && *pos + 1 < raw.n &&
           (raw.p[*pos + 1] == '?' || raw.p[*pos + 1] == '!')) {
        end = skip_markup(raw, *pos);
        if (end == STR_NPOS) {
            return -1;
        }
        *pos = end;
    }
    if (*pos >= raw.n) {
        return 0;
    }
    if (raw.p[*pos] != '<') {
        end = str_find(str_skip(raw, *pos), '<');
        token->text = str_sub(raw, *pos, end);
        *pos += token->text.n;
        return 1;
    }
    end = tag_end(raw, *pos + 1);
    if (end == STR_NPOS) {
        return -1;
    }
    split_tag(str_sub(raw, *pos + 1, end - *pos - 1), token);
    *pos = end + 1;
    return 1;
}

static struct str trim_left(struct str s) {
    size_t n = 0;

    while (n < s.n && is_space(s.p[n])) {
        n++;
    }
    return str_skip(s, n);
}

struct str graph_svg_attr(const struct svg_token *token, const char *name) {
    struct str rest = token->attrs;

    for (;;) {
        size_t equals = str_find(rest, '='), close;
        struct str key, value;

        if (equals == STR_NPOS || equals + 1 >= rest.n) {
            return (struct str){NULL, 0};
        }
        key = trim_left(str_sub(rest, 0, equals));
        value = str_skip(rest, equals + 2);
        close = str_find(value, rest.p[equals + 1]);
        if (close == STR_NPOS) {
            return (struct str){NULL, 0};
        }
        if (str_eq_z(key, name)) {
            return str_sub(value, 0, close);
        }
        rest = str_skip(value, close + 1);
    }
}

// Digits, one point; libgvc writes no exponents.
static size_t read_digits(struct str s, double *out) {
    double value = 0, unit = 1;
    bool fraction = false;
    size_t i = 0, digits = 0;

    for (; i < s.n && (is_digit(s.p[i]) || (s.p[i] == '.' && !fraction)); i++) {
        if (s.p[i] == '.') {
            fraction = true;
            continue;
        }
        if (++digits > NUMBER_DIGITS && fraction) {
            continue;
        }
        value = value * 10 + (s.p[i] - '0');
        unit = fraction ? unit * 10 : unit;
    }
    *out = value / unit;
    return digits ? i : 0;
}

bool graph_svg_number(struct str *rest, double *out) {
    for (size_t i = 0; i < rest->n; i++) {
        bool negative = rest->p[i] == '-';
        size_t start = negative ? i + 1 : i;
        size_t n = read_digits(str_skip(*rest, start), out);

        if (!n) {
            continue;
        }
        if (negative) {
            *out = -*out;
        }
        *rest = str_skip(*rest, start + n);
        return true;
    }
    return false;
}

static bool add_entity(struct buf *out, struct str name) {
    static const struct {
        const char *name;
        uint32_t c;
    } named[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    struct str digits = str_skip(name, 1);
    uint32_t c = 0;

    for (size_t i = 0; i < ARRAY_LEN(named); i++) {
        if (str_eq_z(name, named[i].name)) {
            utf8_add(out, named[i].c);
            return true;
        }
    }
    if (!str_starts(name, STR("#")) || !digits.n || digits.n > 7) {
        return false;
    }
    for (size_t i = 0; i < digits.n; i++) {
        if (!is_digit(digits.p[i])) {
            return false;
        }
        c = c * 10 + (uint32_t)(digits.p[i] - '0');
    }
    utf8_add(out, utf8_shown(c));
    return true;
}

void graph_svg_decode(struct buf *out, struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        size_t n = text.p[i] == '&' ? str_find(str_skip(text, i), ';') : STR_NPOS;

        if (n != STR_NPOS && add_entity(out, str_sub(text, i + 1, n - 1))) {
            i += n;
        } else {
            buf_add_char(out, text.p[i]);
        }
    }
}
