// The process of one job: from the zygote's fork to _exit().
#pragma once

#include "server/frame.h"

// Runs the job of a RUN frame and ends the process; never returns. `parent` is the pid of the
// zygote. Whatever can be said goes into the result file; a status other than 0 means that nothing
// could.
_Noreturn void srv_job_child_run(const struct srv_frame *run, int parent);
