// Operators that ONNX Runtime makes out of several:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include "graph/infer_rules.h"

// input ids (B, S), ..., word embedding (vocabulary, hidden) -> (B, S, hidden), mask index (B),
// sum (B, S, hidden)
void infer_embed_layer_norm(struct infer *c) {
    const struct graph_tensor_type *ids = infer_in(c, 0), *words = infer_in(c, 2);
    struct graph_dim dims[3] = {dim_to(infer_dim_in(c, 0, 0)), dim_to(infer_dim_in(c, 0, 1)),
                                dim_to(infer_dim_in(c, 2, 1))};
    if (!ids->has_rank) {
        return;
    }
    infer_out(c, 0, words->dtype, 3, dims);
    infer_out(c, 1, ONNX_INT32, 1, dims);
    infer_out(c, 2, words->dtype, 3, dims);
}

// Output, mean, inverse deviation, and the sum of input and skip.
void infer_skip_layer_norm(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    infer_out_shape(c, 0, in->dtype, in);
    infer_out_shape(c, 3, in->dtype, in);
    if (!in->has_rank || in->rank == 0) {
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    dims[in->rank - 1] = infer_known_dim(1);
    infer_out(c, 1, ONNX_FLOAT, in->rank, dims);
    infer_out(c, 2, ONNX_FLOAT, in->rank, dims);
}

// One half gates the other.
void infer_bias_split_gelu(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    if (!in->has_rank || in->rank == 0) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    dims[in->rank - 1] = dim_to(dim_exact_div(c->job->dims, infer_dim_in(c, 0, -1), dim_int(2)));
    infer_out(c, 0, in->dtype, in->rank, dims);
}

// (B, S, hidden) and counts -> (tokens, hidden), offsets (B, S), cumulated (B + 1), longest (1)
void infer_remove_padding(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct dim_num batch = infer_dim_in(c, 0, 0);
    struct graph_dim out[2] = {infer_unknown_dim(), dim_to(infer_dim_in(c, 0, 2))};
    struct graph_dim offsets[2] = {dim_to(batch), dim_to(infer_dim_in(c, 0, 1))};
    struct graph_dim sums = dim_to(dim_add(c->job->dims, batch, dim_int(1)));
    struct graph_dim one = infer_known_dim(1);
    infer_out(c, 0, in->dtype, 2, out);
    infer_out(c, 1, ONNX_INT32, 2, offsets);
    infer_out(c, 2, ONNX_INT32, 1, &sums);
    infer_out(c, 3, ONNX_INT32, 1, &one);
}

// (tokens, hidden) and offsets (B, S) -> (B, S, hidden)
void infer_restore_padding(struct infer *c) {
    struct graph_dim dims[3] = {dim_to(infer_dim_in(c, 1, 0)), dim_to(infer_dim_in(c, 1, 1)),
                                dim_to(infer_dim_in(c, 0, 1))};
    infer_out(c, 0, infer_in(c, 0)->dtype, 3, dims);
}
