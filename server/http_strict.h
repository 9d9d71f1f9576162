// What a request must look like before anything of it is believed.
//
// The library below accepts more than RFC 9112 allows, among it what lets two servers disagree on
// where a request ends; these checks close that. They see views only, so they can be tested and
// fuzzed without a socket.
#pragma once

#include <stddef.h>

#include "base/str.h"

struct srv_header {
    struct str name, value;
};

// The head of a request as it came: the target undecoded, every field line by itself.
struct srv_head {
    struct str method, target, version;
    const struct srv_header *headers;
    size_t n;
};

// Value of the first field of this name, {NULL, 0} when there is none; names have no case.
struct str srv_head_find(const struct srv_head *head, const char *name);
size_t srv_head_count(const struct srv_head *head, const char *name);

struct srv_verdict {
    unsigned status;   // 0 = fine, else the status to refuse with
    const char *text;  // why, a sentence
};

// The first rule that the head breaks. Its sender and we do not agree on framing then: the
// connection has to be closed.
struct srv_verdict srv_strict_check(const struct srv_head *head);
