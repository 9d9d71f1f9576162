// Validators: strong tags that name bytes, the same on every machine that runs this version.
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "server/reply.h"

// A tag, with its quotes, of what `bytes` name (or are) in this version of the program.
void srv_etag_write(char etag[SRV_ETAG_BYTES], struct slice bytes);

// Answers 304 when If-None-Match lists the tag, in the form that this request would get. The caller
// sets kind and age as for the whole answer.
bool srv_reply_not_modified(struct srv_request *rq, const char etag[SRV_ETAG_BYTES]);
