#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/lru.h"
#include "server/store.h"
#include "server/store_internal.h"

struct entry {
    struct srv_lru_entry lru;  // first
    struct srv_record *record;
};

struct memory {
    struct srv_store store;  // first
    uint64_t max_bytes;
    pthread_mutex_t lock;
    struct srv_lru lru;
};

static struct memory *from_store(struct srv_store *s) {
    return (struct memory *)s;
}

static struct entry *from_lru(struct srv_lru_entry *e) {
    return (struct entry *)e;
}

static uint64_t cost(const struct srv_record *r) {
    return sizeof(struct entry) + sizeof(*r) + r->skeleton.n + r->summary.n;
}

static void drop(struct memory *m, struct srv_lru_entry *e) {
    srv_lru_remove(&m->lru, e);
    srv_record_unref(from_lru(e)->record);
    free(from_lru(e));
}

// Under the lock.
static int add(struct memory *m, struct srv_record *record, const uint8_t key[SRV_LRU_KEY],
               struct error *err) {
    struct entry *e = calloc(1, sizeof(*e));
    int rc;

    if (!e) {
        return error_set(err, ERR_NOMEM, "no memory to keep the model");
    }
    memcpy(e->lru.key, key, SRV_LRU_KEY);
    e->lru.bytes = cost(record);
    e->record = record;
    rc = srv_lru_add(&m->lru, &e->lru, err);
    if (rc < 0) {
        free(e);
        return rc;
    }
    srv_record_ref(record);
    while (m->lru.bytes > m->max_bytes) {
        drop(m, m->lru.oldest);
    }
    return 0;
}

static int memory_put(struct srv_store *s, struct srv_record *record, bool *existed,
                      struct error *err) {
    struct memory *m = from_store(s);
    uint8_t key[SRV_LRU_KEY];
    struct srv_lru_entry *e;
    int rc = 0;

    if (!srv_id_parse(str_from(record->id), key)) {
        return error_set(err, ERR_BUG, "a record without an id");
    }
    if (cost(record) > m->max_bytes) {
        return error_set_limit(err, "store-size", "the model needs %llu bytes, the store has %llu",
                               (unsigned long long)cost(record), (unsigned long long)m->max_bytes);
    }
    pthread_mutex_lock(&m->lock);
    e = srv_lru_find(&m->lru, key);
    *existed = e != NULL;
    if (e) {
        srv_lru_use(&m->lru, e);
    } else {
        rc = add(m, record, key, err);
    }
    pthread_mutex_unlock(&m->lock);
    return rc;
}

static int memory_get(struct srv_store *s, struct str id, struct srv_record **out,
                      struct error *err) {
    struct memory *m = from_store(s);
    uint8_t key[SRV_LRU_KEY];
    struct srv_lru_entry *e;

    if (!srv_id_parse(id, key)) {
        return srv_store_not_found(err);
    }
    pthread_mutex_lock(&m->lock);
    e = srv_lru_find(&m->lru, key);
    if (e) {
        srv_lru_use(&m->lru, e);
        *out = from_lru(e)->record;
        srv_record_ref(*out);
    }
    pthread_mutex_unlock(&m->lock);
    return e ? 0 : srv_store_not_found(err);
}

static int memory_remove(struct srv_store *s, struct str id, struct error *err) {
    struct memory *m = from_store(s);
    uint8_t key[SRV_LRU_KEY];
    struct srv_lru_entry *e;

    if (!srv_id_parse(id, key)) {
        return srv_store_not_found(err);
    }
    pthread_mutex_lock(&m->lock);
    e = srv_lru_find(&m->lru, key);
    if (e) {
        drop(m, e);
    }
    pthread_mutex_unlock(&m->lock);
    return e ? 0 : srv_store_not_found(err);
}

static void fill(struct srv_listing *row, const struct srv_lru_entry *e) {
    const struct srv_record *r = ((const struct entry *)e)->record;

    memset(row, 0, sizeof(*row));
    memcpy(row->id, r->id, sizeof(row->id));
    memcpy(row->producer, r->producer, sizeof(row->producer));
    row->size = r->size;
    row->nodes = r->nodes;
    row->created = r->created;
}

static int memory_list(struct srv_store *s, struct str after, struct srv_listing *rows, size_t max,
                       size_t *n, bool *more, struct error *err) {
    struct memory *m = from_store(s);
    int rc;

    pthread_mutex_lock(&m->lock);
    rc = srv_store_page(&m->lru, after, max, fill, rows, n, more, err);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

static void memory_stats(struct srv_store *s, struct srv_store_stats *out) {
    struct memory *m = from_store(s);

    pthread_mutex_lock(&m->lock);
    *out = (struct srv_store_stats){m->lru.n, m->lru.bytes};
    pthread_mutex_unlock(&m->lock);
}

static void memory_free(struct srv_store *s) {
    struct memory *m = from_store(s);

    while (m->lru.oldest) {
        drop(m, m->lru.oldest);
    }
    srv_lru_release(&m->lru);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

int srv_store_memory_new(struct srv_store **out, uint64_t max_bytes, struct error *err) {
    static const struct srv_store_ops ops = {
        .put = memory_put,
        .get = memory_get,
        .remove = memory_remove,
        .list = memory_list,
        .stats = memory_stats,
        .free = memory_free,
    };
    struct memory *m = calloc(1, sizeof(*m));

    if (!m) {
        return error_set(err, ERR_NOMEM, "no memory for a store");
    }
    m->store.ops = &ops;
    m->max_bytes = max_bytes;
    pthread_mutex_init(&m->lock, NULL);
    *out = &m->store;
    return 0;
}
