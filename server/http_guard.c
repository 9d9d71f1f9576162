#include "server/http_guard.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "server/problem.h"

#define FRESH_MS 1000  // a connection is given this long to ask something before it counts as idle
#define ANSWER_BYTES 2048

struct srv_conn {
    int fd;
    enum srv_conn_phase phase;
    bool cut;
    unsigned told;  // status that was written past the library, 0 = none
    uint64_t since_ms, bytes;
    struct srv_conn *next, *prev;
};

struct srv_guard {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool stopping;
    struct srv_guard_rules rules;
    struct srv_conn *first;
    uint64_t n;  // connections, without those that were cut
    void (*tick)(void *arg, uint64_t now_ms);
    void *arg;
};

static void wait_a_tick(struct srv_guard *g) {
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += SRV_GUARD_TICK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&g->lock);
    if (!g->stopping) {
        pthread_cond_timedwait(&g->wake, &g->lock, &until);
    }
    pthread_mutex_unlock(&g->lock);
}

static bool is_stopping(struct srv_guard *g) {
    bool stopping;

    pthread_mutex_lock(&g->lock);
    stopping = g->stopping;
    pthread_mutex_unlock(&g->lock);
    return stopping;
}

static void *run(void *arg) {
    struct srv_guard *g = arg;

    while (!is_stopping(g)) {
        uint64_t now = clock_monotonic_ms();

        srv_guard_check(g, now);
        g->tick(g->arg, now);
        wait_a_tick(g);
    }
    return NULL;
}

static void init_wake(pthread_cond_t *wake) {
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(wake, &attr);
    pthread_condattr_destroy(&attr);
}

int srv_guard_new(struct srv_guard **out, const struct srv_guard_rules *rules,
                  void (*tick)(void *arg, uint64_t now_ms), void *arg, struct error *err) {
    struct srv_guard *g = calloc(1, sizeof(*g));
    int rc;

    if (!g) {
        return error_set(err, ERR_NOMEM, "no memory for the watch over connections");
    }
    g->rules = *rules;
    g->tick = tick;
    g->arg = arg;
    pthread_mutex_init(&g->lock, NULL);
    init_wake(&g->wake);
    rc = pthread_create(&g->thread, NULL, run, g);
    if (rc != 0) {
        pthread_cond_destroy(&g->wake);
        pthread_mutex_destroy(&g->lock);
        free(g);
        return error_set(err, ERR_IO, "cannot start a thread: %s", strerror(rc));
    }
    *out = g;
    return 0;
}

void srv_guard_free(struct srv_guard *g) {
    if (!g) {
        return;
    }
    pthread_mutex_lock(&g->lock);
    g->stopping = true;
    pthread_cond_signal(&g->wake);
    pthread_mutex_unlock(&g->lock);
    pthread_join(g->thread, NULL);
    while (g->first) {
        srv_guard_close(g, g->first);
    }
    pthread_cond_destroy(&g->wake);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

// Nothing was asked, and nothing is on its way.
static bool is_idle(const struct srv_conn *c, uint64_t now_ms) {
    char byte;

    if (c->cut || (c->phase != SRV_CONN_IDLE &&
                   !(c->phase == SRV_CONN_NEW && now_ms >= c->since_ms + FRESH_MS))) {
        return false;
    }
    return recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}

static struct srv_conn *longest_idle(const struct srv_guard *g, uint64_t now_ms) {
    struct srv_conn *c, *best = NULL;

    for (c = g->first; c; c = c->next) {
        if ((!best || c->since_ms < best->since_ms) && is_idle(c, now_ms)) {
            best = c;
        }
    }
    return best;
}

static void end(struct srv_guard *g, struct srv_conn *c) {
    shutdown(c->fd, SHUT_RDWR);
    c->cut = true;
    g->n--;
}

// The library takes no more than the limit, so one place is kept free while somebody can be spared:
// whoever comes next, a probe for one, is served.
static void make_room(struct srv_guard *g, uint64_t now_ms) {
    while (g->n >= g->rules.max_connections) {
        struct srv_conn *c = longest_idle(g, now_ms);

        if (!c) {
            return;
        }
        end(g, c);
    }
}

struct srv_conn *srv_guard_open(struct srv_guard *g, int fd) {
    struct srv_conn *c = calloc(1, sizeof(*c));

    if (!c) {
        return NULL;
    }
    c->fd = fd;
    c->since_ms = clock_monotonic_ms();
    pthread_mutex_lock(&g->lock);
    g->n++;
    make_room(g, c->since_ms);
    c->next = g->first;
    if (g->first) {
        g->first->prev = c;
    }
    g->first = c;
    pthread_mutex_unlock(&g->lock);
    return c;
}

void srv_guard_close(struct srv_guard *g, struct srv_conn *c) {
    if (!c) {
        return;
    }
    pthread_mutex_lock(&g->lock);
    g->n -= !c->cut;
    *(c->prev ? &c->prev->next : &g->first) = c->next;
    if (c->next) {
        c->next->prev = c->prev;
    }
    pthread_mutex_unlock(&g->lock);
    free(c);
}

int srv_conn_fd(const struct srv_conn *c) {
    return c ? c->fd : -1;
}

unsigned srv_guard_told(struct srv_guard *g, const struct srv_conn *c) {
    unsigned told;

    if (!c) {
        return 0;
    }
    pthread_mutex_lock(&g->lock);
    told = c->told;
    pthread_mutex_unlock(&g->lock);
    return told;
}

void srv_guard_enter(struct srv_guard *g, struct srv_conn *c, enum srv_conn_phase phase,
                     uint64_t bytes) {
    if (!c) {
        return;
    }
    pthread_mutex_lock(&g->lock);
    c->phase = phase;
    c->since_ms = clock_monotonic_ms();
    c->bytes = bytes;
    pthread_mutex_unlock(&g->lock);
}

void srv_guard_count(struct srv_guard *g, struct srv_conn *c, uint64_t bytes) {
    if (!c) {
        return;
    }
    pthread_mutex_lock(&g->lock);
    c->bytes += bytes;
    pthread_mutex_unlock(&g->lock);
}

static bool is_below_rate(const struct srv_guard *g, const struct srv_conn *c, uint64_t spent_ms) {
    return spent_ms > SRV_GUARD_GRACE_MS && g->rules.min_rate &&
           c->bytes / g->rules.min_rate < (spent_ms - SRV_GUARD_GRACE_MS) / 1000;
}

// An answer has as long as it takes at the least rate. The library itself ends what stands still.
static bool is_overdue(const struct srv_guard *g, const struct srv_conn *c, uint64_t spent_ms) {
    return g->rules.min_rate && spent_ms > g->rules.idle_timeout_ms &&
           (spent_ms - g->rules.idle_timeout_ms) / 1000 > c->bytes / g->rules.min_rate;
}

static bool breaks_rule(const struct srv_guard *g, const struct srv_conn *c, uint64_t now_ms) {
    uint64_t spent = now_ms > c->since_ms ? now_ms - c->since_ms : 0;

    switch (c->phase) {
    case SRV_CONN_NEW:
    case SRV_CONN_HEAD:
        return spent > g->rules.header_timeout_ms;
    case SRV_CONN_BODY:
        return is_below_rate(g, c, spent);
    case SRV_CONN_WORK:
        return false;
    case SRV_CONN_REPLY:
        return is_overdue(g, c, spent);
    case SRV_CONN_IDLE:
        return spent > g->rules.idle_timeout_ms + g->rules.header_timeout_ms;
    }
    return false;
}

// Before our turn nothing of an answer was sent, so one can be written past the library.
static bool can_be_told(const struct srv_conn *c) {
    return c->phase == SRV_CONN_NEW || c->phase == SRV_CONN_HEAD || c->phase == SRV_CONN_BODY;
}

static void tell(struct srv_conn *c, unsigned status, const char *reason, const char *detail) {
    struct srv_problem problem = {.status = status};
    struct buf answer, body;
    ssize_t sent;

    error_set(&problem.error, ERR_TIMEOUT, "%s", detail);
    buf_init(&body, ANSWER_BYTES);
    buf_init(&answer, ANSWER_BYTES);
    srv_problem_write_json(&body, &problem);
    buf_printf(&answer,
               "HTTP/1.1 %u %s\r\nContent-Type: application/problem+json\r\n"
               "Cache-Control: no-store\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
               status, reason, body.n);
    buf_add(&answer, body.p, body.n);
    sent = send(c->fd, answer.p, answer.n, MSG_DONTWAIT | MSG_NOSIGNAL);
    c->told = sent > 0 ? status : 0;
    buf_release(&answer);
    buf_release(&body);
}

size_t srv_guard_check(struct srv_guard *g, uint64_t now_ms) {
    struct srv_conn *c;
    size_t n = 0;

    pthread_mutex_lock(&g->lock);
    for (c = g->first; c; c = c->next) {
        if (c->cut || !breaks_rule(g, c, now_ms)) {
            continue;
        }
        if (can_be_told(c)) {
            tell(c, 408, "Request Timeout", "the request was not complete in time");
        }
        end(g, c);
        n++;
    }
    make_room(g, now_ms);
    pthread_mutex_unlock(&g->lock);
    return n;
}

size_t srv_guard_dismiss(struct srv_guard *g) {
    struct srv_conn *c;
    size_t n = 0;

    pthread_mutex_lock(&g->lock);
    for (c = g->first; c; c = c->next) {
        if (c->cut || c->phase == SRV_CONN_WORK || c->phase == SRV_CONN_REPLY) {
            continue;
        }
        if (c->phase == SRV_CONN_HEAD || c->phase == SRV_CONN_BODY) {
            tell(c, 503, "Service Unavailable", "the service is shutting down");
        }
        end(g, c);
        n++;
    }
    pthread_mutex_unlock(&g->lock);
    return n;
}
