// Bytes in an anonymous file, to hand them to another process without a copy on its side.
#pragma once

#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

// An empty one. The descriptor is close-on-exec and owned by the caller. Errors: ERR_IO.
int srv_memfd_new(int *fd, struct error *err) WARN_UNUSED;

// One that holds `bytes` and is sealed: nobody can change it any more, so a reader may map it
// without fear of SIGBUS.
int srv_memfd_sealed(int *fd, struct slice bytes, struct error *err) WARN_UNUSED;

// Maps a sealed one of exactly `n` bytes for reading; *out is valid for the life of the process (n
// = 0: empty). Errors: ERR_FORMAT (not sealed, another size), ERR_NOMEM.
int srv_memfd_map(int fd, uint64_t n, struct slice *out, struct error *err) WARN_UNUSED;

// Writes all of it at the end / reads exactly n bytes at an offset. Errors: ERR_IO, ERR_LIMIT
// (max-output: file size limit), ERR_FORMAT (the file ends before).
int srv_memfd_write(int fd, struct slice bytes, struct error *err) WARN_UNUSED;
int srv_memfd_read(int fd, void *out, size_t n, uint64_t offset, struct error *err) WARN_UNUSED;
