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

struct entry {
    struct srv_lru_entry lru;  // first
    uint64_t size, nodes;
    int64_t created;
    int64_t used;  // as the file's time tells, seconds since 1970
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
    uint64_t removals;  // what was read before a removal must not be put back after it
};

static struct dir *from_store(struct srv_store *s)
{
    return (struct dir *)s;
}

static struct entry *from_lru(struct srv_lru_entry *e)
{
    return (struct entry *)e;
}

static uint64_t cost(uint64_t file_n)
{
    return file_n > UINT64_MAX - BLOCK ? UINT64_MAX : (file_n + BLOCK - 1) / BLOCK * BLOCK;
}

// A file that cannot be removed is found again at the next start.
static void discard(const struct dir *d, const uint8_t key[SRV_LRU_KEY])
{
    struct error e;

    if (srv_objects_remove(&d->objects, key, &e) == ERR_IO)
        srv_log_error(SRV_LOG_WARN, "file stays", &e);
}

// Under the lock, as all that touch the index.
static void use(struct dir *d, struct entry *e)
{
    const int64_t now = clock_unix_s();

    srv_lru_use(&d->lru, &e->lru);
    if (e->used + TOUCH_S >= now)
        return;
    e->used = now;
    srv_objects_touch(&d->objects, e->lru.key);
}

static void forget(struct dir *d, const uint8_t key[SRV_LRU_KEY])
{
    struct srv_lru_entry *e = srv_lru_find(&d->lru, key);
    char id[SHA256_HEX + 1];

    d->removals++;
    sha256_hex(key, id);
    d->hot->ops->remove(d->hot, str_from(id), NULL);
    if (!e)
        return;
    srv_lru_remove(&d->lru, e);
    free(from_lru(e));
}

static void evict_oldest(struct dir *d)
{
    uint8_t key[SRV_LRU_KEY];

    memcpy(key, d->lru.oldest->key, sizeof(key));
    forget(d, key);
    discard(d, key);
}

static struct entry *entry_new(const uint8_t key[SRV_LRU_KEY], const struct srv_record *facts,
                               uint64_t file_n, int64_t used)
{
    const size_t n = strlen(facts->producer);
    struct entry *e = calloc(1, sizeof(*e) + n + 1);

    if (!e)
        return NULL;
    memcpy(e->lru.key, key, SRV_LRU_KEY);
    e->lru.bytes = cost(file_n);
    e->size = facts->size;
    e->nodes = facts->nodes;
    e->created = facts->created;
    e->used = used;
    memcpy(e->producer, facts->producer, n);
    return e;
}

// Owns the entry, also on failure.
static int add(struct dir *d, struct entry *e, struct error *err)
{
    int rc = srv_lru_add(&d->lru, &e->lru, err);

    if (rc < 0) {
        free(e);
        return rc;
    }
    while (d->lru.bytes > d->max_bytes && d->lru.n > 1)
        evict_oldest(d);
    return 0;
}

// Also for a file that another process has put there. Without memory for it the index stays as it
// is.
static void remember(struct dir *d, struct srv_record *r, struct entry *fresh, uint64_t removals)
{
    struct srv_lru_entry *known;
    struct error e;
    bool existed;

    pthread_mutex_lock(&d->lock);
    known = srv_lru_find(&d->lru, fresh->lru.key);
    if (known)
        use(d, from_lru(known));
    if (known || d->removals != removals)
        free(fresh);
    else if (add(d, fresh, &e) < 0)
        srv_log_error(SRV_LOG_WARN, "file is not in the index", &e);
    if (d->removals == removals)
        d->hot->ops->put(d->hot, r, &existed, NULL);
    pthread_mutex_unlock(&d->lock);
}

static int get_from_file(struct dir *d, const uint8_t key[SRV_LRU_KEY], struct srv_record **out,
                         struct error *err)
{
    uint64_t file_n, removals;
    struct entry *fresh;
    int64_t used;
    int fd, rc;

    pthread_mutex_lock(&d->lock);
    removals = d->removals;
    pthread_mutex_unlock(&d->lock);
    rc = srv_objects_open(&d->objects, key, &fd, &file_n, &used, err);
    if (rc < 0)
        return rc;
    rc = srv_record_read(out, fd, file_n, key, err);
    close(fd);
    if (rc < 0)
        return rc;
    fresh = entry_new(key, *out, file_n, used);
    if (fresh)
        remember(d, *out, fresh, removals);
    return 0;
}

static void remove_lost(struct dir *d, const uint8_t key[SRV_LRU_KEY], bool damaged)
{
    pthread_mutex_lock(&d->lock);
    forget(d, key);
    if (damaged)
        discard(d, key);
    pthread_mutex_unlock(&d->lock);
}

static int dir_get(struct srv_store *s, struct str id, struct srv_record **out, struct error *err)
{
    struct dir *d = from_store(s);
    uint8_t key[SRV_LRU_KEY];
    struct srv_lru_entry *e;
    int rc;

    if (!srv_id_parse(id, key))
        return srv_store_not_found(err);
    if (d->hot->ops->get(d->hot, id, out, NULL) == 0) {
        pthread_mutex_lock(&d->lock);
        e = srv_lru_find(&d->lru, key);
        if (e)
            use(d, from_lru(e));
        pthread_mutex_unlock(&d->lock);
        return 0;
    }
    rc = get_from_file(d, key, out, err);
    if (rc == ERR_FORMAT || rc == ERR_NOT_FOUND)
        remove_lost(d, key, rc == ERR_FORMAT);
    return rc == ERR_FORMAT ? srv_store_not_found(err) : rc;
}

static bool is_known(struct dir *d, const uint8_t key[SRV_LRU_KEY])
{
    struct srv_lru_entry *e;

    pthread_mutex_lock(&d->lock);
    e = srv_lru_find(&d->lru, key);
    if (e)
        use(d, from_lru(e));
    pthread_mutex_unlock(&d->lock);
    return e != NULL;
}

// Frees at least `bytes`; false when there is nothing to free.
static bool make_room(struct dir *d, uint64_t bytes)
{
    uint64_t before;

    pthread_mutex_lock(&d->lock);
    before = d->lru.bytes;
    while (d->lru.n && before - d->lru.bytes < bytes)
        evict_oldest(d);
    pthread_mutex_unlock(&d->lock);
    return before > d->lru.bytes;
}

// A volume that is smaller than the store may grow is treated as a smaller store.
static int write_file(struct dir *d, const uint8_t key[SRV_LRU_KEY], const struct srv_record *r,
                      uint64_t file_n, struct error *err)
{
    uint8_t header[SRV_RECORD_HEADER];
    const struct slice parts[] = {{header, sizeof(header)}, r->skeleton, r->summary};
    bool full;
    int rc;

    srv_record_encode(header, r);
    for (int i = 0; i < WRITE_ATTEMPTS; i++) {
        rc = srv_objects_write(&d->objects, key, parts, ARRAY_LEN(parts), &full, err);
        if (rc == 0 || !full || !make_room(d, cost(file_n)))
            break;
    }
    return rc;
}

static int keep(struct dir *d, struct srv_record *r, struct entry *fresh, struct error *err)
{
    bool ignored;
    int rc = 0;

    pthread_mutex_lock(&d->lock);
    if (srv_lru_find(&d->lru, fresh->lru.key))
        free(fresh);
    else
        rc = add(d, fresh, err);
    if (rc == 0)
        d->hot->ops->put(d->hot, r, &ignored, NULL);
    pthread_mutex_unlock(&d->lock);
    return rc;
}

static int dir_put(struct srv_store *s, struct srv_record *record, bool *existed, struct error *err)
{
    struct dir *d = from_store(s);
    const uint64_t file_n = SRV_RECORD_HEADER + record->skeleton.n + record->summary.n;
    uint8_t key[SRV_LRU_KEY];
    struct entry *fresh;
    int rc;

    if (!srv_id_parse(str_from(record->id), key))
        return error_set(err, ERR_BUG, "a record without an id");
    if (cost(file_n) > d->max_bytes)
        return error_set_limit(err, "store-size", "the model needs %llu bytes, the store has %llu",
                               (unsigned long long)cost(file_n), (unsigned long long)d->max_bytes);
    *existed = is_known(d, key);
    if (*existed)
        return 0;
    fresh = entry_new(key, record, file_n, clock_unix_s());
    if (!fresh)
        return error_set(err, ERR_NOMEM, "no memory for the index of the store");
    rc = write_file(d, key, record, file_n, err);
    if (rc < 0) {
        free(fresh);
        return rc;
    }
    return keep(d, record, fresh, err);
}

// The file decides, not the index: another process may have put it there.
static int dir_remove(struct srv_store *s, struct str id, struct error *err)
{
    struct dir *d = from_store(s);
    uint8_t key[SRV_LRU_KEY];
    int rc;

    if (!srv_id_parse(id, key))
        return srv_store_not_found(err);
    pthread_mutex_lock(&d->lock);
    rc = srv_objects_remove(&d->objects, key, err);
    if (rc == 0 || rc == ERR_NOT_FOUND)
        forget(d, key);
    pthread_mutex_unlock(&d->lock);
    return rc;
}

static void fill(struct srv_listing *row, const struct srv_lru_entry *of)
{
    const struct entry *e = (const struct entry *)of;

    memset(row, 0, sizeof(*row));
    sha256_hex(e->lru.key, row->id);
    memcpy(row->producer, e->producer, strlen(e->producer));
    row->size = e->size;
    row->nodes = e->nodes;
    row->created = e->created;
}

static int dir_list(struct srv_store *s, struct str after, struct srv_listing *rows, size_t max,
                    size_t *n, bool *more, struct error *err)
{
    struct dir *d = from_store(s);
    int rc;

    pthread_mutex_lock(&d->lock);
    rc = srv_store_page(&d->lru, after, max, fill, rows, n, more, err);
    pthread_mutex_unlock(&d->lock);
    return rc;
}

static void dir_free(struct srv_store *s)
{
    struct dir *d = from_store(s);

    while (d->lru.oldest) {
        struct entry *e = from_lru(d->lru.oldest);

        srv_lru_remove(&d->lru, &e->lru);
        free(e);
    }
    srv_lru_release(&d->lru);
    d->hot->ops->free(d->hot);
    srv_objects_release(&d->objects);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

// The index, rebuilt at the start.

struct scan {
    struct dir *dir;
    struct entry **entries;
    size_t n, cap;
};

// What cannot be read as a record is no use to anybody; what cannot be opened now may be another
// time.
static int read_entry(struct entry **out, struct dir *d, const uint8_t key[SRV_LRU_KEY],
                      struct error *err)
{
    struct srv_record_head head;
    uint64_t file_n;
    int64_t used;
    int fd;
    int rc = srv_objects_open(&d->objects, key, &fd, &file_n, &used, err);

    if (rc < 0)
        return rc;
    rc = srv_record_read_head(&head, fd, file_n, key, err);
    close(fd);
    if (rc == ERR_FORMAT)
        discard(d, key);
    if (rc < 0)
        return rc;
    *out = entry_new(key, &head.facts, file_n, used);
    return *out ? 0 : error_set(err, ERR_NOMEM, "no memory for the index of the store");
}

static int scan_one(void *arg, const uint8_t *key, struct error *err)
{
    struct scan *s = arg;
    struct entry *e;
    int rc = read_entry(&e, s->dir, key, err);

    if (rc < 0)
        return rc == ERR_NOMEM ? rc : 0;
    rc = array_grow(&s->entries, &s->cap, s->n + 1, sizeof(struct entry *), ENTRIES_MAX,
                    "models in the store", err);
    if (rc < 0) {
        free(e);
        return rc;
    }
    s->entries[s->n++] = e;
    return 0;
}

static int by_use(const void *a, const void *b)
{
    const struct entry *const *x = a;
    const struct entry *const *y = b;

    return ((*x)->used > (*y)->used) - ((*x)->used < (*y)->used);
}

static int rebuild(struct dir *d, struct error *err)
{
    struct scan s = {.dir = d};
    int rc = srv_objects_scan(&d->objects, scan_one, &s, err);

    if (s.n)
        qsort(s.entries, s.n, sizeof(struct entry *), by_use);
    for (size_t i = 0; i < s.n; i++) {
        if (rc == 0)
            rc = add(d, s.entries[i], err);
        else
            free(s.entries[i]);
    }
    free(s.entries);
    return rc;
}

int srv_store_dir_new(struct srv_store **out, struct str path, uint64_t max_bytes,
                      struct error *err)
{
    static const struct srv_store_ops ops = {
        .put = dir_put,
        .get = dir_get,
        .remove = dir_remove,
        .list = dir_list,
        .free = dir_free,
    };
    struct dir *d = calloc(1, sizeof(*d));
    int rc;

    if (!d)
        return error_set(err, ERR_NOMEM, "no memory for a store");
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
    rc = rebuild(d, err);
    if (rc < 0) {
        dir_free(&d->store);
        return rc;
    }
    *out = &d->store;
    return 0;
}
