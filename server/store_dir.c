#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "server/log.h"
#include "server/lru.h"
#include "server/store.h"
#include "server/store_internal.h"
#include "server/store_objects.h"
#include "server/store_record.h"

#define BLOCK 4096u            // bytes that a file takes at least
#define HOT_BYTES (32u << 20)  // of records kept in memory beside the files
#define WRITE_ATTEMPTS 3
#define ENTRIES_MAX (16u << 20)
#define TOUCH_S 3600  // a file's time is moved at most this often
#define RACY_S 2      // the time of a directory tells nothing about changes right after it

struct entry {
    struct srv_lru_entry lru;  // first
    uint64_t size, nodes;
    int64_t created;
    struct srv_object_stamp file;  // when it was last read or written by us
    char producer[];
};

struct dir {
    struct srv_store store;  // first
    uint64_t max_bytes;
    struct srv_objects objects;
    struct srv_store *hot;  // recent records, so that a page of one model does not read its file
                            // again and again
    pthread_mutex_t lock;   // of what follows
    struct srv_lru lru;
    uint64_t removals;         // what was read before a removal must not be put back after it
    pthread_mutex_t scanning;  // of what follows; taken before `lock`
    struct timespec seen[SRV_OBJECT_GROUPS];  // the groups as the index has them
};

static struct dir *from_store(struct srv_store *s) {
    return (struct dir *)s;
}

static struct entry *from_lru(struct srv_lru_entry *e) {
    return (struct entry *)e;
}

static uint64_t cost(uint64_t file_n) {
    return file_n > UINT64_MAX - BLOCK ? UINT64_MAX : (file_n + BLOCK - 1) / BLOCK * BLOCK;
}

// A file that cannot be removed is found again at the next start.
static void discard(const struct dir *d, const uint8_t key[SRV_LRU_KEY]) {
    struct error e;

    if (srv_objects_remove(&d->objects, key, &e) == ERR_IO) {
        srv_log_error(SRV_LOG_WARN, "file stays", &e);
    }
}

// Under the lock, as all that touch the index.
static void use(struct dir *d, struct entry *e) {
    const int64_t now = clock_unix_s();

    srv_lru_use(&d->lru, &e->lru);
    if (e->file.used + TOUCH_S < now) {
        srv_objects_touch(&d->objects, e->lru.key, &e->file);
    }
}

static void forget(struct dir *d, const uint8_t key[SRV_LRU_KEY]) {
    struct srv_lru_entry *e = srv_lru_find(&d->lru, key);
    char id[SHA256_HEX + 1];

    sha256_hex(key, id);
    d->hot->ops->remove(d->hot, str_from(id), NULL);
    if (!e) {
        return;
    }
    d->removals++;
    srv_lru_remove(&d->lru, e);
    free(from_lru(e));
}

static void evict_oldest(struct dir *d) {
    uint8_t key[SRV_LRU_KEY];

    memcpy(key, d->lru.oldest->key, sizeof(key));
    forget(d, key);
    discard(d, key);
}

static struct entry *entry_new(const uint8_t key[SRV_LRU_KEY], const struct srv_record *facts,
                               const struct srv_object_stamp *file) {
    const size_t n = strlen(facts->producer);
    struct entry *e = calloc(1, sizeof(*e) + n + 1);

    if (!e) {
        return NULL;
    }
    memcpy(e->lru.key, key, SRV_LRU_KEY);
    e->lru.bytes = cost(file->size);
    e->file = *file;
    e->size = facts->size;
    e->nodes = facts->nodes;
    e->created = facts->created;
    memcpy(e->producer, facts->producer, n);
    return e;
}

// Owns the entry, also on failure.
static int add(struct dir *d, struct entry *e, struct error *err) {
    int rc = srv_lru_add(&d->lru, &e->lru, err);

    if (rc < 0) {
        free(e);
        return rc;
    }
    while (d->lru.bytes > d->max_bytes && d->lru.n > 1) {
        evict_oldest(d);
    }
    return 0;
}

// Also for a file that another process has put there. Without memory for it the index stays as it
// is.
static void remember(struct dir *d, struct srv_record *r, struct entry *fresh, uint64_t removals) {
    struct srv_lru_entry *known;
    struct error e;
    bool existed;

    pthread_mutex_lock(&d->lock);
    known = srv_lru_find(&d->lru, fresh->lru.key);
    if (known) {
        from_lru(known)->file = fresh->file;
        use(d, from_lru(known));
    }
    if (known || d->removals != removals) {
        free(fresh);
    } else if (add(d, fresh, &e) < 0) {
        srv_log_error(SRV_LOG_WARN, "file is not in the index", &e);
    }
    if (d->removals == removals) {
        d->hot->ops->put(d->hot, r, &existed, NULL);
    }
    pthread_mutex_unlock(&d->lock);
}

static int get_from_file(struct dir *d, const uint8_t key[SRV_LRU_KEY], struct srv_record **out,
                         struct error *err) {
    struct srv_object_stamp file;
    struct entry *fresh;
    uint64_t removals;
    int fd, rc;

    pthread_mutex_lock(&d->lock);
    removals = d->removals;
    pthread_mutex_unlock(&d->lock);
    rc = srv_objects_open(&d->objects, key, &fd, &file, err);
    if (rc < 0) {
        return rc;
    }
    rc = srv_record_read(out, fd, file.size, key, err);
    close(fd);
    if (rc < 0) {
        return rc;
    }
    fresh = entry_new(key, *out, &file);
    if (fresh) {
        remember(d, *out, fresh, removals);
    }
    return 0;
}

static void remove_lost(struct dir *d, const uint8_t key[SRV_LRU_KEY], bool damaged) {
    pthread_mutex_lock(&d->lock);
    forget(d, key);
    if (damaged) {
        discard(d, key);
    }
    pthread_mutex_unlock(&d->lock);
}

// The entry of a file that is on disk as it was when it was last read or written, else NULL.
// Somebody else may have removed, replaced or damaged it. Under the lock.
static struct entry *find_intact(struct dir *d, const uint8_t key[SRV_LRU_KEY]) {
    struct srv_lru_entry *found = srv_lru_find(&d->lru, key);
    struct srv_object_stamp file;

    if (!found || srv_objects_stat(&d->objects, key, &file, NULL) < 0 ||
        !srv_object_stamp_eq(&file, &from_lru(found)->file)) {
        return NULL;
    }
    return from_lru(found);
}

static bool get_hot(struct dir *d, struct str id, const uint8_t key[SRV_LRU_KEY],
                    struct srv_record **out) {
    struct entry *e;
    bool found;

    pthread_mutex_lock(&d->lock);
    e = find_intact(d, key);
    found = e && d->hot->ops->get(d->hot, id, out, NULL) == 0;
    if (found) {
        use(d, e);
    }
    pthread_mutex_unlock(&d->lock);
    return found;
}

static int dir_get(struct srv_store *s, struct str id, struct srv_record **out, struct error *err) {
    struct dir *d = from_store(s);
    uint8_t key[SRV_LRU_KEY];
    int rc;

    if (!srv_id_parse(id, key)) {
        return srv_store_not_found(err);
    }
    if (get_hot(d, id, key, out)) {
        return 0;
    }
    rc = get_from_file(d, key, out, err);
    if (rc == ERR_FORMAT || rc == ERR_NOT_FOUND) {
        remove_lost(d, key, rc == ERR_FORMAT);
    }
    return rc == ERR_FORMAT ? srv_store_not_found(err) : rc;
}

static bool is_known(struct dir *d, const uint8_t key[SRV_LRU_KEY]) {
    struct entry *e;

    pthread_mutex_lock(&d->lock);
    e = find_intact(d, key);
    if (e) {
        use(d, e);
    }
    pthread_mutex_unlock(&d->lock);
    return e != NULL;
}

// Frees at least `bytes`; false when there is nothing to free.
static bool make_room(struct dir *d, uint64_t bytes) {
    uint64_t before;

    pthread_mutex_lock(&d->lock);
    before = d->lru.bytes;
    while (d->lru.n && before - d->lru.bytes < bytes) {
        evict_oldest(d);
    }
    pthread_mutex_unlock(&d->lock);
    return before > d->lru.bytes;
}

// A volume that is smaller than the store may grow is treated as a smaller store.
static int write_file(struct dir *d, const uint8_t key[SRV_LRU_KEY], const struct srv_record *r,
                      struct srv_object_stamp *file, struct error *err) {
    uint8_t header[SRV_RECORD_HEADER];
    const struct slice parts[] = {{header, sizeof(header)}, r->skeleton, r->summary};
    const uint64_t room = cost(sizeof(header) + r->skeleton.n + r->summary.n);
    int rc;

    srv_record_encode(header, r);
    for (int i = 0; i < WRITE_ATTEMPTS; i++) {
        rc = srv_objects_write(&d->objects, key, parts, ARRAY_LEN(parts), file, err);
        if (rc != ERR_FULL || !make_room(d, room)) {
            break;
        }
    }
    return rc;
}

// What was known under the key is a file that is there no more.
static int keep(struct dir *d, struct srv_record *r, struct entry *fresh, struct error *err) {
    struct srv_lru_entry *old;
    bool ignored;
    int rc;

    pthread_mutex_lock(&d->lock);
    old = srv_lru_find(&d->lru, fresh->lru.key);
    if (old) {
        srv_lru_remove(&d->lru, old);
        free(from_lru(old));
    }
    rc = add(d, fresh, err);
    if (rc == 0) {
        d->hot->ops->put(d->hot, r, &ignored, NULL);
    }
    pthread_mutex_unlock(&d->lock);
    return rc;
}

static int dir_put(struct srv_store *s, struct srv_record *record, bool *existed,
                   struct error *err) {
    struct dir *d = from_store(s);
    const uint64_t file_n = SRV_RECORD_HEADER + record->skeleton.n + record->summary.n;
    struct srv_object_stamp file;
    uint8_t key[SRV_LRU_KEY];
    struct entry *fresh;
    int rc;

    if (!srv_id_parse(str_from(record->id), key)) {
        return error_set(err, ERR_BUG, "a record without an id");
    }
    if (cost(file_n) > d->max_bytes) {
        return error_set_limit(err, "store-size", "the model needs %llu bytes, the store has %llu",
                               (unsigned long long)cost(file_n), (unsigned long long)d->max_bytes);
    }
    *existed = is_known(d, key);
    if (*existed) {
        return 0;
    }
    rc = write_file(d, key, record, &file, err);
    if (rc < 0) {
        return rc;
    }
    fresh = entry_new(key, record, &file);
    return fresh ? keep(d, record, fresh, err)
                 : error_set(err, ERR_NOMEM, "no memory for the index of the store");
}

// The file decides, not the index: another process may have put it there.
static int dir_remove(struct srv_store *s, struct str id, struct error *err) {
    struct dir *d = from_store(s);
    uint8_t key[SRV_LRU_KEY];
    int rc;

    if (!srv_id_parse(id, key)) {
        return srv_store_not_found(err);
    }
    pthread_mutex_lock(&d->lock);
    rc = srv_objects_remove(&d->objects, key, err);
    d->removals += rc == 0;
    if (rc == 0 || rc == ERR_NOT_FOUND) {
        forget(d, key);
    }
    pthread_mutex_unlock(&d->lock);
    return rc;
}

static void fill(struct srv_listing *row, const struct srv_lru_entry *of) {
    const struct entry *e = (const struct entry *)of;

    memset(row, 0, sizeof(*row));
    sha256_hex(e->lru.key, row->id);
    memcpy(row->producer, e->producer, strlen(e->producer));
    row->size = e->size;
    row->nodes = e->nodes;
    row->created = e->created;
}

// The index as the directory has it: read at the start, and again where other processes have put
// or removed files.

struct scan {
    struct dir *dir;
    struct entry **entries;
    size_t n, cap;
};

// What cannot be read as a record is no use to anybody; what cannot be opened now may be another
// time.
static int read_entry(struct entry **out, struct dir *d, const uint8_t key[SRV_LRU_KEY],
                      struct error *err) {
    struct srv_object_stamp file;
    struct srv_record_head head;
    int fd;
    int rc = srv_objects_open(&d->objects, key, &fd, &file, err);

    if (rc < 0) {
        return rc;
    }
    rc = srv_record_read_head(&head, fd, file.size, key, err);
    close(fd);
    if (rc == ERR_FORMAT) {
        discard(d, key);
    }
    if (rc < 0) {
        return rc;
    }
    *out = entry_new(key, &head.facts, &file);
    return *out ? 0 : error_set(err, ERR_NOMEM, "no memory for the index of the store");
}

static bool has_entry(struct dir *d, const uint8_t key[SRV_LRU_KEY]) {
    bool found;

    pthread_mutex_lock(&d->lock);
    found = srv_lru_find(&d->lru, key) != NULL;
    pthread_mutex_unlock(&d->lock);
    return found;
}

static int scan_one(void *arg, const uint8_t *key, struct error *err) {
    struct scan *s = arg;
    struct entry *e;
    int rc = has_entry(s->dir, key) ? ERR_NOT_FOUND : read_entry(&e, s->dir, key, err);

    if (rc < 0) {
        return rc == ERR_NOMEM ? rc : 0;
    }
    rc = array_grow(&s->entries, &s->cap, s->n + 1, sizeof(struct entry *), ENTRIES_MAX,
                    "models in the store", err);
    if (rc < 0) {
        free(e);
        return rc;
    }
    s->entries[s->n++] = e;
    return 0;
}

static int by_use(const void *a, const void *b) {
    const struct entry *const *x = a;
    const struct entry *const *y = b;

    return ((*x)->file.used > (*y)->file.used) - ((*x)->file.used < (*y)->file.used);
}

// Another thread may have put or removed it since it was read. Under the lock; owns the entry.
static int take_scanned(struct dir *d, struct entry *e, struct error *err) {
    struct srv_object_stamp file;

    if (!srv_lru_find(&d->lru, e->lru.key) &&
        srv_objects_stat(&d->objects, e->lru.key, &file, NULL) == 0) {
        return add(d, e, err);
    }
    free(e);
    return 0;
}

static int take_all_scanned(struct scan *s, int rc, struct error *err) {
    if (s->n) {
        qsort(s->entries, s->n, sizeof(struct entry *), by_use);
    }
    pthread_mutex_lock(&s->dir->lock);
    for (size_t i = 0; i < s->n; i++) {
        if (rc == 0) {
            rc = take_scanned(s->dir, s->entries[i], err);
        } else {
            free(s->entries[i]);
        }
    }
    pthread_mutex_unlock(&s->dir->lock);
    free(s->entries);
    return rc;
}

static void forget_removed(struct dir *d, const bool changed[SRV_OBJECT_GROUPS]) {
    struct srv_lru_entry *e, *older;
    struct srv_object_stamp file;
    uint8_t key[SRV_LRU_KEY];

    pthread_mutex_lock(&d->lock);
    for (e = d->lru.newest; e; e = older) {
        older = e->older;
        if (!changed[e->key[0]] ||
            srv_objects_stat(&d->objects, e->key, &file, NULL) != ERR_NOT_FOUND) {
            continue;
        }
        memcpy(key, e->key, sizeof(key));
        forget(d, key);
    }
    pthread_mutex_unlock(&d->lock);
}

static bool same_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// Under `scanning`.
static int scan_changed(struct dir *d, struct error *err) {
    const int64_t now = clock_unix_s();
    bool changed[SRV_OBJECT_GROUPS] = {false};
    struct scan s = {.dir = d};
    int rc = 0;

    for (unsigned i = 0; i < SRV_OBJECT_GROUPS && rc == 0; i++) {
        struct timespec t = srv_objects_group_time(&d->objects, (uint8_t)i);

        changed[i] = !same_time(t, d->seen[i]);
        if (!changed[i]) {
            continue;
        }
        rc = srv_objects_scan(&d->objects, (uint8_t)i, scan_one, &s, err);
        d->seen[i] = rc == 0 && t.tv_sec + RACY_S < now ? t : (struct timespec){0, -1};
    }
    rc = take_all_scanned(&s, rc, err);
    forget_removed(d, changed);
    return rc;
}

static int refresh(struct dir *d, struct error *err) {
    int rc;

    pthread_mutex_lock(&d->scanning);
    rc = scan_changed(d, err);
    pthread_mutex_unlock(&d->scanning);
    return rc;
}

static int dir_list(struct srv_store *s, struct str after, struct srv_listing *rows, size_t max,
                    size_t *n, bool *more, struct error *err) {
    struct dir *d = from_store(s);
    int rc = refresh(d, err);

    if (rc < 0) {
        return rc;
    }
    pthread_mutex_lock(&d->lock);
    rc = srv_store_page(&d->lru, after, max, fill, rows, n, more, err);
    pthread_mutex_unlock(&d->lock);
    return rc;
}

static void dir_stats(struct srv_store *s, struct srv_store_stats *out) {
    struct dir *d = from_store(s);

    pthread_mutex_lock(&d->lock);
    *out = (struct srv_store_stats){d->lru.n, d->lru.bytes};
    pthread_mutex_unlock(&d->lock);
}

static void dir_free(struct srv_store *s) {
    struct dir *d = from_store(s);

    while (d->lru.oldest) {
        struct entry *e = from_lru(d->lru.oldest);

        srv_lru_remove(&d->lru, &e->lru);
        free(e);
    }
    srv_lru_release(&d->lru);
    d->hot->ops->free(d->hot);
    srv_objects_release(&d->objects);
    pthread_mutex_destroy(&d->scanning);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

int srv_store_dir_new(struct srv_store **out, struct str path, uint64_t max_bytes,
                      struct error *err) {
    static const struct srv_store_ops ops = {
        .put = dir_put,
        .get = dir_get,
        .remove = dir_remove,
        .list = dir_list,
        .stats = dir_stats,
        .free = dir_free,
    };
    struct dir *d = calloc(1, sizeof(*d));
    int rc;

    if (!d) {
        return error_set(err, ERR_NOMEM, "no memory for a store");
    }
    d->store.ops = &ops;
    d->max_bytes = max_bytes;
    rc = srv_objects_init(&d->objects, path, err);
    if (rc < 0) {
        free(d);
        return rc;
    }
    rc = srv_store_memory_new(&d->hot, max_bytes < HOT_BYTES ? max_bytes : HOT_BYTES, err);
    if (rc < 0) {
        srv_objects_release(&d->objects);
        free(d);
        return rc;
    }
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->scanning, NULL);
    for (size_t i = 0; i < SRV_OBJECT_GROUPS; i++) {
        d->seen[i].tv_nsec = -1;
    }
    rc = refresh(d, err);
    if (rc < 0) {
        dir_free(&d->store);
        return rc;
    }
    *out = &d->store;
    return 0;
}
