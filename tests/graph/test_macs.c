// Expected counts by hand from the formulas of the papers and of fvcore.
#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

#define MS "com.microsoft", 1

// 64 * 112 * 112 outputs, 3 * 7 * 7 products each: the stem of a ResNet.
Test(macs, convolution) {
    struct model_builder *b = infer_op("Conv", "float[1,3,224,224]", "float[64,3,7,7]", NULL);
    mb_attr_ints(b, "pads", "3,3,3,3");
    mb_attr_ints(b, "strides", "2,2");
    infer_expect_macs(b, "118013952");
    b = infer_op("Conv", "float[n,8,4]", "float[8,1,1]", NULL);
    mb_attr_int(b, "group", 8);
    infer_expect_macs(b, "32*n");
    // 16 * 8 * 8 inputs, 4 * 3 * 3 products each
    infer_expect_macs(infer_op("ConvTranspose", "float[1,16,8,8]", "float[16,4,3,3]", NULL),
                      "36864");
}

Test(macs, products) {
    infer_expect_macs(infer_op("MatMul", "float[b,2,3]", "float[3,4]", NULL), "24*b");
    infer_expect_macs(infer_op("MatMul", "float[3]", "float[3]", NULL), "3");
    struct model_builder *b = infer_op("Gemm", "float[5,2]", "float[4,5]", NULL);
    mb_attr_int(b, "transA", 1);
    mb_attr_int(b, "transB", 1);
    infer_expect_macs(b, "40");
    b = infer_op("Einsum", "float[2,3,4]", "float[2,4,5]", NULL);
    mb_attr_str(b, "equation", "bij,bjk->bik");
    infer_expect_macs(b, "120");
    b = infer_op_of(MS, "FusedMatMul", "float[3,2]", "float[3,4]", NULL);
    mb_attr_int(b, "transA", 1);
    infer_expect_macs(b, "24");
    b = infer_op_of(MS, "MatMulNBits", "float[2,64]", "uint8[96,2,16]", NULL);
    mb_attr_int(b, "K", 64);
    mb_attr_int(b, "N", 96);
    infer_expect_macs(b, "12288");
}

// 7 steps, 2 entries, 2 directions: 4 * 20 * (10 + 20) each
Test(macs, recurrent) {
    struct model_builder *b =
        infer_op("LSTM", "float[7,2,10]", "float[2,80,10]", "float[2,80,20]", NULL);
    infer_expect_macs(b, "67200");
}

// 2 * 8 heads * 5 queries * 9 keys * 64, per batch entry
Test(macs, attention) {
    infer_expect_macs(infer_op_of("", 23, "Attention", "float[b,8,5,64]", "float[b,8,9,64]",
                                  "float[b,8,9,64]", NULL),
                      "46080*b");
    struct model_builder *b =
        infer_op_of(MS, "Attention", "float[1,16,64]", "float[64,192]", "float[192]", NULL);
    mb_attr_int(b, "num_heads", 4);
    // 16 * 64 * 192 for the projection, 2 * 16 * 16 * 64 for the attention
    infer_expect_macs(b, "229376");
}

// 6 tokens, 2 experts each: 64 * 32 numbers to widen, 32 * 64 to narrow
Test(macs, experts) {
    struct model_builder *b = infer_op_of(MS, "MoE", "float[2,3,32]", "float[6,8]",
                                          "float[8,64,32]", "", "float[8,32,64]", NULL);
    mb_attr_int(b, "k", 2);
    infer_expect_macs(b, "49152");
    b = infer_op_of(MS, "QMoE", "float[6,32]", "float[6,8]", "uint8[8,64,16]", "float[8,64]", "",
                    "uint8[8,32,32]", "float[8,32]", NULL);
    mb_attr_int(b, "k", 2);
    infer_expect_macs(b, "49152");
}

Test(macs, past_of_unknown_use_makes_them_unknown) {
    struct model_builder *b = infer_op_of(MS, "Attention", "float[1,1,64]", "float[64,192]", "", "",
                                          "float[2,1,4,99,16]", NULL);
    mb_attr_int(b, "num_heads", 4);
    mb_attr_int(b, "past_present_share_buffer", 1);
    infer_expect_macs(b, "?");
    infer_expect_macs(infer_op_of(MS, "LongformerAttention", "float[1,8,64]", NULL), "?");
}

// Input times itself and past keys: 5 * 64 * 192 + 2 * 5 * (5 + 3) * 64
Test(macs, quantised_attention) {
    struct model_builder *b =
        infer_op_of(MS, "QAttention", "int8[1,5,64]", "int8[64,192]", "float[192]", "float[]",
                    "float[]", "", "int8[]", "int8[]", "float[2,1,4,3,16]", NULL);
    mb_attr_int(b, "num_heads", 4);
    infer_expect_macs(b, "66560");
}

Test(macs, the_rest_has_none_and_the_unknown_is_unknown) {
    infer_expect_macs(infer_op("Add", "float[8]", "float[8]", NULL), "0");
    infer_expect_macs(infer_op("Frobnicate", "float[8]", NULL), "?");
    infer_expect_macs(infer_op("MatMul", "float[?,3]", "float[3,4]", NULL), "?");
    infer_expect_macs(infer_op("MatMul", "float[0,3]", "float[3,4]", NULL), "0");
}

Test(macs, what_exceeds_64_bits_is_cut) {
    infer_expect_macs(infer_op("MatMul", "float[4294967296,4294967296]",
                               "float[4294967296,4294967296]", NULL),
                      "9223372036854775807");
}
