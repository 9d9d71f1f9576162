// Files by key below one directory: objects/ab/cdef... (the key in hex), written aside in
// tmp/ and renamed into place when they are whole and on disk, so that a reader never meets a part
// of one.
//
// Everything is opened relative to the directory, no link is followed. Other processes may write to
// the same directory, and somebody may remove any of it: a write makes anew what it needs. Any
// thread may call.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"

#define SRV_OBJECT_KEY SHA256_BYTES
#define SRV_OBJECT_GROUPS 256  // directories below objects/, by the first byte of the key

struct srv_objects {
    char *path;       // owned
    int root;         // descriptor of the directory
    uint64_t serial;  // atomic; names files in tmp/
};

// What a file was at one moment. Two equal stamps: nobody has written to it or replaced it between.
struct srv_object_stamp {
    uint64_t inode, size;
    struct timespec changed;
    int64_t used;  // seconds since 1970
};

// Makes the directories when they are not there and removes what was left over in tmp/. Errors:
// ERR_IO, naming the path.
int srv_objects_init(struct srv_objects *o, struct str path, struct error *err) WARN_UNUSED;
void srv_objects_release(struct srv_objects *o);

// Writes the parts as one file, replacing an older one. Errors: ERR_FULL (no room), ERR_IO.
int srv_objects_write(struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                      const struct slice *parts, size_t n_parts, struct srv_object_stamp *stamp,
                      struct error *err) WARN_UNUSED;

// Whether a file is there, and which. Errors: ERR_NOT_FOUND, ERR_IO.
int srv_objects_stat(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                     struct srv_object_stamp *stamp, struct error *err) WARN_UNUSED;

bool srv_object_stamp_eq(const struct srv_object_stamp *a, const struct srv_object_stamp *b);

// Opens a file for reading. Errors: ERR_NOT_FOUND, ERR_IO.
int srv_objects_open(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY], int *fd,
                     struct srv_object_stamp *stamp, struct error *err) WARN_UNUSED;

// Errors: ERR_NOT_FOUND, ERR_IO.
int srv_objects_remove(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                       struct error *err) WARN_UNUSED;

// Marks a file as used now, which changes its stamp.
void srv_objects_touch(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                       struct srv_object_stamp *stamp);

// When a file last came to a group or left it; zero when there is no directory.
struct timespec srv_objects_group_time(const struct srv_objects *o, uint8_t group);

// Calls `each` with every key of a group; files with other names are left alone. Stops at the first
// error of `each`.
int srv_objects_scan(const struct srv_objects *o, uint8_t group,
                     int (*each)(void *arg, const uint8_t *key, struct error *err), void *arg,
                     struct error *err) WARN_UNUSED;
