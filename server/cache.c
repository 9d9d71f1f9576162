#include "server/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/encoding.h"

struct srv_cache {
    pthread_mutex_t lock;
    struct srv_lru lru;
    uint64_t max_bytes;
};

// The entry comes first in a document.
static struct srv_document *document_of(struct srv_lru_entry *e) {
    return (struct srv_document *)(void *)e;
}

static uint64_t size_of(const struct srv_document *d) {
    return sizeof(*d) + d->body.n + d->gzip.n;
}

int srv_document_new(struct srv_document **out, const uint8_t key[SRV_LRU_KEY], uint8_t *body,
                     size_t n, struct error *err) {
    struct srv_document *d = calloc(1, sizeof(*d));

    if (!d) {
        free(body);
        return error_set(err, ERR_NOMEM, "no memory for a document");
    }
    memcpy(d->entry.key, key, SRV_LRU_KEY);
    d->body = (struct slice){body, n};
    d->refs = 1;
    *out = d;
    return 0;
}

void srv_document_ref(struct srv_document *d) {
    __atomic_add_fetch(&d->refs, 1, __ATOMIC_RELAXED);
}

void srv_document_unref(struct srv_document *d) {
    if (!d || __atomic_sub_fetch(&d->refs, 1, __ATOMIC_ACQ_REL) > 0) {
        return;
    }
    free((void *)(uintptr_t)d->body.p);
    free((void *)(uintptr_t)d->gzip.p);
    free(d);
}

int srv_cache_new(struct srv_cache **out, uint64_t max_bytes, struct error *err) {
    struct srv_cache *c = calloc(1, sizeof(*c));

    if (!c) {
        return error_set(err, ERR_NOMEM, "no memory for the cache");
    }
    pthread_mutex_init(&c->lock, NULL);
    c->max_bytes = max_bytes;
    *out = c;
    return 0;
}

static void drop(struct srv_cache *c, struct srv_document *d) {
    srv_lru_remove(&c->lru, &d->entry);
    d->cached = false;
    srv_document_unref(d);
}

static void make_room(struct srv_cache *c) {
    while (c->lru.oldest && c->lru.bytes > c->max_bytes) {
        drop(c, document_of(c->lru.oldest));
    }
}

void srv_cache_free(struct srv_cache *c) {
    if (!c) {
        return;
    }
    c->max_bytes = 0;
    make_room(c);
    srv_lru_release(&c->lru);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct srv_document *srv_cache_get(struct srv_cache *c, const uint8_t key[SRV_LRU_KEY]) {
    struct srv_lru_entry *e;

    pthread_mutex_lock(&c->lock);
    e = srv_lru_find(&c->lru, key);
    if (e) {
        srv_lru_use(&c->lru, e);
        srv_document_ref(document_of(e));
    }
    pthread_mutex_unlock(&c->lock);
    return e ? document_of(e) : NULL;
}

static void keep(struct srv_cache *c, struct srv_document *d) {
    d->entry.bytes = size_of(d);
    if (srv_lru_add(&c->lru, &d->entry, NULL) == 0) {
        d->cached = true;
        srv_document_ref(d);
        make_room(c);
    }
}

void srv_cache_put(struct srv_cache *c, struct srv_document *d) {
    pthread_mutex_lock(&c->lock);
    if (!d->cached && size_of(d) <= c->max_bytes && !srv_lru_find(&c->lru, d->entry.key)) {
        keep(c, d);
    }
    pthread_mutex_unlock(&c->lock);
}

// Returns whether the bytes were taken.
static bool keep_gzip(struct srv_cache *c, struct srv_document *d, struct slice made) {
    bool take;

    pthread_mutex_lock(&c->lock);
    take = !d->gzip_tried && made.n && made.n < d->body.n;
    d->gzip_tried = true;
    if (take) {
        d->gzip = made;
    }
    if (take && d->cached) {
        c->lru.bytes += made.n;
        d->entry.bytes += made.n;
        make_room(c);
    }
    pthread_mutex_unlock(&c->lock);
    return take;
}

bool srv_cache_knows_gzip(struct srv_cache *c, const struct srv_document *d) {
    bool tried;

    pthread_mutex_lock(&c->lock);
    tried = d->gzip_tried;
    pthread_mutex_unlock(&c->lock);
    return tried;
}

struct slice srv_cache_gzip(struct srv_cache *c, struct srv_document *d) {
    uint8_t *p = NULL;
    size_t n = 0;
    struct slice found;
    bool tried;

    pthread_mutex_lock(&c->lock);
    tried = d->gzip_tried;
    found = d->gzip;
    pthread_mutex_unlock(&c->lock);
    if (tried) {
        return found;
    }
    // Two threads may compress the same document at once; the second throws its result away.
    if (srv_gzip(&p, &n, d->body, NULL) < 0) {
        p = NULL;
        n = 0;
    }
    if (!keep_gzip(c, d, (struct slice){p, n})) {
        free(p);
    }
    pthread_mutex_lock(&c->lock);
    found = d->gzip;
    pthread_mutex_unlock(&c->lock);
    return found;
}

void srv_cache_stats(struct srv_cache *c, struct srv_cache_stats *out) {
    pthread_mutex_lock(&c->lock);
    *out = (struct srv_cache_stats){c->lru.n, c->lru.bytes};
    pthread_mutex_unlock(&c->lock);
}
