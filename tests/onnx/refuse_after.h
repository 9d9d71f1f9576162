// Makes the allocator refuse after a number of calls, in tests that are linked with --wrap for
// malloc, calloc and realloc.
#pragma once

#include <stdbool.h>

// How many more allocations of our code succeed; below 0 all of them do.
extern long refuse_after;

// Whether one was refused since it was last cleared.
extern bool refused;
