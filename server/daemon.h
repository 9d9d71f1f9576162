// The daemon: store, jobs, cache and HTTP server wired together, signals, and the way down.
//
// SIGTERM or SIGINT: unready at once, after `drain-delay` no new connections, running requests may
// end within `drain-timeout`, then exit; a second signal ends it now. SIGPIPE is ignored.
#pragma once

#include "base/attr.h"
#include "base/error.h"
#include "server/config.h"

// Runs until it is told to stop. Prints the URL and a curl line on stdout once it listens when
// stdout is a terminal, logs it in any case. Returns 0 after a clean stop. Errors: ERR_IO (address
// in use, store not usable), ERR_USAGE.
int srv_daemon_run(const struct srv_config *config, struct error *err) WARN_UNUSED;
