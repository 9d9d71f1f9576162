// Time, for measuring and for deadlines; nothing that decides how a picture looks may use it.
#pragma once

#include <stdint.h>

double clock_cpu_ms(void);  // CPU time of this thread, milliseconds
uint64_t clock_monotonic_ms(void);
int64_t clock_unix_s(void);  // seconds since 1970, UTC
