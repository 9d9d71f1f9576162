// Content codings: bodies that come compressed, answers that go out compressed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

#define SRV_ACCEPTED_CODINGS "gzip, zstd"  // of request bodies

// A body may grow to this size before its ratio is looked at.
#define SRV_RATIO_FROM ((uint64_t)64 << 20)

// Memory that a zstd body may ask for (RFC 9659 allows HTTP no more): 2^23 bytes.
#define SRV_ZSTD_WINDOW_LOG 23

enum srv_coding { SRV_CODING_IDENTITY, SRV_CODING_GZIP, SRV_CODING_ZSTD };

// Reads a Content-Encoding field ("" = identity). false when it is none of ours.
bool srv_coding_parse(struct str field, enum srv_coding *out);

// The coding whose first bytes these are, NULL = none.
const char *srv_coding_guess(struct slice head);

// Takes the next expanded bytes. A negative result sticks and is what feed() returns.
typedef int (*srv_decoder_sink)(void *arg, struct slice bytes, struct error *err);

struct srv_decoder;

// *out is owned by the caller. `max_ratio`: how many times larger than what came in the output may
// be. Errors: ERR_NOMEM.
int srv_decoder_new(struct srv_decoder **out, enum srv_coding coding, uint64_t max_ratio,
                    srv_decoder_sink sink, void *arg, struct error *err) WARN_UNUSED;
void srv_decoder_free(struct srv_decoder *d);

// Errors: ERR_USAGE (malformed), ERR_LIMIT (max-ratio), those of the sink.
int srv_decoder_feed(struct srv_decoder *d, struct slice chunk, struct error *err) WARN_UNUSED;

// Errors: ERR_USAGE when the stream is not at an end.
int srv_decoder_finish(const struct srv_decoder *d, struct error *err) WARN_UNUSED;

// Compresses with gzip; the same bytes give the same result. *out is malloc'd. Errors: ERR_NOMEM,
// ERR_LIMIT (2 GiB).
int srv_gzip(uint8_t **out, size_t *n, struct slice bytes, struct error *err) WARN_UNUSED;
