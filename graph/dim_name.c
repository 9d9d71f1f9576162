#include "graph/dim_name.h"

#include <string.h>

#include "base/attr.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

// Whether the text ends in `mark` and a number behind it; *from is where the mark begins.
static bool ends_in_number(struct str s, const char *mark, size_t *from) {
    size_t n = s.n, marks = strlen(mark);

    while (n > 0 && is_digit(s.p[n - 1])) {
        n--;
    }
    if (n == s.n || n < marks || !str_eq_z(str_sub(s, n - marks, marks), mark)) {
        return false;
    }
    *from = n - marks;
    return true;
}

// torch names what it infers by operator and value; operators begin with a capital letter.
static bool is_of_torch(struct str name) {
    size_t from;

    return ends_in_number(name, "_dynamic_axes_", &from) ||
           (is_upper(name.p[0]) && ends_in_number(name, "_dim_", &from));
}

static bool is_of_onnxruntime(struct str name) {
    size_t from;

    return (ends_in_number(name, "__d", &from) || ends_in_number(name, "_d", &from)) &&
           ends_in_number(str_sub(name, 0, from), "_o", &from);
}

static bool is_of_nobody(struct str name) {
    static const char *const names[] = {"None", "none", "?", "-1", "unk", "unknown"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_eq_z(name, names[i])) {
            return true;
        }
    }
    return false;
}

static bool is_generated(struct str name) {
    size_t from;

    if (name.n == 0) {
        return false;
    }
    return (ends_in_number(name, "unk__", &from) && from == 0) || is_of_torch(name) ||
           is_of_onnxruntime(name);
}

// Without a divisor; names may hold slashes.
static struct str undivided(struct str term) {
    size_t slash = str_rfind(term, '/');

    for (size_t i = slash == STR_NPOS ? term.n : slash + 1; i < term.n; i++) {
        if (!is_digit(term.p[i])) {
            return term;
        }
    }
    return str_sub(term, 0, slash == STR_NPOS ? term.n : slash);
}

// What formulas are written with (graph/dim.h); names may hold the rest.
static bool is_between(char c) {
    return c == ' ' || c == '*' || c == '+' || c == '(' || c == ')' || c == ',';
}

bool graph_dim_is_generated(struct str symbol) {
    size_t from = 0;

    if (is_of_nobody(symbol)) {
        return true;
    }
    for (size_t i = 0; i <= symbol.n; i++) {
        if (i < symbol.n && !is_between(symbol.p[i])) {
            continue;
        }
        if (is_generated(undivided(str_sub(symbol, from, i - from)))) {
            return true;
        }
        from = i + 1;
    }
    return false;
}
