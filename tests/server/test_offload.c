#include "server/offload.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>

#define TASKS 1000

struct work {
    struct srv_task task;
    pthread_t by;
    atomic_int runs;
};

static struct work works[TASKS];

static void note(struct srv_task *t) {
    struct work *w = (struct work *)(void *)t;

    w->by = pthread_self();
    atomic_fetch_add(&w->runs, 1);
}

static struct srv_offload *open_with(size_t threads) {
    struct srv_offload *o = NULL;

    cr_assert_eq(srv_offload_new(&o, threads, NULL), 0);
    for (size_t i = 0; i < TASKS; i++) {
        works[i].task.run = note;
        atomic_init(&works[i].runs, 0);
    }
    return o;
}

Test(offload, runs_every_task_once_elsewhere) {
    struct srv_offload *o = open_with(3);

    for (size_t i = 0; i < TASKS; i++) {
        srv_offload_add(o, &works[i].task);
    }
    srv_offload_free(o);
    for (size_t i = 0; i < TASKS; i++) {
        cr_expect_eq(atomic_load(&works[i].runs), 1);
        cr_expect_not(pthread_equal(works[i].by, pthread_self()));
    }
}

Test(offload, takes_a_task_again_after_it_ran) {
    struct srv_offload *o = open_with(1);

    for (int i = 1; i <= 100; i++) {
        srv_offload_add(o, &works[0].task);
        while (atomic_load(&works[0].runs) < i) {
            sched_yield();
        }
    }
    srv_offload_free(o);
    cr_expect_eq(atomic_load(&works[0].runs), 100);
}

Test(offload, runs_tasks_at_once_when_it_is_closed) {
    struct srv_offload *o = open_with(1);

    srv_offload_close(o);
    srv_offload_add(o, &works[0].task);
    cr_expect_eq(atomic_load(&works[0].runs), 1);
    cr_expect(pthread_equal(works[0].by, pthread_self()));
    srv_offload_free(o);
    srv_offload_free(NULL);
}
