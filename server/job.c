#include "server/job.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/job_internal.h"

static size_t count_workers(uint64_t wanted) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t n = wanted ? wanted : cores > 0 ? (uint64_t)cores : 1;

    return n > SRV_ZYGOTE_JOBS ? SRV_ZYGOTE_JOBS : (size_t)n;
}

// Signals are for the main thread.
static int start_thread(struct srv_jobs *jobs) {
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&jobs->dispatcher, NULL, srv_jobs_dispatch, jobs);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

static int start_dispatcher(struct srv_jobs *jobs, struct error *err) {
    int rc;

    jobs->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (jobs->wake < 0) {
        return error_set(err, ERR_IO, "no event descriptor: %s", strerror(errno));
    }
    rc = start_thread(jobs);
    if (rc == 0) {
        return 0;
    }
    close(jobs->wake);
    return error_set(err, ERR_IO, "cannot start a thread: %s", strerror(rc));
}

int srv_jobs_new(struct srv_jobs **out, const struct srv_config *config, struct error *err) {
    struct srv_jobs *jobs = calloc(1, sizeof(*jobs));
    int rc;

    if (!jobs) {
        return error_set(err, ERR_NOMEM, "no memory for the queue of jobs");
    }
    jobs->workers = count_workers(config->workers);
    jobs->queue = config->queue > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)config->queue;
    jobs->deadline_ms = config->deadline_ms;
    jobs->memory = config->job_memory;
    jobs->limits = config->limits;
    jobs->verbose = config->log_level && strcmp(config->log_level, "debug") == 0;
    jobs->next_number = 1;
    pthread_mutex_init(&jobs->lock, NULL);
    rc = srv_jobs_start_zygote(jobs, err);
    if (rc == 0) {
        rc = start_dispatcher(jobs, err);
    }
    if (rc < 0) {
        srv_zygote_stop(&jobs->zygote);
        pthread_mutex_destroy(&jobs->lock);
        free(jobs);
        return rc;
    }
    *out = jobs;
    return 0;
}

void srv_jobs_free(struct srv_jobs *jobs) {
    if (!jobs) {
        return;
    }
    pthread_mutex_lock(&jobs->lock);
    jobs->stopping = true;
    pthread_mutex_unlock(&jobs->lock);
    srv_jobs_wake(jobs);
    pthread_join(jobs->dispatcher, NULL);
    close(jobs->wake);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

static void make_key(struct job *j, const uint8_t skeleton_digest[SHA256_BYTES]) {
    const uint32_t format = (uint32_t)j->ticket.format;
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, (struct slice){skeleton_digest, SHA256_BYTES});
    sha256_add(&s, (struct slice){(const uint8_t *)&format, sizeof(format)});
    sha256_add(&s, (struct slice){(const uint8_t *)&j->ticket.dpi, sizeof(j->ticket.dpi)});
    sha256_add(&s, buf_slice(&j->options));
    sha256_done(&s, j->key);
}

static struct job *job_new(const struct srv_jobs *jobs, const struct srv_job *from,
                           struct error *err) {
    struct job *j = calloc(1, sizeof(*j));
    struct graph_options standard;

    if (!j) {
        error_set(err, ERR_NOMEM, "no memory for a job");
        return NULL;
    }
    j->answer = -1;
    j->skeleton = from->skeleton;
    j->wanted = from->wanted;
    j->ticket.limits = jobs->limits;
    j->ticket.strip = from->strip;
    memcpy(j->ticket.id, from->id, sizeof(j->ticket.id));
    j->ticket.format = from->format;
    j->ticket.dpi = from->dpi;
    j->ticket.size = from->size;
    j->ticket.skeleton_n = from->skeleton.n;
    j->ticket.memory = jobs->memory;
    j->ticket.deadline_ms = jobs->deadline_ms;
    buf_init(&j->options, SRV_FRAME_BYTES - sizeof(j->ticket));
    graph_options_init(&standard);
    srv_options_pack(&j->options, from->options ? from->options : &standard);
    graph_options_release(&standard);
    if (buf_check(&j->options, "view options", NULL, err) < 0) {
        srv_job_free(j);
        return NULL;
    }
    make_key(j, from->skeleton_digest);
    return j;
}

static int refuse_poison(int code, uint64_t left_ms, struct error *err) {
    const char *what = code == ERR_TIMEOUT ? "did not end in time" : "crashed";
    const unsigned long long left_s = left_ms / 1000 + 1;

    return error_set(err, (enum err_code)code,
                     "this view of this model %s a moment ago; it is not tried again for %llu s",
                     what, left_s);
}

// Under the lock.
static int admit(struct srv_jobs *jobs, struct job *j, struct error *err) {
    uint64_t left_ms = 0;
    int code = srv_poison_find(&jobs->poison, j->key, clock_monotonic_ms(), &left_ms);

    if (jobs->stopping) {
        return error_set(err, ERR_BUSY, "the service is shutting down");
    }
    if (code) {
        return refuse_poison(code, left_ms, err);
    }
    if (jobs->broken) {
        return error_set(err, ERR_BUSY, "the process that starts jobs is being started again");
    }
    if (jobs->stats.waiting + jobs->stats.running >= jobs->queue + jobs->workers) {
        return error_set(err, ERR_BUSY, "%zu jobs run and %zu wait already", jobs->stats.running,
                         jobs->stats.waiting);
    }
    if (jobs->last) {
        jobs->last->next = j;
    } else {
        jobs->first = j;
    }
    jobs->last = j;
    jobs->stats.waiting++;
    return 0;
}

int srv_jobs_submit(struct srv_jobs *jobs, const struct srv_job *job, srv_job_done done, void *arg,
                    struct error *err) {
    struct error why;
    struct job *j = job_new(jobs, job, &why);
    int rc;

    if (!j) {
        if (err) {
            *err = why;
        }
        return why.code;
    }
    j->done = done;
    j->arg = arg;
    j->submitted_ms = srv_job_now_ms();
    pthread_mutex_lock(&jobs->lock);
    rc = admit(jobs, j, err);
    jobs->stats.refused += rc < 0;
    pthread_mutex_unlock(&jobs->lock);
    if (rc < 0) {
        srv_job_free(j);
    } else {
        srv_jobs_wake(jobs);
    }
    return rc;
}

void srv_jobs_stats(struct srv_jobs *jobs, struct srv_jobs_stats *out) {
    pthread_mutex_lock(&jobs->lock);
    *out = jobs->stats;
    pthread_mutex_unlock(&jobs->lock);
}
