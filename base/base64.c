#include "base/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct buf *out, struct slice bytes) {
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
        uint32_t group = (uint32_t)bytes.p[i] << 16;

        group |= n > 1 ? (uint32_t)bytes.p[i + 1] << 8 : 0;
        group |= n > 2 ? bytes.p[i + 2] : 0;
        for (size_t k = 0; k < 4; k++) {
            buf_add_char(out, k <= n ? digits[group >> (18 - 6 * k) & 63] : '=');
        }
    }
}
