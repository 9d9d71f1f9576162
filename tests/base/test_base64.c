#include "base/base64.h"

#include <criterion/criterion.h>

// RFC 4648, section 10, and the two digits that are no letters.
Test(base64, agrees_with_the_specification) {
    static const char *const table[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xfb\xff", "+/8="},
    };

    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct buf out;

        buf_init(&out, 64);
        base64_add(&out, slice_from_str(str_from(table[i][0])));
        cr_expect(str_eq_z(buf_str(&out), table[i][1]), "%s", table[i][0]);
        buf_release(&out);
    }
}
