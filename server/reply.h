// An answer as handlers make it: plain data. server/http_reply.c turns it into one of the
// library's.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "server/cache.h"

struct srv_request;

#define SRV_ETAG_BYTES 48
#define SRV_GZIP_FROM 1024  // bytes; a shorter body goes out as it is

// What the body is: decides on security headers and compression.
enum srv_reply_kind {
    SRV_REPLY_NONE,  // no body
    SRV_REPLY_DATA,  // JSON, DOT, text
    SRV_REPLY_SVG,
    SRV_REPLY_IMAGE,   // PNG, PDF: compressed in themselves
    SRV_REPLY_EXPORT,  // HTML with a picture and its viewer in it
    SRV_REPLY_PAGE,    // HTML that only pages of our own may frame
    SRV_REPLY_EMBED,   // HTML that everybody may frame
    SRV_REPLY_ASSET,   // scripts and styles
    SRV_REPLY_KINDS,
};

enum srv_reply_age {
    SRV_AGE_NONE,        // never stored: errors, health, lists
    SRV_AGE_REVALIDATE,  // stored, asked about every time
    SRV_AGE_SHORT,       // minutes
    SRV_AGE_FOREVER,     // the URL names the version
};

struct srv_reply {
    unsigned status;  // 0 = there is no answer yet
    enum srv_reply_kind kind;
    enum srv_reply_age age;
    const char *content_type;  // NULL = no body
    struct slice body;
    void (*release)(void *owner);  // of the body's memory, NULL = none
    void *owner;
    struct srv_document *document;  // the body is its: borrowed from `owner`
    struct slice gzip;              // the body compressed, when that exists already
    char etag[SRV_ETAG_BYTES];      // of the uncompressed form, with its quotes; "" = none
    bool gzipped;                   // the body went through srv_reply_compress()
    bool vary_accept;
    bool close;
    bool has_warnings;
    size_t warnings;
    unsigned retry_after;  // seconds, 0 = none
    unsigned allow;        // set of enum srv_method, 0 = none
    bool accepts_codings;  // names them: the body's was none of them
    char location[96];     // "" = none
    char filename[96];     // "" = none
    bool download;
};

void srv_reply_release(struct srv_reply *r);

// Gives the reply a body that it owns: a malloc'd one (from a buffer that is emptied).
void srv_reply_take_buf(struct srv_reply *r, struct buf *body);

// The current body compressed, when it is long enough and its kind allows; changes the ETag.
void srv_reply_compress(struct srv_reply *r, struct srv_cache *cache);

// Whether compressing would take so long that other connections would notice.
bool srv_reply_is_long(const struct srv_reply *r, struct srv_cache *cache);

// A tag in its compressed form: "x" -> "x-gzip".
void srv_etag_gzip(char etag[SRV_ETAG_BYTES]);

// 200 with a JSON body, never stored.
void srv_reply_json(struct srv_request *rq, struct buf *body);

// 204.
void srv_reply_empty(struct srv_request *rq);

// An error as problem document, or as a card when the request asked for that. Replaces what the
// reply held. The first takes the status from the error's code.
void srv_reply_error(struct srv_request *rq, const struct error *err);
void srv_reply_status(struct srv_request *rq, unsigned status, const struct error *err);

// The same with a constant sentence.
void srv_reply_text(struct srv_request *rq, unsigned status, const char *text);
