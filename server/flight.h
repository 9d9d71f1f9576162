// Single-flight: requests that want the same document at the same time wait for one job.
//
// The first to join a key leads: it starts the work, and whoever ends the work lands the flight,
// which tells all who wait. A waiter is embedded in its owner's struct and stays there until it was
// told. All functions may be called from any thread; nobody is called under the lock.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "server/cache.h"
#include "server/lru.h"

struct srv_flight;
struct srv_flights;

// How a flight ended. Borrowed while `landed` runs.
struct srv_landing {
    struct srv_document *document;  // NULL = `error` says why; take a reference to keep it
    struct error error;
    bool gone;  // there is none because the client is gone
    double queue_ms, run_ms;
};

struct srv_waiter {
    void (*landed)(struct srv_waiter *w, const struct srv_landing *landing);
    uint64_t until_ms;          // of clock_monotonic_ms(): when its owner has waited long enough
    int fd;                     // of the client, to see whether it is gone; -1 = none
    struct srv_flight *flight;  // the rest belongs to the flights
    struct srv_waiter *next, *prev;
};

// *out is owned by the caller; nobody waits any more when it is freed. Errors: ERR_NOMEM.
int srv_flights_new(struct srv_flights **out, struct error *err) WARN_UNUSED;
void srv_flights_free(struct srv_flights *f);

// Waits for `key`. *leads says whether the caller has to start the work, and to land it whatever
// happens. Errors: ERR_NOMEM, ERR_BUSY (closed); `landed` is not called then.
int srv_flights_join(struct srv_flights *f, const uint8_t key[SRV_LRU_KEY], struct srv_waiter *w,
                     bool *leads, struct error *err) WARN_UNUSED;

// Ends the flight of a key and tells everybody in it.
void srv_flights_land(struct srv_flights *f, const uint8_t key[SRV_LRU_KEY],
                      const struct srv_landing *landing);

// Ends the flight of a key when nobody is in it any more, without telling anybody; whoever joins
// later leads anew. Returns whether it did.
bool srv_flights_abandon(struct srv_flights *f, const uint8_t key[SRV_LRU_KEY]);

// Tells those who waited long enough (ERR_TIMEOUT, limit request-timeout) or whose connection is
// gone (ERR_IO); their flights go on. A client that only closed its sending side still waits.
// Returns how many.
size_t srv_flights_sweep(struct srv_flights *f, uint64_t now_ms);

// Refuses everybody from now on, and tells all who wait (ERR_BUSY).
void srv_flights_close(struct srv_flights *f);

size_t srv_flights_waiting(struct srv_flights *f);
