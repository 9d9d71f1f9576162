// What the parts of the daemon share: one per process, made by daemon.c, handed to every request.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/cache.h"
#include "server/config.h"
#include "server/flight.h"
#include "server/job.h"
#include "server/metrics.h"
#include "server/offload.h"
#include "server/store.h"

struct srv_service {
    const struct srv_config *config;
    struct srv_store *store;
    struct srv_jobs *jobs;
    struct srv_cache *cache;
    struct srv_flights *flights;
    struct srv_offload *offload;
    atomic_bool draining;         // told to stop: not ready, every answer closes its connection
    atomic_size_t active;         // requests between their head and the end of their answer
    atomic_uint_fast64_t serial;  // of requests, for their ids
    uint64_t nonce;               // of this process, for the same
    struct srv_metrics metrics;
};
