#include "server/sandbox.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

TestSuite(sandbox, .timeout = 60);

#define ENTER_FAILED 99
#define OUTPUT 65536

static const struct srv_sandbox limits = {.memory = (uint64_t)1 << 30,
                                          .cpu_s = 5,
                                          .output = OUTPUT};

// Wait status of a process that does `act` inside; what it returns is its exit status.
static int inside(const struct srv_sandbox *s, int (*act)(void)) {
    int status = -1;
    pid_t pid = fork();

    cr_assert_geq(pid, 0);
    if (pid == 0) {
        _exit(srv_sandbox_enter(s, NULL) < 0 ? ENTER_FAILED : act());
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static void expect_exit(int status, int code) {
    cr_expect(WIFEXITED(status), "signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    cr_expect_eq(WEXITSTATUS(status), code, "status %d, not %d", WEXITSTATUS(status), code);
}

static void expect_killed(int status, int sig) {
    cr_expect(WIFSIGNALED(status), "it lived on, status %d", WEXITSTATUS(status));
    cr_expect_eq(WTERMSIG(status), sig, "signal %d", WTERMSIG(status));
}

static int compute(void) {
    char text[64];
    size_t n = 200000;
    double *p = malloc(n * sizeof(*p));
    time_t now = time(NULL);
    struct timespec t;
    struct stat st;
    char *small = strdup("x");

    if (!p || !small) {
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        p[i] = sqrt((double)i);
    }
    p = realloc(p, 4 * n * sizeof(*p));
    snprintf(text, sizeof(text), "%g", p[n - 1]);
    free(p);
    free(small);
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) < 0 || clock_gettime(CLOCK_MONOTONIC, &t) < 0) {
        return 2;
    }
    if (fstat(1, &st) < 0) {
        return 3;
    }
    return now > 0 && text[0] == '4' ? 0 : 4;
}

Test(sandbox, computing_goes_on) {
    expect_exit(inside(&limits, compute), 0);
}

static int result;  // descriptor of the result file

static int write_result(void) {
    char big[1000];

    memset(big, 'x', sizeof(big));
    if (write(result, big, sizeof(big)) != (ssize_t)sizeof(big) ||
        lseek(result, 0, SEEK_SET) != 0) {
        return 1;
    }
    return ftruncate(result, 0) == 0 && write(result, "hello", 5) == 5 ? 0 : 2;
}

static void make_result_file(void) {
    result = memfd_create("result", 0);
    cr_assert_geq(result, 0);
}

Test(sandbox, the_result_can_be_written) {
    make_result_file();
    expect_exit(inside(&limits, write_result), 0);
}

static int write_too_much(void) {
    char big[4096];
    size_t written = 0;
    ssize_t n;

    signal(SIGXFSZ, SIG_IGN);
    memset(big, 'x', sizeof(big));
    while ((n = write(result, big, sizeof(big))) > 0) {
        written += (size_t)n;
    }
    return errno == EFBIG && written == OUTPUT ? 0 : 1;
}

Test(sandbox, the_result_is_bounded) {
    make_result_file();
    expect_exit(inside(&limits, write_too_much), 0);
}

static int open_files(void) {
    struct stat st;
    char link[10];

    errno = 0;
    if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES) {
        return 1;
    }
    if (fopen("/etc/passwd", "r") || errno != EACCES) {
        return 2;
    }
    if (open("/dev/shm/onnxscope-test", O_WRONLY | O_CREAT, 0600) >= 0 || errno != EACCES) {
        return 3;
    }
    if (stat("/etc/passwd", &st) == 0) {
        return 4;
    }
    if (readlink("/proc/self/exe", link, sizeof(link)) > 0 || access("/", R_OK) == 0) {
        return 5;
    }
    return unlink("/dev/shm/onnxscope-test") < 0 && errno == EPERM ? 0 : 6;
}

Test(sandbox, opening_files_is_denied_and_does_not_kill) {
    expect_exit(inside(&limits, open_files), 0);
}

static int make_socket(void) {
    return socket(AF_INET, SOCK_STREAM, 0);
}

static int run_shell(void) {
    char name[] = "sh";
    char *argv[] = {name, NULL};

    return execv("/bin/sh", argv);
}

static int trace(void) {
    return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static int have_child(void) {
    return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int send_something(void) {
    return (int)sendto(1, "x", 1, 0, NULL, 0);
}

static int read_other_process(void) {
    return (int)syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0);
}

static int new_namespace(void) {
    return (int)syscall(SYS_unshare, 0);
}

Test(sandbox, calls_that_only_an_attacker_makes_kill) {
    int (*const acts[])(void) = {make_socket,    run_shell,          trace,        have_child,
                                 send_something, read_other_process, new_namespace};

    for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
        expect_killed(inside(&limits, acts[i]), SIGSYS);
    }
}

static int everything_else(void) {
    void *p;

    if (kill(getppid(), 0) == 0 || errno != EPERM) {
        return 1;
    }
    if (syscall(SYS_memfd_create, "x", 0) >= 0 || errno != EPERM) {
        return 2;
    }
    if (setpriority(PRIO_PROCESS, 0, 5) == 0 || errno != EPERM) {
        return 3;
    }
    p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED || errno != EPERM) {
        return 4;
    }
    p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        return 5;
    }
    return mprotect(p, 4096, PROT_READ | PROT_EXEC) < 0 && errno == EPERM ? 0 : 6;
}

Test(sandbox, whatever_is_not_listed_is_refused) {
    expect_exit(inside(&limits, everything_else), 0);
}

static int raise_limits(void) {
    const struct rlimit more = {1000, 1000};

    return setrlimit(RLIMIT_NOFILE, &more) < 0 && errno == EPERM ? 0 : 1;
}

Test(sandbox, limits_cannot_be_raised_again) {
    expect_exit(inside(&limits, raise_limits), 0);
}

#if !defined(__SANITIZE_ADDRESS__)
static int eat_memory(void) {
    size_t n = 0;

    while (n < 4096 && malloc((size_t)1 << 20)) {
        n++;
    }
    return n < 200 ? 0 : 1;
}

Test(sandbox, memory_is_bounded) {
    const struct srv_sandbox small = {.memory = (uint64_t)150 << 20, .cpu_s = 5, .output = OUTPUT};

    expect_exit(inside(&small, eat_memory), 0);
}
#endif

static int spin(void) {
    volatile bool forever = true;

    while (forever) {
        continue;
    }
    return 0;
}

Test(sandbox, cpu_time_is_bounded) {
    const struct srv_sandbox brief = {.memory = 0, .cpu_s = 1, .output = OUTPUT};

    expect_killed(inside(&brief, spin), SIGXCPU);
}

static int no_core(void) {
    struct rlimit r;

    return getrlimit(RLIMIT_CORE, &r) == 0 && r.rlim_max == 0 ? 0 : 1;
}

Test(sandbox, leaves_no_core_file) {
    expect_exit(inside(&limits, no_core), 0);
}

static int enter_again(void) {
    struct error e;
    int rc = srv_sandbox_enter(&limits, &e);

    return rc == ERR_IO && e.text[0] ? 0 : 1;
}

Test(sandbox, entering_twice_is_an_error_and_no_way_out) {
    expect_exit(inside(&limits, enter_again), 0);
}
