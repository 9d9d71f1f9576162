#include "server/zygote_handle.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/frame.h"
#include "server/zygote.h"

#define SELF "/proc/self/exe"
#define WARM_MS 30000

static const char *const kept_environment[] = {
    "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "ASAN_OPTIONS",
    "LSAN_OPTIONS",    "TSAN_OPTIONS",    "UBSAN_OPTIONS",
};

#define KEPT ARRAY_LEN(kept_environment)

// The entries of `environ` that stay, NULL-terminated. They are borrowed.
static void keep(char *out[KEPT + 1]) {
    size_t n = 0;

    for (size_t i = 0; i < KEPT; i++) {
        size_t length = strlen(kept_environment[i]);

        for (char **e = environ; *e; e++) {
            if (strncmp(*e, kept_environment[i], length) == 0 && (*e)[length] == '=') {
                out[n++] = *e;
                break;
            }
        }
    }
    out[n] = NULL;
}

static int set_attributes(posix_spawnattr_t *a) {
    sigset_t none, all;
    int rc;

    sigemptyset(&none);
    sigfillset(&all);
    rc = posix_spawnattr_setflags(a, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                         POSIX_SPAWN_SETSIGDEF);
    if (rc == 0) {
        rc = posix_spawnattr_setpgroup(a, 0);
    }
    if (rc == 0) {
        rc = posix_spawnattr_setsigmask(a, &none);
    }
    return rc ? rc : posix_spawnattr_setsigdefault(a, &all);
}

static int set_files(posix_spawn_file_actions_t *f, int sock, bool verbose) {
    int rc = posix_spawn_file_actions_adddup2(f, sock, SRV_ZYGOTE_SOCK);

    for (int fd = 0; rc == 0 && fd < (verbose ? STDERR_FILENO : STDERR_FILENO + 1); fd++) {
        rc = posix_spawn_file_actions_addopen(f, fd, "/dev/null", O_RDWR, 0);
    }
    return rc ? rc : posix_spawn_file_actions_addclosefrom_np(f, SRV_ZYGOTE_SOCK + 1);
}

static int spawn(pid_t *pid, int sock, bool verbose) {
    char name[] = "onnxscope";
    char command[] = SRV_ZYGOTE_COMMAND;
    char *const argv[] = {name, command, NULL};
    char *environment[KEPT + 1];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int rc = posix_spawn_file_actions_init(&files);

    if (rc) {
        return rc;
    }
    rc = posix_spawnattr_init(&attributes);
    if (rc) {
        posix_spawn_file_actions_destroy(&files);
        return rc;
    }
    keep(environment);
    rc = set_files(&files, sock, verbose);
    if (rc == 0) {
        rc = set_attributes(&attributes);
    }
    if (rc == 0) {
        rc = posix_spawn(pid, SELF, &files, &attributes, argv, environment);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

static int wait_for(int sock, struct srv_frame *f, struct error *err) {
    const uint64_t end = clock_monotonic_ms() + WARM_MS;
    struct pollfd on = {sock, POLLIN, 0};
    uint64_t now;
    int got;

    while ((now = clock_monotonic_ms()) < end) {
        if (poll(&on, 1, (int)(end - now)) < 0 && errno != EINTR) {
            return error_set(err, ERR_IO, "cannot wait for the zygote: %s", strerror(errno));
        }
        got = srv_frame_receive(sock, f, err);
        if (got == SRV_FRAME_CLOSED) {
            return error_set(err, ERR_IO, "the zygote ended while it was starting");
        }
        if (got != SRV_FRAME_NOTHING) {
            return got;
        }
    }
    return error_set(err, ERR_IO, "the zygote was not ready within %d ms", WARM_MS);
}

static int wait_until_warm(int sock, struct error *err) {
    struct srv_frame *f = malloc(sizeof(*f));
    struct error warming = {0};
    int rc;

    if (!f) {
        return error_set(err, ERR_NOMEM, "no memory to talk to the zygote");
    }
    rc = wait_for(sock, f, err);
    if (rc == SRV_FRAME_GOT) {
        rc = srv_frame_take(f, &warming, sizeof(warming), err);
        srv_frame_close_fds(f);
    }
    free(f);
    if (rc < 0 || warming.code == 0) {
        return rc;
    }
    if (err) {
        *err = warming;
    }
    return warming.code;
}

int srv_zygote_start(struct srv_zygote *z, bool verbose, struct error *err) {
    int pair[2];
    int rc = srv_frame_pair(pair, err);

    if (rc < 0) {
        return rc;
    }
    rc = spawn(&z->pid, pair[1], verbose);
    close(pair[1]);
    z->sock = pair[0];
    if (rc) {
        close(pair[0]);
        z->pid = 0;
        return error_set(err, ERR_IO, "cannot start %s: %s", SELF, strerror(rc));
    }
    rc = wait_until_warm(z->sock, err);
    if (rc < 0) {
        srv_zygote_stop(z);
    }
    return rc;
}

// As process 1 of a container we inherit the children of a dead zygote; they are in its group.
void srv_zygote_stop(struct srv_zygote *z) {
    if (z->pid <= 0) {
        return;
    }
    kill(-z->pid, SIGKILL);
    while (waitpid(-z->pid, NULL, 0) > 0 || errno == EINTR) {
        continue;
    }
    close(z->sock);
    z->pid = 0;
}
