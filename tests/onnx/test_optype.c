#include "onnx/optype.h"

#include <criterion/criterion.h>

Test(optype, readable_is_text_without_replacement_characters) {
    cr_expect(onnx_optype_readable(STR("Conv")));
    cr_expect(onnx_optype_readable(STR("\xe5\x8d\xb7\xe7\xa7\xaf")));
    cr_expect(onnx_optype_readable(STR("a\0b")));
    cr_expect(!onnx_optype_readable(STR("")));
    cr_expect(!onnx_optype_readable(STR("a\xffz")));
    cr_expect(!onnx_optype_readable(STR("\xed\xa0\x80")));
    cr_expect(!onnx_optype_readable(STR("a\xef\xbf\xbdz")));
}
