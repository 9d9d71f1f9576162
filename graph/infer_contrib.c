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
    int32_t dtype = c->row->arg ? c->row->arg : words->dtype;
    infer_out(c, 0, dtype, 3, dims);
    infer_out(c, 1, ONNX_INT32, 1, dims);
    infer_out(c, 2, dtype, 3, dims);
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

// Gather from a table of quantised blocks; bytes of less than 8 bits a number are packed along the
// last dim.
void infer_gather_block_quantized(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0), *at = infer_in(c, 1);
    struct graph_dim dims[2 * INFER_RANK_MAX];
    int32_t dtype = infer_in(c, 2)->dtype;
    int64_t bits = infer_attr_int(c, "bits", 4);
    bool is_packed = in->dtype == ONNX_UINT8 && bits > 0 && bits < 8;
    uint32_t axis, rank = 0;
    if (!in->has_rank || !at->has_rank ||
        !infer_axis(infer_attr_int(c, "gather_axis", 0), in->rank, &axis)) {
        infer_out_unranked(c, 0, dtype);
        return;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        for (uint32_t k = 0; i == axis && k < at->rank; k++) {
            dims[rank++] = at->dims[k];
        }
        if (i == axis) {
            continue;
        }
        struct dim_num size = dim_from(in->dims[i]);
        if (is_packed && i == in->rank - 1) {
            size = dim_mul(c->job->dims, size, dim_int(8 / bits));
        }
        dims[rank++] = dim_to(size);
    }
    infer_out(c, 0, dtype, rank, dims);
}

static struct dim_num only_element(struct infer *c, uint32_t slot) {
    const struct infer_data *data = infer_data_in(c, slot);
    return data && data->n == 1 ? data->nums[0] : (struct dim_num){.kind = DIM_UNKNOWN};
}

// Table (buckets, heads), lengths of query and key -> (1, heads, query, key)
void infer_relative_bias(struct infer *c) {
    struct graph_dim dims[4] = {infer_known_dim(1), dim_to(infer_dim_in(c, 0, 1)),
                                dim_to(only_element(c, 1)), dim_to(only_element(c, 2))};
    infer_out(c, 0, infer_in(c, 0)->dtype, 4, dims);
}

// rel_pos (1, heads, S, S) for each batch entry of the query, or of the offsets of packed tokens.
void infer_gated_relative_bias(struct infer *c) {
    struct graph_dim dims[4] = {dim_to(infer_dim_in(c, infer_has(c, 6) ? 6 : 0, 0)),
                                dim_to(infer_dim_in(c, 2, 1)), dim_to(infer_dim_in(c, 2, 2)),
                                dim_to(infer_dim_in(c, 2, 3))};
    infer_out(c, 0, infer_in(c, 0)->dtype, 4, dims);
}

// input ids (B, S), maximum length, ... -> token ids (B, [sequences of each,] length); arg: slot of
// the number of sequences, 0 = one.
void infer_search(struct infer *c) {
    uint32_t rank = 0;
    struct graph_dim dims[3];
    dims[rank++] = dim_to(infer_dim_in(c, 0, 0));
    if (c->row->arg) {
        dims[rank++] = dim_to(only_element(c, (uint32_t)c->row->arg));
    }
    dims[rank++] = dim_to(only_element(c, 1));
    infer_out(c, 0, ONNX_INT32, rank, dims);
}

// (M, K) and (N, K) -> (M, N)
void infer_cdist(struct infer *c) {
    struct graph_dim dims[2] = {dim_to(infer_dim_in(c, 0, 0)), dim_to(infer_dim_in(c, 1, 0))};
    infer_out(c, 0, infer_in(c, 0)->dtype, 2, dims);
}
