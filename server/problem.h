// Errors as answers: documents of RFC 9457, and the same as a picture for <img>.
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct srv_problem {
    unsigned status;
    struct error error;      // text, and offset, field and limit where they apply
    const char *request_id;  // NULL = none
    unsigned retry_after;    // seconds, 0 = not said
    struct str alternative;  // URL that may work, {NULL, 0} = none
};

// The status that an error of this code is answered with: 422 for a file that is no model, 413 for
// a limit, 504 for a deadline, ...
unsigned srv_problem_status(int code);

// A status's short name in words: "not-found"; and its title. "error" for unknown ones.
const char *srv_problem_slug(unsigned status);
const char *srv_problem_title(unsigned status);

// Appends the document: type, title, status, detail, and limit, setting, offset, field, request_id,
// retry_after, alternative where they apply.
void srv_problem_write_json(struct buf *out, const struct srv_problem *p);

// Appends a card of fixed width that shows title and detail: well-formed, safe to embed.
void srv_problem_write_svg(struct buf *out, const struct srv_problem *p);
