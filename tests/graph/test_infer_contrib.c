#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

#define MS "com.microsoft", 1

Test(infer_contrib, attention_of_onnx) {
    infer_expect(infer_op_of("", 23, "Attention", "float[b,8,s,64]", "float[b,8,t,64]",
                             "float[b,8,t,32]", NULL),
                 "float (b, 8, s, 32)", "float (b, 8, t, 64)", "float (b, 8, t, 32)",
                 "float (b, 8, s, t)", NULL);
    struct model_builder *b =
        infer_op_of("", 23, "Attention", "float[2,5,512]", "float[2,5,128]", "float[2,5,128]", "",
                    "float[2,2,p,64]", "float[2,2,p,64]", NULL);
    mb_attr_int(b, "q_num_heads", 8);
    mb_attr_int(b, "kv_num_heads", 2);
    infer_expect(b, "float (2, 5, 512)", "float (2, 2, p + 5, 64)", "float (2, 2, p + 5, 64)",
                 NULL);
}

Test(infer_contrib, attention_of_onnx_runtime) {
    struct model_builder *b = infer_op_of(MS, "Attention", "float[b,s,768]", "float[768,2304]",
                                          "float[2304]", "", "float[2,b,12,p,64]", NULL);
    mb_attr_int(b, "num_heads", 12);
    infer_expect(b, "float (b, s, 768)", "float (2, b, 12, s + p, 64)", NULL);
    b = infer_op_of(MS, "MultiHeadAttention", "float[b,s,512]", "float[b,t,512]", "float[b,t,512]",
                    NULL);
    mb_attr_int(b, "num_heads", 8);
    infer_expect(b, "float (b, s, 512)", "float (b, 8, t, 64)", NULL);
    b = infer_op_of(MS, "GroupQueryAttention", "float16[b,s,1024]", "float16[b,s,256]",
                    "float16[b,s,256]", "float16[b,4,p,64]", "float16[b,4,p,64]", NULL);
    mb_attr_int(b, "num_heads", 16);
    mb_attr_int(b, "kv_num_heads", 4);
    infer_expect(b, "float16 (b, s, 1024)", "float16 (b, 4, ?, 64)", NULL);
    b = infer_op_of(MS, "GroupQueryAttention", "float16[b,s,1536]", "", "", NULL);
    mb_attr_int(b, "num_heads", 16);
    mb_attr_int(b, "kv_num_heads", 4);
    infer_expect(b, "float16 (b, s, 1024)", NULL);
}

Test(infer_contrib, norms) {
    infer_expect(infer_op_of(MS, "SkipLayerNormalization", "float[b,s,64]", "float[b,s,64]",
                             "float[64]", NULL),
                 "float (b, s, 64)", "float (b, s, 1)", "float (b, s, 1)", "float (b, s, 64)",
                 NULL);
    infer_expect(infer_op_of(MS, "EmbedLayerNormalization", "int32[b,s]", "", "float[256,64]",
                             NULL),
                 "float (b, s, 64)", "int32 (b)", "float (b, s, 64)", NULL);
    infer_expect(infer_op("SimplifiedLayerNormalization", "float16[b,s,64]", "float16[64]", NULL),
                 "float16 (b, s, 64)", "float (b, s, 1)", NULL);
}

Test(infer_contrib, activations_and_padding) {
    infer_expect(infer_op_of(MS, "BiasGelu", "float[b,64]", "float[64]", NULL), "float (b, 64)",
                 NULL);
    infer_expect(infer_op_of(MS, "BiasSplitGelu", "float[b,s,64]", "float[64]", NULL),
                 "float (b, s, 32)", NULL);
    infer_expect(infer_op_of(MS, "RemovePadding", "float[b,s,64]", "int32[b]", NULL),
                 "float (?, 64)", "int32 (b, s)", "int32 (b + 1)", "int32 (1)", NULL);
    infer_expect(infer_op_of(MS, "RestorePadding", "float[t,64]", "int32[b,s]", NULL),
                 "float (b, s, 64)", NULL);
}

Test(infer_contrib, classic_machine_learning) {
    infer_expect(infer_op_of("ai.onnx.ml", 3, "Scaler", "int64[n,4]", NULL), "float (n, 4)", NULL);
    struct model_builder *b = infer_op_of("ai.onnx.ml", 3, "LinearClassifier", "float[n,4]", NULL);
    mb_attr_ints(b, "classlabels_ints", "0,1,2");
    infer_expect(b, "int64 (n)", "float (n, 3)", NULL);
    b = infer_op_of("ai.onnx.ml", 3, "LabelEncoder", "int64[5]", NULL);
    mb_attr_floats(b, "values_floats", "0.5,1");
    infer_expect(b, "float (5)", NULL);
    infer_expect(infer_op_of("ai.onnx.ml", 3, "ArrayFeatureExtractor", "float[n,4]", "=0,2", NULL),
                 "float (n, 2)", NULL);
}

Test(infer_contrib, past_and_present_may_share_memory) {
    struct model_builder *b = infer_op_of(MS, "Attention", "float[b,1,768]", "float[768,2304]",
                                          "float[2304]", "", "float[2,b,12,1024,64]", NULL);
    mb_attr_int(b, "num_heads", 12);
    mb_attr_int(b, "past_present_share_buffer", 1);
    infer_expect(b, "float (b, 1, 768)", "float (2, b, 12, 1024, 64)", NULL);
    b = infer_op_of(MS, "MultiHeadAttention", "float[b,1,512]", "float[b,1,512]", "float[b,1,512]",
                    "", "", "", "float[b,8,99,64]", "float[b,8,99,64]", "=5", NULL);
    mb_attr_int(b, "num_heads", 8);
    infer_expect(b, "float (b, 1, 512)", "float (b, 8, 99, 64)", "float (b, 8, 99, 64)", NULL);
    b = infer_op_of(MS, "QAttention", "int8[2,5,64]", "int8[64,192]", "float[192]", "float[]",
                    "float[]", "", "int8[]", "int8[]", "float[2,2,4,p,16]", NULL);
    mb_attr_int(b, "num_heads", 4);
    infer_expect(b, "float (2, 5, 64)", "float (2, 2, 4, p + 5, 16)", NULL);
}

Test(infer_contrib, packed_tokens) {
    infer_expect(infer_op_of(MS, "PackedAttention", "float[t,64]", "float[64,192]", "float[192]",
                             NULL),
                 "float (t, 64)", NULL);
    infer_expect(infer_op_of(MS, "PackedMultiHeadAttention", "float[t,64]", "float[t,64]",
                             "float[t,32]", NULL),
                 "float (t, 32)", NULL);
    infer_expect(infer_op_of(MS, "PackedMultiHeadAttention", "float[t,4,3,16]", NULL),
                 "float (t, 64)", NULL);
}

Test(infer_contrib, position_biases) {
    infer_expect(infer_op_of(MS, "RelativePositionBias", "float[32,8]", "#7", "#9", NULL),
                 "float (1, 8, 7, 9)", NULL);
    infer_expect(infer_op_of(MS, "GatedRelativePositionBias", "float[b,s,64]", "float[64]",
                             "float[1,8,s,s]", NULL),
                 "float (b, 8, s, s)", NULL);
}

Test(infer_contrib, a_quantised_table_is_unpacked) {
    struct model_builder *b = infer_op_of(MS, "GatherBlockQuantized", "uint8[1000,32]",
                                          "int64[b,s]", "float16[1000,2]", NULL);
    mb_attr_int(b, "bits", 4);
    infer_expect(b, "float16 (b, s, 64)", NULL);
    b = infer_op_of(MS, "GatherBlockQuantized", "int4[1000,64]", "int64[b]", "float[1000,2]", NULL);
    infer_expect(b, "float (b, 64)", NULL);
}

Test(infer_contrib, generated_tokens) {
    infer_expect(infer_op_of(MS, "BeamSearch", "int32[b,s]", "#20", "#1", "#4", "#3", NULL),
                 "int32 (b, 3, 20)", NULL);
    infer_expect(infer_op_of(MS, "GreedySearch", "int32[b,s]", "#20", NULL), "int32 (b, 20)", NULL);
}

Test(infer_contrib, channels_last) {
    struct model_builder *b =
        infer_op_of(MS, "NhwcConv", "float[n,32,30,3]", "float[16,3,3,3]", NULL);
    mb_attr_ints(b, "strides", "2,2");
    infer_expect(b, "float (n, 15, 14, 16)", NULL);
    b = infer_op_of(MS, "NhwcMaxPool", "uint8[1,32,30,8]", NULL);
    mb_attr_ints(b, "kernel_shape", "2,2");
    mb_attr_ints(b, "strides", "2,2");
    infer_expect(b, "uint8 (1, 16, 15, 8)", NULL);
    b = infer_op_of(MS, "QLinearAveragePool", "uint8[1,8,6,4]", "float[]", "uint8[]", "float[]",
                    "uint8[]", NULL);
    mb_attr_ints(b, "kernel_shape", "2,2");
    mb_attr_int(b, "channels_last", 1);
    infer_expect(b, "uint8 (1, 7, 5, 4)", NULL);
}

Test(infer_contrib, spectra_and_the_rest) {
    infer_expect(infer_op_of(MS, "Rfft", "float[b,16]", NULL), "float (b, 9, 2)", NULL);
    infer_expect(infer_op_of(MS, "Irfft", "float[b,9,2]", NULL), "float (b, 16)", NULL);
    infer_expect(infer_op_of(MS, "QLinearWhere", "bool[3,1]", "uint8[4]", "float[]", "uint8[]",
                             "uint8[2,1,1]", "float[]", "uint8[]", "float[]", "uint8[]", NULL),
                 "uint8 (2, 3, 4)", NULL);
    infer_expect(infer_op_of(MS, "MulInteger", "uint8[2,3]", "uint8[]", "uint8[3]", "uint8[]",
                             NULL),
                 "int32 (2, 3)", NULL);
    infer_expect(infer_op_of(MS, "SkipGroupNorm", "float16[1,8,8,4]", "float16[4]", NULL),
                 "float16 (1, 8, 8, 4)", "float16 (1, 8, 8, 4)", NULL);
    infer_expect(infer_op_of(MS, "CDist", "float[m,4]", "float[n,4]", NULL), "float (m, n)", NULL);
    infer_expect(infer_op_of(MS, "QEmbedLayerNormalization", "int32[b,s]", "", "int8[256,64]",
                             NULL),
                 "float (b, s, 64)", "int32 (b)", "float (b, s, 64)", NULL);
    infer_expect(infer_op_of(MS, "ExpandDims", "float[2,3]", "#-1", NULL), "float (2, 3, 1)", NULL);
    infer_expect(infer_op_of(MS, "BiasDropout", "float[2]", "float[2]", NULL), "float (2)",
                 "bool (2)", NULL);
}
