// From a model to a document: out of the cache, else by a job, shared with everybody who wants the
// same at the same time.
#pragma once

#include <stdint.h>

#include "server/http_request.h"
#include "server/store.h"

// What a document is known by: format, skeleton, options that matter, budgets that decide on what
// is shown, damage of the input, for a PNG its resolution, and for a summary the model's id and
// size. `params` may be NULL for what is no picture. Errors: ERR_NOMEM.
int srv_document_key(uint8_t key[SRV_LRU_KEY], const struct srv_record *record,
                     enum graph_format format, const struct srv_params *params,
                     const struct graph_render_limits *limits, struct error *err) WARN_UNUSED;

// Gets the document of rq->record in `format` and calls `next` with rq->document, or with rq->error
// when there is none: at once, or later in the request's thread.
void srv_produce(struct srv_request *rq, enum graph_format format,
                 void (*next)(struct srv_request *rq));

// What the answer to a request for a document is.
enum srv_reply_kind srv_document_kind(enum graph_format format);

// Names the file that a browser saves the answer as: "onnxscope-62cd6d88.svg", nothing out of the
// model.
void srv_reply_name_file(struct srv_request *rq, enum graph_format format);

// Answers with rq->document, or with the error.
void srv_reply_document(struct srv_request *rq);
