// Which rule an operator follows: one row each, by domain, sorted by name. Opset differences are
// handled in the rules. An operator without a row has unknown outputs and unknown costs.
#include "base/attr.h"
#include "graph/infer_rules.h"
#include "graph/infer_window.h"

// Domain, a separator and name of an operator; longer ones have no row.
#define KEY_MAX 64

// clang-format off
static const struct infer_row standard[] = {
    {.op = "Abs", .rule = infer_same, .data = data_unary, .data_arg = DATA_ABS},
    {.op = "Acos", .rule = infer_same},
    {.op = "Acosh", .rule = infer_same},
    {.op = "Add", .rule = infer_arith, .data = data_binary, .data_arg = DATA_ADD},
    {.op = "Affine", .rule = infer_same},
    {.op = "AffineGrid", .rule = infer_affine_grid},
    {.op = "And", .rule = infer_arith, .arg = ONNX_BOOL, .data = data_binary, .data_arg = DATA_AND},
    {.op = "ArgMax", .rule = infer_arg_reduce},
    {.op = "ArgMin", .rule = infer_arg_reduce},
    {.op = "Asin", .rule = infer_same},
    {.op = "Asinh", .rule = infer_same},
    {.op = "Atan", .rule = infer_same},
    {.op = "Atanh", .rule = infer_same},
    {.op = "Attention", .rule = infer_attention, .macs = macs_attention},
    {.op = "AveragePool", .rule = infer_pool},
    {.op = "BatchNormalization", .rule = infer_batch_norm},
    {.op = "Bernoulli", .rule = infer_shape_attr_dtype},
    {.op = "BitCast", .rule = infer_cast},
    {.op = "BitShift", .rule = infer_arith},
    {.op = "BitwiseAnd", .rule = infer_arith},
    {.op = "BitwiseNot", .rule = infer_same},
    {.op = "BitwiseOr", .rule = infer_arith},
    {.op = "BitwiseXor", .rule = infer_arith},
    {.op = "BlackmanWindow", .rule = infer_window},
    {.op = "Cast", .rule = infer_cast, .data = data_cast},
    {.op = "CastLike", .rule = infer_cast_like, .data = data_cast},
    {.op = "Ceil", .rule = infer_same, .data = data_unary, .data_arg = DATA_CEIL},
    {.op = "Celu", .rule = infer_same},
    {.op = "CenterCropPad", .rule = infer_center_crop},
    {.op = "Clip", .rule = infer_same},
    {.op = "Col2Im", .rule = infer_col2im},
    {.op = "Compress", .rule = infer_compress},
    {.op = "Concat", .rule = infer_concat, .arg = 1, .data = data_concat},
    {.op = "ConcatFromSequence", .rule = infer_concat_from_sequence},
    {.op = "Constant", .rule = infer_constant, .data = data_constant},
    {.op = "ConstantOfShape", .rule = infer_constant_of_shape, .data = data_fill},
    {.op = "Conv", .rule = infer_conv, .arg = 1, .macs = macs_conv},
    {.op = "ConvInteger", .rule = infer_conv_integer, .macs = macs_conv},
    {.op = "ConvTranspose", .rule = infer_conv_transpose, .macs = macs_conv_transpose},
    {.op = "Cos", .rule = infer_same},
    {.op = "Cosh", .rule = infer_same},
    {.op = "CumProd", .rule = infer_same},
    {.op = "CumSum", .rule = infer_same},
    {.op = "DFT", .rule = infer_dft},
    {.op = "DeformConv", .rule = infer_conv, .arg = 1, .macs = macs_conv},
    {.op = "DepthToSpace", .rule = infer_depth_to_space},
    {.op = "DequantizeLinear", .rule = infer_dequantize},
    {.op = "Det", .rule = infer_det},
    {.op = "Div", .rule = infer_arith, .data = data_binary, .data_arg = DATA_DIV},
    {.op = "Dropout", .rule = infer_dropout, .data = data_copy},
    {.op = "DynamicQuantizeLinear", .rule = infer_dynamic_quantize},
    {.op = "Einsum", .rule = infer_einsum, .macs = macs_einsum},
    {.op = "Elu", .rule = infer_same},
    {.op = "Equal", .rule = infer_arith, .arg = ONNX_BOOL, .data = data_binary, .data_arg = DATA_EQUAL},
    {.op = "Erf", .rule = infer_same},
    {.op = "Exp", .rule = infer_same},
    {.op = "Expand", .rule = infer_expand, .data = data_expand},
    {.op = "EyeLike", .rule = infer_eye_like},
    {.op = "Flatten", .rule = infer_flatten, .data = data_copy},
    {.op = "Floor", .rule = infer_same, .data = data_unary, .data_arg = DATA_FLOOR},
    {.op = "GRU", .rule = infer_recurrent, .macs = macs_recurrent},
    {.op = "Gather", .rule = infer_gather, .data = data_gather},
    {.op = "GatherElements", .rule = infer_gather_elements},
    {.op = "GatherND", .rule = infer_gather_nd},
    {.op = "Gelu", .rule = infer_same},
    {.op = "Gemm", .rule = infer_gemm, .macs = macs_gemm},
    {.op = "GlobalAveragePool", .rule = infer_global_pool},
    {.op = "GlobalLpPool", .rule = infer_global_pool},
    {.op = "GlobalMaxPool", .rule = infer_global_pool},
    {.op = "Greater", .rule = infer_arith, .arg = ONNX_BOOL, .data = data_binary, .data_arg = DATA_GREATER},
    {.op = "GreaterOrEqual", .rule = infer_arith, .arg = ONNX_BOOL, .data = data_binary, .data_arg = DATA_GREATER_EQUAL},
    {.op = "GridSample", .rule = infer_grid_sample},
    {.op = "GroupNormalization", .rule = infer_same},
    {.op = "HammingWindow", .rule = infer_window},
    {.op = "HannWindow", .rule = infer_window},
    {.op = "HardSigmoid", .rule = infer_same},
    {.op = "HardSwish", .rule = infer_same},
    {.op = "Hardmax", .rule = infer_same},
    {.op = "Identity", .rule = infer_identity, .data = data_copy},
    {.op = "If", .rule = infer_if},
    {.op = "ImageScaler", .rule = infer_same},
    {.op = "InstanceNormalization", .rule = infer_same},
    {.op = "IsInf", .rule = infer_same, .arg = ONNX_BOOL},
    {.op = "IsNaN", .rule = infer_same, .arg = ONNX_BOOL},
    {.op = "LRN", .rule = infer_same},
    {.op = "LSTM", .rule = infer_recurrent, .macs = macs_recurrent},
    {.op = "LayerNormalization", .rule = infer_layer_norm, .arg = 1},
    {.op = "LeakyRelu", .rule = infer_same},
    {.op = "Less", .rule = infer_arith, .arg = ONNX_BOOL, .data = data_binary, .data_arg = DATA_LESS},
    {.op = "LessOrEqual", .rule = infer_arith, .arg = ONNX_BOOL, .data = data_binary, .data_arg = DATA_LESS_EQUAL},
    {.op = "Log", .rule = infer_same},
    {.op = "LogSoftmax", .rule = infer_same},
    {.op = "Loop", .rule = infer_loop},
    {.op = "LpNormalization", .rule = infer_same},
    {.op = "LpPool", .rule = infer_pool},
    {.op = "MatMul", .rule = infer_matmul, .macs = macs_matmul},
    {.op = "MatMulInteger", .rule = infer_matmul, .arg = ONNX_INT32, .macs = macs_matmul},
    {.op = "Max", .rule = infer_arith, .data = data_binary, .data_arg = DATA_MAX},
    {.op = "MaxPool", .rule = infer_pool, .arg = ONNX_INT64},
    {.op = "MaxRoiPool", .rule = infer_roi_pool},
    {.op = "MaxUnpool", .rule = infer_max_unpool},
    {.op = "Mean", .rule = infer_arith},
    {.op = "MeanVarianceNormalization", .rule = infer_same},
    {.op = "MelWeightMatrix", .rule = infer_mel},
    {.op = "Min", .rule = infer_arith, .data = data_binary, .data_arg = DATA_MIN},
    {.op = "Mish", .rule = infer_same},
    {.op = "Mod", .rule = infer_arith, .data = data_binary, .data_arg = DATA_MOD},
    {.op = "Mul", .rule = infer_arith, .data = data_binary, .data_arg = DATA_MUL},
    {.op = "Multinomial", .rule = infer_multinomial},
    {.op = "Neg", .rule = infer_same, .data = data_unary, .data_arg = DATA_NEG},
    {.op = "NegativeLogLikelihoodLoss", .rule = infer_loss},
    {.op = "NonMaxSuppression", .rule = infer_nms},
    {.op = "NonZero", .rule = infer_non_zero},
    {.op = "Not", .rule = infer_same, .arg = ONNX_BOOL, .data = data_unary, .data_arg = DATA_NOT},
    {.op = "OneHot", .rule = infer_one_hot},
    {.op = "Optional", .rule = infer_optional},
    {.op = "OptionalGetElement", .rule = infer_optional_get},
    {.op = "OptionalHasElement", .rule = infer_scalar, .arg = ONNX_BOOL},
    {.op = "Or", .rule = infer_arith, .arg = ONNX_BOOL, .data = data_binary, .data_arg = DATA_OR},
    {.op = "PRelu", .rule = infer_same},
    {.op = "Pad", .rule = infer_pad},
    {.op = "ParametricSoftplus", .rule = infer_same},
    {.op = "Pow", .rule = infer_arith, .data = data_binary, .data_arg = DATA_POW},
    {.op = "QLinearConv", .rule = infer_conv, .arg = 3, .macs = macs_qlinear_conv},
    {.op = "QLinearMatMul", .rule = infer_qlinear_matmul, .macs = macs_qlinear_matmul},
    {.op = "QuantizeLinear", .rule = infer_quantize},
    {.op = "RMSNormalization", .rule = infer_same},
    {.op = "RNN", .rule = infer_recurrent, .macs = macs_recurrent},
    {.op = "RandomNormal", .rule = infer_random},
    {.op = "RandomNormalLike", .rule = infer_shape_attr_dtype},
    {.op = "RandomUniform", .rule = infer_random},
    {.op = "RandomUniformLike", .rule = infer_shape_attr_dtype},
    {.op = "Range", .rule = infer_range, .data = data_range},
    {.op = "Reciprocal", .rule = infer_same, .data = data_unary, .data_arg = DATA_RECIPROCAL},
    {.op = "ReduceL1", .rule = infer_reduce},
    {.op = "ReduceL2", .rule = infer_reduce},
    {.op = "ReduceLogSum", .rule = infer_reduce},
    {.op = "ReduceLogSumExp", .rule = infer_reduce},
    {.op = "ReduceMax", .rule = infer_reduce, .data = data_reduce, .data_arg = DATA_MAX},
    {.op = "ReduceMean", .rule = infer_reduce},
    {.op = "ReduceMin", .rule = infer_reduce, .data = data_reduce, .data_arg = DATA_MIN},
    {.op = "ReduceProd", .rule = infer_reduce, .data = data_reduce, .data_arg = DATA_MUL},
    {.op = "ReduceSum", .rule = infer_reduce, .data = data_reduce, .data_arg = DATA_ADD},
    {.op = "ReduceSumSquare", .rule = infer_reduce},
    {.op = "RegexFullMatch", .rule = infer_same, .arg = ONNX_BOOL},
    {.op = "Relu", .rule = infer_same},
    {.op = "Reshape", .rule = infer_reshape, .data = data_copy},
    {.op = "Resize", .rule = infer_resize},
    {.op = "ReverseSequence", .rule = infer_same},
    {.op = "RoiAlign", .rule = infer_roi_align},
    {.op = "RotaryEmbedding", .rule = infer_same},
    {.op = "Round", .rule = infer_same, .data = data_unary, .data_arg = DATA_ROUND},
    {.op = "STFT", .rule = infer_stft},
    {.op = "ScaledTanh", .rule = infer_same},
    {.op = "Scan", .rule = infer_scan},
    {.op = "Scatter", .rule = infer_same},
    {.op = "ScatterElements", .rule = infer_same},
    {.op = "ScatterND", .rule = infer_same},
    {.op = "Selu", .rule = infer_same},
    {.op = "SequenceAt", .rule = infer_sequence_at},
    {.op = "SequenceConstruct", .rule = infer_sequence_construct},
    {.op = "SequenceEmpty", .rule = infer_sequence_empty},
    {.op = "SequenceErase", .rule = infer_sequence_erase},
    {.op = "SequenceInsert", .rule = infer_sequence_insert},
    {.op = "SequenceLength", .rule = infer_sequence_length},
    {.op = "Shape", .rule = infer_shape_of, .data = data_shape},
    {.op = "Shrink", .rule = infer_same},
    {.op = "Sigmoid", .rule = infer_same},
    {.op = "Sign", .rule = infer_same, .data = data_unary, .data_arg = DATA_SIGN},
    {.op = "SimplifiedLayerNormalization", .rule = infer_layer_norm, .arg = 1},
    {.op = "Sin", .rule = infer_same},
    {.op = "Sinh", .rule = infer_same},
    {.op = "Size", .rule = infer_size_of, .data = data_size},
    {.op = "Slice", .rule = infer_slice, .data = data_slice},
    {.op = "Softmax", .rule = infer_same},
    {.op = "SoftmaxCrossEntropyLoss", .rule = infer_loss},
    {.op = "Softplus", .rule = infer_same},
    {.op = "Softsign", .rule = infer_same},
    {.op = "SpaceToDepth", .rule = infer_space_to_depth},
    {.op = "Split", .rule = infer_split, .data = data_split},
    {.op = "SplitToSequence", .rule = infer_split_to_sequence},
    {.op = "Sqrt", .rule = infer_same, .data = data_unary, .data_arg = DATA_SQRT},
    {.op = "Squeeze", .rule = infer_squeeze, .data = data_copy},
    {.op = "StringConcat", .rule = infer_arith},
    {.op = "StringNormalizer"},
    {.op = "Sub", .rule = infer_arith, .data = data_binary, .data_arg = DATA_SUB},
    {.op = "Sum", .rule = infer_arith},
    {.op = "Swish", .rule = infer_same},
    {.op = "Tan", .rule = infer_same},
    {.op = "Tanh", .rule = infer_same},
    {.op = "TensorScatter", .rule = infer_same},
    {.op = "ThresholdedRelu", .rule = infer_same},
    {.op = "Tile", .rule = infer_tile, .data = data_expand},
    {.op = "TopK", .rule = infer_top_k},
    {.op = "Transpose", .rule = infer_transpose, .data = data_transpose},
    {.op = "Trilu", .rule = infer_same},
    {.op = "Unique", .rule = infer_unique},
    {.op = "Unsqueeze", .rule = infer_unsqueeze, .data = data_copy},
    {.op = "Upsample", .rule = infer_upsample},
    {.op = "Where", .rule = infer_where, .data = data_where},
    {.op = "Xor", .rule = infer_arith, .arg = ONNX_BOOL, .data = data_binary, .data_arg = DATA_XOR},
};

static const struct infer_row microsoft[] = {
    {.op = "Attention", .rule = infer_ms_attention, .arg = 1, .data_arg = 4, .macs = macs_ms_attention},
    {.op = "BeamSearch", .rule = infer_search, .arg = 4, .macs = macs_unknown},
    {.op = "BiasAdd", .rule = infer_same},
    {.op = "BiasDropout", .rule = infer_dropout, .arg = ONNX_BOOL},
    {.op = "BiasFastGeluGrad_dX", .rule = infer_same},
    {.op = "BiasGelu", .rule = infer_same},
    {.op = "BiasGeluGrad_dX", .rule = infer_same},
    {.op = "BiasSoftmax", .rule = infer_same},
    {.op = "BiasSplitGelu", .rule = infer_bias_split_gelu},
    {.op = "CDist", .rule = infer_cdist, .macs = macs_unknown},
    {.op = "ComplexMul", .rule = infer_arith},
    {.op = "ComplexMulConj", .rule = infer_arith},
    {.op = "ConcatTraining", .rule = infer_concat, .arg = 1},
    {.op = "DecoderMaskedMultiHeadAttention", .rule = infer_multi_head_attention, .arg = 5, .macs = macs_unknown},
    {.op = "DecoderMaskedSelfAttention", .rule = infer_ms_attention, .arg = 1, .data_arg = 4, .macs = macs_unknown},
    {.op = "DequantizeLinear", .rule = infer_dequantize},
    {.op = "DequantizeWithOrder", .rule = infer_cast},
    {.op = "DynamicQuantizeLSTM", .rule = infer_recurrent, .macs = macs_recurrent},
    {.op = "DynamicQuantizeMatMul", .rule = infer_matmul, .arg = ONNX_FLOAT, .macs = macs_matmul},
    {.op = "EmbedLayerNormalization", .rule = infer_embed_layer_norm},
    {.op = "ExpandDims", .rule = infer_unsqueeze},
    {.op = "FastGelu", .rule = infer_same},
    {.op = "FusedConv", .rule = infer_conv, .arg = 1, .macs = macs_conv},
    {.op = "FusedGemm", .rule = infer_gemm, .macs = macs_gemm},
    {.op = "FusedMatMul", .rule = infer_fused_matmul, .macs = macs_fused_matmul},
    {.op = "FusedMatMulActivation", .rule = infer_fused_matmul, .macs = macs_fused_matmul},
    {.op = "GatedRMSNorm", .rule = infer_same},
    {.op = "GatedRelativePositionBias", .rule = infer_gated_relative_bias, .macs = macs_unknown},
    {.op = "GatherBlockQuantized", .rule = infer_gather_block_quantized},
    {.op = "GatherND", .rule = infer_gather_nd},
    {.op = "Gelu", .rule = infer_same},
    {.op = "GemmFastGelu", .rule = infer_matmul, .macs = macs_matmul},
    {.op = "GemmFloat8", .rule = infer_gemm, .arg = ONNX_FLOAT, .macs = macs_gemm},
    {.op = "GreedySearch", .rule = infer_search, .macs = macs_unknown},
    {.op = "GridSample", .rule = infer_grid_sample},
    {.op = "GroupNorm", .rule = infer_same},
    {.op = "GroupQueryAttention", .rule = infer_group_query_attention, .macs = macs_group_query_attention},
    {.op = "Inverse", .rule = infer_same},
    {.op = "Irfft", .rule = infer_irfft},
    {.op = "IsAllFinite", .rule = infer_scalar, .arg = ONNX_BOOL},
    {.op = "LayerNormalization", .rule = infer_layer_norm, .arg = 1},
    {.op = "LogSoftmaxGrad_13", .rule = infer_same},
    {.op = "LongformerAttention", .rule = infer_same, .macs = macs_unknown},
    {.op = "MatMulBnb4", .rule = infer_matmul_nbits, .macs = macs_matmul_nbits},
    {.op = "MatMulFpQ4", .rule = infer_matmul_nbits, .macs = macs_matmul_nbits},
    {.op = "MatMulInteger16", .rule = infer_matmul, .arg = ONNX_INT32, .macs = macs_matmul},
    {.op = "MatMulIntegerToFloat", .rule = infer_matmul, .arg = ONNX_FLOAT, .macs = macs_matmul},
    {.op = "MatMulNBits", .rule = infer_matmul_nbits, .macs = macs_matmul_nbits},
    {.op = "MaxpoolWithMask", .rule = infer_pool},
    {.op = "MoE", .rule = infer_same_shape, .arg = 2, .macs = macs_moe},
    {.op = "MulInteger", .rule = infer_qlinear_binary, .arg = 2, .data_arg = ONNX_INT32},
    {.op = "MultiHeadAttention", .rule = infer_multi_head_attention, .arg = 6, .macs = macs_multi_head_attention},
    {.op = "NhwcConv", .rule = infer_conv, .arg = 1, .data_arg = INFER_NHWC, .macs = macs_conv},
    {.op = "NhwcFusedConv", .rule = infer_conv, .arg = 1, .data_arg = INFER_NHWC, .macs = macs_conv},
    {.op = "NhwcMaxPool", .rule = infer_pool, .data_arg = INFER_NHWC},
    {.op = "PackedAttention", .rule = infer_packed_attention, .arg = 1, .macs = macs_unknown},
    {.op = "PackedMultiHeadAttention", .rule = infer_packed_attention, .macs = macs_unknown},
    {.op = "Pad", .rule = infer_pad},
    {.op = "QAttention", .rule = infer_ms_attention, .arg = 1, .data_arg = 8, .macs = macs_ms_attention},
    {.op = "QEmbedLayerNormalization", .rule = infer_embed_layer_norm, .arg = ONNX_FLOAT},
    {.op = "QGemm", .rule = infer_qgemm, .data_arg = 3, .macs = macs_gemm},
    {.op = "QLinearAdd", .rule = infer_qlinear_binary, .arg = 3},
    {.op = "QLinearAveragePool", .rule = infer_pool},
    {.op = "QLinearConcat", .rule = infer_qlinear_concat},
    {.op = "QLinearConv", .rule = infer_conv, .arg = 3, .macs = macs_qlinear_conv},
    {.op = "QLinearGlobalAveragePool", .rule = infer_qlinear_global_pool},
    {.op = "QLinearLeakyRelu", .rule = infer_same},
    {.op = "QLinearMul", .rule = infer_qlinear_binary, .arg = 3},
    {.op = "QLinearReduceMean", .rule = infer_reduce},
    {.op = "QLinearSigmoid", .rule = infer_same},
    {.op = "QLinearSoftmax", .rule = infer_same},
    {.op = "QLinearWhere", .rule = infer_qlinear_where},
    {.op = "QMoE", .rule = infer_same_shape, .arg = 3, .macs = macs_moe},
    {.op = "QOrderedGelu", .rule = infer_same},
    {.op = "QOrderedLayerNormalization", .rule = infer_same},
    {.op = "QuantizeLinear", .rule = infer_quantize},
    {.op = "QuantizeWithOrder", .rule = infer_same, .arg = ONNX_INT8},
    {.op = "QuickGelu", .rule = infer_same},
    {.op = "Range", .rule = infer_range, .data = data_range},
    {.op = "RelativePositionBias", .rule = infer_relative_bias},
    {.op = "RemovePadding", .rule = infer_remove_padding},
    {.op = "RestorePadding", .rule = infer_restore_padding},
    {.op = "Rfft", .rule = infer_rfft},
    {.op = "RotaryEmbedding", .rule = infer_same},
    {.op = "Sampling", .rule = infer_search, .macs = macs_unknown},
    {.op = "SimplifiedLayerNormalization", .rule = infer_layer_norm, .arg = 1},
    {.op = "SkipGroupNorm", .rule = infer_same_twice},
    {.op = "SkipLayerNormalization", .rule = infer_skip_layer_norm},
    {.op = "SkipSimplifiedLayerNormalization", .rule = infer_skip_layer_norm},
    {.op = "SoftmaxGrad_13", .rule = infer_same},
    {.op = "SparseAttention", .rule = infer_group_query_attention, .macs = macs_unknown},
    {.op = "TorchEmbedding", .rule = infer_gather},
    {.op = "TransposeMatMul", .rule = infer_fused_matmul, .macs = macs_fused_matmul},
    {.op = "Trilu", .rule = infer_same},
    {.op = "Unique", .rule = infer_unique},
    {.op = "WhisperBeamSearch", .rule = infer_search, .arg = 4, .macs = macs_unknown},
};

static const struct infer_row classic[] = {
    {.op = "ArrayFeatureExtractor", .rule = infer_array_feature},
    {.op = "Binarizer", .rule = infer_same},
    {.op = "FeatureVectorizer", .rule = infer_feature_vectorizer},
    {.op = "Imputer", .rule = infer_same},
    {.op = "LabelEncoder", .rule = infer_label_encoder},
    {.op = "LinearClassifier", .rule = infer_classifier},
    {.op = "LinearRegressor", .rule = infer_regressor},
    {.op = "Normalizer", .rule = infer_same, .arg = ONNX_FLOAT},
    {.op = "SVMClassifier", .rule = infer_classifier},
    {.op = "SVMRegressor", .rule = infer_regressor},
    {.op = "Scaler", .rule = infer_same, .arg = ONNX_FLOAT},
    {.op = "TreeEnsembleClassifier", .rule = infer_classifier},
    {.op = "TreeEnsembleRegressor", .rule = infer_regressor},
};
// clang-format on

static const struct {
    const char *domain;
    const struct infer_row *rows;
    uint32_t n;
} tables[] = {
    {"", standard, ARRAY_LEN(standard)},
    {"com.microsoft", microsoft, ARRAY_LEN(microsoft)},
    {"ai.onnx.ml", classic, ARRAY_LEN(classic)},
};

// A row's number in the index: its table and its place there.
#define PLACE_BITS 16

// "Conv", "com.microsoft\nGelu"; {NULL, 0} when it is too long.
static struct str write_key(char *out, struct str domain, struct str op) {
    if (onnx_domain_is_standard(domain)) {
        return op.n < KEY_MAX ? op : (struct str){NULL, 0};
    }
    if (domain.n + 1 + op.n > KEY_MAX) {
        return (struct str){NULL, 0};
    }
    memcpy(out, domain.p, domain.n);
    out[domain.n] = '\n';
    if (op.n) {
        memcpy(out + domain.n + 1, op.p, op.n);
    }
    return (struct str){out, domain.n + 1 + op.n};
}

static int index_row(struct map *index, struct arena *arena, uint32_t table, uint32_t place,
                     struct error *err) {
    char text[KEY_MAX];
    struct str op = str_from(tables[table].rows[place].op);
    struct str key = write_key(text, str_from(tables[table].domain), op);
    if (key.p == text) {
        key = arena_str(arena, key);
    }
    if (!key.n) {
        return arena_error(arena, "shapes", err);
    }
    return map_put(index, key, table << PLACE_BITS | place, err);
}

int infer_table_index(struct map *index, struct arena *arena, struct error *err) {
    int result = map_reserve(index, ARRAY_LEN(standard) + ARRAY_LEN(microsoft), err);
    for (uint32_t t = 0; t < ARRAY_LEN(tables); t++) {
        for (uint32_t i = 0; i < tables[t].n && result == 0; i++) {
            result = index_row(index, arena, t, i, err);
        }
    }
    return result;
}

const struct infer_row *infer_table_find(const struct map *index, const struct onnx_node *node) {
    char text[KEY_MAX];
    struct str key = write_key(text, node->domain, node->op);
    uint32_t row = key.n ? map_get(index, key) : MAP_NONE;
    if (row == MAP_NONE) {
        return NULL;
    }
    return &tables[row >> PLACE_BITS].rows[row & ((1u << PLACE_BITS) - 1)];
}
