#include "server/http_reply.h"

#include <microhttpd.h>

#include "base/num.h"
#include "graph/write_html.h"
#include "server/assets.h"

#define VALUE_BYTES 256

// SVG: nothing in it may run or load, wherever it is shown. Pages: their own files and nothing
// else.
#define PAGE_POLICY                                                                         \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src " \
    "'self'; base-uri 'none'; form-action 'none'; frame-ancestors "

static const struct {
    const char *policy;
    const char *resource_policy;
} security[SRV_REPLY_KINDS] = {
    [SRV_REPLY_NONE] = {NULL, "same-origin"},
    [SRV_REPLY_DATA] = {"default-src 'none'; frame-ancestors 'none'; sandbox", "same-origin"},
    [SRV_REPLY_SVG] = {"default-src 'none'; style-src 'unsafe-inline'; sandbox", "cross-origin"},
    [SRV_REPLY_EXPORT] = {NULL, "cross-origin"},  // see add_export_policy()
    [SRV_REPLY_IMAGE] = {"default-src 'none'; sandbox", "cross-origin"},
    [SRV_REPLY_PAGE] = {PAGE_POLICY "'self'", "same-origin"},
    [SRV_REPLY_EMBED] = {PAGE_POLICY "*", "cross-origin"},
    [SRV_REPLY_ASSET] = {"default-src 'none'", "cross-origin"},
};

static const char *const ages[] = {
    [SRV_AGE_NONE] = "no-store",
    [SRV_AGE_REVALIDATE] = "no-cache",
    [SRV_AGE_SHORT] = "public, max-age=300, stale-while-revalidate=86400",
    [SRV_AGE_FOREVER] = "public, max-age=31536000, immutable",
};

// Collects the headers of one answer; a failure sticks.
struct headers {
    struct MHD_Response *response;
    bool failed;
};

static void add(struct headers *h, const char *name, const char *value) {
    if (value && *value) {
        h->failed |= MHD_add_response_header(h->response, name, value) != MHD_YES;
    }
}

static void add_buf(struct headers *h, const char *name, struct buf *value) {
    buf_add_char(value, '\0');
    h->failed |= value->failed != 0;
    add(h, name, value->failed ? NULL : (const char *)value->p);
    buf_release(value);
}

static void add_number(struct headers *h, const char *name, uint64_t v) {
    struct buf text;

    buf_init(&text, VALUE_BYTES);
    buf_add_u64(&text, v);
    add_buf(h, name, &text);
}

static void add_vary(struct headers *h, const struct srv_reply *r) {
    bool coded = r->kind != SRV_REPLY_NONE && r->kind != SRV_REPLY_IMAGE && r->age != SRV_AGE_NONE;

    if (coded || r->gzipped) {
        add(h, "Vary", r->vary_accept ? "Accept, Accept-Encoding" : "Accept-Encoding");
    } else if (r->vary_accept) {
        add(h, "Vary", "Accept");
    }
}

static void add_disposition(struct headers *h, const struct srv_reply *r) {
    struct buf value;

    if (!r->filename[0]) {
        return;
    }
    buf_init(&value, VALUE_BYTES);
    buf_add_z(&value, r->download ? "attachment" : "inline");
    buf_add_z(&value, "; filename=\"");
    buf_add_z(&value, r->filename);
    buf_add_char(&value, '"');
    add_buf(h, "Content-Disposition", &value);
}

static void add_allow(struct headers *h, const struct srv_reply *r) {
    struct buf value;

    if (!r->allow) {
        return;
    }
    buf_init(&value, VALUE_BYTES);
    srv_methods_write(&value, r->allow);
    add_buf(h, "Allow", &value);
}

static void add_content(struct headers *h, const struct srv_reply *r) {
    add(h, "Content-Type", r->content_type);
    add(h, "Content-Encoding", r->gzipped ? "gzip" : NULL);
    add(h, "ETag", r->etag);
    add(h, "Cache-Control", ages[r->age]);
    add_vary(h, r);
    add_disposition(h, r);
    if (r->has_warnings) {
        add_number(h, "Onnxscope-Warnings", r->warnings);
    }
}

// A page that holds its own script: that one may run, in an origin of its own.
static void add_export_policy(struct headers *h) {
    struct buf policy;

    buf_init(&policy, VALUE_BYTES);
    graph_html_policy(&policy, srv_export_page());
    buf_add_z(&policy, "; base-uri 'none'; form-action 'none'; sandbox allow-scripts");
    add_buf(h, "Content-Security-Policy", &policy);
}

static void add_security(struct headers *h, const struct srv_reply *r) {
    if (r->kind == SRV_REPLY_EXPORT) {
        add_export_policy(h);
    }
    add(h, "Content-Security-Policy", security[r->kind].policy);
    add(h, "Cross-Origin-Resource-Policy", security[r->kind].resource_policy);
    add(h, "X-Content-Type-Options", "nosniff");
    add(h, "Referrer-Policy", "no-referrer");
}

static void add_rest(struct headers *h, const struct srv_request *rq) {
    const struct srv_reply *r = &rq->reply;

    add(h, "X-Request-Id", rq->id);
    add(h, "Location", r->location);
    add(h, "Accept-Encoding", r->accepts_codings ? SRV_ACCEPTED_CODINGS : NULL);
    add_allow(h, r);
    if (r->retry_after) {
        add_number(h, "Retry-After", r->retry_after);
    }
    if (r->close || atomic_load(&rq->service->draining)) {
        add(h, "Connection", "close");
    }
}

bool srv_http_reply(struct MHD_Connection *connection, struct srv_request *rq) {
    struct headers h = {NULL, false};
    bool queued;

    // What was answered before its end has no other moment for it.
    if (rq->accepts_gzip && !rq->packed) {
        srv_reply_compress(&rq->reply, rq->service->cache);
    }
    h.response =
        MHD_create_response_from_buffer(rq->reply.body.n, (void *)(uintptr_t)rq->reply.body.p,
                                        MHD_RESPMEM_PERSISTENT);
    if (!h.response) {
        return false;
    }
    add_content(&h, &rq->reply);
    add_security(&h, &rq->reply);
    add_rest(&h, rq);
    queued = !h.failed && MHD_queue_response(connection, rq->reply.status, h.response) == MHD_YES;
    MHD_destroy_response(h.response);
    return queued;
}
