// Messages between the HTTP process and the zygote: one packet each on a SOCK_SEQPACKET socket
// pair.
//
// A packet is a fixed header (magic, version, kind, length, job) and a payload; it may carry up to
// SRV_FRAME_FDS file descriptors (SCM_RIGHTS). Both ends are the same binary; every length is
// checked all the same, and a packet that is not as it should be is ERR_FORMAT: the receiver gives
// up the connection.
//
// Kinds, who sends them, what they hold:
//     READY  zygote   struct error of warming up, code 0 = ready
//     RUN    daemon   a ticket (server/job_wire.h); descriptors: skeleton, result
//     ENDED  zygote   struct srv_frame_end
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

#define SRV_FRAME_BYTES ((size_t)24 << 10)  // of the largest payload
#define SRV_FRAME_FDS 2

enum srv_frame_kind {
    SRV_FRAME_READY = 1,
    SRV_FRAME_RUN,
    SRV_FRAME_ENDED,
    SRV_FRAME_KINDS,
};

// How the process of a job ended. Written by the zygote, which never sees what the job made.
struct srv_frame_end {
    int32_t status;  // of waitpid(), or -1: it could not be started
    int32_t killed;  // 1: by the deadline
};

struct srv_frame {
    enum srv_frame_kind kind;
    uint64_t job;            // 0 for READY
    int fds[SRV_FRAME_FDS];  // -1 = none; received ones are the receiver's, close-on-exec
    size_t n;                // bytes of payload
    uint8_t payload[SRV_FRAME_BYTES];
};

// A connected pair; both ends are close-on-exec. Errors: ERR_IO.
int srv_frame_pair(int pair[2], struct error *err) WARN_UNUSED;

// An empty frame of this kind; the caller fills in payload and descriptors.
void srv_frame_init(struct srv_frame *f, enum srv_frame_kind kind, uint64_t job);

// Appends to the payload. Errors: ERR_LIMIT when it does not fit.
int srv_frame_add(struct srv_frame *f, struct slice bytes, struct error *err) WARN_UNUSED;

// The payload as one struct of `n` bytes. Errors: ERR_FORMAT when it has another size.
int srv_frame_take(const struct srv_frame *f, void *out, size_t n, struct error *err) WARN_UNUSED;

// Sends; the descriptors stay the caller's. Errors: ERR_IO (also when the other end is gone).
int srv_frame_send(int sock, const struct srv_frame *f, struct error *err) WARN_UNUSED;

// Sends without waiting: SRV_FRAME_FULL when the other end has not read enough of what came before.
// Errors as above.
enum srv_frame_sent { SRV_FRAME_SENT, SRV_FRAME_FULL };

int srv_frame_offer(int sock, const struct srv_frame *f, struct error *err) WARN_UNUSED;

enum srv_frame_got { SRV_FRAME_GOT, SRV_FRAME_NOTHING, SRV_FRAME_CLOSED };

// Receives without waiting: enum srv_frame_got, or ERR_IO, ERR_FORMAT (then no descriptor is left
// open).
int srv_frame_receive(int sock, struct srv_frame *f, struct error *err) WARN_UNUSED;

void srv_frame_close_fds(struct srv_frame *f);
