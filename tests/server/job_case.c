#include "tests/server/job_case.h"

#include <criterion/criterion.h>
#include <criterion/options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/zygote.h"
#include "tests/server/processes.h"
#include "tests/support/model_builder.h"

// The zygote is this program again, as it is in the daemon.
int main(int argc, char **argv) {
    struct criterion_test_set *tests;
    int result = 0;

    if (argc == 2 && strcmp(argv[1], SRV_ZYGOTE_COMMAND) == 0) {
        return srv_zygote_main(argc, argv);
    }
    tests = criterion_initialize();
    if (criterion_handle_args(argc, argv, true)) {
        result = !criterion_run_all_tests(tests);
    }
    criterion_finalize(tests);
    return result;
}

// Waiting for answers.

void answer_init(struct answer *a) {
    memset(a, 0, sizeof(*a));
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->came, NULL);
}

void on_done(void *arg, struct srv_job_result *result) {
    struct answer *a = arg;

    pthread_mutex_lock(&a->lock);
    cr_assert_not(a->done, "answered twice");
    a->result = *result;
    result->body = NULL;
    a->done = true;
    pthread_cond_signal(&a->came);
    pthread_mutex_unlock(&a->lock);
}

const struct srv_job_result *wait_for(struct answer *a) {
    pthread_mutex_lock(&a->lock);
    while (!a->done) {
        pthread_cond_wait(&a->came, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    return &a->result;
}

void answer_release(struct answer *a) {
    free(a->result.body);
    a->result.body = NULL;
}

// Models, settings, jobs.

struct buf model;
struct graph_options options;

static void chain(size_t n) {
    struct model_builder *b = mb_new();
    char name[2][32] = {"v0", "v0"};

    mb_input(b, "v0", "float[1,3]");
    for (size_t i = 1; i <= n; i++) {
        snprintf(name[i % 2], sizeof(name[0]), "v%zu", i);
        mb_node(b, "Relu", "", name[(i + 1) % 2], name[i % 2]);
    }
    mb_output(b, name[n % 2], "float[1,3]");
    mb_finish_bytes(b, &model);
}

void use_chain(size_t n) {
    buf_init(&model, (size_t)64 << 20);
    chain(n);
    cr_assert_eq(buf_check(&model, "model", NULL, NULL), 0);
    graph_options_init(&options);
}

void release_model(void) {
    buf_release(&model);
    graph_options_release(&options);
}

struct srv_config standard(void) {
    struct srv_config c;

    memset(&c, 0, sizeof(c));
    c.workers = 2;
    c.queue = 100;
    c.deadline_ms = 60 * SECOND_MS;
    c.job_memory = (uint64_t)2 << 30;
    graph_render_limits_init(&c.limits);
    return c;
}

struct srv_jobs *start(const struct srv_config *c) {
    struct srv_jobs *jobs;
    struct error e;

    cr_assert_eq(srv_jobs_new(&jobs, c, &e), 0, "%s", e.text);
    return jobs;
}

struct srv_job job_of(enum graph_format format) {
    struct srv_job j;

    memset(&j, 0, sizeof(j));
    j.skeleton = buf_slice(&model);
    j.strip.complete = true;
    j.size = 123456;
    j.format = format;
    j.options = &options;
    memset(j.id, 'a', 64);
    memset(j.skeleton_digest, 7, sizeof(j.skeleton_digest));
    return j;
}

void submit(struct srv_jobs *jobs, enum graph_format format, struct answer *a) {
    struct srv_job j = job_of(format);
    struct error e;

    answer_init(a);
    cr_assert_eq(srv_jobs_submit(jobs, &j, on_done, a, &e), 0, "%s", e.text);
}

int try_submit(struct srv_jobs *jobs, enum graph_format format, struct answer *a) {
    struct srv_job j = job_of(format);

    answer_init(a);
    return srv_jobs_submit(jobs, &j, on_done, a, NULL);
}

void run_fine(struct srv_jobs *jobs, enum graph_format format) {
    struct answer a;

    submit(jobs, format, &a);
    cr_assert_eq(wait_for(&a)->error.code, 0, "%s", a.result.error.text);
    answer_release(&a);
}

struct srv_jobs_stats stats(struct srv_jobs *jobs) {
    struct srv_jobs_stats s;

    srv_jobs_stats(jobs, &s);
    return s;
}

pid_t zygote_pid(void) {
    return find_child(getpid(), "onnxscope-warm");
}

void sleep_ms(long ms) {
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

pid_t wait_for_job_process(void) {
    const pid_t zygote = zygote_pid();
    pid_t pid = 0;

    cr_assert_neq(zygote, 0);
    for (int i = 0; i < 2000 && !pid; i++) {
        pid = find_child(zygote, "onnxscope-job");
        if (!pid) {
            sleep_ms(1);
        }
    }
    cr_assert_neq(pid, 0, "no job runs");
    return pid;
}
