#include "base/map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/pages.h"
#include "base/siphash.h"

#define FIRST_CAP 16
#define CAP_MAX ((size_t)1 << 31)  // a tag chooses among as many slots

// `tag` is half of the key's hash with the lowest bit set; 0 marks a free slot.
struct map_slot {
    struct str key;
    uint32_t tag;
    uint32_t value;
};

static struct siphash_key seed;
static pthread_once_t seed_once = PTHREAD_ONCE_INIT;

// A sandbox may refuse getrandom(2). The kernel has then still left 16 random bytes at the start of
// the process, and reading those is no system call.
static void seed_draw(void) {
    const void *at_start;

    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed)) {
        return;
    }
    at_start = (const void *)getauxval(AT_RANDOM);
    if (at_start) {
        memcpy(&seed, at_start, sizeof(seed));
    }
}

uint64_t map_hash(const void *p, size_t n) {
    pthread_once(&seed_once, seed_draw);
    return siphash13(seed, p, n);
}

static uint32_t tag_of(struct str key) {
    return (uint32_t)map_hash(key.p, key.n) | 1u;
}

void map_init(struct map *m) {
    *m = (struct map){0};
}

void map_release(struct map *m) {
    if (!m) {
        return;
    }
    free(m->slots);
    *m = (struct map){0};
}

// The slot that holds the key, or the free one where it belongs. A quarter of the slots is always
// free, so the search ends.
static struct map_slot *find(const struct map *m, struct str key, uint32_t tag) {
    size_t mask = m->cap - 1;
    size_t i = (tag >> 1) & mask;

    while (m->slots[i].tag && (m->slots[i].tag != tag || !str_eq(m->slots[i].key, key))) {
        i = (i + 1) & mask;
    }
    return &m->slots[i];
}

static void move_slots(const struct map *from, struct map *to) {
    size_t mask = to->cap - 1;

    for (size_t i = 0; i < from->cap; i++) {
        size_t at = (from->slots[i].tag >> 1) & mask;

        if (!from->slots[i].tag) {
            continue;
        }
        while (to->slots[at].tag) {
            at = (at + 1) & mask;
        }
        to->slots[at] = from->slots[i];
    }
}

static int widen(struct map *m, size_t cap, struct error *err) {
    struct map wider = {.cap = cap, .n = m->n};

    wider.slots = wider.cap <= CAP_MAX ? calloc(wider.cap, sizeof(*wider.slots)) : NULL;
    if (!wider.slots) {
        return error_set(err, ERR_NOMEM, "no memory left for a table of %zu names", m->n + 1);
    }
    pages_advise_large(wider.slots, wider.cap * sizeof(*wider.slots));
    move_slots(m, &wider);
    free(m->slots);
    *m = wider;
    return 0;
}

static int make_room(struct map *m, struct error *err) {
    if (m->n < m->cap / 4 * 3) {
        return 0;
    }
    return widen(m, m->cap ? m->cap * 2 : FIRST_CAP, err);
}

int map_reserve(struct map *m, size_t n, struct error *err) {
    size_t cap = m->cap ? m->cap : FIRST_CAP;

    while (cap <= CAP_MAX && n >= cap / 4 * 3) {
        cap *= 2;
    }
    return cap > m->cap ? widen(m, cap, err) : 0;
}

// The slot of the key, which is taken if it is new.
static int claim(struct map *m, struct str key, uint32_t tag, struct map_slot **slot, bool *is_new,
                 struct error *err) {
    int rc = make_room(m, err);

    if (rc < 0) {
        return rc;
    }
    *slot = find(m, key, tag);
    *is_new = !(*slot)->tag;
    if (*is_new) {
        **slot = (struct map_slot){.key = key, .tag = tag};
        m->n++;
    }
    return 0;
}

int map_put(struct map *m, struct str key, uint32_t value, struct error *err) {
    struct map_slot *slot;
    bool is_new;
    int rc = claim(m, key, tag_of(key), &slot, &is_new, err);

    if (rc < 0) {
        return rc;
    }
    slot->value = value;
    return 0;
}

int map_put_new(struct map *m, struct str key, uint32_t value, uint32_t *found, struct error *err) {
    return map_put_new_hashed(m, key, tag_of(key), value, found, err);
}

uint32_t map_fetch(const struct map *m, struct str key) {
    uint32_t tag = tag_of(key);

    if (m->cap) {
        __builtin_prefetch(&m->slots[(tag >> 1) & (m->cap - 1)], 1);
    }
    return tag;
}

int map_put_new_hashed(struct map *m, struct str key, uint32_t hash, uint32_t value,
                       uint32_t *found, struct error *err) {
    struct map_slot *slot;
    bool is_new;
    int rc = claim(m, key, hash, &slot, &is_new, err);

    if (rc < 0) {
        return rc;
    }
    if (is_new) {
        slot->value = value;
    }
    *found = slot->value;
    return 0;
}

uint32_t map_get(const struct map *m, struct str key) {
    const struct map_slot *slot;

    if (m->n == 0) {
        return MAP_NONE;
    }
    slot = find(m, key, tag_of(key));
    return slot->tag ? slot->value : MAP_NONE;
}
