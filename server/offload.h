// Work that would keep a thread of the HTTP server from its other connections: compressing what is
// long, waiting for a disk. A few threads and one queue, first come first served.
//
// Any thread may add tasks. A task is embedded in its owner's struct and stays there until it ran.
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "base/error.h"

#define SRV_OFFLOAD_THREADS 2
#define SRV_OFFLOAD_FROM ((size_t)64 << 10)  // bytes; less is done where it comes up

struct srv_task {
    void (*run)(struct srv_task *t);
    struct srv_task *next;  // the queue's
};

struct srv_offload;

// *out is owned by the caller. Errors: ERR_NOMEM, ERR_IO.
int srv_offload_new(struct srv_offload **out, size_t threads, struct error *err) WARN_UNUSED;

// Runs the task on one of the threads; on the caller's when it is closed.
void srv_offload_add(struct srv_offload *o, struct srv_task *t);

// Ends the threads once everything in the queue ran.
void srv_offload_close(struct srv_offload *o);
void srv_offload_free(struct srv_offload *o);  // closes; NULL is fine
