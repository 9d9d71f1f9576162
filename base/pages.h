// Large pages for large memory.
//
// Page faults, one per 4 KiB of fresh memory, were a fifth of the time that a model of 100,000
// operators took; large pages spare half of them.
#pragma once

#include <stddef.h>

// Smaller memory is left alone: no large page fits, and the hint costs a system call.
#define PAGES_LARGE_MIN ((size_t)2 << 20)

// Asks the kernel to back the memory with large pages where whole ones fit. Only a hint, which the
// system may ignore: speed depends on it, and the resident size, which may grow by what is left
// over of the last large page. To be called before the memory is touched.
void pages_advise_large(void *p, size_t n);
