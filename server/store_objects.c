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
#include "base/sha256.h"
#include "server/store_internal.h"

#define LEFT_OVER_S 3600  // a younger file in tmp/ may be one that another process is writing
#define DIR_CHARS 2
#define NAME_ROOM (SHA256_HEX + 2)  // "ab/cdef..." and a NUL

static void name_of(const uint8_t key[SRV_OBJECT_KEY], char name[NAME_ROOM])
{
    char hex[SHA256_HEX + 1];

    sha256_hex(key, hex);
    memcpy(name, hex, DIR_CHARS);
    name[DIR_CHARS] = '/';
    memcpy(name + DIR_CHARS + 1, hex + DIR_CHARS, sizeof(hex) - DIR_CHARS);
}

static int io_error(struct error *err, const char *what)
{
    const int why = errno;

    return error_set(err, ERR_IO, "%s: %s", what, strerror(why));
}

static int open_directory(int parent, const char *name)
{
    if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
        return -1;
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool is_left_over(int dir, const char *name)
{
    struct stat st;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_mtime + LEFT_OVER_S < clock_unix_s();
}

// Reads directories through a descriptor of its own; the caller's keeps its place.
static DIR *list(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !d)
        close(fd);
    return d;
}

static void clean(int tmp)
{
    DIR *d = list(tmp, ".");

    for (struct dirent *e; d && (e = readdir(d));)
        if (is_left_over(tmp, e->d_name))
            unlinkat(tmp, e->d_name, 0);
    if (d)
        closedir(d);
}

int srv_objects_init(struct srv_objects *o, struct str path, struct error *err)
{
    char *z = strndup(path.p, path.n);
    int root;

    if (!z)
        return error_set(err, ERR_NOMEM, "no memory for the path of the store");
    root = open_directory(AT_FDCWD, z);
    free(z);
    o->objects = root < 0 ? -1 : open_directory(root, "objects");
    o->tmp = o->objects < 0 ? -1 : open_directory(root, "tmp");
    o->serial = 0;
    if (o->tmp < 0) {
        const int why = errno;

        if (o->objects >= 0)
            close(o->objects);
        if (root >= 0)
            close(root);
        return error_set(err, ERR_IO, "cannot use %.*s as a store: %s", STR_ARG(path),
                         strerror(why));
    }
    close(root);
    clean(o->tmp);
    return 0;
}

void srv_objects_release(struct srv_objects *o)
{
    close(o->objects);
    close(o->tmp);
}

static int write_all(int fd, struct slice bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes.p += n;
        bytes.n -= (size_t)n;
    }
    return 0;
}

static int write_aside(int fd, const struct slice *parts, size_t n_parts)
{
    for (size_t i = 0; i < n_parts; i++)
        if (write_all(fd, parts[i]) < 0)
            return -1;
    return fdatasync(fd);
}

static int move_into_place(const struct srv_objects *o, const char *from,
                           const uint8_t key[SRV_OBJECT_KEY])
{
    char to[NAME_ROOM];
    char dir[DIR_CHARS + 1];

    name_of(key, to);
    if (renameat(o->tmp, from, o->objects, to) == 0)
        return 0;
    memcpy(dir, to, DIR_CHARS);
    dir[DIR_CHARS] = '\0';
    if (errno != ENOENT || (mkdirat(o->objects, dir, 0700) < 0 && errno != EEXIST))
        return -1;
    return renameat(o->tmp, from, o->objects, to);
}

// The directory is not synced: a file that is missing after a power cut is posted again, and one
// that is there is whole.
int srv_objects_write(struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                      const struct slice *parts, size_t n_parts, bool *full, struct error *err)
{
    const uint64_t serial = __atomic_add_fetch(&o->serial, 1, __ATOMIC_RELAXED);
    char name[64];
    bool fine;
    int fd, why;

    *full = false;
    snprintf(name, sizeof(name), "%jd-%" PRIx64 "-%" PRIx64, (intmax_t)getpid(),
             clock_monotonic_ms(), serial);
    fd = openat(o->tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    fine = fd >= 0 && write_aside(fd, parts, n_parts) == 0 && move_into_place(o, name, key) == 0;
    why = errno;
    if (fd >= 0) {
        close(fd);
        if (!fine)
            unlinkat(o->tmp, name, 0);
    }
    if (fine)
        return 0;
    *full = why == ENOSPC || why == EDQUOT;
    errno = why;
    return io_error(err, "cannot write to the store");
}

int srv_objects_open(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY], int *fd,
                     uint64_t *size, int64_t *modified, struct error *err)
{
    char name[NAME_ROOM];
    struct stat st;
    int opened;

    name_of(key, name);
    opened = openat(o->objects, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (opened < 0 && errno == ENOENT)
        return srv_store_not_found(err);
    if (opened < 0)
        return io_error(err, "cannot read from the store");
    if (fstat(opened, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(opened);
        return error_set(err, ERR_IO, "an entry of the store is no file");
    }
    *fd = opened;
    *size = (uint64_t)st.st_size;
    *modified = st.st_mtime;
    return 0;
}

int srv_objects_remove(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY],
                       struct error *err)
{
    char name[NAME_ROOM];

    name_of(key, name);
    if (unlinkat(o->objects, name, 0) == 0)
        return 0;
    return errno == ENOENT ? srv_store_not_found(err)
                           : io_error(err, "cannot remove from the store");
}

void srv_objects_touch(const struct srv_objects *o, const uint8_t key[SRV_OBJECT_KEY])
{
    char name[NAME_ROOM];

    name_of(key, name);
    // On a volume that is read-only the order of use is lost at the next start, nothing else.
    if (utimensat(o->objects, name, NULL, AT_SYMLINK_NOFOLLOW) < 0)
        return;
}

static int scan_directory(DIR *d, const char *prefix,
                          int (*each)(void *arg, const uint8_t *key, struct error *err), void *arg,
                          struct error *err)
{
    char hex[SHA256_HEX + 1];
    uint8_t key[SRV_OBJECT_KEY];
    struct dirent *e;
    int rc = 0;

    memcpy(hex, prefix, DIR_CHARS);
    while (rc == 0 && (e = readdir(d))) {
        if (strlen(e->d_name) != SHA256_HEX - DIR_CHARS)
            continue;
        memcpy(hex + DIR_CHARS, e->d_name, sizeof(hex) - DIR_CHARS);
        if (srv_id_parse(str_from(hex), key))
            rc = each(arg, key, err);
    }
    return rc;
}

int srv_objects_scan(const struct srv_objects *o,
                     int (*each)(void *arg, const uint8_t *key, struct error *err), void *arg,
                     struct error *err)
{
    DIR *top = list(o->objects, ".");
    int rc = 0;

    if (!top)
        return io_error(err, "cannot list the store");
    for (struct dirent *e; rc == 0 && (e = readdir(top));) {
        DIR *d = strlen(e->d_name) == DIR_CHARS ? list(o->objects, e->d_name) : NULL;

        if (!d)
            continue;
        rc = scan_directory(d, e->d_name, each, arg, err);
        closedir(d);
    }
    closedir(top);
    return rc;
}
