#include "server/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "graph/render.h"
#include "server/frame.h"
#include "server/job_child.h"
#include "server/job_wire.h"
#include "server/sandbox.h"

#define NOT_STARTED (-1)
#define ALONE_LINKS 3  // of the directory of threads: its own two, and one a thread
#define ALONE_STEP_MS 2
#define ALONE_MS 2000  // ThreadSanitizer has a thread that never ends

struct child {
    pid_t pid;
    uint64_t job;
    uint64_t deadline;  // clock_monotonic_ms()
    bool killed;
};

struct zygote {
    int signals;  // signalfd of SIGCHLD
    size_t n;
    struct child children[SRV_ZYGOTE_JOBS];
    struct srv_frame frame;
};

static struct zygote zygote;

static bool is_our_socket(void) {
    int type = 0;
    socklen_t n = sizeof(type);

    return getsockopt(SRV_ZYGOTE_SOCK, SOL_SOCKET, SO_TYPE, &type, &n) == 0 &&
           type == SOCK_SEQPACKET;
}

// A service manager sends its signals to every process of the service, and running jobs are to be
// finished then: the end of the socket is the only call to end.
static int watch_signals(struct error *err) {
    sigset_t children;

    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &children, NULL) == 0) {
        zygote.signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    }
    if (zygote.signals <= 0) {
        return error_set(err, ERR_IO, "cannot watch for signals: %s", strerror(errno));
    }
    return 0;
}

// When memory runs out, the kernel takes the largest job and not the daemon. Without /proc it is
// left to choose.
static void prefer_to_die(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    ssize_t done;

    if (fd < 0) {
        return;
    }
    done = write(fd, "500", 3);
    (void)done;
    close(fd);
}

// Libraries warm up with threads of their own. A fork takes one thread along, and a lock that
// another one held would stay locked in every job; so they have to be through. Without /proc there
// is nothing to go by.
static void wait_until_alone(void) {
    const struct timespec step = {.tv_nsec = ALONE_STEP_MS * 1000000L};
    const uint64_t end = clock_monotonic_ms() + ALONE_MS;
    struct stat tasks;

    while (stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > ALONE_LINKS &&
           clock_monotonic_ms() < end) {
        nanosleep(&step, NULL);
    }
}

static bool send_frame(struct srv_frame *f, const void *payload, size_t n) {
    return srv_frame_add(f, (struct slice){payload, n}, NULL) == 0 &&
           srv_frame_send(SRV_ZYGOTE_SOCK, f, NULL) == 0;
}

static bool say_ready(const struct error *warming) {
    srv_frame_init(&zygote.frame, SRV_FRAME_READY, 0);
    return send_frame(&zygote.frame, warming, sizeof(*warming));
}

static bool say_ended(uint64_t job, int status, bool killed) {
    const struct srv_frame_end end = {status, killed};

    srv_frame_init(&zygote.frame, SRV_FRAME_ENDED, job);
    return send_frame(&zygote.frame, &end, sizeof(end));
}

// Of the ticket the zygote reads the deadline alone.
static bool start_job(void) {
    struct srv_frame *f = &zygote.frame;
    struct srv_ticket ticket;
    struct slice options;
    pid_t self = getpid();
    pid_t pid = -1;

    if (zygote.n < SRV_ZYGOTE_JOBS && srv_ticket_take(f, &ticket, &options, NULL) == 0 &&
        f->fds[0] >= 0 && f->fds[1] >= 0) {
        pid = fork();
    }
    if (pid == 0) {
        srv_job_child_run(f, self);
    }
    srv_frame_close_fds(f);
    if (pid < 0) {
        return say_ended(f->job, NOT_STARTED, false);
    }
    zygote.children[zygote.n++] = (struct child){
        .pid = pid, .job = f->job, .deadline = clock_monotonic_ms() + ticket.deadline_ms};
    return true;
}

static bool take_messages(void) {
    int got;

    while ((got = srv_frame_receive(SRV_ZYGOTE_SOCK, &zygote.frame, NULL)) == SRV_FRAME_GOT) {
        if (zygote.frame.kind != SRV_FRAME_RUN || !start_job()) {
            return false;
        }
    }
    return got == SRV_FRAME_NOTHING;
}

static bool report(pid_t pid, int status) {
    for (size_t i = 0; i < zygote.n; i++) {
        struct child ended = zygote.children[i];

        if (ended.pid != pid) {
            continue;
        }
        zygote.children[i] = zygote.children[--zygote.n];
        return say_ended(ended.job, status, ended.killed);
    }
    return true;
}

static bool reap(void) {
    struct signalfd_siginfo ignored;
    int status;
    pid_t pid;

    while (read(zygote.signals, &ignored, sizeof(ignored)) > 0) {
        continue;
    }
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (!report(pid, status)) {
            return false;
        }
    }
    return true;
}

// A process that is not reaped yet keeps its pid, so no stranger can be hit.
static void kill_late(uint64_t now) {
    for (size_t i = 0; i < zygote.n; i++) {
        struct child *c = &zygote.children[i];

        if (c->killed || c->deadline > now) {
            continue;
        }
        c->killed = true;
        kill(c->pid, SIGKILL);
    }
}

static int wait_ms(uint64_t now) {
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < zygote.n; i++) {
        if (!zygote.children[i].killed && zygote.children[i].deadline < next) {
            next = zygote.children[i].deadline;
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

static void serve(void) {
    struct pollfd on[] = {{SRV_ZYGOTE_SOCK, POLLIN, 0}, {zygote.signals, POLLIN, 0}};

    for (;;) {
        if (poll(on, 2, wait_ms(clock_monotonic_ms())) < 0 && errno != EINTR) {
            return;
        }
        if (!reap() || !take_messages()) {
            return;
        }
        kill_late(clock_monotonic_ms());
    }
}

int srv_zygote_main(int argc, char **argv) {
    struct error warming;
    int rc;

    (void)argc;
    (void)argv;
    if (!is_our_socket()) {
        fputs("onnxscope " SRV_ZYGOTE_COMMAND ": only the daemon starts this\n", stderr);
        return 2;
    }
    memset(&warming, 0, sizeof(warming));
    prctl(PR_SET_NAME, "onnxscope-warm");
    prefer_to_die();
    rc = watch_signals(&warming);
    if (rc == 0) {
        rc = srv_sandbox_prepare(&warming);
    }
    if (rc == 0) {
        rc = graph_render_warm(&warming);
        wait_until_alone();
    }
    if (say_ready(&warming) && rc == 0) {
        serve();
    }
    // No destructors: libraries keep what they warmed.
    _exit(rc == 0 ? 0 : 1);
}
