// The socket that the daemon listens on.
#pragma once

#include <stdbool.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

// Listens on "127.0.0.1:8080", "[::1]:8080", "localhost:0", ":8080" (all addresses). *out is owned
// by the caller. Errors: ERR_USAGE (no such address), ERR_IO (in use, not permitted).
int srv_listen_open(int *out, struct str address, struct error *err) WARN_UNUSED;

// Appends the URL under which a listening socket can be reached from this machine, without a final
// slash.
void srv_listen_url(struct buf *out, int listener);

// Appends the address itself: "0.0.0.0:8080", "[::1]:8080". true when only this machine reaches it.
bool srv_listen_address(struct buf *out, int listener);
