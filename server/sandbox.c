#include "server/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/str.h"

#if defined(__SANITIZE_THREAD__)
#define WITH_ADDRESS_LIMIT false
#define WITH_FILTER false
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ADDRESS_LIMIT false
#define WITH_FILTER true
#elif defined(__has_feature)
#define WITH_ADDRESS_LIMIT (!__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer))
#define WITH_FILTER (!__has_feature(thread_sanitizer))
#else
#define WITH_ADDRESS_LIMIT true
#define WITH_FILTER true
#endif

#define FILTER_MAX 1024  // instructions
#define OPEN_FILES 16

// What malloc, stdio, clocks, the sanitizers' runtimes and the end of a process need.
static const int allowed[] = {
    SCMP_SYS(brk),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(close),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(fstat),
    SCMP_SYS(ftruncate),
    SCMP_SYS(futex),
    SCMP_SYS(getpid),
    SCMP_SYS(getppid),
    SCMP_SYS(getrandom),
    SCMP_SYS(getrlimit),
    SCMP_SYS(getrusage),
    SCMP_SYS(gettid),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(lseek),
    SCMP_SYS(madvise),
    SCMP_SYS(membarrier),
    SCMP_SYS(mremap),
    SCMP_SYS(munmap),
    SCMP_SYS(pread64),
    SCMP_SYS(pwrite64),
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rseq),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(sysinfo),
    SCMP_SYS(time),
    SCMP_SYS(uname),
    SCMP_SYS(write),
    SCMP_SYS(writev),
};

// Libraries look for configuration, locales, fonts: not finding them is fine, and no reason to die.
static const int closed[] = {
    SCMP_SYS(access),   SCMP_SYS(creat),      SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
    SCMP_SYS(getdents), SCMP_SYS(getdents64), SCMP_SYS(lstat),     SCMP_SYS(open),
    SCMP_SYS(openat),   SCMP_SYS(openat2),    SCMP_SYS(readlink),  SCMP_SYS(readlinkat),
    SCMP_SYS(stat),     SCMP_SYS(statfs),     SCMP_SYS(statx),
};

// Nothing that only computes ever asks for these.
static const int deadly[] = {
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    SCMP_SYS(bind),
    SCMP_SYS(bpf),
    SCMP_SYS(clone),
    SCMP_SYS(clone3),
    SCMP_SYS(connect),
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(keyctl),
    SCMP_SYS(listen),
    SCMP_SYS(mount),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(ptrace),
    SCMP_SYS(recvfrom),
    SCMP_SYS(recvmmsg),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendmmsg),
    SCMP_SYS(sendmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(setns),
    SCMP_SYS(socket),
    SCMP_SYS(socketpair),
    SCMP_SYS(unshare),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(vfork),
};

static struct sock_filter filter[FILTER_MAX];
static unsigned short filter_n;  // 0 = not prepared

// A call that this CPU does not have is no error.
static int add_rules(scmp_filter_ctx ctx, uint32_t action, const int *calls, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int rc = seccomp_rule_add(ctx, action, calls[i], 0);

        if (rc < 0 && rc != -EDOM) {
            return rc;
        }
    }
    return 0;
}

// Memory without PROT_EXEC; fstat() as glibc spells it; prlimit() that only asks.
static int add_conditions(scmp_filter_ctx ctx) {
    const struct scmp_arg_cmp not_executable = SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    const struct scmp_arg_cmp by_descriptor = SCMP_A3_64(SCMP_CMP_EQ, AT_EMPTY_PATH, 0);
    const struct scmp_arg_cmp asks = SCMP_A2_64(SCMP_CMP_EQ, 0, 0);
    const struct {
        int call;
        const struct scmp_arg_cmp *when;
    } rows[] = {
        {SCMP_SYS(mmap), &not_executable},     {SCMP_SYS(mmap2), &not_executable},
        {SCMP_SYS(mprotect), &not_executable}, {SCMP_SYS(newfstatat), &by_descriptor},
        {SCMP_SYS(prlimit64), &asks},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int rc = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, rows[i].call, 1, rows[i].when);

        if (rc < 0 && rc != -EDOM) {
            return rc;
        }
    }
    return 0;
}

static int build(scmp_filter_ctx ctx) {
    int rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

    if (rc == 0) {
        rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    }
    if (rc == 0) {
        rc = add_rules(ctx, SCMP_ACT_ALLOW, allowed, ARRAY_LEN(allowed));
    }
    if (rc == 0) {
        rc = add_rules(ctx, SCMP_ACT_ERRNO(EACCES), closed, ARRAY_LEN(closed));
    }
    if (rc == 0) {
        rc = add_rules(ctx, SCMP_ACT_KILL_PROCESS, deadly, ARRAY_LEN(deadly));
    }
    return rc == 0 ? add_conditions(ctx) : rc;
}

// libseccomp 2.5 can hand over the compiled filter only through a file.
static int compile(scmp_filter_ctx ctx) {
    int fd = memfd_create("filter", MFD_CLOEXEC);
    ssize_t n;
    int rc;

    if (fd < 0) {
        return -errno;
    }
    rc = seccomp_export_bpf(ctx, fd);
    if (rc == 0) {
        n = pread(fd, filter, sizeof(filter), 0);
        if (n <= 0 || (size_t)n == sizeof(filter) || (size_t)n % sizeof(filter[0])) {
            rc = -E2BIG;
        } else {
            filter_n = (unsigned short)((size_t)n / sizeof(filter[0]));
        }
    }
    close(fd);
    return rc;
}

int srv_sandbox_prepare(struct error *err) {
    scmp_filter_ctx ctx;
    int rc;

    if (filter_n || !WITH_FILTER) {
        return 0;
    }
    ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!ctx) {
        return error_set(err, ERR_IO, "no filter of system calls");
    }
    rc = build(ctx);
    if (rc == 0) {
        rc = compile(ctx);
    }
    seccomp_release(ctx);
    if (rc < 0) {
        return error_set(err, ERR_IO, "no filter of system calls: %s", strerror(-rc));
    }
    return 0;
}

// A hard limit that is lower already stays.
static int set_limit(int resource, rlim_t soft, rlim_t hard, struct error *err) {
    __rlimit_resource_t which = (__rlimit_resource_t)resource;
    struct rlimit now;

    if (getrlimit(which, &now) == 0) {
        now.rlim_max = now.rlim_max < hard ? now.rlim_max : hard;
        now.rlim_cur = now.rlim_max < soft ? now.rlim_max : soft;
        if (setrlimit(which, &now) == 0) {
            return 0;
        }
    }
    return error_set(err, ERR_IO, "cannot set resource limit %d: %s", resource, strerror(errno));
}

// The soft limit of CPU time ends the process with a signal of its own, SIGXCPU; the hard one with
// SIGKILL.
static int set_limits(const struct srv_sandbox *limits, struct error *err) {
    const struct {
        int resource;
        bool wanted;
        rlim_t soft, hard;
    } rows[] = {
        {RLIMIT_AS, WITH_ADDRESS_LIMIT && limits->memory, limits->memory, limits->memory},
        {RLIMIT_CPU, true, limits->cpu_s, limits->cpu_s + 1},
        {RLIMIT_FSIZE, true, limits->output, limits->output},
        {RLIMIT_CORE, true, 0, 0},
        {RLIMIT_NOFILE, true, OPEN_FILES, OPEN_FILES},
        {RLIMIT_NPROC, true, 0, 0},
    };
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(rows); i++) {
        if (rows[i].wanted) {
            rc = set_limit(rows[i].resource, rows[i].soft, rows[i].hard, err);
        }
    }
    return rc;
}

static int load_filter(struct error *err) {
    const struct sock_fprog program = {filter_n, filter};

    if (!WITH_FILTER) {
        return 0;
    }
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        return error_set(err, ERR_IO, "cannot load the filter of system calls: %s",
                         strerror(errno));
    }
    return 0;
}

int srv_sandbox_enter(const struct srv_sandbox *limits, struct error *err) {
    int rc = srv_sandbox_prepare(err);

    if (rc == 0) {
        rc = set_limits(limits, err);
    }
    if (rc < 0) {
        return rc;
    }
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
        return error_set(err, ERR_IO, "cannot give up privileges: %s", strerror(errno));
    }
    return load_filter(err);
}
