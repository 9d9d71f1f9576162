// Jobs: everything that interprets a model runs in a disposable process, never in the HTTP process.
//
// A job is one graph_render(): skeleton and options in, a document or an error out. srv_jobs keeps
// a bounded queue and at most `workers` jobs running; each runs in a child forked by the zygote
// (server/zygote.h) under rlimits and seccomp (server/sandbox.h) with a deadline by SIGKILL. A
// child that crashes or is killed is an error of that job alone (ERR_CRASH, ERR_TIMEOUT),
// remembered for a while per (skeleton, options) so that the same input is not tried again at once.
// A dead zygote is started anew.
//
// Threads: any thread may submit; `done` is called on the dispatcher thread, once per accepted job.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"
#include "graph/options.h"
#include "graph/render.h"
#include "onnx/strip.h"
#include "server/config.h"

struct srv_jobs;

// What a job gives. Borrowed during `done` unless the callee takes `body`.
struct srv_job_result {
    struct error error;  // code 0 = the document is there
    uint8_t *body;       // malloc'd; the callee may take it by setting it to NULL, else it is freed
    size_t n;
    size_t warnings;                      // total number
    uint64_t nodes;                       // of the main graph
    char producer[GRAPH_PRODUCER_BYTES];  // of the file, fit for display
    double queue_ms, run_ms;              // wall
    double cpu_ms[GRAPH_STAGES];
};

typedef void (*srv_job_done)(void *arg, struct srv_job_result *result);

// Whether anybody still waits for a job. One that nobody waits for is not started: it ends with
// ERR_BUSY. Called on the dispatcher thread.
typedef bool (*srv_job_wanted)(void *arg);

struct srv_job {
    struct slice skeleton;  // shared with the caller until `done` (keep it alive)
    struct onnx_strip_facts strip;
    char id[SHA256_HEX + 1];  // of the model, "" = none
    uint64_t size;            // posted bytes
    enum graph_format format;
    uint32_t dpi;                           // of a PNG, 0 = the standard
    const struct graph_options *options;    // copied
    srv_job_wanted wanted;                  // with the `arg` of `done`; NULL = it always is
    uint8_t skeleton_digest[SHA256_BYTES];  // for the memory of crashes
};

// Starts the zygote and the dispatcher thread. *out is owned by the caller (srv_jobs_free stops
// everything, running jobs are killed and answered ERR_BUSY).
int srv_jobs_new(struct srv_jobs **out, const struct srv_config *config,
                 struct error *err) WARN_UNUSED;
void srv_jobs_free(struct srv_jobs *jobs);

// Accepts a job, or refuses at once: ERR_BUSY (queue full), ERR_CRASH / ERR_TIMEOUT (remembered),
// ERR_NOMEM; then `done` is not called.
int srv_jobs_submit(struct srv_jobs *jobs, const struct srv_job *job, srv_job_done done, void *arg,
                    struct error *err) WARN_UNUSED;

struct srv_jobs_stats {
    size_t waiting, running;
    uint64_t ok, failed, crashed, timed_out, refused, cancelled, zygote_starts;
    int ready;  // the zygote answers
};

void srv_jobs_stats(struct srv_jobs *jobs, struct srv_jobs_stats *out);
