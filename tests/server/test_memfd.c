#include "server/memfd.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/server/descriptors.h"

TestSuite(memfd, .timeout = 20);

static const struct slice text = {(const uint8_t *)"some bytes", 10};

Test(memfd, sealed_bytes_can_be_mapped_and_not_changed) {
    struct slice seen;
    int fd;

    cr_assert_eq(srv_memfd_sealed(&fd, text, NULL), 0);
    cr_assert_eq(srv_memfd_map(fd, text.n, &seen, NULL), 0);
    cr_assert_eq(seen.n, text.n);
    cr_assert_eq(memcmp(seen.p, text.p, text.n), 0);
    cr_assert_lt(write(fd, "x", 1), 0);
    cr_assert_lt(ftruncate(fd, 0), 0);
    cr_assert_lt(ftruncate(fd, 100), 0);
    cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

Test(memfd, maps_nothing_that_somebody_could_still_cut) {
    struct slice seen;
    int fd;

    cr_assert_eq(srv_memfd_new(&fd, NULL), 0);
    cr_assert_eq(srv_memfd_write(fd, text, NULL), 0);
    cr_assert_eq(srv_memfd_map(fd, text.n, &seen, NULL), ERR_FORMAT);
    cr_assert_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    cr_assert_eq(srv_memfd_map(fd, text.n, &seen, NULL), ERR_FORMAT);
}

Test(memfd, maps_only_the_length_it_was_told) {
    struct slice seen;
    int fd;

    cr_assert_eq(srv_memfd_sealed(&fd, text, NULL), 0);
    cr_assert_eq(srv_memfd_map(fd, text.n + 1, &seen, NULL), ERR_FORMAT);
    cr_assert_eq(srv_memfd_map(fd, text.n - 1, &seen, NULL), ERR_FORMAT);
    cr_assert_eq(srv_memfd_map(fd, UINT64_MAX, &seen, NULL), ERR_FORMAT);
    cr_assert_eq(srv_memfd_map(-1, text.n, &seen, NULL), ERR_FORMAT);
}

Test(memfd, no_bytes_are_fine) {
    struct slice seen;
    int fd;

    cr_assert_eq(srv_memfd_sealed(&fd, (struct slice){NULL, 0}, NULL), 0);
    cr_assert_eq(srv_memfd_map(fd, 0, &seen, NULL), 0);
    cr_assert_eq(seen.n, 0);
}

Test(memfd, reading_past_the_end_is_an_error) {
    char back[16];
    int fd;

    cr_assert_eq(srv_memfd_sealed(&fd, text, NULL), 0);
    cr_assert_eq(srv_memfd_read(fd, back, 5, 5, NULL), 0);
    cr_assert_eq(memcmp(back, "bytes", 5), 0);
    cr_assert_eq(srv_memfd_read(fd, back, 6, 5, NULL), ERR_FORMAT);
}

Test(memfd, the_file_size_limit_is_named) {
    const struct rlimit four = {4, RLIM_INFINITY};
    struct error e;
    int fd;

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(srv_memfd_new(&fd, NULL), 0);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &four), 0);
    cr_assert_eq(srv_memfd_write(fd, text, &e), ERR_LIMIT);
    cr_assert_str_eq(e.limit, "max-output");
}

Test(memfd, a_failure_leaves_no_descriptor) {
    const size_t before = count_descriptors();
    const struct rlimit four = {4, RLIM_INFINITY};
    int fd = -7;

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &four), 0);
    cr_assert_eq(srv_memfd_sealed(&fd, text, NULL), ERR_LIMIT);
    cr_assert_eq(fd, -7);
    cr_assert_eq(count_descriptors(), before);
}
