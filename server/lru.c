#include "server/lru.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define FIRST_BUCKETS 64

static struct srv_lru_entry **bucket(const struct srv_lru *lru, const uint8_t *key) {
    return &lru->buckets[map_hash(key, SRV_LRU_KEY) & (lru->n_buckets - 1)];
}

void srv_lru_release(struct srv_lru *lru) {
    free(lru->buckets);
    memset(lru, 0, sizeof(*lru));
}

struct srv_lru_entry *srv_lru_find(const struct srv_lru *lru, const uint8_t key[SRV_LRU_KEY]) {
    if (lru->n_buckets == 0) {
        return NULL;
    }
    for (struct srv_lru_entry *e = *bucket(lru, key); e; e = e->chain) {
        if (memcmp(e->key, key, SRV_LRU_KEY) == 0) {
            return e;
        }
    }
    return NULL;
}

static int grow(struct srv_lru *lru, struct error *err) {
    struct srv_lru bigger = *lru;

    if (lru->n < lru->n_buckets) {
        return 0;
    }
    bigger.n_buckets = lru->n_buckets ? lru->n_buckets * 2 : FIRST_BUCKETS;
    bigger.buckets = calloc(bigger.n_buckets, sizeof(*bigger.buckets));
    if (!bigger.buckets) {
        return error_set(err, ERR_NOMEM, "no memory for an index of %zu entries", lru->n);
    }
    for (struct srv_lru_entry *e = lru->newest; e; e = e->older) {
        struct srv_lru_entry **b = bucket(&bigger, e->key);

        e->chain = *b;
        *b = e;
    }
    free(lru->buckets);
    *lru = bigger;
    return 0;
}

static void link_newest(struct srv_lru *lru, struct srv_lru_entry *e) {
    e->newer = NULL;
    e->older = lru->newest;
    if (lru->newest) {
        lru->newest->newer = e;
    } else {
        lru->oldest = e;
    }
    lru->newest = e;
}

static void unlink_entry(struct srv_lru *lru, struct srv_lru_entry *e) {
    *(e->newer ? &e->newer->older : &lru->newest) = e->older;
    *(e->older ? &e->older->newer : &lru->oldest) = e->newer;
}

int srv_lru_add(struct srv_lru *lru, struct srv_lru_entry *e, struct error *err) {
    struct srv_lru_entry **b;
    int rc = grow(lru, err);

    if (rc < 0) {
        return rc;
    }
    b = bucket(lru, e->key);
    e->chain = *b;
    *b = e;
    link_newest(lru, e);
    lru->n++;
    lru->bytes += e->bytes;
    return 0;
}

void srv_lru_use(struct srv_lru *lru, struct srv_lru_entry *e) {
    unlink_entry(lru, e);
    link_newest(lru, e);
}

void srv_lru_remove(struct srv_lru *lru, struct srv_lru_entry *e) {
    struct srv_lru_entry **at = bucket(lru, e->key);

    while (*at != e) {
        at = &(*at)->chain;
    }
    *at = e->chain;
    unlink_entry(lru, e);
    lru->n--;
    lru->bytes -= e->bytes;
}

static bool is_greater(const struct srv_lru_entry *a, const struct srv_lru_entry *b) {
    return memcmp(a->key, b->key, SRV_LRU_KEY) > 0;
}

// A heap with the greatest key on top: what has to go when a smaller one comes.
static void sift_up(struct srv_lru_entry **heap, size_t at) {
    struct srv_lru_entry *e = heap[at];

    while (at && is_greater(e, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = e;
}

static void sift_down(struct srv_lru_entry **heap, size_t n, struct srv_lru_entry *e) {
    size_t at = 0, child;

    while ((child = 2 * at + 1) < n) {
        child += child + 1 < n && is_greater(heap[child + 1], heap[child]);
        if (!is_greater(heap[child], e)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = e;
}

static int by_key(const void *a, const void *b) {
    return memcmp((*(struct srv_lru_entry *const *)a)->key,
                  (*(struct srv_lru_entry *const *)b)->key, SRV_LRU_KEY);
}

size_t srv_lru_list(const struct srv_lru *lru, const uint8_t *after, struct srv_lru_entry **rows,
                    size_t max) {
    size_t n = 0;

    for (struct srv_lru_entry *e = max ? lru->newest : NULL; e; e = e->older) {
        if (after && memcmp(e->key, after, SRV_LRU_KEY) <= 0) {
            continue;
        }
        if (n < max) {
            rows[n] = e;
            sift_up(rows, n++);
        } else if (is_greater(rows[0], e)) {
            sift_down(rows, n, e);
        }
    }
    if (n) {
        qsort(rows, n, sizeof(struct srv_lru_entry *), by_key);
    }
    return n;
}
