#include "base/clock.h"

#include <time.h>

static struct timespec now(clockid_t clock)
{
    struct timespec t = {0, 0};

    clock_gettime(clock, &t);
    return t;
}

double clock_cpu_ms(void)
{
    struct timespec t = now(CLOCK_PROCESS_CPUTIME_ID);

    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

uint64_t clock_monotonic_ms(void)
{
    struct timespec t = now(CLOCK_MONOTONIC);

    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int64_t clock_unix_s(void)
{
    return now(CLOCK_REALTIME).tv_sec;
}
