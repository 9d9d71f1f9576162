// Whole transfers: what a single read() or write() may leave half done.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"
#include "base/str.h"

// Writes all of it. 0, or -1 with errno.
int io_write_all(int fd, struct slice bytes) WARN_UNUSED;

// Reads n bytes at an offset. How many there were, fewer than n only at the end of the file; or -1
// with errno.
ssize_t io_read_at(int fd, void *out, size_t n, uint64_t offset) WARN_UNUSED;
