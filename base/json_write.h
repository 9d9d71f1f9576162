// Writing JSON (RFC 8259) straight into a bounded buffer: commas and nesting are kept by the
// writer, so that a document of 100,000 nodes needs no tree; 64-bit integers are exact; strings are
// always valid UTF-8 (ill-formed input becomes U+FFFD) and hold no raw control characters. `<`, `>`
// and `&` are escaped as \u003c.. so that a document can stand in HTML.
//
// Calls must nest; a key must precede each value inside an object. A violation is a bug and trips
// an assert. Failures stick in the buffer (buf_check).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

#define JSON_WRITE_DEPTH 64

struct json_write {
    struct buf *out;
    unsigned depth;
    bool need_comma;
    bool have_key;
    char open[JSON_WRITE_DEPTH];  // '{' or '[' per level
};

void json_write_init(struct json_write *w, struct buf *out);

void json_open_object(struct json_write *w);
void json_close_object(struct json_write *w);
void json_open_array(struct json_write *w);
void json_close_array(struct json_write *w);

void json_key(struct json_write *w, const char *name);     // a constant name
void json_key_str(struct json_write *w, struct str name);  // a name from the file

void json_add_str(struct json_write *w, struct str s);
void json_add_z(struct json_write *w, const char *z);  // NULL writes null
void json_add_i64(struct json_write *w, int64_t v);
void json_add_u64(struct json_write *w, uint64_t v);
void json_add_double(struct json_write *w,
                     double v);  // shortest form that reads back equal; not finite = null
void json_add_bool(struct json_write *w, bool v);
void json_add_null(struct json_write *w);
void json_add_raw(struct json_write *w, struct str json);  // a complete value, trusted

// Short forms for members of objects.
void json_member_str(struct json_write *w, const char *name, struct str s);
void json_member_z(struct json_write *w, const char *name, const char *z);
void json_member_i64(struct json_write *w, const char *name, int64_t v);
void json_member_u64(struct json_write *w, const char *name, uint64_t v);
void json_member_bool(struct json_write *w, const char *name, bool v);
void json_member_null(struct json_write *w, const char *name);
