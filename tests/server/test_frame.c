#include "server/frame.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/server/descriptors.h"

static int pair[2];
static struct srv_frame out, in;

static void open_pair(void) {
    cr_assert_eq(srv_frame_pair(pair, NULL), 0);
}

static void close_pair(void) {
    close(pair[0]);
    close(pair[1]);
}

TestSuite(frame, .init = open_pair, .fini = close_pair, .timeout = 20);

static struct slice bytes(const char *z) {
    return slice_from_str(str_from(z));
}

// The header as frame.c lays it out, to send what frame.c never would.
struct raw {
    uint32_t magic;
    uint16_t version, kind;
    uint32_t n, n_fds;
    uint64_t job;
    char payload[8];
};

static struct raw valid_raw(void) {
    struct {
        struct raw raw;
        char room[64];
    } got;

    srv_frame_init(&out, SRV_FRAME_ENDED, 7);
    cr_assert_eq(srv_frame_add(&out, bytes("12345678"), NULL), 0);
    cr_assert_eq(srv_frame_send(pair[0], &out, NULL), 0);
    cr_assert_eq(recv(pair[1], &got, sizeof(got), 0), (ssize_t)sizeof(struct raw));
    return got.raw;
}

static int receive_raw(const struct raw *raw, size_t n) {
    cr_assert_eq(send(pair[0], raw, n, 0), (ssize_t)n);
    return srv_frame_receive(pair[1], &in, NULL);
}

Test(frame, carries_payload_and_number) {
    srv_frame_init(&out, SRV_FRAME_RUN, 0x1122334455667788u);
    cr_assert_eq(srv_frame_add(&out, bytes("hello "), NULL), 0);
    cr_assert_eq(srv_frame_add(&out, bytes("world"), NULL), 0);
    cr_assert_eq(srv_frame_send(pair[0], &out, NULL), 0);
    cr_assert_eq(srv_frame_receive(pair[1], &in, NULL), SRV_FRAME_GOT);
    cr_assert_eq(in.kind, SRV_FRAME_RUN);
    cr_assert_eq(in.job, 0x1122334455667788u);
    cr_assert_eq(in.n, 11);
    cr_assert_eq(memcmp(in.payload, "hello world", 11), 0);
    cr_assert_eq(in.fds[0], -1);
}

Test(frame, carries_descriptors_that_close_on_exec) {
    struct stat sent, got;
    const size_t before = count_descriptors();

    srv_frame_init(&out, SRV_FRAME_RUN, 1);
    out.fds[0] = open("/dev/null", O_RDONLY);
    out.fds[1] = open("/dev/zero", O_RDONLY);
    cr_assert_eq(srv_frame_send(pair[0], &out, NULL), 0);
    cr_assert_eq(srv_frame_receive(pair[1], &in, NULL), SRV_FRAME_GOT);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(fstat(out.fds[i], &sent), 0);
        cr_assert_eq(fstat(in.fds[i], &got), 0);
        cr_assert_eq(sent.st_rdev, got.st_rdev);
        cr_assert(fcntl(in.fds[i], F_GETFD) & FD_CLOEXEC);
    }
    srv_frame_close_fds(&in);
    srv_frame_close_fds(&out);
    cr_assert_eq(count_descriptors(), before);
}

Test(frame, takes_a_payload_of_the_largest_size) {
    static uint8_t most[SRV_FRAME_BYTES];

    memset(most, 'x', sizeof(most));
    srv_frame_init(&out, SRV_FRAME_RUN, 1);
    cr_assert_eq(srv_frame_add(&out, (struct slice){most, sizeof(most)}, NULL), 0);
    cr_assert_eq(srv_frame_send(pair[0], &out, NULL), 0);
    cr_assert_eq(srv_frame_receive(pair[1], &in, NULL), SRV_FRAME_GOT);
    cr_assert_eq(in.n, sizeof(most));
}

Test(frame, refuses_to_build_a_larger_one) {
    static uint8_t more[SRV_FRAME_BYTES + 1];

    srv_frame_init(&out, SRV_FRAME_RUN, 1);
    cr_assert_eq(srv_frame_add(&out, (struct slice){more, sizeof(more)}, NULL), ERR_LIMIT);
    cr_assert_eq(out.n, 0);
}

Test(frame, says_when_there_is_nothing_and_when_the_other_end_is_gone) {
    struct error e;

    cr_assert_eq(srv_frame_receive(pair[1], &in, NULL), SRV_FRAME_NOTHING);
    close(pair[0]);
    cr_assert_eq(srv_frame_receive(pair[1], &in, NULL), SRV_FRAME_CLOSED);
    srv_frame_init(&out, SRV_FRAME_READY, 0);
    cr_assert_eq(srv_frame_send(pair[1], &out, &e), ERR_IO);
    cr_assert_neq(e.text[0], '\0');
    pair[0] = dup(pair[1]);
}

Test(frame, accepts_what_it_sends) {
    struct raw raw = valid_raw();

    cr_assert_eq(receive_raw(&raw, sizeof(raw)), SRV_FRAME_GOT);
    cr_assert_eq(in.n, 8);
}

Test(frame, refuses_a_header_that_lies) {
    const struct raw right = valid_raw();
    struct raw wrong[8];

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        wrong[i] = right;
    }
    wrong[0].magic ^= 1;
    wrong[1].version++;
    wrong[2].kind = 0;
    wrong[3].kind = SRV_FRAME_KINDS;
    wrong[4].n--;
    wrong[5].n++;
    wrong[6].n = UINT32_MAX;
    wrong[7].n_fds = 1;
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        cr_expect_eq(receive_raw(&wrong[i], sizeof(wrong[i])), ERR_FORMAT, "case %zu", i);
    }
}

Test(frame, refuses_a_packet_that_is_cut) {
    const struct raw right = valid_raw();

    for (size_t n = 1; n < sizeof(right); n++) {
        cr_expect_eq(receive_raw(&right, n), ERR_FORMAT, "%zu bytes", n);
    }
}

Test(frame, refuses_a_packet_that_is_too_long) {
    static char packet[SRV_FRAME_BYTES + 1024];
    const struct raw right = valid_raw();

    memcpy(packet, &right, sizeof(right));
    cr_assert_eq(send(pair[0], packet, sizeof(packet), 0), (ssize_t)sizeof(packet));
    cr_assert_eq(srv_frame_receive(pair[1], &in, NULL), ERR_FORMAT);
}

static void send_with_fds(struct raw *raw, const int *fds, size_t n) {
    union {
        char bytes[CMSG_SPACE(8 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {raw, sizeof(*raw)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
    struct cmsghdr *c;

    memset(&control, 0, sizeof(control));
    message.msg_controllen = CMSG_SPACE(n * sizeof(int));
    c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    cr_assert_eq(sendmsg(pair[0], &message, 0), (ssize_t)sizeof(*raw));
}

Test(frame, refuses_descriptors_it_was_not_told_of_and_leaks_none) {
    struct raw raw = valid_raw();
    const int fds[5] = {0, 1, 2, 0, 1};
    const size_t before = count_descriptors();

    for (size_t n = 1; n <= ARRAY_LEN(fds); n++) {
        send_with_fds(&raw, fds, n);
        cr_expect_eq(srv_frame_receive(pair[1], &in, NULL), ERR_FORMAT, "%zu descriptors", n);
    }
    cr_assert_eq(count_descriptors(), before);
}

Test(frame, takes_only_a_payload_of_the_size_asked_for) {
    struct srv_frame_end end = {9, 1}, back;

    srv_frame_init(&out, SRV_FRAME_ENDED, 1);
    cr_assert_eq(srv_frame_add(&out, (struct slice){(uint8_t *)&end, sizeof(end)}, NULL), 0);
    cr_assert_eq(srv_frame_take(&out, &back, sizeof(back), NULL), 0);
    cr_assert_eq(back.status, 9);
    cr_assert_eq(srv_frame_take(&out, &back, sizeof(back) - 1, NULL), ERR_FORMAT);
    cr_assert_eq(srv_frame_take(&out, &back, sizeof(back) + 1, NULL), ERR_FORMAT);
}

Test(frame, offers_do_not_wait_for_an_end_that_does_not_read) {
    struct error e;
    size_t sent = 0;
    int rc;

    srv_frame_init(&out, SRV_FRAME_RUN, 1);
    do {
        rc = srv_frame_offer(pair[0], &out, &e);
        sent += rc == SRV_FRAME_SENT;
    } while (rc == SRV_FRAME_SENT && sent < 100000);
    cr_assert_eq(rc, SRV_FRAME_FULL);
    cr_expect_gt(sent, 1);
    for (; sent; sent--) {
        cr_assert_eq(srv_frame_receive(pair[1], &in, NULL), SRV_FRAME_GOT);
    }
    cr_expect_eq(srv_frame_receive(pair[1], &in, NULL), SRV_FRAME_NOTHING,
                 "the last one never left");
    cr_expect_eq(srv_frame_offer(pair[0], &out, NULL), SRV_FRAME_SENT);
}
