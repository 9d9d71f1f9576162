// Reading JSON (RFC 8259). The only file pair that sees cJSON.
//
// For small documents of our own or of a user (settings, store records, a summary), never for
// models. Numbers beyond 2^53 lose digits in cJSON's doubles: what must be exact is kept as text.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

#define JSON_PARSE_MAX ((size_t)4 << 20)  // bytes of a document

struct json;  // a value; borrowed from its document

// Parses one document. *out is owned by the caller (json_free). \u0000 in a string is read as
// U+FFFD. Errors: ERR_FORMAT with the byte offset, give or take one (also for nesting deeper than
// cJSON's limit of 1000), ERR_LIMIT (longer than JSON_PARSE_MAX), ERR_NOMEM.
int json_parse(struct json **out, struct str text, struct error *err) WARN_UNUSED;
void json_free(struct json *doc);

// Member of an object, or NULL when it is none or lacks it.
const struct json *json_get(const struct json *object, const char *name);

// Elements of an array; 0 and NULL for anything else. Both walk the list: i steps.
size_t json_len(const struct json *array);
const struct json *json_at(const struct json *array, size_t i);

// {NULL, 0} unless it is a string.
struct str json_str(const struct json *value);

// `fallback` unless it is a finite number, or a boolean.
double json_num(const struct json *value, double fallback);
bool json_bool(const struct json *value, bool fallback);
