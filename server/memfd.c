#include "server/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

int srv_memfd_new(int *fd, struct error *err) {
    int made = memfd_create("onnxscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (made < 0) {
        return error_set(err, ERR_IO, "no anonymous file: %s", strerror(errno));
    }
    *fd = made;
    return 0;
}

int srv_memfd_sealed(int *fd, struct slice bytes, struct error *err) {
    int made = -1;
    int rc = srv_memfd_new(&made, err);

    if (rc < 0) {
        return rc;
    }
    rc = srv_memfd_write(made, bytes, err);
    if (rc == 0 && fcntl(made, F_ADD_SEALS, SEALS) < 0) {
        rc = error_set(err, ERR_IO, "cannot seal a file: %s", strerror(errno));
    }
    if (rc < 0) {
        close(made);
    } else {
        *fd = made;
    }
    return rc;
}

int srv_memfd_map(int fd, uint64_t n, struct slice *out, struct error *err) {
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat st;
    void *p;

    if (seals < 0 || (seals & SEALS) != SEALS) {
        return error_set(err, ERR_FORMAT, "the bytes handed over are not sealed");
    }
    if (fstat(fd, &st) < 0 || st.st_size < 0 || (uint64_t)st.st_size != n || n > SIZE_MAX) {
        return error_set(err, ERR_FORMAT, "the bytes handed over have another length");
    }
    if (n == 0) {
        *out = (struct slice){NULL, 0};
        return 0;
    }
    // Older kernels refuse a shared mapping of a file sealed against writing.
    p = mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) {
        return error_set(err, ERR_NOMEM, "cannot map the bytes handed over: %s", strerror(errno));
    }
    *out = (struct slice){p, (size_t)n};
    return 0;
}

int srv_memfd_write(int fd, struct slice bytes, struct error *err) {
    if (io_write_all(fd, bytes) == 0) {
        return 0;
    }
    if (errno == EFBIG) {
        return error_set_limit(err, "max-output", "the document is too large");
    }
    return error_set(err, ERR_IO, "cannot write to an anonymous file: %s", strerror(errno));
}

int srv_memfd_read(int fd, void *out, size_t n, uint64_t offset, struct error *err) {
    ssize_t got = io_read_at(fd, out, n, offset);

    if (got < 0) {
        return error_set(err, ERR_IO, "cannot read an anonymous file: %s", strerror(errno));
    }
    return (size_t)got == n ? 0 : error_set(err, ERR_FORMAT, "a file ends too early");
}
