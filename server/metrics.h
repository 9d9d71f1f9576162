// What the daemon counts, as Prometheus reads it (text exposition format 0.0.4).
//
// Counters are atomic and only go up. No label carries anything of a client's: routes are patterns,
// statuses and limits are of closed lists.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/buf.h"

#define SRV_METRIC_ROUTES 48    // rows of the route table, and one for what is none of them
#define SRV_METRIC_METHODS 5    // GET, HEAD, POST, DELETE, anything else
#define SRV_METRIC_STATUSES 27  // rows of the table of statuses, and one for others
#define SRV_METRIC_BUCKETS 12   // of durations, without the last one, which takes all
#define SRV_METRIC_LIMITS 64    // settings that an error may name

struct srv_request;
struct srv_service;

struct srv_histogram {
    atomic_uint_fast64_t buckets[SRV_METRIC_BUCKETS + 1];  // each without those before it
    atomic_uint_fast64_t sum_ms;
};

struct srv_metrics {
    atomic_uint_fast64_t requests[SRV_METRIC_ROUTES][SRV_METRIC_METHODS][SRV_METRIC_STATUSES];
    struct srv_histogram durations[SRV_METRIC_ROUTES];
    struct srv_histogram queue, run;  // of the jobs that requests waited for
    atomic_uint_fast64_t hits, misses, joined;
    atomic_uint_fast64_t limits[SRV_METRIC_LIMITS];
    atomic_uint_fast64_t bytes_in, bytes_out;
};

// Counts a request that is over.
void srv_metrics_count(struct srv_metrics *m, const struct srv_request *rq, uint64_t duration_ms);

// Appends everything that is known of a service.
void srv_metrics_write(struct buf *out, struct srv_service *service);
