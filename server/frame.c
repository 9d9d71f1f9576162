#include "server/frame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAGIC 0x534a584fu  // "OXJS" in memory on a little-endian machine
#define VERSION 1u

struct header {
    uint32_t magic;
    uint16_t version;
    uint16_t kind;
    uint32_t n;
    uint32_t n_fds;
    uint64_t job;
};

union control {
    char bytes[CMSG_SPACE(SRV_FRAME_FDS * sizeof(int))];
    struct cmsghdr align;
};

int srv_frame_pair(int pair[2], struct error *err) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        return error_set(err, ERR_IO, "no socket pair: %s", strerror(errno));
    }
    return 0;
}

static void no_fds(struct srv_frame *f) {
    for (size_t i = 0; i < SRV_FRAME_FDS; i++) {
        f->fds[i] = -1;
    }
}

void srv_frame_init(struct srv_frame *f, enum srv_frame_kind kind, uint64_t job) {
    f->kind = kind;
    f->job = job;
    f->n = 0;
    no_fds(f);
}

int srv_frame_add(struct srv_frame *f, struct slice bytes, struct error *err) {
    if (bytes.n > sizeof(f->payload) - f->n) {
        return error_set(err, ERR_LIMIT, "a message of more than %zu bytes", SRV_FRAME_BYTES);
    }
    if (bytes.n) {
        memcpy(f->payload + f->n, bytes.p, bytes.n);
    }
    f->n += bytes.n;
    return 0;
}

int srv_frame_take(const struct srv_frame *f, void *out, size_t n, struct error *err) {
    if (f->n != n) {
        return error_set(err, ERR_FORMAT, "a message of %zu bytes instead of %zu", f->n, n);
    }
    memcpy(out, f->payload, n);
    return 0;
}

static size_t count_fds(const struct srv_frame *f) {
    size_t n = 0;

    while (n < SRV_FRAME_FDS && f->fds[n] >= 0) {
        n++;
    }
    return n;
}

static void attach_fds(struct msghdr *message, union control *control, const int *fds, size_t n) {
    struct cmsghdr *c;

    if (n == 0) {
        return;
    }
    message->msg_control = control;
    message->msg_controllen = CMSG_SPACE(n * sizeof(int));
    c = CMSG_FIRSTHDR(message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(c), fds, n * sizeof(int));
}

// sendmsg() does not write through msg_iov, whatever its type says.
static struct iovec part(const void *p, size_t n) {
    union {
        const void *from;
        void *to;
    } u = {.from = p};

    return (struct iovec){u.to, n};
}

static int transmit(int sock, const struct srv_frame *f, int flags, struct error *err) {
    size_t n_fds = count_fds(f);
    struct header h = {MAGIC, VERSION, (uint16_t)f->kind, (uint32_t)f->n, (uint32_t)n_fds, f->job};
    struct iovec parts[2] = {part(&h, sizeof(h)), part(f->payload, f->n)};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    union control control;
    ssize_t sent;

    memset(&control, 0, sizeof(control));
    attach_fds(&message, &control, f->fds, n_fds);
    do {
        sent = sendmsg(sock, &message, MSG_NOSIGNAL | flags);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return SRV_FRAME_FULL;
    }
    if (sent < 0) {
        return error_set(err, ERR_IO, "cannot send a message: %s", strerror(errno));
    }
    return SRV_FRAME_SENT;
}

int srv_frame_send(int sock, const struct srv_frame *f, struct error *err) {
    return transmit(sock, f, 0, err);
}

int srv_frame_offer(int sock, const struct srv_frame *f, struct error *err) {
    return transmit(sock, f, MSG_DONTWAIT, err);
}

// The control buffer has room for SRV_FRAME_FDS descriptors; the kernel drops what is more and says
// so.
static size_t detach_fds(struct msghdr *message, int fds[SRV_FRAME_FDS]) {
    size_t n = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(fds, CMSG_DATA(c), n * sizeof(int));
    }
    return n;
}

static bool header_fits(const struct header *h, const struct msghdr *message, size_t got,
                        size_t n_fds) {
    return got >= sizeof(*h) && h->magic == MAGIC && h->version == VERSION &&
           !(message->msg_flags & (MSG_TRUNC | MSG_CTRUNC)) && h->kind >= SRV_FRAME_READY &&
           h->kind < SRV_FRAME_KINDS && h->n == got - sizeof(*h) && h->n_fds == n_fds;
}

int srv_frame_receive(int sock, struct srv_frame *f, struct error *err) {
    struct header h;
    struct iovec parts[2] = {{&h, sizeof(h)}, {f->payload, sizeof(f->payload)}};
    union control control;
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = 2,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    ssize_t got;
    size_t n_fds;

    memset(&h, 0, sizeof(h));
    memset(&control, 0, sizeof(control));
    srv_frame_init(f, SRV_FRAME_READY, 0);
    do {
        got = recvmsg(sock, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return SRV_FRAME_NOTHING;
    }
    if (got == 0 || (got < 0 && errno == ECONNRESET)) {
        return SRV_FRAME_CLOSED;
    }
    if (got < 0) {
        return error_set(err, ERR_IO, "cannot receive a message: %s", strerror(errno));
    }
    n_fds = detach_fds(&message, f->fds);
    if (!header_fits(&h, &message, (size_t)got, n_fds)) {
        srv_frame_close_fds(f);
        return error_set(err, ERR_FORMAT, "a message of %zd bytes is malformed", got);
    }
    f->kind = (enum srv_frame_kind)h.kind;
    f->job = h.job;
    f->n = h.n;
    return SRV_FRAME_GOT;
}

void srv_frame_close_fds(struct srv_frame *f) {
    for (size_t i = 0; i < SRV_FRAME_FDS; i++) {
        if (f->fds[i] >= 0) {
            close(f->fds[i]);
        }
    }
    no_fds(f);
}
