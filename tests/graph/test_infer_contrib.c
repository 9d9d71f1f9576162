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
