#include "onnx/optype.h"

#include "base/utf8.h"

static bool is_ascii(struct str s) {
    unsigned char all = 0;
    for (size_t i = 0; i < s.n; i++) {
        all |= (unsigned char)s.p[i];
    }
    return all < 0x80;
}

bool onnx_optype_readable(struct str op) {
    if (op.n == 0) {
        return false;
    }
    return is_ascii(op) || (utf8_valid(op) && !str_contains(op, STR("\xEF\xBF\xBD")));
}
