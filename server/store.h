// Where models are kept: skeletons under the SHA-256 of the bytes that were posted. An interface
// with several back ends (store_memory.c, store_dir.c): a table of functions and their object.
//
// A record is immutable. Losing one is no error: the client posts again. All functions may be
// called from any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"
#include "onnx/strip.h"

#define SRV_ID_CHARS SHA256_HEX
#define SRV_PRODUCER_BYTES 128

// One model. Ref-counted: take with get, give back with srv_record_unref. `skeleton` and `summary`
// are borrowed from the record.
struct srv_record {
    char id[SRV_ID_CHARS + 1];  // of the posted bytes, lower-case hex
    uint8_t skeleton_digest[SHA256_BYTES];
    uint64_t size;    // posted bytes
    int64_t created;  // seconds since 1970
    uint64_t nodes;   // of the main graph
    struct onnx_strip_facts strip;
    char producer[SRV_PRODUCER_BYTES];  // cleaned, for lists
    struct slice skeleton;
    struct slice summary;  // the JSON of GET /v1/models/{id}
    void *buffers[2];      // behind the two slices, malloc'd
    int refs;              // atomic
};

void srv_record_ref(struct srv_record *r);
void srv_record_unref(struct srv_record *r);  // NULL is fine

// A new record with one reference; takes ownership of the two malloc'd buffers, also on failure.
int srv_record_new(struct srv_record **out, const struct srv_record *facts, uint8_t *skeleton,
                   size_t skeleton_n, uint8_t *summary, size_t summary_n,
                   struct error *err) WARN_UNUSED;

struct srv_listing {
    char id[SRV_ID_CHARS + 1];
    uint64_t size, nodes;
    int64_t created;
    char producer[SRV_PRODUCER_BYTES];
};

struct srv_store;

struct srv_store_stats {
    uint64_t models, bytes;
};

struct srv_store_ops {
    // Keeps the record (its own reference). *existed says whether it was known already. May evict
    // older ones. Errors: ERR_LIMIT (larger than the store), ERR_IO, ERR_NOMEM.
    int (*put)(struct srv_store *s, struct srv_record *record, bool *existed, struct error *err);
    // *out is a reference of the caller's. Errors: ERR_NOT_FOUND, ERR_IO. A damaged record counts
    // as not found and is removed.
    int (*get)(struct srv_store *s, struct str id, struct srv_record **out, struct error *err);
    // Errors: ERR_NOT_FOUND, ERR_IO.
    int (*remove)(struct srv_store *s, struct str id, struct error *err);
    // Errors of list: ERR_USAGE (`after` is no id), ERR_NOMEM.
    // Up to `max` rows by id, those after `after` ("" = from the first). *n rows are filled; *more
    // says whether others follow.
    int (*list)(struct srv_store *s, struct str after, struct srv_listing *rows, size_t max,
                size_t *n, bool *more, struct error *err);
    void (*stats)(struct srv_store *s, struct srv_store_stats *out);
    void (*free)(struct srv_store *s);
};

struct srv_store {
    const struct srv_store_ops *ops;
};

// Whether a text of the setting `store` names a store. Errors: ERR_USAGE.
int srv_store_check(struct str where, struct error *err) WARN_UNUSED;

// By the text of the setting `store`: "memory", "dir:PATH". *out is owned by the caller
// ((*out)->ops->free).
int srv_store_open(struct srv_store **out, struct str where, uint64_t max_bytes,
                   struct error *err) WARN_UNUSED;
int srv_store_memory_new(struct srv_store **out, uint64_t max_bytes, struct error *err) WARN_UNUSED;
int srv_store_dir_new(struct srv_store **out, struct str path, uint64_t max_bytes,
                      struct error *err) WARN_UNUSED;

// true for 64 lower-case hex digits.
bool srv_id_valid(struct str id);

// The bytes of a valid id; false for any other text.
bool srv_id_parse(struct str id, uint8_t key[SHA256_BYTES]);
