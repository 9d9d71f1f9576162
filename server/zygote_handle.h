// The zygote as the daemon sees it: a process to start, a socket, a process to end.
//
// It gets no environment (but what the loader and the sanitizers need), no file of the daemon, and
// a process group of its own: a Ctrl-C for the daemon does not reach it, and stopping it takes its
// children along.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/attr.h"
#include "base/error.h"

struct srv_zygote {
    pid_t pid;  // 0 = not running
    int sock;
};

// Starts this program's binary as a zygote and waits until it is warm. `verbose` lets it keep
// stderr. Errors: ERR_IO, or what warming up gave; nothing is left running then.
int srv_zygote_start(struct srv_zygote *z, bool verbose, struct error *err) WARN_UNUSED;

// Kills it with its children and reaps what is ours to reap. A zygote that does not run is fine.
void srv_zygote_stop(struct srv_zygote *z);
