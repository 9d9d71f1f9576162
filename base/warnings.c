#include "base/warnings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/str.h"
#include "base/utf8.h"

void warnings_release(struct warnings *w) {
    if (!w) {
        return;
    }
    free(w->items);
    *w = (struct warnings){0};
}

static PRINTF_LIKE(4, 0) void add(struct warnings *w, const char *code, const char *where,
                                  const char *fmt, va_list args) {
    struct warning *item;

    w->total++;
    if (array_grow(&w->items, &w->cap, w->n + 1, sizeof(*w->items), WARNINGS_MAX, "warnings",
                   NULL) < 0) {
        return;
    }
    item = &w->items[w->n++];
    item->code = code;
    utf8_format_shown(item->message, sizeof(item->message), fmt, args);
    utf8_copy_shown(item->where, sizeof(item->where), str_from(where));
}

void warnings_add(struct warnings *w, const char *code, const char *where, const char *fmt, ...) {
    va_list args;

    va_start(args, fmt);
    add(w, code, where, fmt, args);
    va_end(args);
}

static PRINTF_LIKE(3, 4) void format_place(char *out, size_t room, const char *fmt, ...) {
    va_list args;

    va_start(args, fmt);
    utf8_format_shown(out, room, fmt, args);
    va_end(args);
}

void warnings_add_error(struct warnings *w, const char *code, const struct error *err) {
    char where[sizeof(((struct warning *)0)->where)];
    const char *comma = err->field[0] ? ", " : "";

    if (err->offset == ERROR_NO_OFFSET) {
        warnings_add(w, code, err->field, "%s", err->text);
        return;
    }
    format_place(where, sizeof(where), "byte %" PRIu64 "%s%s", err->offset, comma, err->field);
    warnings_add(w, code, where, "%s", err->text);
}
