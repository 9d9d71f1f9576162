// What a job's process is told, and what it answers.
//
// The ticket and the packed options travel in a RUN frame, the skeleton beside them as a sealed
// anonymous file. The answer is written into another anonymous file: a head and the document. Both
// ends are the same binary, so structs travel as they are. The answer comes from a process that has
// read a hostile file: whoever reads it believes nothing.
#pragma once

#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"
#include "graph/options.h"
#include "graph/render.h"
#include "onnx/strip.h"
#include "server/frame.h"
#include "server/job.h"

struct srv_ticket {
    struct graph_render_limits limits;
    struct onnx_strip_facts strip;
    char id[SHA256_HEX + 1];
    enum graph_format format;
    uint32_t dpi;          // of a PNG
    uint64_t size;         // posted bytes
    uint64_t skeleton_n;   // bytes of the skeleton
    uint64_t memory;       // bytes of address space, 0 = no limit
    uint64_t deadline_ms;  // wall time from the fork on
};

// Errors: ERR_LIMIT (the options are too long for a frame).
int srv_ticket_put(struct srv_frame *f, const struct srv_ticket *t, struct slice options,
                   struct error *err) WARN_UNUSED;

// *options is borrowed from the frame. Errors: ERR_FORMAT.
int srv_ticket_take(const struct srv_frame *f, struct srv_ticket *t, struct slice *options,
                    struct error *err) WARN_UNUSED;

// View options as bytes, row by row of graph_option_table; equal options give equal bytes.
void srv_options_pack(struct buf *out, const struct graph_options *o);

// *out is to be released. Errors: ERR_FORMAT, ERR_NOMEM.
int srv_options_unpack(struct graph_options *out, struct slice bytes,
                       struct error *err) WARN_UNUSED;

// Largest answer to a job with this output limit: the file size limit of its process.
uint64_t srv_answer_bytes(uint64_t max_output);

// Writes the answer: result->error, the facts, and the document when there is no error. Errors:
// ERR_IO, ERR_LIMIT.
int srv_answer_write(int fd, const struct srv_job_result *result, struct error *err) WARN_UNUSED;

// Reads an answer into *result (its body is malloc'd; queue_ms and run_ms are left alone). Texts
// are made fit to be shown, numbers that make no sense become 0. Errors: ERR_FORMAT (no answer, or
// a mangled one), ERR_NOMEM.
int srv_answer_read(int fd, uint64_t max_output, struct srv_job_result *result,
                    struct error *err) WARN_UNUSED;
