#include "server/job.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/zygote.h"
#include "tests/server/descriptors.h"
#include "tests/server/job_case.h"
#include "tests/server/processes.h"

TestSuite(job, .timeout = 100);

Test(job, gives_the_document_that_the_facade_gives) {
    struct srv_config c = standard();
    struct onnx_strip_facts strip = {.complete = true};
    struct graph_result here;
    struct graph_request request = {.strip = &strip,
                                    .format = GRAPH_FORMAT_JSON,
                                    .options = &options};
    struct srv_jobs *jobs;
    struct answer a;

    use_chain(5);
    cr_assert_eq(graph_options_set(&options, STR("names"), STR("path"), NULL), 0);
    cr_assert_eq(graph_options_set(&options, STR("expand"), STR("a.b"), NULL), 0);
    memset(&here, 0, sizeof(here));
    request.skeleton = buf_slice(&model);
    request.limits = &c.limits;
    cr_assert_eq(graph_render(&here, &request, NULL), 0);
    jobs = start(&c);
    submit(jobs, GRAPH_FORMAT_JSON, &a);
    cr_assert_eq(wait_for(&a)->error.code, 0, "%s", a.result.error.text);
    cr_assert(str_eq((struct str){(char *)a.result.body, a.result.n}, buf_str(&here.body)));
    cr_assert_eq(a.result.warnings, here.warnings);
    cr_assert_geq(a.result.run_ms, 0);
    cr_assert_geq(a.result.queue_ms, 0);
    answer_release(&a);
    graph_result_release(&here);
    srv_jobs_free(jobs);
    release_model();
}

Test(job, draws) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer a;

    use_chain(5);
    jobs = start(&c);
    submit(jobs, GRAPH_FORMAT_SVG, &a);
    cr_assert_eq(wait_for(&a)->error.code, 0, "%s", a.result.error.text);
    cr_assert(str_starts((struct str){(char *)a.result.body, a.result.n}, STR("<svg")));
    answer_release(&a);
    srv_jobs_free(jobs);
    release_model();
}

Test(job, tells_the_nodes_of_a_summary) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer a;

    use_chain(12);
    jobs = start(&c);
    submit(jobs, GRAPH_FORMAT_SUMMARY, &a);
    cr_assert_eq(wait_for(&a)->error.code, 0, "%s", a.result.error.text);
    cr_assert_eq(a.result.nodes, 12);
    cr_assert_str_eq(a.result.producer, "pytorch");
    cr_assert(str_contains((struct str){(char *)a.result.body, a.result.n}, STR("aaaaaaaa")));
    answer_release(&a);
    srv_jobs_free(jobs);
    release_model();
}

Test(job, an_error_of_the_input_is_the_answer) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer a;

    use_chain(5);
    memset(model.p, 0xff, model.n);
    jobs = start(&c);
    submit(jobs, GRAPH_FORMAT_SVG, &a);
    cr_assert_eq(wait_for(&a)->error.code, ERR_FORMAT, "%d", a.result.error.code);
    cr_assert_null(a.result.body);
    cr_assert_eq(stats(jobs).failed, 1);
    // It was no crash: the same is tried again.
    submit(jobs, GRAPH_FORMAT_SVG, &a);
    cr_assert_eq(wait_for(&a)->error.code, ERR_FORMAT);
    srv_jobs_free(jobs);
    release_model();
}

Test(job, a_document_over_the_limit_is_an_error_that_names_it) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer a;

    use_chain(100);
    c.limits.max_output = 200;
    jobs = start(&c);
    submit(jobs, GRAPH_FORMAT_NODES, &a);
    cr_assert_eq(wait_for(&a)->error.code, ERR_LIMIT, "%s", a.result.error.text);
    cr_assert_str_eq(a.result.error.limit, "max-output");
    srv_jobs_free(jobs);
    release_model();
}

Test(job, the_deadline_kills) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer a;
    uint64_t before;

    use_chain(SLOW_NODES);
    c.deadline_ms = 30;
    jobs = start(&c);
    before = clock_monotonic_ms();
    submit(jobs, GRAPH_FORMAT_NODES, &a);
    cr_assert_eq(wait_for(&a)->error.code, ERR_TIMEOUT, "%s", a.result.error.text);
    cr_assert_str_eq(a.result.error.limit, "deadline");
    cr_assert_geq(clock_monotonic_ms() - before, 29);
    cr_assert_eq(stats(jobs).timed_out, 1);
    cr_log_info("killed after %.1f ms", a.result.run_ms);
    srv_jobs_free(jobs);
    release_model();
}

Test(job, a_crash_is_an_error_of_that_job_alone_and_is_remembered) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer slow, other;

    use_chain(SLOW_NODES);
    jobs = start(&c);
    submit(jobs, GRAPH_FORMAT_NODES, &slow);
    cr_assert_eq(kill(wait_for_job_process(), SIGSEGV), 0);
    cr_assert_eq(wait_for(&slow)->error.code, ERR_CRASH, "%s", slow.result.error.text);
    cr_assert_eq(stats(jobs).crashed, 1);
    cr_assert_eq(try_submit(jobs, GRAPH_FORMAT_NODES, &slow), ERR_CRASH);
    cr_assert_eq(stats(jobs).refused, 1);
    // Another format or other options are another matter.
    run_fine(jobs, GRAPH_FORMAT_SUMMARY);
    cr_assert_eq(graph_options_set(&options, STR("depth"), STR("0"), NULL), 0);
    cr_assert_eq(try_submit(jobs, GRAPH_FORMAT_NODES, &other), 0);
    wait_for(&other);
    answer_release(&other);
    cr_assert_eq(stats(jobs).zygote_starts, 1);
    srv_jobs_free(jobs);
    release_model();
}

Test(job, a_dead_zygote_is_started_anew) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    pid_t first;

    use_chain(5);
    jobs = start(&c);
    run_fine(jobs, GRAPH_FORMAT_JSON);
    first = zygote_pid();
    cr_assert_neq(first, 0);
    cr_assert_eq(kill(first, SIGKILL), 0);
    run_fine(jobs, GRAPH_FORMAT_JSON);
    cr_assert_neq(zygote_pid(), first);
    cr_assert_eq(stats(jobs).zygote_starts, 2);
    cr_assert(stats(jobs).ready);
    srv_jobs_free(jobs);
    release_model();
}

Test(job, a_job_whose_zygote_dies_is_tried_again) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer a;
    pid_t process;

    use_chain(SLOW_NODES);
    jobs = start(&c);
    submit(jobs, GRAPH_FORMAT_NODES, &a);
    process = wait_for_job_process();
    cr_assert_eq(kill(zygote_pid(), SIGKILL), 0);
    cr_assert_eq(wait_for(&a)->error.code, 0, "%s", a.result.error.text);
    cr_assert_not(is_alive(process), "the process of the first attempt lives on");
    answer_release(&a);
    srv_jobs_free(jobs);
    release_model();
}

Test(job, a_full_queue_refuses) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer answers[3], refused;

    use_chain(SLOW_NODES);
    c.workers = 1;
    c.queue = 2;
    jobs = start(&c);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        submit(jobs, GRAPH_FORMAT_NODES, &answers[i]);
    }
    cr_assert_eq(try_submit(jobs, GRAPH_FORMAT_NODES, &refused), ERR_BUSY);
    cr_assert_eq(stats(jobs).refused, 1);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        cr_assert_eq(wait_for(&answers[i])->error.code, 0, "%s", answers[i].result.error.text);
        answer_release(&answers[i]);
    }
    cr_assert_eq(stats(jobs).waiting + stats(jobs).running, 0);
    run_fine(jobs, GRAPH_FORMAT_NODES);
    srv_jobs_free(jobs);
    release_model();
}

static size_t count_files_of(pid_t pid) {
    char path[64];
    size_t n = 0;
    DIR *d;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    d = opendir(path);
    cr_assert_not_null(d);
    while (readdir(d)) {
        n++;
    }
    closedir(d);
    return n;
}

Test(job, two_hundred_jobs_leave_no_file_open) {
    struct srv_config c = standard();
    static struct answer answers[50];
    struct srv_jobs *jobs;
    size_t before, of_zygote, outside = count_descriptors();

    use_chain(5);
    jobs = start(&c);
    run_fine(jobs, GRAPH_FORMAT_SVG);
    before = count_descriptors();
    of_zygote = count_files_of(zygote_pid());
    for (size_t round = 0; round < 200 / ARRAY_LEN(answers); round++) {
        for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
            submit(jobs, i % 2 ? GRAPH_FORMAT_SVG : GRAPH_FORMAT_JSON, &answers[i]);
        }
        for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
            cr_assert_eq(wait_for(&answers[i])->error.code, 0);
            answer_release(&answers[i]);
        }
    }
    cr_assert_eq(count_descriptors(), before);
    cr_assert_eq(count_files_of(zygote_pid()), of_zygote);
    cr_assert_eq(stats(jobs).ok, 201);
    srv_jobs_free(jobs);
    cr_assert_eq(count_descriptors(), outside);
    release_model();
}

Test(job, the_zygote_gets_no_secret_and_none_of_our_files) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    char path[64], environment[8192];
    size_t n;
    FILE *f;

    setenv("ONNXSCOPE_SECRET", "hunter2", 1);
    use_chain(5);
    jobs = start(&c);
    snprintf(path, sizeof(path), "/proc/%d/environ", (int)zygote_pid());
    f = fopen(path, "r");
    cr_assert_not_null(f);
    n = fread(environment, 1, sizeof(environment), f);
    fclose(f);
    cr_assert_not(str_contains((struct str){environment, n}, STR("hunter2")));
    // stdin, stdout, stderr, socket, signals; "." and "..".
    cr_assert_eq(count_files_of(zygote_pid()), 5 + 2);
    srv_jobs_free(jobs);
    release_model();
}

#if !defined(__SANITIZE_ADDRESS__)
Test(job, memory_of_a_job_is_bounded) {
    struct srv_config c = standard();
    struct srv_jobs *jobs;
    struct answer a;

    use_chain(SLOW_NODES);
    c.job_memory = (uint64_t)48 << 20;
    jobs = start(&c);
    submit(jobs, GRAPH_FORMAT_NODES, &a);
    cr_assert_eq(wait_for(&a)->error.code, ERR_NOMEM, "%d: %s", a.result.error.code,
                 a.result.error.text);
    srv_jobs_free(jobs);
    release_model();
}
#endif

Test(job, the_hidden_command_does_nothing_by_hand) {
    char *const nothing[] = {NULL};
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        close(SRV_ZYGOTE_SOCK);
        close(STDERR_FILENO);
        execle("/proc/self/exe", "onnxscope", SRV_ZYGOTE_COMMAND, (char *)NULL, nothing);
        _exit(1);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status));
    cr_assert_eq(WEXITSTATUS(status), 2);
}
