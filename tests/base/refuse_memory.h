// Makes the allocator refuse, in tests that are linked with --wrap for malloc, calloc and realloc.
#pragma once

#include <stdbool.h>

// While true, no code of ours gets memory. Libraries are not affected.
extern bool refuse_memory;
