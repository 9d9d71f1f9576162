#include "server/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sha256.h"
#include "server/store_internal.h"

#define DIR_PREFIX "dir:"

void srv_record_ref(struct srv_record *r) {
    __atomic_add_fetch(&r->refs, 1, __ATOMIC_RELAXED);
}

void srv_record_unref(struct srv_record *r) {
    if (!r || __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) > 0) {
        return;
    }
    free(r->buffers[0]);
    free(r->buffers[1]);
    free(r);
}

int srv_record_new(struct srv_record **out, const struct srv_record *facts, uint8_t *skeleton,
                   size_t skeleton_n, uint8_t *summary, size_t summary_n, struct error *err) {
    struct srv_record *r = malloc(sizeof(*r));

    if (!r) {
        free(skeleton);
        free(summary);
        return error_set(err, ERR_NOMEM, "no memory for a record");
    }
    *r = *facts;
    r->buffers[0] = skeleton;
    r->buffers[1] = summary;
    r->skeleton = (struct slice){skeleton, skeleton_n};
    r->summary = (struct slice){summary, summary_n};
    r->refs = 1;
    *out = r;
    return 0;
}

// One id has one spelling: upper case is no digit here.
static int digit(char c) {
    return c >= 'A' && c <= 'F' ? -1 : num_hex_digit(c);
}

bool srv_id_parse(struct str id, uint8_t key[SHA256_BYTES]) {
    if (id.n != SRV_ID_CHARS) {
        return false;
    }
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        int high = digit(id.p[2 * i]);
        int low = digit(id.p[2 * i + 1]);

        if (high < 0 || low < 0) {
            return false;
        }
        key[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool srv_id_valid(struct str id) {
    uint8_t key[SHA256_BYTES];

    return srv_id_parse(id, key);
}

int srv_store_not_found(struct error *err) {
    return error_set(err, ERR_NOT_FOUND, "no such model is stored");
}

int srv_store_page(const struct srv_lru *lru, struct str after, size_t max,
                   void (*fill)(struct srv_listing *row, const struct srv_lru_entry *e),
                   struct srv_listing *rows, size_t *n, bool *more, struct error *err) {
    struct srv_lru_entry **found;
    uint8_t key[SRV_LRU_KEY];
    size_t got;

    if (after.n && !srv_id_parse(after, key)) {
        return error_set(err, ERR_USAGE, "a page of a list starts behind an id");
    }
    found = max < SIZE_MAX / sizeof(*found) ? calloc(max + 1, sizeof(*found)) : NULL;
    if (!found) {
        return error_set(err, ERR_NOMEM, "no memory for a list of %zu models", max);
    }
    got = srv_lru_list(lru, after.n ? key : NULL, found, max + 1);
    *more = got > max;
    *n = got > max ? max : got;
    for (size_t i = 0; i < *n; i++) {
        fill(&rows[i], found[i]);
    }
    free(found);
    return 0;
}

int srv_store_check(struct str where, struct error *err) {
    const struct str prefix = STR(DIR_PREFIX);

    if (str_eq_z(where, "memory") || (str_starts(where, prefix) && where.n > prefix.n)) {
        return 0;
    }
    return error_set(err, ERR_USAGE, "store takes memory or dir:PATH, not \"%.*s\"",
                     STR_ARG(where));
}

int srv_store_open(struct srv_store **out, struct str where, uint64_t max_bytes,
                   struct error *err) {
    int rc = srv_store_check(where, err);

    if (rc < 0) {
        return rc;
    }
    if (str_eq_z(where, "memory")) {
        return srv_store_memory_new(out, max_bytes, err);
    }
    return srv_store_dir_new(out, str_skip(where, strlen(DIR_PREFIX)), max_bytes, err);
}
