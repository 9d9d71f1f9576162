// What a job's process may do: compute, write its result, end. The only file that sees seccomp.h.
//
// rlimits (address space, CPU seconds, file size = output limit (a memfd counts), no core, few
// files), no_new_privs, dumpable off, death with the parent, then a seccomp filter: opening files
// answers EACCES (libraries try files they do not need), sockets, exec, fork, ptrace and whatever
// is not listed kill or answer EPERM. AddressSanitizer builds skip the address-space limit.
#pragma once

#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"

struct srv_sandbox {
    uint64_t memory;  // bytes of address space, 0 = no limit
    uint64_t cpu_s;   // CPU seconds
    uint64_t output;  // bytes of the largest file
};

// For the calling process, for good. Errors: ERR_IO; the caller must then not touch the input.
int srv_sandbox_enter(const struct srv_sandbox *limits, struct error *err) WARN_UNUSED;
