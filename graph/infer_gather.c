// Operators that pick elements by index, and those whose results only the data can count.
#include "graph/infer_rules.h"

static void state_unknown(struct infer *c, int32_t dtype) {
    infer_out_unranked(c, 0, dtype);
}

void infer_gather(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0), *at = infer_in(c, 1);
    struct graph_dim dims[2 * INFER_RANK_MAX];
    uint32_t axis;
    if (!in->has_rank || !at->has_rank ||
        !infer_axis(infer_attr_int(c, "axis", 0), in->rank, &axis)) {
        state_unknown(c, in->dtype);
        return;
    }
    uint32_t rank = 0;
    for (uint32_t i = 0; i < axis; i++) {
        dims[rank++] = in->dims[i];
    }
    for (uint32_t i = 0; i < at->rank; i++) {
        dims[rank++] = at->dims[i];
    }
    for (uint32_t i = axis + 1; i < in->rank; i++) {
        dims[rank++] = in->dims[i];
    }
    infer_out(c, 0, in->dtype, rank, dims);
}

void infer_gather_elements(struct infer *c) {
    infer_out_shape(c, 0, infer_in(c, 0)->dtype, infer_in(c, 1));
}

void infer_gather_nd(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0), *at = infer_in(c, 1);
    struct graph_dim dims[2 * INFER_RANK_MAX];
    int64_t batch = infer_attr_int(c, "batch_dims", 0);
    int64_t depth = at->has_rank && at->rank ? at->dims[at->rank - 1].value : -1;
    if (!in->has_rank || depth < 0 || batch < 0 || depth > (int64_t)in->rank ||
        batch > (int64_t)in->rank - depth) {
        state_unknown(c, in->dtype);
        return;
    }
    uint32_t rank = 0;
    for (uint32_t i = 0; i + 1 < at->rank; i++) {
        dims[rank++] = at->dims[i];
    }
    for (uint32_t i = (uint32_t)(batch + depth); i < in->rank; i++) {
        dims[rank++] = in->dims[i];
    }
    infer_out(c, 0, in->dtype, rank, dims);
}

// Without an axis the input is taken as one row.
void infer_compress(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX] = {infer_unknown_dim()};
    uint32_t axis;
    if (!infer_has_attr(c, "axis")) {
        infer_out(c, 0, in->dtype, 1, dims);
        return;
    }
    if (!in->has_rank || !infer_axis(infer_attr_int(c, "axis", 0), in->rank, &axis)) {
        state_unknown(c, in->dtype);
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    dims[axis] = infer_unknown_dim();
    infer_out(c, 0, in->dtype, in->rank, dims);
}

static bool count_non_zero(const struct infer_data *data, int64_t *n) {
    *n = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        if (data->nums[i].kind == DIM_INT) {
            *n += data->nums[i].i != 0;
        } else if (data->nums[i].kind == DIM_REAL) {
            *n += data->nums[i].real < 0 || data->nums[i].real > 0;
        } else {
            return false;
        }
    }
    return true;
}

void infer_non_zero(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct infer_data *data = infer_data_in(c, 0);
    struct graph_dim dims[2] = {infer_known_dim(in->has_rank ? (int64_t)in->rank : -1),
                                infer_unknown_dim()};
    int64_t n;
    if (data && count_non_zero(data, &n)) {
        dims[1] = infer_known_dim(n);
    }
    infer_out(c, 0, ONNX_INT64, 2, dims);
}

void infer_unique(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX] = {infer_unknown_dim()}, one = infer_unknown_dim();
    uint32_t axis;
    for (uint32_t i = 1; i < 4; i++) {
        infer_out(c, i, ONNX_INT64, 1, &one);
    }
    if (!infer_has_attr(c, "axis")) {
        infer_out(c, 0, in->dtype, 1, dims);
        return;
    }
    if (!in->has_rank || !infer_axis(infer_attr_int(c, "axis", 0), in->rank, &axis)) {
        state_unknown(c, in->dtype);
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    dims[axis] = infer_unknown_dim();
    infer_out(c, 0, in->dtype, in->rank, dims);
}

void infer_one_hot(struct infer *c) {
    const struct graph_tensor_type *at = infer_in(c, 0);
    const struct infer_data *depth = infer_data_in(c, 1);
    struct graph_dim dims[INFER_RANK_MAX + 1];
    int32_t dtype = infer_in(c, 2)->dtype;
    uint32_t axis;
    if (!at->has_rank || at->rank == INFER_RANK_MAX ||
        !infer_axis(infer_attr_int(c, "axis", -1), at->rank + 1, &axis)) {
        state_unknown(c, dtype);
        return;
    }
    struct dim_num n = {.kind = DIM_UNKNOWN};
    if (depth && depth->n == 1) {
        n = depth->nums[0].kind == DIM_REAL ? dim_int((int64_t)depth->nums[0].real)
                                            : depth->nums[0];
    }
    infer_insert_dim(dims, at, axis, dim_to(n));
    infer_out(c, 0, dtype, at->rank + 1, dims);
}

// Indices of the boxes that stay: (n, [batch, class, box]).
void infer_nms(struct infer *c) {
    struct graph_dim dims[2] = {infer_unknown_dim(), infer_known_dim(3)};
    infer_out(c, 0, ONNX_INT64, 2, dims);
}

// ArrayFeatureExtractor: the columns named by the second input.
void infer_array_feature(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    if (!in->has_rank || in->rank == 0) {
        state_unknown(c, in->dtype);
        return;
    }
    uint32_t rank = in->rank == 1 ? 2 : in->rank;
    dims[0] = infer_known_dim(1);
    if (in->rank > 1) {
        memcpy(dims, in->dims, in->rank * sizeof(*dims));
    }
    dims[rank - 1] = dim_to(infer_elements(c, infer_in(c, 1)));
    infer_out(c, 0, in->dtype, rank, dims);
}
