#include "base/clock.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>

// clock() measures the same thing by another door.
Test(clock, cpu_counts_the_work_of_the_only_thread) {
    double before = clock_cpu_ms();
    clock_t from = clock(), worked;

    do {
        worked = clock() - from;
    } while (worked < CLOCKS_PER_SEC / 50);
    cr_expect(clock_cpu_ms() - before >= 19.9);
    cr_expect(clock_cpu_ms() <= (double)clock() * 1e3 / CLOCKS_PER_SEC + 1e3);
}

// Shorter than a tick of the scheduler, which is 1 to 10 ms.
static bool sees_a_moment_of_work(void) {
    double before = clock_cpu_ms();

    for (volatile int i = 0; i < 20000; i++) {
        continue;
    }
    return clock_cpu_ms() > before;
}

Test(clock, cpu_is_exact_under_a_limit_of_cpu_time) {
    struct rlimit limit = {100, 100};

    cr_assert(setrlimit(RLIMIT_CPU, &limit) == 0);
    for (int i = 0; i < 20; i++) {
        cr_expect(sees_a_moment_of_work());
    }
}

Test(clock, monotonic_is_milliseconds_and_never_runs_back) {
    struct timespec t;
    uint64_t before = clock_monotonic_ms(), between;

    clock_gettime(CLOCK_MONOTONIC, &t);
    between = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    cr_expect(before <= between);
    cr_expect(between <= clock_monotonic_ms());
}

// time() may lag by one tick of the kernel, hence the second.
Test(clock, unix_is_the_time_of_day) {
    int64_t before = time(NULL);
    int64_t now = clock_unix_s();

    cr_expect(before <= now);
    cr_expect(now <= time(NULL) + 1);
}
