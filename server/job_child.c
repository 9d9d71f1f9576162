#include "server/job_child.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "graph/render.h"
#include "server/assets.h"
#include "server/job_wire.h"
#include "server/memfd.h"
#include "server/sandbox.h"
#include "server/zygote.h"

#define RESULT_FD SRV_ZYGOTE_SOCK  // takes the place of the socket
#define CPU_SLACK_S 1              // the deadline is wall time and comes first
#define ANSWERED 0
#define NOT_ANSWERED 1

// A process that outlives its zygote would be one that nobody stops.
static bool die_with(int parent) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

static void reset_signals(void) {
    sigset_t none;

    sigemptyset(&none);
    signal(SIGXFSZ, SIG_IGN);  // a document over its limit is a failed write, not a death
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static struct srv_sandbox limits_of(const struct srv_ticket *t) {
    return (struct srv_sandbox){
        .memory = t->memory,
        .cpu_s = t->deadline_ms / 1000 + 1 + CPU_SLACK_S,
        .output = srv_answer_bytes(t->limits.max_output),
    };
}

static void take(struct srv_job_result *answer, const struct graph_result *result) {
    answer->body = result->body.p;
    answer->n = result->body.n;
    answer->warnings = result->warnings;
    answer->nodes = result->nodes;
    memcpy(answer->producer, result->producer, sizeof(answer->producer));
    memcpy(answer->cpu_ms, result->cpu_ms, sizeof(answer->cpu_ms));
}

static int render(struct srv_job_result *answer, const struct srv_ticket *t, struct slice skeleton,
                  struct slice packed) {
    struct graph_options options;
    struct graph_result result;
    struct graph_request request = {
        .skeleton = skeleton,
        .strip = &t->strip,
        .source = {.id = str_from(t->id), .size = t->size, .complete = t->strip.complete},
        .format = t->format,
        .options = &options,
        .dpi = t->dpi,
        .page = srv_export_page(),
        .limits = &t->limits,
    };
    int rc = srv_options_unpack(&options, packed, &answer->error);

    if (rc < 0) {
        return rc;
    }
    memset(&result, 0, sizeof(result));
    rc = graph_render(&result, &request, &answer->error);
    if (rc == 0) {
        take(answer, &result);
    }
    // Nothing is freed: the process ends.
    return rc;
}

// The skeleton is mapped before every other file of the zygote is closed.
static int work(struct srv_job_result *answer, const struct srv_frame *run) {
    struct srv_ticket ticket;
    struct srv_sandbox limits;
    struct slice packed, skeleton;
    int rc = srv_ticket_take(run, &ticket, &packed, &answer->error);

    if (rc == 0) {
        rc = srv_memfd_map(run->fds[0], ticket.skeleton_n, &skeleton, &answer->error);
    }
    if (rc < 0) {
        return rc;
    }
    limits = limits_of(&ticket);
    if (close_range(RESULT_FD + 1, ~0u, 0) < 0) {
        return error_set(&answer->error, ERR_IO, "cannot close the files of the zygote");
    }
    rc = srv_sandbox_enter(&limits, &answer->error);
    return rc < 0 ? rc : render(answer, &ticket, skeleton, packed);
}

_Noreturn void srv_job_child_run(const struct srv_frame *run, int parent) {
    struct srv_job_result answer;
    struct srv_job_result failure;

    if (!die_with(parent) || dup2(run->fds[1], RESULT_FD) < 0) {
        _exit(NOT_ANSWERED);
    }
    reset_signals();
    prctl(PR_SET_NAME, "onnxscope-job");
    memset(&answer, 0, sizeof(answer));
    memset(&failure, 0, sizeof(failure));
    if (work(&answer, run) < 0) {
        answer.n = 0;
    }
    if (srv_answer_write(RESULT_FD, &answer, &failure.error) == 0) {
        _exit(ANSWERED);
    }
    if (ftruncate(RESULT_FD, 0) == 0 && lseek(RESULT_FD, 0, SEEK_SET) == 0 &&
        srv_answer_write(RESULT_FD, &failure, NULL) == 0) {
        _exit(ANSWERED);
    }
    _exit(NOT_ANSWERED);
}
