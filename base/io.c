#include "base/io.h"

#include <errno.h>
#include <unistd.h>

int io_write_all(int fd, struct slice bytes) {
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -1;
        }
        bytes.p += n;
        bytes.n -= (size_t)n;
    }
    return 0;
}

ssize_t io_read_at(int fd, void *out, size_t n, uint64_t offset) {
    uint8_t *to = out;
    size_t have = 0;

    while (have < n) {
        ssize_t got = pread(fd, to + have, n - have, (off_t)(offset + have));

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        have += (size_t)got;
    }
    return (ssize_t)have;
}
