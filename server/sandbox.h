// What a job's process may do: compute, write its result, end. The only file that sees seccomp.h.
//
// rlimits (address space, CPU seconds, file size = output limit (a memfd counts), no core, few
// files), no_new_privs, dumpable off, then a seccomp filter that lists what is allowed: opening
// files answers EACCES (libraries try files they do not need), sockets, exec, fork and ptrace kill
// the process, executable memory and whatever is not listed answers EPERM. AddressSanitizer and
// ThreadSanitizer builds skip the address-space limit, ThreadSanitizer builds the filter too: these
// sanitizers cannot live with them.
#pragma once

#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"

struct srv_sandbox {
    uint64_t memory;  // bytes of address space, 0 = no limit
    uint64_t cpu_s;   // CPU seconds
    uint64_t output;  // bytes of the largest file
};

// Compiles the filter, so that a forked process only has to load it. Not thread-safe. Errors:
// ERR_IO.
int srv_sandbox_prepare(struct error *err) WARN_UNUSED;

// For the calling process, for good; prepares when nobody has. Errors: ERR_IO; the caller must then
// not touch the input.
int srv_sandbox_enter(const struct srv_sandbox *limits, struct error *err) WARN_UNUSED;
