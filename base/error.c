#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

static const char *const names[] = {
    [-ERR_NOMEM] = "memory",
    [-ERR_BUG] = "bug",
    [-ERR_IO] = "io",
    [-ERR_USAGE] = "usage",
    [-ERR_FORMAT] = "format",
    [-ERR_TRUNCATED] = "truncated",
    [-ERR_LIMIT] = "limit",
    [-ERR_NOT_FOUND] = "not-found",
    [-ERR_TIMEOUT] = "timeout",
    [-ERR_CRASH] = "crash",
    [-ERR_BUSY] = "busy",
    [-ERR_FULL] = "full",
    [-ERR_UNSUPPORTED] = "unsupported",
};

struct place {
    uint64_t offset;
    const char *field;
    const char *limit;
};

// Built aside and copied at the end, because the arguments may point into *err. Zeroed first, so
// that an error sent to another process carries no bytes of our stack.
static PRINTF_LIKE(4, 0) void fill(struct error *err, enum err_code code, struct place at,
                                   const char *fmt, va_list args) {
    struct error e;

    if (!err) {
        return;
    }
    memset(&e, 0, sizeof(e));
    e.code = code;
    e.offset = at.offset;
    utf8_copy_shown(e.field, sizeof(e.field), str_from(at.field));
    utf8_copy_shown(e.limit, sizeof(e.limit), str_from(at.limit));
    utf8_format_shown(e.text, sizeof(e.text), fmt, args);
    memcpy(err, &e, sizeof(e));
}

int error_set(struct error *err, enum err_code code, const char *fmt, ...) {
    va_list args;

    va_start(args, fmt);
    fill(err, code, (struct place){.offset = ERROR_NO_OFFSET}, fmt, args);
    va_end(args);
    return code;
}

int error_set_at(struct error *err, enum err_code code, uint64_t offset, const char *field,
                 const char *fmt, ...) {
    va_list args;

    va_start(args, fmt);
    fill(err, code, (struct place){.offset = offset, .field = field}, fmt, args);
    va_end(args);
    return code;
}

int error_set_limit(struct error *err, const char *limit, const char *fmt, ...) {
    va_list args;

    va_start(args, fmt);
    fill(err, ERR_LIMIT, (struct place){.offset = ERROR_NO_OFFSET, .limit = limit}, fmt, args);
    va_end(args);
    return ERR_LIMIT;
}

const char *error_name(int code) {
    if (code >= 0 || code <= -(int)ARRAY_LEN(names)) {
        return "unknown";
    }
    return names[-code];
}
