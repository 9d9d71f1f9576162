#include "server/offload.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct srv_offload {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct srv_task *first, **last;
    bool closed;
    size_t n_threads;
    pthread_t threads[];
};

// NULL when it is closed and empty.
static struct srv_task *take(struct srv_offload *o) {
    struct srv_task *t;

    pthread_mutex_lock(&o->lock);
    while (!o->first && !o->closed) {
        pthread_cond_wait(&o->wake, &o->lock);
    }
    t = o->first;
    if (t) {
        o->first = t->next;
        o->last = o->first ? o->last : &o->first;
    }
    pthread_mutex_unlock(&o->lock);
    return t;
}

static void *work(void *arg) {
    struct srv_task *t;

    while ((t = take(arg))) {
        t->run(t);
    }
    return NULL;
}

// Signals are for the main thread.
static int start_threads(struct srv_offload *o, size_t threads) {
    sigset_t all, before;
    int rc = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (rc == 0 && o->n_threads < threads) {
        rc = pthread_create(&o->threads[o->n_threads], NULL, work, o);
        o->n_threads += rc == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int srv_offload_new(struct srv_offload **out, size_t threads, struct error *err) {
    struct srv_offload *o = calloc(1, sizeof(*o) + threads * sizeof(o->threads[0]));
    int rc;

    if (!o) {
        return error_set(err, ERR_NOMEM, "no memory for threads");
    }
    o->last = &o->first;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->wake, NULL);
    rc = start_threads(o, threads);
    if (rc != 0) {
        srv_offload_free(o);
        return error_set(err, ERR_IO, "cannot start a thread: %s", strerror(rc));
    }
    *out = o;
    return 0;
}

void srv_offload_add(struct srv_offload *o, struct srv_task *t) {
    bool closed;

    t->next = NULL;
    pthread_mutex_lock(&o->lock);
    closed = o->closed;
    if (!closed) {
        *o->last = t;
        o->last = &t->next;
        pthread_cond_signal(&o->wake);
    }
    pthread_mutex_unlock(&o->lock);
    if (closed) {
        t->run(t);
    }
}

void srv_offload_close(struct srv_offload *o) {
    pthread_mutex_lock(&o->lock);
    o->closed = true;
    pthread_cond_broadcast(&o->wake);
    pthread_mutex_unlock(&o->lock);
    while (o->n_threads) {
        pthread_join(o->threads[--o->n_threads], NULL);
    }
}

void srv_offload_free(struct srv_offload *o) {
    if (!o) {
        return;
    }
    srv_offload_close(o);
    pthread_cond_destroy(&o->wake);
    pthread_mutex_destroy(&o->lock);
    free(o);
}
