// A model as it is posted: the body, its Content-Encoding undone, the field `model` of a form taken
// out, digested and stripped while it streams in. Nothing of it is kept but the skeleton.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"
#include "onnx/limits.h"
#include "server/encoding.h"
#include "server/store.h"

struct srv_upload;

struct srv_upload_plan {
    enum srv_coding coding;
    bool is_form;
    struct str boundary;  // of the form
    const struct onnx_limits *limits;
    uint64_t max_ratio;
};

// *out is owned by the caller. Errors: ERR_NOMEM, ERR_USAGE (a form without a boundary).
int srv_upload_new(struct srv_upload **out, const struct srv_upload_plan *plan,
                   struct error *err) WARN_UNUSED;
void srv_upload_free(struct srv_upload *u);

// Takes the next bytes of the body. What is wrong is kept for the end, because it cannot be said
// before; the rest is swallowed then.
void srv_upload_feed(struct srv_upload *u, struct slice chunk);

// Bytes of the model so far.
uint64_t srv_upload_size(const struct srv_upload *u);

// Ends the body. *out is a record with one reference, without summary: id, skeleton and its digest,
// posted size, facts, time. Errors: those of the stripper; ERR_USAGE (coding or form malformed),
// ERR_LIMIT, ERR_NOMEM.
int srv_upload_finish(struct srv_upload *u, struct srv_record **out, struct error *err) WARN_UNUSED;
