// The queue of jobs, shared by its two halves: job.c admits jobs on any thread, job_dispatch.c runs
// them on one of its own.
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "server/frame.h"
#include "server/job.h"
#include "server/job_wire.h"
#include "server/poison.h"
#include "server/zygote.h"
#include "server/zygote_handle.h"

struct job {
    struct job *next;
    struct slice skeleton;
    srv_job_done done;
    srv_job_wanted wanted;
    void *arg;
    struct srv_ticket ticket;
    struct buf options;         // packed
    uint8_t key[SHA256_BYTES];  // of skeleton, format and options
    uint64_t number;
    unsigned attempts;
    int answer;  // descriptor, -1 = none
    double submitted_ms, started_ms;
    uint64_t late;  // clock_monotonic_ms() of giving up, while it runs
};

struct srv_jobs {
    // Set once.
    size_t workers, queue;
    uint64_t deadline_ms, memory;
    struct graph_render_limits limits;
    bool verbose;
    int wake;  // eventfd: something to do for the dispatcher
    pthread_t dispatcher;

    pthread_mutex_t lock;      // of what follows
    struct job *first, *last;  // waiting
    struct srv_jobs_stats stats;
    struct srv_poison poison;
    bool stopping;
    bool broken;  // the zygote could not be started

    // The dispatcher's own.
    struct srv_zygote zygote;
    struct job *running[SRV_ZYGOTE_JOBS];
    size_t n_running;
    uint64_t next_number;
    bool full;  // the zygote does not read: nothing is sent until its socket has room
    uint64_t retry_at, retry_ms;
    struct srv_frame frame;
};

double srv_job_now_ms(void);  // monotonic, with fractions
void srv_job_free(struct job *j);

// Starts the zygote and waits until it is warm.
int srv_jobs_start_zygote(struct srv_jobs *jobs, struct error *err) WARN_UNUSED;

// The dispatcher thread; `arg` is the struct srv_jobs. Ends when jobs->stopping is set, with every
// job answered.
void *srv_jobs_dispatch(void *arg);

// Makes the dispatcher look again.
void srv_jobs_wake(struct srv_jobs *jobs);
