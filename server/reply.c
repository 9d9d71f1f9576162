#include "server/reply.h"

#include <stdlib.h>
#include <string.h>

#include "server/encoding.h"
#include "server/http_request.h"
#include "server/offload.h"
#include "server/problem.h"

#define PROBLEM_BYTES ((size_t)64 << 10)
#define RETRY_QUEUE 2  // seconds
#define RETRY_DOWN 5

void srv_reply_release(struct srv_reply *r) {
    if (r->release) {
        r->release(r->owner);
    }
    *r = (struct srv_reply){0};
}

static void set_body(struct srv_reply *r, struct slice body) {
    if (r->release) {
        r->release(r->owner);
    }
    r->body = body;
    r->owner = (void *)(uintptr_t)body.p;
    r->release = free;
    r->document = NULL;
}

void srv_reply_take_buf(struct srv_reply *r, struct buf *body) {
    set_body(r, buf_slice(body));
    *body = (struct buf){0};
}

void srv_etag_gzip(char etag[SRV_ETAG_BYTES]) {
    static const char end[] = "-gzip\"";
    size_t n = strlen(etag);

    if (n > 1 && n - 1 + sizeof(end) <= SRV_ETAG_BYTES) {
        memcpy(etag + n - 1, end, sizeof(end));
    }
}

static bool may_compress(const struct srv_reply *r) {
    return r->kind != SRV_REPLY_NONE && r->kind != SRV_REPLY_IMAGE && r->body.n >= SRV_GZIP_FROM &&
           !r->gzipped;
}

bool srv_reply_is_long(const struct srv_reply *r, struct srv_cache *cache) {
    return may_compress(r) && r->body.n >= SRV_OFFLOAD_FROM &&
           !(r->document && srv_cache_knows_gzip(cache, r->document));
}

void srv_reply_compress(struct srv_reply *r, struct srv_cache *cache) {
    uint8_t *p = NULL;
    size_t n = 0;

    if (!may_compress(r)) {
        return;
    }
    if (r->document) {
        r->gzip = srv_cache_gzip(cache, r->document);
    }
    if (r->gzip.n) {
        r->body = r->gzip;
    } else if (!r->document && srv_gzip(&p, &n, r->body, NULL) == 0) {
        set_body(r, (struct slice){p, n});
    } else {
        return;
    }
    r->gzipped = true;
    srv_etag_gzip(r->etag);
}

void srv_reply_json(struct srv_request *rq, struct buf *body) {
    struct error err;

    buf_add_char(body, '\n');
    if (buf_check(body, "the answer", NULL, &err) < 0) {
        buf_release(body);
        srv_reply_error(rq, &err);
        return;
    }
    rq->reply.status = 200;
    rq->reply.kind = SRV_REPLY_DATA;
    rq->reply.content_type = "application/json";
    srv_reply_take_buf(&rq->reply, body);
}

void srv_reply_empty(struct srv_request *rq) {
    rq->reply.status = 204;
}

// A full queue is the client's to wait for; the rest of ERR_BUSY is ours. 499 is what logs
// elsewhere call a client that left; nobody gets to see it.
static unsigned status_of(const struct srv_request *rq, int code) {
    struct srv_jobs_stats stats;

    if (rq->gone) {
        return 499;
    }
    if (code != ERR_BUSY || atomic_load(&rq->service->draining)) {
        return srv_problem_status(code);
    }
    srv_jobs_stats(rq->service->jobs, &stats);
    return stats.ready ? 429 : 503;
}

static unsigned retry_after(unsigned status) {
    if (status == 429) {
        return RETRY_QUEUE;
    }
    return status == 503 ? RETRY_DOWN : 0;
}

void srv_reply_status(struct srv_request *rq, unsigned status, const struct error *err) {
    struct srv_problem problem = {
        .status = status,
        .error = *err,
        .request_id = rq->id,
        .retry_after = retry_after(status),
        .alternative = rq->alternative,
    };
    unsigned allow = rq->reply.allow;
    bool codings = rq->reply.accepts_codings, close = rq->reply.close;
    struct buf body;

    rq->error = problem.error;
    srv_reply_release(&rq->reply);
    buf_init(&body, PROBLEM_BYTES);
    if (rq->errors_image) {
        srv_problem_write_svg(&body, &problem);
    } else {
        srv_problem_write_json(&body, &problem);
        buf_add_char(&body, '\n');
    }
    rq->reply = (struct srv_reply){
        .status = status,
        .kind = rq->errors_image ? SRV_REPLY_SVG : SRV_REPLY_DATA,
        .content_type =
            rq->errors_image ? "image/svg+xml; charset=utf-8" : "application/problem+json",
        .retry_after = problem.retry_after,
        .allow = allow,
        .accepts_codings = codings,
        .close = close,
    };
    srv_reply_take_buf(&rq->reply, &body);
}

void srv_reply_error(struct srv_request *rq, const struct error *err) {
    srv_reply_status(rq, status_of(rq, err->code), err);
}

void srv_reply_text(struct srv_request *rq, unsigned status, const char *text) {
    struct error err;

    error_set(&err, ERR_USAGE, "%s", text);
    srv_reply_status(rq, status, &err);
}
