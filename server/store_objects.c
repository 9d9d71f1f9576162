#include "server/store_objects.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/sha256.h"
#include "server/store_internal.h"

#define LEFT_OVER_S 3600  // a younger file in tmp/ may be one that another process is writing
#define OBJECTS "objects"
#define TMP "tmp"
#define GROUP_AT (sizeof(OBJECTS))            // in a name
#define FILE_AT (GROUP_AT + 3)                // behind "ab/"
#define NAME_ROOM (FILE_AT + SHA256_HEX - 1)  // "objects/ab/cdef..." and a NUL
#define TMP_ROOM 80

static void name_of(const uint8_t key[SRV_OBJECT_KEY], char name[NAME_ROOM]) {
    char hex[SHA256_HEX + 1];

    sha256_hex(key, hex);
    memcpy(name, OBJECTS "/ab/", FILE_AT);
    memcpy(name + GROUP_AT, hex, 2);
    memcpy(name + FILE_AT, hex + 2, sizeof(hex) - 2);
}

static void group_of(uint8_t group, char name[FILE_AT]) {
    snprintf(name, FILE_AT, OBJECTS "/%02x", group);
}

static int io_error(struct error *err, const char *what) {
    const int why = errno;

    return error_set(err, ERR_IO, "%s: %s", what, strerror(why));
}

static int make_directory(int parent, const char *name) {
    return mkdirat(parent, name, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

static int open_directory(int parent, const char *name) {
    if (make_directory(parent, name) < 0) {
        return -1;
    }
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// A directory that was removed while it is open takes no more files; the path may lead to another
// one meanwhile. The descriptor keeps its number, so no thread meets a closed one.
static int follow_path(const struct srv_objects *o) {
    struct stat st;
    int fd, rc;

    if (fstat(o->root, &st) == 0 && st.st_nlink > 0) {
        return 0;
    }
    fd = open_directory(AT_FDCWD, o->path);
    if (fd < 0) {
        return -1;
    }
    rc = dup3(fd, o->root, O_CLOEXEC);
    close(fd);
    return rc < 0 ? -1 : 0;
}

static int make_directories(const struct srv_objects *o) {
    if (follow_path(o) < 0 || make_directory(o->root, OBJECTS) < 0) {
        return -1;
    }
    return make_directory(o->root, TMP);
}

static bool is_left_over(int dir, const char *name) {
    struct stat st;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_mtime + LEFT_OVER_S < clock_unix_s();
}

// Reads directories through a descriptor of its own; the caller's keeps its place.
static DIR *list(int parent, const char *name) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !d) {
        close(fd);
    }
    return d;
}

static void clean(int tmp) {
    DIR *d = list(tmp, ".");

    for (struct dirent *e; d && (e = readdir(d));) {
        if (is_left_over(tmp, e->d_name)) {
            unlinkat(tmp, e->d_name, 0);
        }
    }
    if (d) {
        closedir(d);
    }
}

int srv_objects_init(struct srv_objects *o, struct str path, struct error *err) {
    int objects = -1, tmp = -1;

    o->serial = 0;
    o->path = strndup(path.p, path.n);
    if (!o->path) {
        return error_set(err, ERR_NOMEM, "no memory for the path of the store");
    }
    o->root = open_directory(AT_FDCWD, o->path);
    if (o->root >= 0 && make_directories(o) == 0) {
        objects = open_directory(o->root, OBJECTS);
    }
    if (objects >= 0) {
        close(objects);
        tmp = open_directory(o->root, TMP);
    }
    if (tmp < 0) {
        const int why = errno;

        srv_objects_release(o);
        return error_set(err, ERR_IO, "cannot use %.*s as a store: %s", STR_ARG(path),
                         strerror(why));
    }
    clean(tmp);
    close(tmp);
    return 0;
}

void srv_objects_release(struct srv_objects *o) {
    if (o->root >= 0) {
        close(o->root);
    }
    free(o->path);
}

static int write_aside(int fd, const struct slice *parts, size_t n_parts) {
    for (size_t i = 0; i < n_parts; i++) {
        if (io_write_all(fd, parts[i]) < 0) {
            return -1;
        }
    }
    return fdatasync(fd);
}

static struct srv_object_stamp stamp_of(const struct stat *st) {
    return (struct srv_object_stamp){.inode = st->st_ino,
                                     .size = (uint64_t)st->st_size,
                                     .changed = st->st_ctim,
                                     .used = st->st_mtime};
}

static int create_aside(const struct srv_objects *o, const char *name) {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = openat(o->root, name, flags, 0600);

    if (fd >= 0 || errno != ENOENT || make_directories(o) < 0) {
        return fd;
    }
    return openat(o->root, name, flags, 0600);
}

static int move_into_place(const struct srv_objects *o, const char *from,
                           const uint8_t key[SRV_OBJECT_KEY]) {
    char to[NAME_ROOM], group[FILE_AT];

    name_of(key, to);
    if (renameat(o->root, from, o->root, to) == 0) {
        return 0;
    }
    if (errno != ENOENT) {
        return -1;
    }
    group_of(key[0], group);
    if (make_directory(o->root, OBJECTS) < 0 || make_directory(o->root, group) < 0) {
        return -1;
    }
    return renameat(o->root, from, o->root, to);
}

static int write_error(int why, struct error *err) {
    if (why == ENOSPC || why == EDQUOT) {
        return error_set(err, ERR_FULL, "the store is full: %s", strerror(why));
    }
    errno = why;
    return io_error(err, "cannot write to the store");
}

// The directory is not synced: a file that is missing after a power cut is posted again, and one
// that is there is whole.
int srv_objects_write(struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                      const struct slice *parts, size_t n_parts, struct srv_object_stamp *stamp,
                      struct error *err) {
    const uint64_t serial = __atomic_add_fetch(&o->serial, 1, __ATOMIC_RELAXED);
    char name[TMP_ROOM];
    struct stat st;
    bool fine;
    int fd, why;

    snprintf(name, sizeof(name), TMP "/%jd-%" PRIx64 "-%" PRIx64, (intmax_t)getpid(),
             clock_monotonic_ms(), serial);
    fd = create_aside(o, name);
    fine = fd >= 0 && write_aside(fd, parts, n_parts) == 0 && move_into_place(o, name, key) == 0 &&
           fstat(fd, &st) == 0;
    why = errno;
    if (fd >= 0) {
        close(fd);
        if (!fine) {
            unlinkat(o->root, name, 0);
        }
    }
    if (!fine) {
        return write_error(why, err);
    }
    *stamp = stamp_of(&st);
    return 0;
}

bool srv_object_stamp_eq(const struct srv_object_stamp *a, const struct srv_object_stamp *b) {
    return a->inode == b->inode && a->size == b->size && a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

static int read_error(struct error *err) {
    if (errno == ENOENT) {
        return srv_store_not_found(err);
    }
    return io_error(err, "cannot read from the store");
}

int srv_objects_stat(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                     struct srv_object_stamp *stamp, struct error *err) {
    char name[NAME_ROOM];
    struct stat st;

    name_of(key, name);
    if (fstatat(o->root, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        return read_error(err);
    }
    *stamp = stamp_of(&st);
    return 0;
}

int srv_objects_open(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY], int *fd,
                     struct srv_object_stamp *stamp, struct error *err) {
    char name[NAME_ROOM];
    struct stat st;
    int opened;

    name_of(key, name);
    opened = openat(o->root, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (opened < 0) {
        return read_error(err);
    }
    if (fstat(opened, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(opened);
        return error_set(err, ERR_IO, "an entry of the store is no file");
    }
    *fd = opened;
    *stamp = stamp_of(&st);
    return 0;
}

int srv_objects_remove(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                       struct error *err) {
    char name[NAME_ROOM];

    name_of(key, name);
    if (unlinkat(o->root, name, 0) == 0) {
        return 0;
    }
    return errno == ENOENT ? srv_store_not_found(err)
                           : io_error(err, "cannot remove from the store");
}

void srv_objects_touch(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                       struct srv_object_stamp *stamp) {
    char name[NAME_ROOM];

    name_of(key, name);
    // On a volume that is read-only the order of use is lost at the next start, nothing else.
    if (utimensat(o->root, name, NULL, AT_SYMLINK_NOFOLLOW) == 0 &&
        srv_objects_stat(o, key, stamp, NULL) < 0) {
        *stamp = (struct srv_object_stamp){0};
    }
}

struct timespec srv_objects_group_time(const struct srv_objects *o, uint8_t group) {
    char name[FILE_AT];
    struct stat st;

    group_of(group, name);
    if (fstatat(o->root, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        return (struct timespec){0};
    }
    return st.st_mtim;
}

int srv_objects_scan(const struct srv_objects *o, uint8_t group,
                     int (*each)(void *arg, const uint8_t *key, struct error *err), void *arg,
                     struct error *err) {
    char name[FILE_AT], hex[SHA256_HEX + 1];
    uint8_t key[SRV_OBJECT_KEY];
    struct dirent *e;
    int rc = 0;
    DIR *d;

    group_of(group, name);
    d = list(o->root, name);
    memcpy(hex, name + GROUP_AT, 2);
    while (d && rc == 0 && (e = readdir(d))) {
        if (strlen(e->d_name) != SHA256_HEX - 2) {
            continue;
        }
        memcpy(hex + 2, e->d_name, sizeof(hex) - 2);
        if (srv_id_parse(str_from(hex), key)) {
            rc = each(arg, key, err);
        }
    }
    if (d) {
        closedir(d);
    }
    return rc;
}
