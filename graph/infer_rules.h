// All rules, by family: private to graph/infer*.c and graph/macs.c.
//
// "arg" below is that of the row in graph/infer_table.c. A rule whose comment says nothing about
// types keeps the element type of its first input.
#pragma once

#include "graph/infer.h"

// ---- building shapes

// Copies the shape without one dim, or with one more at `at`; room for the rank plus 1.
void infer_remove_dim(struct graph_dim *dims, const struct graph_tensor_type *type, uint32_t at);
void infer_insert_dim(struct graph_dim *dims, const struct graph_tensor_type *type, uint32_t at,
                      struct graph_dim dim);
// Gives a type dims of its own, copied.
void infer_keep_dims(struct infer *c, struct graph_tensor_type *type, const struct graph_dim *dims,
                     uint32_t rank);

// The dims that Shape gives out: `n` from `first` on; false when the rank is unknown.
bool infer_shape_part(const struct infer *c, uint32_t *first, uint32_t *n);

// ---- elementwise (infer_elementwise.c)

infer_rule infer_same;        // like the first input; arg: dtype, 0 = its own
infer_rule infer_same_shape;  // like the first input
infer_rule infer_same_twice;
infer_rule infer_shape_attr_dtype;  // like the first input; dtype attribute, without it arg, 0 =
                                    // own
infer_rule infer_arith;             // all inputs broadcast; arg: dtype, 0 = that of the inputs
infer_rule infer_where;
infer_rule infer_cast;
infer_rule infer_cast_like;
infer_rule infer_dropout;     // arg: dtype of the mask, 0 = that of the opset
infer_rule infer_layer_norm;  // statistics have 1 from `axis` on; arg: output of the first one
infer_rule infer_batch_norm;

// ---- reductions (infer_reduce.c)

infer_rule infer_reduce;
infer_rule infer_arg_reduce;
infer_rule infer_top_k;
infer_rule infer_loss;
infer_rule infer_scalar;  // arg: dtype, 0 = that of the input

// ---- convolution and pooling (infer_conv.c, infer_pool.c)

infer_rule infer_conv;  // arg: slot of the weight
infer_rule infer_conv_integer;
infer_rule infer_conv_transpose;
infer_rule infer_pool;  // arg: dtype of the second output, 0 = none
infer_rule infer_global_pool;
infer_rule infer_max_unpool;
infer_rule infer_roi_pool;
infer_rule infer_roi_align;
infer_rule infer_col2im;

// ---- products of matrices (infer_matmul.c)

infer_rule infer_matmul;  // arg: dtype, 0 = that of the input
infer_rule infer_qlinear_matmul;
infer_rule infer_fused_matmul;
infer_rule infer_gemm;  // arg: dtype, 0 = that of the input
infer_rule infer_matmul_nbits;
infer_rule infer_einsum;
infer_rule infer_det;

// ---- shape manipulation (infer_move.c, infer_reshape.c, infer_slice.c, infer_gather.c)

infer_rule infer_reshape;
infer_rule infer_flatten;
infer_rule infer_squeeze;
infer_rule infer_unsqueeze;
infer_rule infer_transpose;
infer_rule infer_expand;
infer_rule infer_tile;
infer_rule infer_pad;
infer_rule infer_concat;  // arg: axis without the attribute
infer_rule infer_split;
infer_rule infer_depth_to_space;
infer_rule infer_space_to_depth;
infer_rule infer_slice;
infer_rule infer_center_crop;
infer_rule infer_gather;
infer_rule infer_gather_elements;
infer_rule infer_gather_nd;
infer_rule infer_compress;
infer_rule infer_non_zero;
infer_rule infer_unique;
infer_rule infer_one_hot;
infer_rule infer_nms;
infer_rule infer_array_feature;

// ---- tensors out of nothing (infer_create.c)

infer_rule infer_constant;
infer_rule infer_constant_of_shape;
infer_rule infer_shape_of;
infer_rule infer_size_of;
infer_rule infer_range;
infer_rule infer_random;  // shape attribute
infer_rule infer_eye_like;
infer_rule infer_multinomial;
infer_rule infer_window;

// ---- signals and images (infer_resize.c, infer_signal.c)

infer_rule infer_resize;
infer_rule infer_upsample;
infer_rule infer_grid_sample;
infer_rule infer_affine_grid;
infer_rule infer_dft;
infer_rule infer_stft;
infer_rule infer_rfft;
infer_rule infer_irfft;
infer_rule infer_mel;

// ---- sequences and optionals (infer_sequence.c)

infer_rule infer_sequence_construct;
infer_rule infer_sequence_empty;
infer_rule infer_sequence_at;
infer_rule infer_sequence_insert;
infer_rule infer_sequence_erase;
infer_rule infer_sequence_length;
infer_rule infer_split_to_sequence;
infer_rule infer_concat_from_sequence;
infer_rule infer_optional;
infer_rule infer_optional_get;
infer_rule infer_identity;

// ---- recurrent (infer_recurrent.c): arg: gates

infer_rule infer_recurrent;

// ---- quantised (infer_quant.c)

infer_rule infer_quantize;
infer_rule infer_dequantize;
infer_rule infer_dynamic_quantize;
infer_rule infer_qlinear_binary;  // arg: slot of the second operand; data_arg: dtype, 0 = its own
infer_rule infer_qlinear_where;
infer_rule infer_qlinear_global_pool;
infer_rule infer_qlinear_concat;
infer_rule infer_qgemm;

// ---- control flow (infer_control.c)

infer_rule infer_if;
infer_rule infer_loop;
infer_rule infer_scan;

// ---- attention (infer_attention.c) and other operators of ONNX Runtime (infer_contrib.c)

infer_rule infer_attention;
infer_rule infer_ms_attention;          // arg: slot of the packed weights; data_arg: of the past
infer_rule infer_multi_head_attention;  // arg: slot of the past keys
infer_rule infer_packed_attention;      // arg: 1 = weights are packed into one
infer_rule infer_group_query_attention;
infer_rule infer_embed_layer_norm;  // arg: dtype, 0 = that of the words
infer_rule infer_skip_layer_norm;
infer_rule infer_bias_split_gelu;
infer_rule infer_remove_padding;
infer_rule infer_restore_padding;
infer_rule infer_gather_block_quantized;
infer_rule infer_relative_bias;
infer_rule infer_gated_relative_bias;
infer_rule infer_search;
infer_rule infer_cdist;

// ---- ai.onnx.ml (infer_ml.c)

infer_rule infer_label_encoder;
infer_rule infer_classifier;
infer_rule infer_regressor;
infer_rule infer_feature_vectorizer;

// ---- values of small tensors (infer_data.c, infer_data_math.c, infer_data_move.c)

infer_rule data_copy;  // the elements of the first input
infer_rule data_cast;
infer_rule data_constant;
infer_rule data_shape;
infer_rule data_size;
infer_rule data_fill;  // ConstantOfShape
infer_rule data_range;
infer_rule data_unary;   // data_arg: enum data_op
infer_rule data_binary;  // data_arg: enum data_op
infer_rule data_where;
infer_rule data_reduce;  // data_arg: enum data_op
infer_rule data_gather;
infer_rule data_slice;
infer_rule data_concat;
infer_rule data_split;
infer_rule data_transpose;
infer_rule data_expand;  // Expand and Tile

enum data_op {
    DATA_ADD,
    DATA_SUB,
    DATA_MUL,
    DATA_DIV,
    DATA_MOD,
    DATA_POW,
    DATA_MIN,
    DATA_MAX,
    DATA_EQUAL,
    DATA_LESS,
    DATA_LESS_EQUAL,
    DATA_GREATER,
    DATA_GREATER_EQUAL,
    DATA_AND,
    DATA_OR,
    DATA_XOR,
    DATA_NEG,
    DATA_ABS,
    DATA_NOT,
    DATA_FLOOR,
    DATA_CEIL,
    DATA_ROUND,
    DATA_SQRT,
    DATA_SIGN,
    DATA_RECIPROCAL,
};

// ---- multiply-accumulates (macs.c)

infer_macs macs_conv;
infer_macs macs_qlinear_conv;
infer_macs macs_conv_transpose;
infer_macs macs_matmul;
infer_macs macs_fused_matmul;
infer_macs macs_qlinear_matmul;
infer_macs macs_gemm;
infer_macs macs_matmul_nbits;
infer_macs macs_einsum;
infer_macs macs_recurrent;
infer_macs macs_attention;
infer_macs macs_ms_attention;
infer_macs macs_multi_head_attention;
infer_macs macs_group_query_attention;
infer_macs macs_moe;  // arg: slots from one matrix of the experts to the next
infer_macs macs_unknown;
