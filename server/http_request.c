#include "server/http_request.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/num.h"
#include "server/log.h"
#include "server/multipart.h"
#include "server/negotiate.h"
#include "server/origin.h"
#include "server/problem.h"

#define ARENA_BYTES ((size_t)1 << 20)
#define GET_BODY_MAX ((uint64_t)64 << 10)  // a body that means nothing
#define SWALLOW_MAX ((uint64_t)1 << 30)    // a longer body is not waited for
#define CODED_SLACK ((uint64_t)1 << 20)    // beside the model: a form, the frame of a coding

static void landed(struct srv_waiter *w, const struct srv_landing *landing);

// "62cd6d88-000003e9": of this process, and counting.
static void make_id(struct srv_request *rq) {
    uint64_t serial = atomic_fetch_add(&rq->service->serial, 1);

    snprintf(rq->id, sizeof(rq->id), "%08llx-%08llx",
             (unsigned long long)(rq->service->nonce & UINT32_MAX), (unsigned long long)serial);
}

struct srv_request *srv_request_new(struct srv_service *service, struct str target) {
    struct srv_request *rq = calloc(1, sizeof(*rq));

    if (!rq) {
        return NULL;
    }
    rq->service = service;
    rq->fd = -1;
    rq->waiter.landed = landed;
    rq->waiter.fd = -1;
    rq->started_ms = clock_monotonic_ms();
    arena_init(&rq->arena, ARENA_BYTES);
    srv_params_init(&rq->params);
    make_id(rq);
    rq->target = arena_str(&rq->arena, target);
    atomic_fetch_add(&service->active, 1);
    return rq;
}

void srv_request_free(struct srv_request *rq) {
    if (!rq) {
        return;
    }
    atomic_fetch_sub(&rq->service->active, 1);
    srv_reply_release(&rq->reply);
    srv_document_unref(rq->document);
    srv_record_unref(rq->record);
    srv_upload_free(rq->upload);
    srv_params_release(&rq->params);
    arena_release(&rq->arena);
    free(rq);
}

struct str srv_request_list(struct srv_request *rq, const char *name) {
    struct str wanted = str_from(name), list;
    struct buf joined;
    size_t i;

    if (srv_head_count(&rq->head, name) < 2) {
        return srv_head_find(&rq->head, name);
    }
    buf_init(&joined, ARENA_BYTES);
    for (i = 0; i < rq->head.n; i++) {
        if (str_eq_nocase(rq->head.headers[i].name, wanted)) {
            buf_add_z(&joined, joined.n ? "," : "");
            buf_add_str(&joined, rq->head.headers[i].value);
        }
    }
    list = arena_str(&rq->arena, buf_str(&joined));
    buf_release(&joined);
    return list;
}

static bool is_id(struct str s) {
    size_t i;

    for (i = 0; i < s.n; i++) {
        char c = s.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '_' || c == '.')) {
            return false;
        }
    }
    return s.n > 0 && s.n <= SRV_REQUEST_ID_MAX;
}

static void take_id(struct srv_request *rq) {
    struct str id = srv_head_find(&rq->head, "X-Request-Id");

    if (is_id(id)) {
        memcpy(rq->id, id.p, id.n);
        rq->id[id.n] = '\0';
    }
}

// Each step of begin() returns false when it has answered.

static bool check_head(struct srv_request *rq) {
    struct srv_verdict verdict = srv_strict_check(&rq->head);

    if (verdict.status == 0) {
        return true;
    }
    rq->answer_now = true;
    rq->reply.close = true;
    srv_reply_text(rq, verdict.status, verdict.text);
    return false;
}

static bool check_host(struct srv_request *rq) {
    struct error err;

    if (srv_host_allowed(srv_head_find(&rq->head, "Host"),
                         str_from(rq->service->config->host_name))) {
        return true;
    }
    error_set_limit(&err, "host-name",
                    "this service answers to localhost, to addresses and to the names of its "
                    "setting host-name, and to no other Host");
    srv_reply_status(rq, 421, &err);
    return false;
}

static bool find_method(struct srv_request *rq) {
    rq->method = srv_method_parse(rq->head.method);
    if (rq->method) {
        return true;
    }
    srv_reply_text(rq, 501, "there is no such method; names of methods are upper case");
    return false;
}

static bool find_route(struct srv_request *rq) {
    struct srv_match found;
    struct buf captured;
    size_t mark = str_find(rq->target, '?');

    rq->query = mark == STR_NPOS ? (struct str){NULL, 0} : str_skip(rq->target, mark + 1);
    rq->errors_image = srv_query_wants_error_image(rq->query);
    found = srv_route_find(str_sub(rq->target, 0, mark), rq->method);
    rq->route = found.route;
    buf_init(&captured, SRV_QUERY_BYTES);
    srv_percent_decode(&captured, found.captured, false);
    rq->captured = arena_str(&rq->arena, buf_str(&captured));
    buf_release(&captured);
    if (found.route) {
        return true;
    }
    rq->reply.allow = found.allowed;
    srv_reply_text(rq, found.allowed ? 405 : 404,
                   found.allowed ? "this address does not have this method; the header Allow lists "
                                   "those that it has"
                                 : "there is nothing at this address");
    return false;
}

static bool check_origin(struct srv_request *rq) {
    if (rq->route->methods & SRV_METHOD_GET) {
        return true;
    }
    if (srv_origin_allowed(srv_request_list(rq, "Origin"), srv_request_list(rq, "Sec-Fetch-Site"),
                           srv_head_find(&rq->head, "Host"),
                           str_from(rq->service->config->host_name))) {
        return true;
    }
    srv_reply_text(rq, 403, "a page of another origin may look at pictures, but change nothing");
    return false;
}

static bool take_params(struct srv_request *rq) {
    struct error err;

    if (srv_params_parse(&rq->params, rq->query, rq->route->params, &err) == 0) {
        return true;
    }
    srv_reply_error(rq, &err);
    return false;
}

// /v1/render only: without ?format= the client's Accept decides.
static bool choose_format(struct srv_request *rq) {
    const char *offers[GRAPH_FORMATS];
    enum graph_format formats[GRAPH_FORMATS];
    struct error err;
    struct buf list;
    size_t i, n = 0;
    int best;

    if (!(rq->route->params & SRV_PARAM_FORMAT) || rq->params.has_format) {
        return true;
    }
    buf_init(&list, 512);
    for (i = 0; i < GRAPH_FORMATS; i++) {
        if (graph_formats[i].is_picture) {
            buf_add_z(&list, n ? ", " : "");
            buf_add_z(&list, graph_formats[i].content_type);
            offers[n] = graph_formats[i].content_type;
            formats[n++] = (enum graph_format)i;
        }
    }
    best = srv_negotiate_type(srv_request_list(rq, "Accept"), offers, n);
    if (best >= 0) {
        rq->params.format = formats[best];
        rq->reply.vary_accept = true;
    } else {
        error_set(&err, ERR_USAGE, "nothing that Accept asks for can be made; there are %.*s",
                  STR_ARG(buf_str(&list)));
        srv_reply_status(rq, 406, &err);
    }
    buf_release(&list);
    return best >= 0;
}

static uint64_t declared_length(const struct srv_request *rq) {
    uint64_t n = 0;

    return num_parse_u64(srv_head_find(&rq->head, "Content-Length"), &n) ? n : 0;
}

static bool reply_too_large(struct srv_request *rq, const char *limit, uint64_t max) {
    struct error err;

    error_set_limit(&err, limit, "the body is larger than %llu bytes", (unsigned long long)max);
    srv_reply_status(rq, 413, &err);
    return false;
}

static bool plan_body(struct srv_request *rq, struct srv_upload_plan *plan) {
    struct str coding = srv_request_list(rq, "Content-Encoding");
    struct error err;

    plan->limits = &rq->service->config->limits.onnx;
    plan->max_ratio = rq->service->config->max_ratio;
    plan->is_form = srv_multipart_type(srv_head_find(&rq->head, "Content-Type"), &plan->boundary);
    if (!srv_coding_parse(coding, &plan->coding)) {
        error_set(&err, ERR_USAGE, "the body's Content-Encoding can be %s", SRV_ACCEPTED_CODINGS);
        rq->reply.accepts_codings = true;
        srv_reply_status(rq, 415, &err);
        return false;
    }
    return true;
}

static bool prepare_upload(struct srv_request *rq) {
    struct srv_upload_plan plan;
    uint64_t max = rq->service->config->limits.onnx.max_model;
    struct error err;

    rq->body_max = max < UINT64_MAX / 2 - CODED_SLACK ? 2 * (max + CODED_SLACK) : UINT64_MAX;
    if (!plan_body(rq, &plan)) {
        return false;
    }
    if (declared_length(rq) > max + (plan.is_form ? CODED_SLACK : 0)) {
        return reply_too_large(rq, "max-model", max);
    }
    if (srv_upload_new(&rq->upload, &plan, &err) < 0) {
        srv_reply_error(rq, &err);
        return false;
    }
    rq->body_use = SRV_BODY_MODEL;
    return true;
}

static bool prepare_body(struct srv_request *rq) {
    if (rq->route->takes_model) {
        return prepare_upload(rq);
    }
    rq->body_max = GET_BODY_MAX;
    if (declared_length(rq) > GET_BODY_MAX) {
        rq->answer_now = true;
        rq->reply.close = true;
        return reply_too_large(rq, "", GET_BODY_MAX);
    }
    rq->body_use = SRV_BODY_DISCARD;
    return true;
}

// An answer that is given while a client still sends may be lost on its way: the connection is
// reset. So a body of bearable length is swallowed first, unless the client waits for leave to
// send.
static void refuse_early(struct srv_request *rq) {
    rq->answer_now |= srv_head_find(&rq->head, "Expect").n > 0 || declared_length(rq) > SWALLOW_MAX;
    rq->reply.close |= rq->answer_now && declared_length(rq) > 0;
    rq->body_use = SRV_BODY_DISCARD;
    rq->body_max = SWALLOW_MAX;
}

void srv_request_begin(struct srv_request *rq, const struct srv_head *head) {
    static bool (*const steps[])(struct srv_request *) = {
        check_head,   check_host,  find_method,   find_route,
        check_origin, take_params, choose_format, prepare_body,
    };
    size_t i;

    rq->head = *head;
    rq->head.method = arena_str(&rq->arena, head->method);  // the log needs it when it is over
    take_id(rq);
    rq->accepts_gzip = srv_negotiate_gzip(srv_request_list(rq, "Accept-Encoding"));
    for (i = 0; i < ARRAY_LEN(steps); i++) {
        if (!steps[i](rq)) {
            refuse_early(rq);
            return;
        }
    }
}

bool srv_request_body(struct srv_request *rq, struct slice bytes) {
    rq->body_bytes += bytes.n;
    if (rq->body_bytes > rq->body_max) {
        return false;
    }
    if (rq->upload) {
        srv_upload_feed(rq->upload, bytes);
    }
    return true;
}

static void end_upload(struct srv_request *rq) {
    int rc = srv_upload_finish(rq->upload, &rq->record, &rq->error);

    assert(rc == rq->error.code);
    (void)rc;
}

static void handle_upload(struct srv_request *rq) {
    srv_upload_free(rq->upload);
    rq->upload = NULL;
    if (rq->error.code) {
        srv_reply_error(rq, &rq->error);
    } else {
        rq->route->handler(rq);
    }
}

static void compress(struct srv_request *rq) {
    srv_reply_compress(&rq->reply, rq->service->cache);
}

static void nothing(struct srv_request *rq) {
    (void)rq;
}

// The answer is ready, unless the request was put aside once more.
static void pack(struct srv_request *rq) {
    if (rq->waiting || rq->packed || !rq->accepts_gzip) {
        return;
    }
    rq->packed = true;
    if (srv_reply_is_long(&rq->reply, rq->service->cache)) {
        srv_request_offload(rq, compress, nothing);
    } else {
        compress(rq);
    }
}

void srv_request_end(struct srv_request *rq) {
    if (rq->reply.status == 0 && !rq->upload) {
        rq->route->handler(rq);
    } else if (rq->reply.status == 0 && srv_upload_size(rq->upload) >= SRV_OFFLOAD_FROM) {
        srv_request_offload(rq, end_upload, handle_upload);
    } else if (rq->reply.status == 0) {
        end_upload(rq);
        handle_upload(rq);
    }
    pack(rq);
}

static void landed(struct srv_waiter *w, const struct srv_landing *landing) {
    struct srv_request *rq =
        (struct srv_request *)(void *)((char *)w - offsetof(struct srv_request, waiter));

    rq->document = landing->document;
    if (rq->document) {
        srv_document_ref(rq->document);
    }
    rq->error = landing->error;
    rq->gone = landing->gone;
    rq->queue_ms = landing->queue_ms;
    rq->run_ms = landing->run_ms;
    rq->transport->resume(rq->connection);
}

void srv_request_wait(struct srv_request *rq, void (*next)(struct srv_request *rq)) {
    rq->next = next;
    rq->waiting = true;
    rq->waiter.fd = rq->fd;
    rq->waiter.until_ms = clock_monotonic_ms() + rq->service->config->request_timeout_ms;
    rq->transport->suspend(rq->connection);
}

static void run_task(struct srv_task *t) {
    struct srv_request *rq =
        (struct srv_request *)(void *)((char *)t - offsetof(struct srv_request, task));

    rq->work(rq);
    rq->transport->resume(rq->connection);
}

void srv_request_offload(struct srv_request *rq, void (*work)(struct srv_request *rq),
                         void (*next)(struct srv_request *rq)) {
    rq->work = work;
    rq->next = next;
    rq->waiting = true;
    rq->task.run = run_task;
    rq->transport->suspend(rq->connection);
    srv_offload_add(rq->service->offload, &rq->task);
}

void srv_request_resumed(struct srv_request *rq) {
    rq->waiting = false;
    rq->next(rq);
    pack(rq);
}

static bool is_probe(const struct srv_request *rq) {
    return rq->route && (str_eq_z(str_from(rq->route->pattern), "/livez") ||
                         str_eq_z(str_from(rq->route->pattern), "/readyz") ||
                         str_eq_z(str_from(rq->route->pattern), "/metrics"));
}

// What somebody who runs the service has to look after. The rest is between us and the client.
static enum srv_log_level level_of(const struct srv_request *rq) {
    if (rq->reply.status == 500 || rq->reply.status == 507) {
        return SRV_LOG_ERROR;
    }
    return is_probe(rq) ? SRV_LOG_DEBUG : SRV_LOG_INFO;
}

static void member_ms(struct json_write *json, const char *name, double ms) {
    json_key(json, name);
    json_add_double(json, round(ms * 1000) / 1000);
}

void srv_request_log(const struct srv_request *rq, bool completed) {
    const uint64_t duration_ms = clock_monotonic_ms() - rq->started_ms;
    struct srv_log_line line;

    srv_metrics_count(&rq->service->metrics, rq, duration_ms);
    srv_log_begin(&line, level_of(rq), "request");
    json_member_z(&line.json, "request_id", rq->id);
    json_member_z(&line.json, "remote", rq->remote);
    json_member_str(&line.json, "method", str_sub(rq->head.method, 0, 16));
    json_member_z(&line.json, "route", rq->route ? rq->route->pattern : NULL);
    json_member_u64(&line.json, "status", rq->reply.status);
    json_member_bool(&line.json, "completed", completed);
    json_member_u64(&line.json, "bytes_in", rq->body_bytes);
    json_member_u64(&line.json, "bytes_out", rq->method == SRV_METHOD_HEAD ? 0 : rq->reply.body.n);
    json_member_u64(&line.json, "dur_ms", duration_ms);
    if (rq->cache) {
        json_member_z(&line.json, "cache", rq->cache);
        member_ms(&line.json, "queue_ms", rq->queue_ms);
        member_ms(&line.json, "run_ms", rq->run_ms);
    }
    if (rq->reply.status >= 400 && rq->error.code) {
        json_member_z(&line.json, "error", error_name(rq->error.code));
        json_member_z(&line.json, "detail", rq->error.text);
    }
    srv_log_end(&line);
}
