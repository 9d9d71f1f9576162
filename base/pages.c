#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void pages_advise_large(void *p, size_t n) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)p;
    size_t before = start & (page - 1);

    if (n < PAGES_LARGE_MIN) {
        return;
    }
    // From the start of its page on, as the call demands: what else lies there only gets the hint.
    (void)madvise((unsigned char *)p - before, before + n, MADV_HUGEPAGE);
}
