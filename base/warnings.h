// What is wrong with an input that can be drawn all the same: a bounded list of {code, message,
// where}.
//
// It goes into every JSON document, onto stderr of the command line, and its length into the header
// Onnxscope-Warnings. Past WARNINGS_MAX entries only the total goes on counting. Messages are plain
// sentences without control characters. Zeroed is a valid empty list.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"

#define WARNINGS_MAX 256

struct warning {
    const char *code;  // constant: "truncated", "cycle", "duplicate-value", ...
    char message[320];
    char where[160];  // "byte 1234, graph.node[17]", a node or value name; "" when none
};

struct warnings {
    struct warning *items;
    size_t n, cap;
    size_t total;  // also counts those that found no room
};

void warnings_release(struct warnings *w);

// `code` must be a constant. `where` may be NULL. Never fails: without memory only the total grows.
void warnings_add(struct warnings *w, const char *code, const char *where, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

// The same from an error: its text, and "byte N, FIELD" as the place.
void warnings_add_error(struct warnings *w, const char *code, const struct error *err);
