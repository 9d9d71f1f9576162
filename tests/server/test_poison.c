#include "server/poison.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"

TestSuite(poison, .timeout = 20);

static struct srv_poison table;

static const uint8_t *key(unsigned i) {
    static uint8_t k[SHA256_BYTES];

    memset(k, 0, sizeof(k));
    memcpy(k, &i, sizeof(i));
    return k;
}

Test(poison, knows_nothing_at_first) {
    uint64_t left = 1;

    cr_assert_eq(srv_poison_find(&table, key(0), 1000, &left), 0);
}

Test(poison, remembers_what_and_for_how_long) {
    uint64_t left;

    srv_poison_add(&table, key(1), ERR_CRASH, 1000);
    srv_poison_add(&table, key(2), ERR_TIMEOUT, 2000);
    cr_assert_eq(srv_poison_find(&table, key(1), 1500, &left), ERR_CRASH);
    cr_assert_eq(left, SRV_POISON_MS - 500);
    cr_assert_eq(srv_poison_find(&table, key(2), 2000, &left), ERR_TIMEOUT);
    cr_assert_eq(srv_poison_find(&table, key(3), 1500, &left), 0);
}

Test(poison, forgets) {
    uint64_t left;

    srv_poison_add(&table, key(1), ERR_CRASH, 1000);
    cr_assert_eq(srv_poison_find(&table, key(1), 1000 + SRV_POISON_MS - 1, &left), ERR_CRASH);
    cr_assert_eq(srv_poison_find(&table, key(1), 1000 + SRV_POISON_MS, &left), 0);
}

Test(poison, the_oldest_makes_room) {
    uint64_t left;

    for (unsigned i = 0; i < SRV_POISON_ENTRIES + 1; i++) {
        srv_poison_add(&table, key(i), ERR_CRASH, 1000);
    }
    cr_assert_eq(srv_poison_find(&table, key(0), 1000, &left), 0);
    cr_assert_eq(srv_poison_find(&table, key(1), 1000, &left), ERR_CRASH);
    cr_assert_eq(srv_poison_find(&table, key(SRV_POISON_ENTRIES), 1000, &left), ERR_CRASH);
}
