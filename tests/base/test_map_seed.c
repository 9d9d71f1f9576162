#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/map.h"
#include "base/siphash.h"

static int refused;

// Stands in front of libc's, as a sandbox does that answers this call with an error.
ssize_t getrandom(void *buf, size_t n, unsigned flags) {
    (void)buf;
    (void)n;
    (void)flags;
    refused++;
    errno = EPERM;
    return -1;
}

Test(map_seed, comes_from_the_start_of_the_process_when_the_kernel_refuses) {
    struct siphash_key key;

    memcpy(&key, (const void *)getauxval(AT_RANDOM), sizeof(key));
    cr_expect_eq(map_hash("abc", 3), siphash13(key, "abc", 3));
    cr_expect_eq(refused, 1);
}
