#include "server/http_guard.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"

#define SLOW_BODY                                                                           \
    "{\"type\":\"urn:onnxscope:problem:request-timeout\",\"title\":\"The request came too " \
    "slowly\",\"status\":408,\"detail\":\"the request was not complete in time\"}\n"
#define SLOW_LENGTH 148

_Static_assert(sizeof(SLOW_BODY) - 1 == SLOW_LENGTH, "the header below says so");

// In the first two phases nothing of an answer was sent yet, so one can be written past the
// library.
static const char too_slow[] = "HTTP/1.1 408 Request Timeout\r\n"
                               "Content-Type: application/problem+json\r\n"
                               "Cache-Control: no-store\r\n"
                               "Connection: close\r\n"
                               "Content-Length: 148\r\n\r\n" SLOW_BODY;

struct srv_conn {
    int fd;
    enum srv_conn_phase phase;
    bool cut;
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
    void (*tick)(void *arg, uint64_t now_ms);
    void *arg;
};

static void wait_a_tick(struct srv_guard *g)
{
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

static bool is_stopping(struct srv_guard *g)
{
    bool stopping;

    pthread_mutex_lock(&g->lock);
    stopping = g->stopping;
    pthread_mutex_unlock(&g->lock);
    return stopping;
}

static void *run(void *arg)
{
    struct srv_guard *g = arg;

    while (!is_stopping(g)) {
        uint64_t now = clock_monotonic_ms();

        srv_guard_check(g, now);
        g->tick(g->arg, now);
        wait_a_tick(g);
    }
    return NULL;
}

static void init_wake(pthread_cond_t *wake)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(wake, &attr);
    pthread_condattr_destroy(&attr);
}

int srv_guard_new(struct srv_guard **out, const struct srv_guard_rules *rules,
                  void (*tick)(void *arg, uint64_t now_ms), void *arg, struct error *err)
{
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

void srv_guard_free(struct srv_guard *g)
{
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

struct srv_conn *srv_guard_open(struct srv_guard *g, int fd)
{
    struct srv_conn *c = calloc(1, sizeof(*c));

    if (!c) {
        return NULL;
    }
    c->fd = fd;
    c->since_ms = clock_monotonic_ms();
    pthread_mutex_lock(&g->lock);
    c->next = g->first;
    if (g->first) {
        g->first->prev = c;
    }
    g->first = c;
    pthread_mutex_unlock(&g->lock);
    return c;
}

void srv_guard_close(struct srv_guard *g, struct srv_conn *c)
{
    if (!c) {
        return;
    }
    pthread_mutex_lock(&g->lock);
    *(c->prev ? &c->prev->next : &g->first) = c->next;
    if (c->next) {
        c->next->prev = c->prev;
    }
    pthread_mutex_unlock(&g->lock);
    free(c);
}

int srv_conn_fd(const struct srv_conn *c)
{
    return c ? c->fd : -1;
}

void srv_guard_enter(struct srv_guard *g, struct srv_conn *c, enum srv_conn_phase phase,
                     uint64_t bytes)
{
    if (!c) {
        return;
    }
    pthread_mutex_lock(&g->lock);
    c->phase = phase;
    c->since_ms = clock_monotonic_ms();
    c->bytes = bytes;
    pthread_mutex_unlock(&g->lock);
}

void srv_guard_count(struct srv_guard *g, struct srv_conn *c, uint64_t bytes)
{
    if (!c) {
        return;
    }
    pthread_mutex_lock(&g->lock);
    c->bytes += bytes;
    pthread_mutex_unlock(&g->lock);
}

static bool is_below_rate(const struct srv_guard *g, const struct srv_conn *c, uint64_t spent_ms)
{
    return spent_ms > SRV_GUARD_GRACE_MS && g->rules.min_rate &&
           c->bytes / g->rules.min_rate < (spent_ms - SRV_GUARD_GRACE_MS) / 1000;
}

// An answer has as long as it takes at the least rate. The library itself ends what stands still.
static bool is_overdue(const struct srv_guard *g, const struct srv_conn *c, uint64_t spent_ms)
{
    return g->rules.min_rate && spent_ms > g->rules.idle_timeout_ms &&
           (spent_ms - g->rules.idle_timeout_ms) / 1000 > c->bytes / g->rules.min_rate;
}

static bool breaks_rule(const struct srv_guard *g, const struct srv_conn *c, uint64_t now_ms)
{
    uint64_t spent = now_ms > c->since_ms ? now_ms - c->since_ms : 0;

    switch (c->phase) {
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

static void cut(struct srv_conn *c)
{
    if (c->phase == SRV_CONN_HEAD || c->phase == SRV_CONN_BODY) {
        ssize_t sent = send(c->fd, too_slow, sizeof(too_slow) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);

        (void)sent;
    }
    shutdown(c->fd, SHUT_RDWR);
    c->cut = true;
}

size_t srv_guard_check(struct srv_guard *g, uint64_t now_ms)
{
    struct srv_conn *c;
    size_t n = 0;

    pthread_mutex_lock(&g->lock);
    for (c = g->first; c; c = c->next) {
        if (!c->cut && breaks_rule(g, c, now_ms)) {
            cut(c);
            n++;
        }
    }
    pthread_mutex_unlock(&g->lock);
    return n;
}
