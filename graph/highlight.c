#include "graph/highlight.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/num.h"
#include "graph/options.h"
#include "graph/pattern.h"

enum highlight_by { BY_OP, BY_PATH, BY_NAME };

struct graph_highlight_item {
    enum highlight_by by;
    struct buf source;                   // as written
    struct buf text;                     // of a name: decoded
    struct graph_pattern_list patterns;  // of an operator or a path: one
};

static const struct {
    const char *prefix;
    enum highlight_by by;
} prefixes[] = {{"op:", BY_OP}, {"path:", BY_PATH}, {"name:", BY_NAME}};

static int bad(struct str item, const char *why, struct error *err) {
    struct str shown = str_sub(item, 0, 128);

    return error_set(err, ERR_USAGE, "'%.*s': %s", STR_ARG(shown), why);
}

// Percent-decodes a name; false for a bad escape.
static bool decode(struct buf *out, struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        int high, low;

        if (text.p[i] != '%') {
            buf_add_char(out, text.p[i]);
            continue;
        }
        if (text.n - i < 3) {
            return false;
        }
        high = num_hex_digit(text.p[i + 1]);
        low = num_hex_digit(text.p[i + 2]);
        if (high < 0 || low < 0) {
            return false;
        }
        buf_add_char(out, (char)(high * 16 + low));
        i += 2;
    }
    return true;
}

static int take_text(struct graph_highlight_item *item, struct str whole, struct str text,
                     struct error *err) {
    if (item->by != BY_NAME) {
        return graph_patterns_init(&item->patterns, text, err);
    }
    if (!decode(&item->text, text)) {
        return bad(whole, "'%' needs two hexadecimal digits behind it", err);
    }
    return buf_check(&item->text, "highlight", NULL, err);
}

static int take_item(struct graph_highlight_item *item, struct str whole, struct error *err) {
    buf_init(&item->source, GRAPH_PATTERN_BYTES);
    buf_init(&item->text, GRAPH_PATTERN_BYTES);
    buf_add_str(&item->source, whole);
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        struct str prefix = str_from(prefixes[i].prefix);

        if (!str_starts(whole, prefix)) {
            continue;
        }
        if (whole.n == prefix.n) {
            return bad(whole, "there is nothing behind the colon", err);
        }
        item->by = prefixes[i].by;
        return take_text(item, whole, str_skip(whole, prefix.n), err);
    }
    return bad(whole, "it starts with none of op:, path:, name:", err);
}

static size_t count_items(struct str list) {
    size_t n = 0;
    struct str part;

    while (str_next(&list, ',', &part)) {
        n++;
    }
    return n;
}

int graph_highlight_init(struct graph_highlight *out, struct str list, struct error *err) {
    size_t n = count_items(list);
    struct str part;
    int rc = 0;

    *out = (struct graph_highlight){0};
    if (n == 0) {
        return 0;
    }
    if (list.n > GRAPH_PATTERN_BYTES || n > GRAPH_PATTERNS_MAX) {
        return error_set(err, ERR_USAGE, "a list may have %d items and %d bytes",
                         GRAPH_PATTERNS_MAX, GRAPH_PATTERN_BYTES);
    }
    out->items = calloc(n, sizeof(*out->items));
    if (!out->items) {
        return error_set(err, ERR_NOMEM, "no memory for a list of patterns");
    }
    while (rc == 0 && out->n < n && str_next(&list, ',', &part)) {
        rc = take_item(&out->items[out->n++], str_trim(part), err);
    }
    if (rc < 0) {
        graph_highlight_release(out);
    }
    return rc;
}

void graph_highlight_release(struct graph_highlight *list) {
    for (size_t i = 0; i < list->n; i++) {
        buf_release(&list->items[i].source);
        buf_release(&list->items[i].text);
        graph_patterns_release(&list->items[i].patterns);
    }
    free(list->items);
    *list = (struct graph_highlight){0};
}

bool graph_highlight_op(const struct graph_highlight *list, size_t i, struct str op) {
    const struct graph_highlight_item *item = &list->items[i];

    return item->by == BY_OP && graph_patterns_match(&item->patterns, op, (struct str){0}, 0) > 0;
}

bool graph_highlight_path(const struct graph_highlight *list, size_t i, struct str path,
                          struct str class_name, uint32_t call) {
    const struct graph_highlight_item *item = &list->items[i];

    return item->by == BY_PATH && graph_patterns_match(&item->patterns, path, class_name, call) > 0;
}

bool graph_highlight_name(const struct graph_highlight *list, size_t i, struct str name) {
    const struct graph_highlight_item *item = &list->items[i];
    struct str text = buf_str(&item->text);

    if (item->by != BY_NAME) {
        return false;
    }
    for (size_t at = 0; at + text.n <= name.n; at++) {
        if (str_eq_nocase(str_sub(name, at, text.n), text)) {
            return true;
        }
    }
    return false;
}

struct str graph_highlight_text(const struct graph_highlight *list, size_t i) {
    return buf_str(&list->items[i].source);
}
