// What a client accepts (RFC 9110, sections 12.5 and 13.1.2): media types, gzip, validators.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define SRV_ACCEPT_RANGES 64  // of one field; later ones are not looked at

// Index of the best of `n` offered media types ("image/svg+xml; charset=utf-8": what follows ';' is
// not compared), or -1 when none is acceptable. The first wins a tie. An empty field accepts all.
int srv_negotiate_type(struct str accept, const char *const *offers, size_t n);

// Whether the answer should be compressed with gzip.
bool srv_negotiate_gzip(struct str accept_encoding);

// Whether an If-None-Match field holds this strong tag (with its quotes) or "*".
bool srv_etag_listed(struct str if_none_match, struct str etag);
