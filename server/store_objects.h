// Files by 32-byte key below one directory: objects/ab/cdef... (the key in hex), written aside in
// tmp/ and renamed into place when they are whole and on disk, so that a reader never meets a part
// of one.
//
// Everything is opened relative to the directory, no link is followed. Other processes may write to
// the same directory. Any thread may call.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

#define SRV_OBJECT_KEY 32

struct srv_objects {
    int objects, tmp;  // descriptors of the two directories
    uint64_t serial;   // atomic; names files in tmp/
};

// Makes the directories when they are not there and removes what was left over in tmp/. Errors:
// ERR_IO, naming the path.
int srv_objects_init(struct srv_objects *o, struct str path, struct error *err) WARN_UNUSED;
void srv_objects_release(struct srv_objects *o);

// Writes the parts as one file, replacing an older one. Errors: ERR_IO; *full says whether it was
// for want of room.
int srv_objects_write(struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                      const struct slice *parts, size_t n_parts, bool *full,
                      struct error *err) WARN_UNUSED;

// Opens a file for reading; *size is its length, *modified when it was last used (seconds since
// 1970). Errors: ERR_NOT_FOUND, ERR_IO.
int srv_objects_open(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY], int *fd,
                     uint64_t *size, int64_t *modified, struct error *err) WARN_UNUSED;

// Errors: ERR_NOT_FOUND, ERR_IO.
int srv_objects_remove(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                       struct error *err) WARN_UNUSED;

// Marks a file as used now.
void srv_objects_touch(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY]);

// Calls `each` with every key there is; files with other names are left alone. Stops at the first
// error of `each`.
int srv_objects_scan(const struct srv_objects *o,
                     int (*each)(void *arg, const uint8_t *key, struct error *err), void *arg,
                     struct error *err) WARN_UNUSED;
