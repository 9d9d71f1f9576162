// Jobs of small models for tests, and a main() that is the zygote, too.
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attr.h"
#include "base/buf.h"
#include "server/job.h"

#define SECOND_MS 1000u
#define SLOW_NODES 60000

struct answer {
    pthread_mutex_t lock;
    pthread_cond_t came;
    bool done;
    struct srv_job_result result;
};

extern struct buf model;
extern struct graph_options options;

void answer_init(struct answer *a);
void answer_release(struct answer *a);
void on_done(void *arg, struct srv_job_result *result);
const struct srv_job_result *wait_for(struct answer *a);

void use_chain(size_t n);  // `model` becomes a chain of n operators
void release_model(void);
struct srv_config standard(void);
struct srv_jobs *start(const struct srv_config *c);
struct srv_job job_of(enum graph_format format);
void submit(struct srv_jobs *jobs, enum graph_format format, struct answer *a);
int try_submit(struct srv_jobs *jobs, enum graph_format format, struct answer *a);
void run_fine(struct srv_jobs *jobs, enum graph_format format);
struct srv_jobs_stats stats(struct srv_jobs *jobs);

pid_t zygote_pid(void);
pid_t wait_for_job_process(void);
void sleep_ms(long ms);
