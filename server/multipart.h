// multipart/form-data (RFC 7578) as it streams in: the bytes of one field, wherever the chunks are
// cut.
//
// A push parser with constant memory. Other fields are skipped; of several with the wanted name the
// first counts.
#pragma once

#include <stdbool.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

struct srv_multipart;

// Takes the next bytes of the field. A negative result sticks and is what feed() returns.
typedef int (*srv_multipart_sink)(void *arg, struct slice bytes, struct error *err);

// Whether a Content-Type is multipart/form-data; *boundary is its parameter, unquoted, {NULL, 0}
// when it has none or a malformed one.
bool srv_multipart_type(struct str content_type, struct str *boundary);

// *out is owned by the caller. `boundary` is copied, `field` is a constant. Errors: ERR_NOMEM,
// ERR_USAGE (no boundary).
int srv_multipart_new(struct srv_multipart **out, struct str boundary, const char *field,
                      srv_multipart_sink sink, void *arg, struct error *err) WARN_UNUSED;
void srv_multipart_free(struct srv_multipart *m);

// Errors: ERR_USAGE (malformed), those of the sink.
int srv_multipart_feed(struct srv_multipart *m, struct slice chunk, struct error *err) WARN_UNUSED;

// Errors: ERR_USAGE (the form ends too early, or the field is not in it).
int srv_multipart_finish(const struct srv_multipart *m, struct error *err) WARN_UNUSED;
