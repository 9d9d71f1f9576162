#include "server/metrics.h"

#include <string.h>

#include "server/http_request.h"
#include "server/metrics_internal.h"

const unsigned srv_metric_statuses[SRV_METRIC_STATUSES] = {
    200, 201, 204, 304, 400, 403, 404, 405, 406, 408, 413, 415, 417,
    421, 422, 429, 431, 499, 500, 501, 503, 504, 507, 401, 411, 414,
    0,  // every other
};

const char *const srv_metric_methods[SRV_METRIC_METHODS] = {"GET", "HEAD", "POST", "DELETE",
                                                            "other"};

const uint64_t srv_metric_bounds_ms[SRV_METRIC_BUCKETS] = {5,   10,   25,   50,   100,   250,
                                                           500, 1000, 2500, 5000, 10000, 30000};

static size_t index_of_status(unsigned status) {
    size_t i = 0;

    while (i < SRV_METRIC_STATUSES - 1 && srv_metric_statuses[i] != status) {
        i++;
    }
    return i;
}

static size_t index_of_method(const struct srv_request *rq) {
    size_t i = 0;

    while (i < SRV_METRIC_METHODS - 1 && !(rq->method == 1u << i)) {
        i++;
    }
    return i;
}

static size_t index_of_route(const struct srv_request *rq) {
    size_t i = rq->route ? (size_t)(rq->route - srv_route_at(0)) : SRV_METRIC_ROUTES;

    return i < SRV_METRIC_ROUTES - 1 ? i : SRV_METRIC_ROUTES - 1;
}

static void add(atomic_uint_fast64_t *counter, uint64_t n) {
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static void observe(struct srv_histogram *h, double ms) {
    size_t i = 0;

    while (i < SRV_METRIC_BUCKETS && ms > (double)srv_metric_bounds_ms[i]) {
        i++;
    }
    add(&h->buckets[i], 1);
    add(&h->sum_ms, ms > 0 ? (uint64_t)(ms + 0.5) : 0);
}

static void count_cache(struct srv_metrics *m, const struct srv_request *rq) {
    if (!rq->cache) {
        return;
    }
    if (strcmp(rq->cache, "hit") == 0) {
        add(&m->hits, 1);
        return;
    }
    add(strcmp(rq->cache, "joined") == 0 ? &m->joined : &m->misses, 1);
    observe(&m->queue, rq->queue_ms);
    observe(&m->run, rq->run_ms);
}

static void count_limit(struct srv_metrics *m, const char *limit) {
    size_t n = srv_setting_count();

    for (size_t i = 0; i < n && i < SRV_METRIC_LIMITS; i++) {
        if (strcmp(srv_setting_at(i).name, limit) == 0) {
            add(&m->limits[i], 1);
        }
    }
}

void srv_metrics_count(struct srv_metrics *m, const struct srv_request *rq, uint64_t duration_ms) {
    size_t route = index_of_route(rq);

    add(&m->requests[route][index_of_method(rq)][index_of_status(rq->reply.status)], 1);
    observe(&m->durations[route], (double)duration_ms);
    add(&m->bytes_in, rq->body_bytes);
    add(&m->bytes_out, rq->method == SRV_METHOD_HEAD ? 0 : rq->reply.body.n);
    count_cache(m, rq);
    if (rq->reply.status >= 400 && rq->error.limit[0]) {
        count_limit(m, rq->error.limit);
    }
}
