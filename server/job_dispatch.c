#include "server/job_internal.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/log.h"
#include "server/memfd.h"

#define GRACE_MS 5000       // how much later than the deadline the zygote may say so
#define RETRY_FIRST_MS 100  // after a start that failed; doubles
#define RETRY_LAST_MS 5000
#define ATTEMPTS 2  // a job whose zygote died is tried again once

double srv_job_now_ms(void) {
    struct timespec t = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void srv_jobs_wake(struct srv_jobs *jobs) {
    const uint64_t one = 1;

    // It fails only when the counter is full, and then the dispatcher is awake already.
    if (write(jobs->wake, &one, sizeof(one)) < 0) {
        return;
    }
}

static void drop_answer(struct job *j) {
    if (j->answer >= 0) {
        close(j->answer);
    }
    j->answer = -1;
}

void srv_job_free(struct job *j) {
    if (!j) {
        return;
    }
    drop_answer(j);
    buf_release(&j->options);
    free(j);
}

static void count(struct srv_jobs *jobs, const struct job *j, const struct error *e) {
    struct srv_jobs_stats *s = &jobs->stats;
    uint64_t *of;

    switch (e->code) {
    case 0:
        of = &s->ok;
        break;
    case ERR_CRASH:
        of = &s->crashed;
        break;
    case ERR_TIMEOUT:
        of = &s->timed_out;
        break;
    default:
        of = &s->failed;
        break;
    }
    pthread_mutex_lock(&jobs->lock);
    ++*of;
    if (e->code == ERR_CRASH || e->code == ERR_TIMEOUT) {
        srv_poison_add(&jobs->poison, j->key, e->code, clock_monotonic_ms());
    }
    pthread_mutex_unlock(&jobs->lock);
}

static void log_lost(const struct job *j, const struct error *e) {
    struct srv_log_line line;

    srv_log_begin(&line, SRV_LOG_WARN, "job lost");
    json_member_z(&line.json, "error", error_name(e->code));
    json_member_z(&line.json, "detail", e->text);
    json_member_z(&line.json, "model", j->ticket.id);
    json_member_u64(&line.json, "skeleton_bytes", j->ticket.skeleton_n);
    srv_log_end(&line);
}

// Answers and frees a job that is on no list any more.
static void finish(struct srv_jobs *jobs, struct job *j, struct srv_job_result *result) {
    const double now = srv_job_now_ms();

    count(jobs, j, &result->error);
    if (result->error.code == ERR_CRASH || result->error.code == ERR_TIMEOUT) {
        log_lost(j, &result->error);
    }
    result->queue_ms = (j->attempts ? j->started_ms : now) - j->submitted_ms;
    result->run_ms = j->attempts ? now - j->started_ms : 0;
    drop_answer(j);
    j->done(j->arg, result);
    free(result->body);
    srv_job_free(j);
}

static void finish_error(struct srv_jobs *jobs, struct job *j, const struct error *e) {
    struct srv_job_result result = {.error = *e};

    finish(jobs, j, &result);
}

static void set_timeout(const struct srv_jobs *jobs, struct error *e) {
    error_set_limit(e, "deadline", "the work was not done within %llu ms",
                    (unsigned long long)jobs->deadline_ms);
    e->code = ERR_TIMEOUT;
}

// A job counts as running from the moment it leaves the queue, so that admission never sees a gap.
static void set_running(struct srv_jobs *jobs) {
    pthread_mutex_lock(&jobs->lock);
    jobs->stats.running = jobs->n_running;
    pthread_mutex_unlock(&jobs->lock);
}

static struct job *take_running(struct srv_jobs *jobs, size_t i) {
    struct job *j = jobs->running[i];

    jobs->running[i] = jobs->running[--jobs->n_running];
    set_running(jobs);
    return j;
}

static struct job *take_waiting(struct srv_jobs *jobs) {
    struct job *j;

    pthread_mutex_lock(&jobs->lock);
    j = jobs->first;
    if (j) {
        jobs->first = j->next;
        if (!jobs->first) {
            jobs->last = NULL;
        }
        jobs->stats.waiting--;
        jobs->stats.running++;
    }
    pthread_mutex_unlock(&jobs->lock);
    return j;
}

static void put_back(struct srv_jobs *jobs, struct job *j) {
    pthread_mutex_lock(&jobs->lock);
    j->next = jobs->first;
    jobs->first = j;
    if (!jobs->last) {
        jobs->last = j;
    }
    jobs->stats.waiting++;
    pthread_mutex_unlock(&jobs->lock);
}

static void set_ready(struct srv_jobs *jobs, bool ready) {
    pthread_mutex_lock(&jobs->lock);
    jobs->stats.ready = ready;
    jobs->stats.zygote_starts += ready;
    jobs->broken = false;
    pthread_mutex_unlock(&jobs->lock);
}

static void log_zygote(const struct srv_jobs *jobs, const char *why) {
    struct srv_log_line line;

    srv_log_begin(&line, SRV_LOG_ERROR, "zygote lost");
    json_member_z(&line.json, "why", why);
    json_member_u64(&line.json, "running", jobs->n_running);
    srv_log_end(&line);
}

// Most often the job is not to blame, so it is tried again once.
static void lose_job(struct srv_jobs *jobs, struct job *j, uint64_t now) {
    struct error e;

    drop_answer(j);
    if (j->late > now && j->attempts < ATTEMPTS) {
        put_back(jobs, j);
        return;
    }
    if (j->late <= now) {
        set_timeout(jobs, &e);
    } else {
        error_set(&e, ERR_CRASH, "the process that starts jobs died while this one ran");
    }
    finish_error(jobs, j, &e);
}

static void lose_zygote(struct srv_jobs *jobs, const char *why) {
    const uint64_t now = clock_monotonic_ms();

    log_zygote(jobs, why);
    srv_zygote_stop(&jobs->zygote);
    jobs->full = false;
    set_ready(jobs, false);
    jobs->retry_at = now;
    while (jobs->n_running) {
        lose_job(jobs, take_running(jobs, jobs->n_running - 1), now);
    }
}

static void refuse_waiting(struct srv_jobs *jobs, const struct error *e) {
    struct job *j;

    while ((j = take_waiting(jobs))) {
        set_running(jobs);
        finish_error(jobs, j, e);
    }
}

int srv_jobs_start_zygote(struct srv_jobs *jobs, struct error *err) {
    int rc = srv_zygote_start(&jobs->zygote, jobs->verbose, err);

    if (rc < 0) {
        return rc;
    }
    jobs->retry_ms = RETRY_FIRST_MS;
    set_ready(jobs, true);
    return 0;
}

static void revive(struct srv_jobs *jobs) {
    struct error e;

    if (jobs->zygote.pid || clock_monotonic_ms() < jobs->retry_at) {
        return;
    }
    if (srv_jobs_start_zygote(jobs, &e) == 0) {
        srv_log(SRV_LOG_WARN, "zygote started again");
        return;
    }
    srv_log_error(SRV_LOG_ERROR, "zygote does not start", &e);
    jobs->retry_at = clock_monotonic_ms() + jobs->retry_ms;
    jobs->retry_ms = jobs->retry_ms * 2 > RETRY_LAST_MS ? RETRY_LAST_MS : jobs->retry_ms * 2;
    pthread_mutex_lock(&jobs->lock);
    jobs->broken = true;
    pthread_mutex_unlock(&jobs->lock);
    refuse_waiting(jobs, &e);
}

// The skeleton is copied once, here: a job that waits costs no second copy.
static int pack_job(struct srv_frame *f, struct job *j, struct error *err) {
    int rc;

    srv_frame_init(f, SRV_FRAME_RUN, j->number);
    rc = srv_ticket_put(f, &j->ticket, buf_slice(&j->options), err);
    if (rc == 0) {
        rc = srv_memfd_new(&j->answer, err);
    }
    if (rc == 0) {
        rc = srv_memfd_sealed(&f->fds[0], j->skeleton, err);
    }
    f->fds[1] = j->answer;
    return rc;
}

static void log_sent(const struct job *j) {
    struct srv_log_line line;

    srv_log_begin(&line, SRV_LOG_DEBUG, "job sent");
    json_member_u64(&line.json, "job", j->number);
    json_member_z(&line.json, "model", j->ticket.id);
    srv_log_end(&line);
}

// The zygote does not read now: the job waits on, as if it had never been taken.
static void hold_back(struct srv_jobs *jobs, struct job *j) {
    drop_answer(j);
    j->attempts--;
    jobs->full = true;
    put_back(jobs, j);
    set_running(jobs);
}

static void send_job(struct srv_jobs *jobs, struct job *j) {
    struct srv_frame *f = &jobs->frame;
    struct error e;
    int rc = srv_frame_offer(jobs->zygote.sock, f, &e);

    close(f->fds[0]);
    if (rc == SRV_FRAME_FULL) {
        hold_back(jobs, j);
        return;
    }
    jobs->running[jobs->n_running++] = j;
    if (rc < 0) {
        lose_zygote(jobs, e.text);
    } else {
        log_sent(j);
    }
}

static void start_job(struct srv_jobs *jobs, struct job *j) {
    struct error e;

    j->number = jobs->next_number++;
    j->started_ms = srv_job_now_ms();
    j->attempts++;
    j->late = clock_monotonic_ms() + j->ticket.deadline_ms + GRACE_MS;
    if (pack_job(&jobs->frame, j, &e) < 0) {
        set_running(jobs);
        finish_error(jobs, j, &e);
        return;
    }
    send_job(jobs, j);
}

static void cancel_job(struct srv_jobs *jobs, struct job *j) {
    struct srv_job_result result = {.body = NULL};

    set_running(jobs);
    pthread_mutex_lock(&jobs->lock);
    jobs->stats.cancelled++;
    pthread_mutex_unlock(&jobs->lock);
    error_set(&result.error, ERR_BUSY, "nobody waits for this any more");
    j->done(j->arg, &result);
    srv_job_free(j);
}

static void start_jobs(struct srv_jobs *jobs) {
    struct job *j;

    jobs->full = false;
    while (jobs->zygote.pid && !jobs->full && jobs->n_running < jobs->workers &&
           (j = take_waiting(jobs))) {
        if (j->wanted && !j->wanted(j->arg)) {
            cancel_job(jobs, j);
        } else {
            start_job(jobs, j);
        }
    }
}

// What the end of the process says; an answer is there only when it ended by itself.
static void judge(struct srv_jobs *jobs, const struct job *j, const struct srv_frame_end *end,
                  struct srv_job_result *result) {
    struct error *e = &result->error;
    struct error why;

    if (end->status == -1) {
        error_set(e, ERR_IO, "no process could be started for this job");
        return;
    }
    if (WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0) {
        if (srv_answer_read(j->answer, jobs->limits.max_output, result, &why) < 0) {
            error_set(e, why.code == ERR_NOMEM ? ERR_NOMEM : ERR_CRASH, "%s", why.text);
        }
        return;
    }
    if (WIFSIGNALED(end->status) && (end->killed || WTERMSIG(end->status) == SIGXCPU)) {
        set_timeout(jobs, e);
    } else if (WIFSIGNALED(end->status)) {
        error_set(e, ERR_CRASH, "the process of this job died of signal %d", WTERMSIG(end->status));
    } else {
        error_set(e, ERR_CRASH, "the process of this job ended with status %d",
                  WEXITSTATUS(end->status));
    }
}

static void end_job(struct srv_jobs *jobs, uint64_t number, const struct srv_frame_end *end) {
    struct srv_job_result result;

    for (size_t i = 0; i < jobs->n_running; i++) {
        struct job *j = jobs->running[i];

        if (j->number != number) {
            continue;
        }
        memset(&result, 0, sizeof(result));
        judge(jobs, j, end, &result);
        take_running(jobs, i);
        finish(jobs, j, &result);
        return;
    }
}

static void take_answers(struct srv_jobs *jobs) {
    struct srv_frame *f = &jobs->frame;
    struct srv_frame_end end;
    int got;

    while (jobs->zygote.pid) {
        got = srv_frame_receive(jobs->zygote.sock, f, NULL);
        if (got == SRV_FRAME_NOTHING) {
            return;
        }
        if (got != SRV_FRAME_GOT) {
            lose_zygote(jobs, got == SRV_FRAME_CLOSED ? "it ended" : "it sent nonsense");
            return;
        }
        srv_frame_close_fds(f);
        if (f->kind == SRV_FRAME_ENDED && srv_frame_take(f, &end, sizeof(end), NULL) == 0) {
            end_job(jobs, f->job, &end);
        }
    }
}

// The zygote enforces the deadline; this is for a zygote that hangs.
static void watch(struct srv_jobs *jobs) {
    const uint64_t now = clock_monotonic_ms();

    for (size_t i = 0; i < jobs->n_running; i++) {
        if (jobs->running[i]->late <= now) {
            lose_zygote(jobs, "it does not answer");
            return;
        }
    }
}

static int wait_ms(const struct srv_jobs *jobs) {
    const uint64_t now = clock_monotonic_ms();
    uint64_t next = jobs->zygote.pid ? UINT64_MAX : jobs->retry_at;

    for (size_t i = 0; i < jobs->n_running; i++) {
        if (jobs->running[i]->late < next) {
            next = jobs->running[i]->late;
        }
    }
    if (next == UINT64_MAX) {
        return -1;
    }
    if (next <= now) {
        return 0;
    }
    return next - now > INT_MAX ? INT_MAX : (int)(next - now);
}

static void wait_for_work(struct srv_jobs *jobs) {
    struct pollfd on[] = {{jobs->wake, POLLIN, 0}, {-1, POLLIN, 0}};
    uint64_t ignored;

    if (jobs->zygote.pid) {
        on[1].fd = jobs->zygote.sock;
    }
    if (jobs->full) {
        on[1].events |= POLLOUT;
    }
    if (poll(on, 2, wait_ms(jobs)) > 0 && (on[0].revents & POLLIN) &&
        read(jobs->wake, &ignored, sizeof(ignored)) < 0) {
        return;
    }
}

static bool is_stopping(struct srv_jobs *jobs) {
    bool stopping;

    pthread_mutex_lock(&jobs->lock);
    stopping = jobs->stopping;
    pthread_mutex_unlock(&jobs->lock);
    return stopping;
}

static void stop_all(struct srv_jobs *jobs) {
    struct error e;

    error_set(&e, ERR_BUSY, "the service is shutting down");
    srv_zygote_stop(&jobs->zygote);
    set_ready(jobs, false);
    while (jobs->n_running) {
        finish_error(jobs, take_running(jobs, jobs->n_running - 1), &e);
    }
    refuse_waiting(jobs, &e);
}

void *srv_jobs_dispatch(void *arg) {
    struct srv_jobs *jobs = arg;

    while (!is_stopping(jobs)) {
        revive(jobs);
        start_jobs(jobs);
        wait_for_work(jobs);
        take_answers(jobs);
        watch(jobs);
    }
    stop_all(jobs);
    return NULL;
}
