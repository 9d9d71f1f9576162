#include "base/io.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LONG ((size_t)1 << 20)  // more than a pipe holds

static uint8_t sent[LONG];

static void *drain(void *arg) {
    const int *fd = arg;
    uint8_t part[1000];
    size_t have = 0;
    ssize_t n;

    while ((n = read(*fd, part, sizeof(part))) > 0) {
        cr_assert_arr_eq(part, sent + have, (size_t)n);
        have += (size_t)n;
    }
    cr_expect_eq(have, LONG);
    return NULL;
}

Test(io, writes_more_than_the_kernel_takes_at_once) {
    pthread_t reader;
    int ends[2];

    for (size_t i = 0; i < LONG; i++) {
        sent[i] = (uint8_t)(i * 31 >> 3);
    }
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(pthread_create(&reader, NULL, drain, &ends[0]), 0);
    cr_expect_eq(io_write_all(ends[1], (struct slice){sent, LONG}), 0);
    close(ends[1]);
    pthread_join(reader, NULL);
    close(ends[0]);
}

Test(io, says_why_it_cannot_write) {
    cr_expect_eq(io_write_all(-1, (struct slice){sent, 1}), -1);
    cr_expect_eq(errno, EBADF);
    cr_expect_eq(io_write_all(-1, (struct slice){NULL, 0}), 0, "nothing is written anywhere");
}

Test(io, reads_at_an_offset_up_to_the_end) {
    char out[8];
    int fd = memfd_create("io", MFD_CLOEXEC);

    cr_assert_geq(fd, 0);
    cr_assert_eq(io_write_all(fd, slice_from_str(STR("0123456789"))), 0);
    cr_expect_eq(io_read_at(fd, out, 4, 3), 4);
    cr_expect_arr_eq(out, "3456", 4);
    cr_expect_eq(io_read_at(fd, out, 8, 7), 3, "the file ends");
    cr_expect_arr_eq(out, "789", 3);
    cr_expect_eq(io_read_at(fd, out, 8, 10), 0);
    cr_expect_eq(io_read_at(-1, out, 1, 0), -1);
    close(fd);
}
