#include "server/cli_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/sha256.h"

#define CHUNK ((size_t)256 << 10)
#define PROGRESS_FROM ((uint64_t)64 << 20)
#define PROGRESS_EVERY_MS 100

struct progress {
    bool shown;      // stderr is a terminal and the input is large or of unknown size
    uint64_t total;  // 0 = unknown
    uint64_t next_ms;
};

static void progress_init(struct progress *p, int fd) {
    struct stat st;
    bool file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

    p->total = file ? (uint64_t)st.st_size : 0;
    p->shown = isatty(STDERR_FILENO) && (!file || p->total >= PROGRESS_FROM);
    p->next_ms = clock_monotonic_ms() + PROGRESS_EVERY_MS;
}

static void progress_show(struct progress *p, uint64_t done) {
    struct buf line;

    if (!p->shown || clock_monotonic_ms() < p->next_ms) {
        return;
    }
    p->next_ms = clock_monotonic_ms() + PROGRESS_EVERY_MS;
    buf_init(&line, 128);
    buf_add_z(&line, "\rreading ");
    num_add_size(&line, done);
    if (p->total) {
        buf_printf(&line, ", %.0f %%", 100.0 * (double)done / (double)p->total);
    }
    buf_add_z(&line, "\033[K");
    fwrite(line.p, 1, line.n, stderr);
    buf_release(&line);
}

static void progress_end(const struct progress *p) {
    if (p->shown) {
        fputs("\r\033[K", stderr);
    }
}

static int feed_all(struct onnx_strip *strip, struct sha256 *digest, int fd, uint8_t *chunk,
                    struct error *err) {
    struct progress progress;
    uint64_t done = 0;
    int rc = 0;

    progress_init(&progress, fd);
    while (rc == 0) {
        ssize_t n = read(fd, chunk, CHUNK);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            rc = error_set(err, ERR_IO, "it cannot be read: %s", strerror(errno));
            break;
        }
        if (n == 0) {
            break;
        }
        sha256_add(digest, (struct slice){chunk, (size_t)n});
        rc = onnx_strip_feed(strip, (struct slice){chunk, (size_t)n}, err);
        done += (uint64_t)n;
        progress_show(&progress, done);
    }
    progress_end(&progress);
    return rc;
}

static int strip_fd(struct srv_input *out, int fd, const struct onnx_limits *limits,
                    struct error *err) {
    struct onnx_strip *strip = NULL;
    uint8_t *chunk = malloc(CHUNK);
    uint8_t digest[SHA256_BYTES];
    struct sha256 sha;
    int rc;

    if (!chunk) {
        return error_set(err, ERR_NOMEM, "out of memory");
    }
    sha256_init(&sha);
    rc = onnx_strip_new(&strip, limits, err);
    if (rc == 0) {
        rc = feed_all(strip, &sha, fd, chunk, err);
    }
    if (rc == 0) {
        rc = onnx_strip_finish(strip, &out->skeleton, &out->facts, err);
    }
    sha256_done(&sha, digest);
    sha256_hex(digest, out->id);
    onnx_strip_free(strip);
    free(chunk);
    return rc;
}

int srv_input_read(struct srv_input *out, const char *path, const struct onnx_limits *limits,
                   struct error *err) {
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    double start = clock_cpu_ms();
    int rc;

    *out = (struct srv_input){0};
    if (fd < 0) {
        return error_set(err, ERR_IO, "it cannot be opened: %s", strerror(errno));
    }
    rc = strip_fd(out, fd, limits, err);
    out->strip_ms = clock_cpu_ms() - start;
    if (!is_stdin) {
        close(fd);
    }
    return rc;
}

void srv_input_release(struct srv_input *in) {
    if (!in) {
        return;
    }
    free((void *)(uintptr_t)in->skeleton.p);
    *in = (struct srv_input){0};
}
