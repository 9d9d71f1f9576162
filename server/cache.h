// Finished documents, shared by the cache and by the answers that send them.
//
// A document is immutable and ref-counted. The cache keeps the most recently used ones under a
// maximum of bytes; a document that is dropped lives on until its last answer is sent. All
// functions may be called from any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"
#include "graph/render.h"
#include "server/lru.h"

struct srv_document {
    struct srv_lru_entry entry;  // its key names the document
    struct slice body;           // owned
    struct slice gzip;           // owned; made when first asked for; guarded by the cache's lock
    bool gzip_tried;             // also when it failed or gained nothing
    bool cached;                 // guarded by the cache's lock
    enum graph_format format;
    size_t warnings;
    uint64_t nodes;  // of the model's main graph
    char producer[GRAPH_PRODUCER_BYTES];
    int refs;  // atomic
};

// A new document with one reference; takes ownership of the malloc'd body, also on failure. Errors:
// ERR_NOMEM.
int srv_document_new(struct srv_document **out, const uint8_t key[SRV_LRU_KEY], uint8_t *body,
                     size_t n, struct error *err) WARN_UNUSED;
void srv_document_ref(struct srv_document *d);
void srv_document_unref(struct srv_document *d);  // NULL is fine

struct srv_cache;

// *out is owned by the caller. max_bytes = 0: keeps nothing. Errors: ERR_NOMEM.
int srv_cache_new(struct srv_cache **out, uint64_t max_bytes, struct error *err) WARN_UNUSED;
void srv_cache_free(struct srv_cache *c);

// A reference of the caller's, or NULL.
struct srv_document *srv_cache_get(struct srv_cache *c, const uint8_t key[SRV_LRU_KEY]);

// Keeps the document (its own reference) and drops the least recently used ones. One that is larger
// than the cache, or whose key is there already, is not kept.
void srv_cache_put(struct srv_cache *c, struct srv_document *d);

// The document compressed with gzip, as long as the document lives; {NULL, 0} when that is not
// possible or not smaller. Made once.
struct slice srv_cache_gzip(struct srv_cache *c, struct srv_document *d);

// Whether that was tried already, so that asking for it is quick.
bool srv_cache_knows_gzip(struct srv_cache *c, const struct srv_document *d);

struct srv_cache_stats {
    size_t documents;
    uint64_t bytes;
};

void srv_cache_stats(struct srv_cache *c, struct srv_cache_stats *out);
