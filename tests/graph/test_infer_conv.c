#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

static struct model_builder *conv(const char *in, const char *weight) {
    return infer_op("Conv", in, weight, NULL);
}

// (224 + 2*3 - 7) / 2 + 1 = 112: the stem of a ResNet.
Test(infer_conv, places_of_the_window) {
    struct model_builder *b = conv("float[1,3,224,224]", "float[64,3,7,7]");
    mb_attr_ints(b, "pads", "3,3,3,3");
    mb_attr_ints(b, "strides", "2,2");
    infer_expect(b, "float (1, 64, 112, 112)", NULL);
    infer_expect(conv("float[2,8,5]", "float[4,8,3]"), "float (2, 4, 3)", NULL);
    b = conv("float[1,1,9,9]", "float[1,1,3,3]");
    mb_attr_ints(b, "dilations", "2,1");
    mb_attr_ints(b, "pads", "0,1,0,0");
    infer_expect(b, "float (1, 1, 5, 8)", NULL);
}

Test(infer_conv, symbolic_sizes_are_kept) {
    struct model_builder *b = conv("float[batch,3,h,w]", "float[8,3,3,3]");
    mb_attr_ints(b, "pads", "1,1,1,1");
    infer_expect(b, "float (batch, 8, h, w)", NULL);
    b = conv("float[batch,3,h,w]", "float[8,3,3,3]");
    mb_attr_ints(b, "pads", "1,1,1,1");
    mb_attr_ints(b, "strides", "2,2");
    infer_expect(b, "float (batch, 8, floor((h + 1)/2), floor((w + 1)/2))", NULL);
}

Test(infer_conv, automatic_padding) {
    struct model_builder *b = conv("float[1,1,7,8]", "float[1,1,3,3]");
    mb_attr_str(b, "auto_pad", "SAME_UPPER");
    mb_attr_ints(b, "strides", "2,2");
    infer_expect(b, "float (1, 1, 4, 4)", NULL);
    b = conv("float[1,1,7,8]", "float[1,1,3,3]");
    mb_attr_str(b, "auto_pad", "VALID");
    infer_expect(b, "float (1, 1, 5, 6)", NULL);
}

Test(infer_conv, the_weight_alone_tells_rank_and_channels) {
    infer_expect(conv("float", "float[4,8,3,3]"), "float (?, 4, ?, ?)", NULL);
    infer_expect(conv("float", "float"), "float ?", NULL);
}

Test(infer_conv, a_kernel_that_does_not_fit_is_unknown) {
    infer_expect(conv("float[1,1,2,8]", "float[1,1,3,3]"), "float (1, 1, ?, 6)", NULL);
    struct model_builder *b = conv("float[1,1,8,8]", "float[1,1,3,3]");
    mb_attr_ints(b, "strides", "0,1");
    infer_expect(b, "float (1, 1, ?, 6)", NULL);
    b = conv("float[1,1,8,8]", "float[1,1,3,3]");
    mb_attr_ints(b, "strides", "1,1,1");
    infer_expect(b, "float ?", NULL);
}

// (8 - 1) * 2 - 2*1 + 3 + 1 = 16
Test(infer_conv, transposed) {
    struct model_builder *b = infer_op("ConvTranspose", "float[1,16,8,8]", "float[16,4,3,3]", NULL);
    mb_attr_ints(b, "pads", "1,1,1,1");
    mb_attr_ints(b, "strides", "2,2");
    mb_attr_ints(b, "output_padding", "1,1");
    mb_attr_int(b, "group", 2);
    infer_expect(b, "float (1, 8, 16, 16)", NULL);
    b = infer_op("ConvTranspose", "float[1,16,8,8]", "float[16,4,3,3]", NULL);
    mb_attr_ints(b, "output_shape", "20,21");
    infer_expect(b, "float (1, 4, 20, 21)", NULL);
}

Test(infer_conv, quantised) {
    infer_expect(infer_op("ConvInteger", "uint8[1,3,8,8]", "int8[4,3,3,3]", NULL),
                 "int32 (1, 4, 6, 6)", NULL);
    infer_expect(infer_op("QLinearConv", "uint8[1,3,8,8]", "float[]", "uint8[]", "int8[4,3,3,3]",
                          "float[]", "int8[]", "float[]", "uint8[]", NULL),
                 "uint8 (1, 4, 6, 6)", NULL);
}
