#include <criterion/criterion.h>
#include <signal.h>

#include "base/clock.h"
#include "server/zygote.h"
#include "tests/server/job_case.h"
#include "tests/server/processes.h"

TestSuite(job_zygote, .timeout = 100);

Test(job_zygote, a_zygote_that_hangs_is_replaced) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer a;

    use_chain(5);
    c.deadline_ms = 100;
    jobs = start(&c);
    cr_assert_eq(kill(zygote_pid(), SIGSTOP), 0);
    submit(jobs, GRAPH_FORMAT_JSON, &a);
    cr_assert_eq(wait_for(&a)->error.code, ERR_TIMEOUT, "%s", a.result.error.text);
    c.deadline_ms = 60 * SECOND_MS;
    run_fine(jobs, GRAPH_FORMAT_SUMMARY);
    srv_jobs_free(jobs);
    release_model();
}

// Far more jobs than the socket has room for; whoever sends must not wait for it.
Test(job_zygote, a_zygote_that_hangs_under_many_jobs_is_replaced) {
    struct srv_config c = standard();
    static struct answer answers[200];
    struct srv_jobs *jobs;
    size_t late = 0;

    use_chain(5);
    c.workers = SRV_ZYGOTE_JOBS;
    c.queue = ARRAY_LEN(answers);
    c.deadline_ms = 500;
    jobs = start(&c);
    cr_assert_eq(kill(zygote_pid(), SIGSTOP), 0);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        submit(jobs, GRAPH_FORMAT_JSON, &answers[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        int code = wait_for(&answers[i])->error.code;

        cr_assert(code == ERR_TIMEOUT || code == 0, "%s", answers[i].result.error.text);
        late += code == ERR_TIMEOUT;
        answer_release(&answers[i]);
    }
    cr_expect_gt(late, 0);
    cr_expect_lt(late, ARRAY_LEN(answers), "those that could not be sent were drawn later");
    srv_jobs_free(jobs);
    release_model();
}

Test(job_zygote, stopping_does_not_wait_for_a_zygote_that_hangs) {
    struct srv_config c = standard();
    static struct answer answers[200];
    struct srv_jobs *jobs;
    uint64_t before;

    use_chain(5);
    c.workers = SRV_ZYGOTE_JOBS;
    c.queue = ARRAY_LEN(answers);
    jobs = start(&c);
    cr_assert_eq(kill(zygote_pid(), SIGSTOP), 0);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        submit(jobs, GRAPH_FORMAT_JSON, &answers[i]);
    }
    before = clock_monotonic_ms();
    srv_jobs_free(jobs);
    cr_expect_lt(clock_monotonic_ms() - before, 10 * SECOND_MS);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        cr_expect_eq(answers[i].result.error.code, ERR_BUSY);
    }
    release_model();
}

static bool is_unwanted(void *arg) {
    struct answer *a = arg;

    cr_assert_not(a->done);
    return false;
}

Test(job_zygote, what_nobody_waits_for_is_not_started) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct srv_job unwanted;
    struct answer a, b;

    use_chain(5);
    c.workers = 1;
    jobs = start(&c);
    cr_assert_eq(kill(zygote_pid(), SIGSTOP), 0);
    submit(jobs, GRAPH_FORMAT_JSON, &a);
    unwanted = job_of(GRAPH_FORMAT_JSON);
    unwanted.wanted = is_unwanted;
    answer_init(&b);
    cr_assert_eq(srv_jobs_submit(jobs, &unwanted, on_done, &b, NULL), 0);
    cr_assert_eq(kill(zygote_pid(), SIGCONT), 0);
    cr_expect_eq(wait_for(&a)->error.code, 0);
    cr_expect_eq(wait_for(&b)->error.code, ERR_BUSY);
    cr_expect_eq(stats(jobs).cancelled, 1);
    cr_expect_eq(stats(jobs).ok, 1);
    cr_expect_eq(stats(jobs).waiting + stats(jobs).running, 0);
    answer_release(&a);
    srv_jobs_free(jobs);
    release_model();
}

Test(job_zygote, stopping_answers_every_job) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer answers[8];
    size_t busy = 0;
    pid_t zygote, process;

    use_chain(SLOW_NODES);
    jobs = start(&c);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        submit(jobs, GRAPH_FORMAT_NODES, &answers[i]);
    }
    process = wait_for_job_process();
    zygote = zygote_pid();
    srv_jobs_free(jobs);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        cr_assert(answers[i].done);
        busy += answers[i].result.error.code == ERR_BUSY;
        answer_release(&answers[i]);
    }
    cr_assert_geq(busy, ARRAY_LEN(answers) - 2);
    cr_assert_not(is_alive(zygote));
    for (int i = 0; i < 1000 && is_alive(process); i++) {
        sleep_ms(1);
    }
    cr_assert_not(is_alive(process));
    release_model();
}
