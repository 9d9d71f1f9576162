#include <sys/resource.h>

#include "server/http_request.h"
#include "server/metrics_internal.h"
#include "server/version.h"

#define PREFIX "onnxscope_"

// ---- lines. Every value is a constant, a pattern of ours, or a number: nothing has to be escaped.

static void head(struct buf *out, const char *name, const char *type, const char *help) {
    const char *const parts[] = {
        "# HELP " PREFIX, name, " ", help, "\n# TYPE " PREFIX, name, " ", type, "\n"};

    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        buf_add_z(out, parts[i]);
    }
}

static void add_seconds(struct buf *out, uint64_t ms) {
    buf_printf(out, "%llu.%03llu", (unsigned long long)(ms / 1000),
               (unsigned long long)(ms % 1000));
}

static void add_label(struct buf *out, bool first, const char *name, const char *value) {
    buf_add_z(out, first ? "{" : ",");
    buf_add_z(out, name);
    buf_add_z(out, "=\"");
    buf_add_z(out, value);
    buf_add_char(out, '"');
}

static void end(struct buf *out, uint64_t value) {
    buf_add_char(out, ' ');
    buf_add_u64(out, value);
    buf_add_char(out, '\n');
}

static void single(struct buf *out, const char *name, const char *type, const char *help,
                   uint64_t value) {
    head(out, name, type, help);
    buf_add_z(out, PREFIX);
    buf_add_z(out, name);
    end(out, value);
}

struct row {
    const char *value;  // of the label
    uint64_t n;
};

static void rows(struct buf *out, const char *name, const char *type, const char *help,
                 const char *label, const struct row *list, size_t n) {
    head(out, name, type, help);
    for (size_t i = 0; i < n; i++) {
        buf_add_z(out, PREFIX);
        buf_add_z(out, name);
        add_label(out, true, label, list[i].value);
        buf_add_char(out, '}');
        end(out, list[i].n);
    }
}

// ---- histograms

static void bucket(struct buf *out, const char *name, const char *route, size_t i, uint64_t n) {
    buf_add_z(out, PREFIX);
    buf_add_z(out, name);
    buf_add_z(out, "_bucket");
    if (route) {
        add_label(out, true, "route", route);
    }
    buf_add_z(out, route ? ",le=\"" : "{le=\"");
    if (i < SRV_METRIC_BUCKETS) {
        add_seconds(out, srv_metric_bounds_ms[i]);
    } else {
        buf_add_z(out, "+Inf");
    }
    buf_add_z(out, "\"}");
    end(out, n);
}

static void total(struct buf *out, const char *name, const char *which, const char *route) {
    buf_add_z(out, PREFIX);
    buf_add_z(out, name);
    buf_add_z(out, which);
    if (route) {
        add_label(out, true, "route", route);
        buf_add_char(out, '}');
    }
}

static void histogram(struct buf *out, const char *name, const char *route,
                      const struct srv_histogram *h) {
    uint64_t n = 0;

    for (size_t i = 0; i <= SRV_METRIC_BUCKETS; i++) {
        n += atomic_load(&h->buckets[i]);
        bucket(out, name, route, i, n);
    }
    total(out, name, "_sum", route);
    buf_add_char(out, ' ');
    add_seconds(out, atomic_load(&h->sum_ms));
    buf_add_char(out, '\n');
    total(out, name, "_count", route);
    end(out, n);
}

static bool is_empty(const struct srv_histogram *h) {
    for (size_t i = 0; i <= SRV_METRIC_BUCKETS; i++) {
        if (atomic_load(&h->buckets[i])) {
            return false;
        }
    }
    return true;
}

// ---- families

static const char *route_name(size_t i) {
    return i < srv_route_count() ? srv_route_at(i)->pattern : "none";
}

static void write_status(struct buf *out, size_t route, size_t method, size_t status, uint64_t n) {
    buf_add_z(out, PREFIX "http_requests_total");
    add_label(out, true, "route", route_name(route));
    add_label(out, false, "method", srv_metric_methods[method]);
    buf_printf(out, ",code=\"%u\"}", srv_metric_statuses[status]);
    end(out, n);
}

static void write_requests(struct buf *out, const struct srv_metrics *m) {
    head(out, "http_requests_total", "counter", "Requests that are over, code 0 = any other");
    for (size_t r = 0; r < SRV_METRIC_ROUTES; r++) {
        for (size_t k = 0; k < SRV_METRIC_METHODS; k++) {
            for (size_t s = 0; s < SRV_METRIC_STATUSES; s++) {
                uint64_t n = atomic_load(&m->requests[r][k][s]);

                if (n) {
                    write_status(out, r, k, s, n);
                }
            }
        }
    }
}

static void write_durations(struct buf *out, const struct srv_metrics *m) {
    head(out, "http_request_duration_seconds", "histogram",
         "From the head to the end of the answer");
    for (size_t r = 0; r < SRV_METRIC_ROUTES; r++) {
        if (!is_empty(&m->durations[r])) {
            histogram(out, "http_request_duration_seconds", route_name(r), &m->durations[r]);
        }
    }
}

static void write_traffic(struct buf *out, const struct srv_service *s) {
    const struct srv_metrics *m = &s->metrics;

    single(out, "http_request_bytes_total", "counter", "Bytes of request bodies",
           atomic_load(&m->bytes_in));
    single(out, "http_response_bytes_total", "counter", "Bytes of response bodies",
           atomic_load(&m->bytes_out));
    single(out, "http_requests_active", "gauge", "Requests that are not over",
           atomic_load(&s->active));
}

static void write_jobs(struct buf *out, const struct srv_service *s) {
    struct srv_jobs_stats j;

    srv_jobs_stats(s->jobs, &j);
    {
        const struct row results[] = {{"ok", j.ok},           {"failed", j.failed},
                                      {"crash", j.crashed},   {"deadline", j.timed_out},
                                      {"refused", j.refused}, {"cancelled", j.cancelled}};

        rows(out, "jobs_total", "counter", "Jobs by their end", "result", results,
             ARRAY_LEN(results));
    }
    single(out, "jobs_running", "gauge", "Jobs at work", j.running);
    single(out, "job_queue_length", "gauge", "Jobs that wait", j.waiting);
    single(out, "job_queue_limit", "gauge", "Jobs that may wait", s->config->queue);
    single(out, "zygote_starts_total", "counter", "Starts of the process that forks jobs",
           j.zygote_starts);
    single(out, "ready", "gauge", "Whether that process answers", j.ready ? 1 : 0);
    head(out, "job_queue_seconds", "histogram", "What requests waited for a job to start");
    histogram(out, "job_queue_seconds", NULL, &s->metrics.queue);
    head(out, "job_run_seconds", "histogram", "What requests waited for a job to end");
    histogram(out, "job_run_seconds", NULL, &s->metrics.run);
}

static void write_cache(struct buf *out, const struct srv_service *s) {
    const struct row results[] = {{"hit", atomic_load(&s->metrics.hits)},
                                  {"miss", atomic_load(&s->metrics.misses)},
                                  {"joined", atomic_load(&s->metrics.joined)}};
    struct srv_cache_stats c;

    srv_cache_stats(s->cache, &c);
    rows(out, "cache_requests_total", "counter", "Documents asked for", "result", results,
         ARRAY_LEN(results));
    single(out, "cache_bytes", "gauge", "Bytes of documents that are kept", c.bytes);
    single(out, "cache_documents", "gauge", "Documents that are kept", c.documents);
}

static void write_store(struct buf *out, const struct srv_service *s) {
    struct srv_store_stats stats = {0, 0};

    s->store->ops->stats(s->store, &stats);
    single(out, "store_bytes", "gauge", "Bytes of stored models", stats.bytes);
    single(out, "store_models", "gauge", "Models that are stored", stats.models);
    single(out, "store_limit_bytes", "gauge", "Bytes that the store may hold",
           s->config->store_size);
}

static void write_limits(struct buf *out, const struct srv_metrics *m) {
    size_t n = srv_setting_count();

    head(out, "limits_hit_total", "counter", "Answers that a limit refused, by its setting");
    for (size_t i = 0; i < n && i < SRV_METRIC_LIMITS; i++) {
        uint64_t hits = atomic_load(&m->limits[i]);

        if (hits) {
            buf_add_z(out, PREFIX "limits_hit_total");
            add_label(out, true, "limit", srv_setting_at(i).name);
            buf_add_char(out, '}');
            end(out, hits);
        }
    }
}

static void write_process(struct buf *out) {
    struct rusage use;

    if (getrusage(RUSAGE_SELF, &use) == 0) {
        single(out, "resident_memory_max_bytes", "gauge", "Most memory the HTTP process ever had",
               (uint64_t)use.ru_maxrss * 1024);
    }
}

void srv_metrics_write(struct buf *out, struct srv_service *service) {
    head(out, "build_info", "gauge", "What runs");
    buf_add_z(out, PREFIX "build_info");
    add_label(out, true, "version", ONNXSCOPE_VERSION);
    buf_add_char(out, '}');
    end(out, 1);
    write_requests(out, &service->metrics);
    write_durations(out, &service->metrics);
    write_traffic(out, service);
    write_jobs(out, service);
    write_cache(out, service);
    write_store(out, service);
    write_limits(out, &service->metrics);
    write_process(out);
}
