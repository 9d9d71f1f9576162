#include "server/store.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/server/records.h"

TestSuite(store, .timeout = 20);

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

Test(store, an_id_is_64_lower_case_hex_digits) {
    cr_assert(srv_id_valid(STR(HEX)));
    cr_assert_not(srv_id_valid(STR("")));
    cr_assert_not(srv_id_valid((struct str){NULL, 0}));
    cr_assert_not(srv_id_valid(str_sub(STR(HEX), 0, 63)));
    cr_assert_not(srv_id_valid(STR(HEX "0")));
    cr_assert_not(
        srv_id_valid(STR("0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef")));
    cr_assert_not(
        srv_id_valid(STR("g123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")));
    cr_assert_not(
        srv_id_valid(STR("\x00"
                         "23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0")));
}

Test(store, an_id_is_read_as_bytes) {
    uint8_t key[32];

    cr_assert(srv_id_parse(STR(HEX), key));
    cr_assert_eq(memcmp(key, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8), 0);
    cr_assert_eq(key[31], 0xef);
}

Test(store, is_opened_by_its_name) {
    static const char *const wrong[] = {"", "memory:", "dir", "dir:", "redis://x", "Memory"};
    struct srv_store *s;
    struct error e;

    cr_assert_eq(srv_store_open(&s, STR("memory"), 1 << 20, NULL), 0);
    s->ops->free(s);
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        cr_expect_eq(srv_store_open(&s, str_from(wrong[i]), 1 << 20, &e), ERR_USAGE, "%s",
                     wrong[i]);
    }
    cr_assert_eq(srv_store_open(&s, STR("dir:/dev/null/x"), 1 << 20, &e), ERR_IO);
}

Test(store, a_record_lives_as_long_as_somebody_holds_it) {
    struct srv_record *r = make_record(1, "skeleton", "summary");

    srv_record_ref(r);
    srv_record_unref(r);
    cr_assert(str_eq(str_from_slice(r->skeleton), STR("skeleton")));
    srv_record_unref(r);
    srv_record_unref(NULL);
}
