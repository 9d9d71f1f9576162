// Shared by server/metrics*.c alone: the closed lists that counters are kept by.
#pragma once

#include <stdint.h>

#include "server/metrics.h"

extern const unsigned srv_metric_statuses[SRV_METRIC_STATUSES];  // the last, 0, is every other
extern const char *const srv_metric_methods[SRV_METRIC_METHODS];
extern const uint64_t srv_metric_bounds_ms[SRV_METRIC_BUCKETS];  // of buckets, inclusive
