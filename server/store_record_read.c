#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "server/store_record.h"

static int read_all(int fd, void *to, size_t n, uint64_t offset, struct error *err) {
    ssize_t got = io_read_at(fd, to, n, offset);

    if (got < 0) {
        return error_set(err, ERR_IO, "cannot read from the store: %s", strerror(errno));
    }
    return (size_t)got == n ? 0 : error_set(err, ERR_FORMAT, "a record ends too early");
}

// The id inside must be the one of the name: a file that was moved is no record of its new name.
int srv_record_read_head(struct srv_record_head *head, int fd, uint64_t file_n,
                         const uint8_t key[SHA256_BYTES], struct error *err) {
    uint8_t bytes[SRV_RECORD_HEADER];
    uint8_t inside[SHA256_BYTES];
    int rc = read_all(fd, bytes, sizeof(bytes), 0, err);

    if (rc == 0) {
        rc = srv_record_decode(head, bytes, file_n, err);
    }
    if (rc < 0) {
        return rc;
    }
    if (!srv_id_parse(str_from(head->facts.id), inside) ||
        memcmp(inside, key, sizeof(inside)) != 0) {
        return error_set(err, ERR_FORMAT, "a record lies under a foreign name");
    }
    return 0;
}

static int read_section(uint8_t **out, int fd, const struct srv_section *s, struct error *err) {
    uint8_t *p = malloc(s->n ? (size_t)s->n : 1);
    int rc;

    if (!p) {
        return error_set(err, ERR_NOMEM, "no memory for a record of %llu bytes",
                         (unsigned long long)s->n);
    }
    rc = read_all(fd, p, (size_t)s->n, s->offset, err);
    if (rc == 0) {
        rc = srv_section_check(s, (struct slice){p, (size_t)s->n}, err);
    }
    if (rc < 0) {
        free(p);
    } else {
        *out = p;
    }
    return rc;
}

int srv_record_read(struct srv_record **out, int fd, uint64_t file_n,
                    const uint8_t key[SHA256_BYTES], struct error *err) {
    struct srv_record_head head;
    uint8_t *skeleton = NULL, *summary = NULL;
    int rc = srv_record_read_head(&head, fd, file_n, key, err);

    if (rc == 0) {
        rc = read_section(&skeleton, fd, &head.skeleton, err);
    }
    if (rc < 0) {
        return rc;
    }
    rc = read_section(&summary, fd, &head.summary, err);
    if (rc < 0) {
        free(skeleton);
        return rc;
    }
    return srv_record_new(out, &head.facts, skeleton, (size_t)head.skeleton.n, summary,
                          (size_t)head.summary.n, err);
}
