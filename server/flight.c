#include "server/flight.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct srv_flight {
    struct srv_lru_entry entry;
    struct srv_waiter *first;  // of a list through next and prev
};

struct srv_flights {
    pthread_mutex_t lock;
    struct srv_lru index;  // as a table only; nothing is ever too old
    size_t waiting;
    bool closed;
};

static struct srv_flight *flight_of(struct srv_lru_entry *e) {
    return (struct srv_flight *)(void *)e;
}

int srv_flights_new(struct srv_flights **out, struct error *err) {
    struct srv_flights *f = calloc(1, sizeof(*f));

    if (!f) {
        return error_set(err, ERR_NOMEM, "no memory for the table of flights");
    }
    pthread_mutex_init(&f->lock, NULL);
    *out = f;
    return 0;
}

void srv_flights_free(struct srv_flights *f) {
    if (!f) {
        return;
    }
    while (f->index.newest) {
        struct srv_flight *flight = flight_of(f->index.newest);

        srv_lru_remove(&f->index, &flight->entry);
        free(flight);
    }
    srv_lru_release(&f->index);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

static void enter(struct srv_flights *f, struct srv_flight *flight, struct srv_waiter *w) {
    w->flight = flight;
    w->prev = NULL;
    w->next = flight->first;
    if (flight->first) {
        flight->first->prev = w;
    }
    flight->first = w;
    f->waiting++;
}

static void leave(struct srv_flights *f, struct srv_waiter *w) {
    *(w->prev ? &w->prev->next : &w->flight->first) = w->next;
    if (w->next) {
        w->next->prev = w->prev;
    }
    w->flight = NULL;
    f->waiting--;
}

static struct srv_flight *new_flight(struct srv_flights *f, const uint8_t *key, struct error *err) {
    struct srv_flight *flight = calloc(1, sizeof(*flight));

    if (!flight) {
        error_set(err, ERR_NOMEM, "no memory for a flight");
        return NULL;
    }
    memcpy(flight->entry.key, key, SRV_LRU_KEY);
    if (srv_lru_add(&f->index, &flight->entry, err) < 0) {
        free(flight);
        return NULL;
    }
    return flight;
}

static int join(struct srv_flights *f, const uint8_t *key, struct srv_waiter *w, bool *leads,
                struct error *err) {
    struct srv_lru_entry *e = srv_lru_find(&f->index, key);
    struct srv_flight *flight = e ? flight_of(e) : NULL;

    if (f->closed) {
        return error_set(err, ERR_BUSY, "the service is shutting down");
    }
    *leads = !flight;
    if (!flight) {
        flight = new_flight(f, key, err);
    }
    if (!flight) {
        return ERR_NOMEM;
    }
    enter(f, flight, w);
    return 0;
}

int srv_flights_join(struct srv_flights *f, const uint8_t key[SRV_LRU_KEY], struct srv_waiter *w,
                     bool *leads, struct error *err) {
    int rc;

    pthread_mutex_lock(&f->lock);
    rc = join(f, key, w, leads, err);
    pthread_mutex_unlock(&f->lock);
    return rc;
}

// The list is nobody else's: its waiters are in no flight any more.
static size_t tell(struct srv_waiter *first, const struct srv_landing *landing) {
    size_t n = 0;

    while (first) {
        struct srv_waiter *w = first;

        // Its owner may be gone as soon as it is told.
        first = w->next;
        w->landed(w, landing);
        n++;
    }
    return n;
}

void srv_flights_land(struct srv_flights *f, const uint8_t key[SRV_LRU_KEY],
                      const struct srv_landing *landing) {
    struct srv_waiter *first = NULL, *w;
    struct srv_lru_entry *e;

    pthread_mutex_lock(&f->lock);
    e = srv_lru_find(&f->index, key);
    if (e) {
        first = flight_of(e)->first;
        for (w = first; w; w = w->next) {
            w->flight = NULL;
            f->waiting--;
        }
        srv_lru_remove(&f->index, e);
        free(flight_of(e));
    }
    pthread_mutex_unlock(&f->lock);
    tell(first, landing);
}

bool srv_flights_abandon(struct srv_flights *f, const uint8_t key[SRV_LRU_KEY]) {
    struct srv_lru_entry *e;
    bool empty;

    pthread_mutex_lock(&f->lock);
    e = srv_lru_find(&f->index, key);
    empty = e && !flight_of(e)->first;
    if (empty) {
        srv_lru_remove(&f->index, e);
        free(flight_of(e));
    }
    pthread_mutex_unlock(&f->lock);
    return empty;
}

// A client that has sent all it had to say may close that side and wait for its answer. Only a
// reset or an end of both sides says that nobody is there.
static bool is_gone(int fd) {
    struct pollfd on = {.fd = fd};

    return fd >= 0 && poll(&on, 1, 0) > 0 && (on.revents & (POLLHUP | POLLERR));
}

// Takes every waiter out of its flight that `wanted` says, into a list.
static struct srv_waiter *collect(struct srv_flights *f,
                                  bool (*wanted)(const struct srv_waiter *w, uint64_t now_ms),
                                  uint64_t now_ms) {
    struct srv_waiter *list = NULL, *w, *next;
    struct srv_lru_entry *e;

    for (e = f->index.newest; e; e = e->older) {
        for (w = flight_of(e)->first; w; w = next) {
            next = w->next;
            if (wanted(w, now_ms)) {
                leave(f, w);
                w->next = list;
                list = w;
            }
        }
    }
    return list;
}

static bool has_left(const struct srv_waiter *w, uint64_t now_ms) {
    (void)now_ms;
    return is_gone(w->fd);
}

static bool is_late(const struct srv_waiter *w, uint64_t now_ms) {
    return now_ms >= w->until_ms;
}

static bool is_any(const struct srv_waiter *w, uint64_t now_ms) {
    (void)w;
    (void)now_ms;
    return true;
}

size_t srv_flights_sweep(struct srv_flights *f, uint64_t now_ms) {
    struct srv_landing landing = {.document = NULL};
    struct srv_waiter *gone, *late;
    size_t n;

    pthread_mutex_lock(&f->lock);
    gone = collect(f, has_left, now_ms);
    late = collect(f, is_late, now_ms);
    pthread_mutex_unlock(&f->lock);
    error_set(&landing.error, ERR_IO, "the client is gone");
    landing.gone = true;
    n = tell(gone, &landing);
    landing.gone = false;
    error_set_limit(&landing.error, "request-timeout",
                    "the picture was not ready in the time that a request may wait");
    landing.error.code = ERR_TIMEOUT;
    return n + tell(late, &landing);
}

void srv_flights_close(struct srv_flights *f) {
    struct srv_landing landing = {.document = NULL};
    struct srv_waiter *all;

    pthread_mutex_lock(&f->lock);
    f->closed = true;
    all = collect(f, is_any, 0);
    pthread_mutex_unlock(&f->lock);
    error_set(&landing.error, ERR_BUSY, "the service is shutting down");
    tell(all, &landing);
}

size_t srv_flights_waiting(struct srv_flights *f) {
    size_t n;

    pthread_mutex_lock(&f->lock);
    n = f->waiting;
    pthread_mutex_unlock(&f->lock);
    return n;
}
