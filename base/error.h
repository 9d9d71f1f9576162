// Errors as values: a negative code that programs branch on, and one sentence that a person reads.
//
// Functions that can fail return 0 or a negative `enum err_code` and take `struct error *err` last.
// `err` may be NULL when the caller only needs the code. A struct error owns no memory and may be
// copied and sent to another process of the same build. Its text never holds control characters:
// foreign bytes that were formatted into it are replaced when it is set.
#pragma once

#include <stdint.h>

#include "base/attr.h"

enum err_code {
    ERR_NOMEM = -1,      // memory, or the budget given for it, ran out
    ERR_BUG = -2,        // a caller broke a contract
    ERR_IO = -3,         // the operating system refused
    ERR_USAGE = -4,      // an option or argument is unknown or malformed
    ERR_FORMAT = -5,     // the input is no usable ONNX model
    ERR_TRUNCATED = -6,  // the input ends too early and nothing of it can be used
    ERR_LIMIT = -7,      // a named limit was reached; `limit` names it
    ERR_NOT_FOUND = -8,
    ERR_TIMEOUT = -9,       // the deadline of a job passed
    ERR_CRASH = -10,        // the process of a job died
    ERR_BUSY = -11,         // the queue is full, or the service drains
    ERR_FULL = -12,         // no room where something has to be written
    ERR_UNSUPPORTED = -13,  // this machine lacks what it takes
};

#define ERROR_NO_OFFSET UINT64_MAX

struct error {
    int code;         // enum err_code, 0 = no error
    uint64_t offset;  // byte of the input where it went wrong, or ERROR_NO_OFFSET
    char field[128];  // field path such as "graph.node[17].attribute[2]", "" when none applies
    char limit[32];   // name of the setting that would have to be raised, "" when none applies
    char text[512];   // a sentence, without a full stop at its end
};

// Fills *err (unless NULL) with code and text, no offset, no field. Returns `code`, so that `return
// error_set(err, ERR_IO, ...)` reads as one step. A text that is too long is cut at a character.
int error_set(struct error *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

// The same with the place in the input. `field` may be NULL.
int error_set_at(struct error *err, enum err_code code, uint64_t offset, const char *field,
                 const char *fmt, ...) PRINTF_LIKE(5, 6);

// The same for a limit: `limit` is the name of its setting. Returns ERR_LIMIT.
int error_set_limit(struct error *err, const char *limit, const char *fmt, ...) PRINTF_LIKE(3, 4);

// Constant name of a code, for logs and JSON: "limit", "truncated", ... ; "unknown" for anything
// else.
const char *error_name(int code);
