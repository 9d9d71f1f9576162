#include "base/clock.h"

#include <time.h>

static struct timespec now(clockid_t clock) {
    struct timespec t = {0, 0};

    clock_gettime(clock, &t);
    return t;
}

// Under RLIMIT_CPU the clock of the process moves with the scheduler's tick alone (measured: whole
// jobs of 3 ms read 0); the clock of a thread is always exact.
double clock_cpu_ms(void) {
    struct timespec t = now(CLOCK_THREAD_CPUTIME_ID);

    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

uint64_t clock_monotonic_ms(void) {
    struct timespec t = now(CLOCK_MONOTONIC);

    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int64_t clock_unix_s(void) {
    return now(CLOCK_REALTIME).tv_sec;
}
