// Fourier transforms: the last dim holds real and imaginary part.
#include "graph/infer_rules.h"

static struct dim_num half_spectrum(struct infer *c, struct dim_num n) {
    struct dim_num half = dim_floor_div(c->job->dims, n, dim_int(2));
    return dim_add(c->job->dims, half, dim_int(1));
}

static bool is_one_sided(const struct infer *c, int64_t otherwise) {
    return infer_attr_int(c, "onesided", otherwise) != 0;
}

// Rfft of ONNX Runtime: (..., n) to (..., n / 2 + 1, 2); the whole spectrum with onesided = 0.
void infer_rfft(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX + 1];
    if (!in->has_rank || in->rank == 0) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    infer_insert_dim(dims, in, in->rank, infer_known_dim(2));
    if (is_one_sided(c, 1)) {
        dims[in->rank - 1] = dim_to(half_spectrum(c, infer_dim_in(c, 0, -1)));
    }
    infer_out(c, 0, in->dtype, in->rank + 1, dims);
}

// Irfft of ONNX Runtime: (..., n, 2) to (..., 2 * (n - 1)).
void infer_irfft(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    if (!in->has_rank || in->rank < 2) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    if (is_one_sided(c, 1)) {
        struct dim_num half = dim_sub(c->job->dims, infer_dim_in(c, 0, -2), dim_int(1));
        dims[in->rank - 2] = dim_to(dim_mul(c->job->dims, half, dim_int(2)));
    }
    infer_out(c, 0, in->dtype, in->rank - 1, dims);
}

// The axis is an attribute before opset 20 and the third input since.
void infer_dft(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct infer_data *length = infer_data_in(c, 1);
    struct graph_dim dims[INFER_RANK_MAX];
    int64_t axis = c->opset < 20 ? 1 : -2;
    uint32_t at;
    bool known = !infer_has(c, 2) || infer_int_in(c, 2, &axis);
    if (!in->has_rank || !known || !infer_axis(infer_attr_int(c, "axis", axis), in->rank, &at)) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    if (infer_has(c, 1)) {
        dims[at] = length && length->n == 1 ? dim_to(length->nums[0]) : infer_unknown_dim();
    }
    bool inverse = infer_attr_int(c, "inverse", 0) != 0;
    if (is_one_sided(c, 0) && !inverse) {
        dims[at] = dim_to(half_spectrum(c, dim_from(dims[at])));
    }
    dims[in->rank - 1] = infer_known_dim(is_one_sided(c, 0) && inverse ? 1 : 2);
    infer_out(c, 0, in->dtype, in->rank, dims);
}

// signal, frame_step, window, frame_length -> (batch, frames, bins, 2)
void infer_stft(struct infer *c) {
    struct dim_pool *pool = c->job->dims;
    const struct infer_data *step = infer_data_in(c, 1), *length = infer_data_in(c, 3);
    struct dim_num size =
        infer_has(c, 3) ? (struct dim_num){.kind = DIM_UNKNOWN} : infer_dim_in(c, 2, 0);
    struct graph_dim dims[4] = {dim_to(infer_dim_in(c, 0, 0)), infer_unknown_dim(),
                                infer_unknown_dim(), infer_known_dim(2)};
    if (length && length->n == 1) {
        size = length->nums[0];
    }
    if (step && step->n == 1) {
        struct dim_num room = dim_sub(pool, infer_dim_in(c, 0, 1), size);
        dims[1] = dim_to(dim_add(pool, dim_floor_div(pool, room, step->nums[0]), dim_int(1)));
    }
    dims[2] = dim_to(is_one_sided(c, 1) ? half_spectrum(c, size) : size);
    infer_out(c, 0, infer_in(c, 0)->dtype, 4, dims);
}

// num_mel_bins, dft_length, ... -> (dft_length / 2 + 1, num_mel_bins)
void infer_mel(struct infer *c) {
    const struct infer_data *bins = infer_data_in(c, 0), *length = infer_data_in(c, 1);
    struct graph_dim dims[2] = {infer_unknown_dim(), infer_unknown_dim()};
    if (length && length->n == 1) {
        dims[0] = dim_to(half_spectrum(c, length->nums[0]));
    }
    if (bins && bins->n == 1) {
        dims[1] = dim_to(bins->nums[0]);
    }
    infer_out(c, 0, (int32_t)infer_attr_int(c, "output_datatype", ONNX_FLOAT), 2, dims);
}
