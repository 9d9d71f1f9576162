// Convolutions: input (N, C, D1, ...), weight (M, C/group, k1, ...).
#include "base/num.h"
#include "graph/infer_rules.h"
#include "graph/infer_window.h"

// The kernel is in the weight when no attribute has it.
static void kernel_of_weight(struct infer_window *w, const struct graph_tensor_type *weight) {
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->kernel[i] < 0 && weight->has_rank && weight->rank == w->n + 2) {
            w->kernel[i] = weight->dims[i + 2].value;
        }
    }
}

static uint32_t spatial_dims(const struct graph_tensor_type *in,
                             const struct graph_tensor_type *weight) {
    uint32_t rank = in->has_rank ? in->rank : weight->has_rank ? weight->rank : 0;
    return rank > 2 ? rank - 2 : 0;
}

static struct graph_dim dim_at(const struct graph_tensor_type *type, uint32_t at) {
    return type->has_rank && at < type->rank ? type->dims[at] : infer_unknown_dim();
}

static void state_conv(struct infer *c, int32_t dtype, uint32_t weight_slot) {
    const struct graph_tensor_type *in = infer_in(c, 0), *weight = infer_in(c, weight_slot);
    struct graph_dim dims[INFER_RANK_MAX];
    struct infer_window w;
    uint32_t n = spatial_dims(in, weight);
    if (n == 0 || !infer_window_read(c, n, &w)) {
        infer_out_unranked(c, 0, dtype);
        return;
    }
    kernel_of_weight(&w, weight);
    bool last = infer_channels_last(c);
    dims[0] = dim_at(in, 0);
    dims[infer_channels_at(last, n + 2)] = dim_at(weight, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = infer_spatial_at(last, i);
        dims[at] = infer_window_dim(c, &w, i, dim_at(in, at));
    }
    infer_out(c, 0, dtype, n + 2, dims);
}

void infer_conv(struct infer *c) {
    int32_t dtype = infer_in(c, 0)->dtype;
    uint32_t weight = (uint32_t)c->row->arg;
    if (weight == 3) {  // QLinearConv: the type is that of the output's zero point
        dtype = infer_in(c, 7)->dtype;
    }
    state_conv(c, dtype, weight);
}

void infer_conv_integer(struct infer *c) {
    state_conv(c, ONNX_INT32, 1);
}

// Inverse of the convolution's arithmetic, plus output_padding.
static struct graph_dim transposed_dim(struct infer *c, const struct infer_window *w, uint32_t i,
                                       struct graph_dim in, int64_t output_padding) {
    struct dim_pool *pool = c->job->dims;
    int64_t extent;
    struct dim_num n = dim_from(in);
    if (w->stride[i] <= 0) {
        return infer_unknown_dim();
    }
    if (w->auto_pad == INFER_PAD_SAME) {
        return dim_to(dim_mul(pool, n, dim_int(w->stride[i])));
    }
    if (!infer_window_extent(w, i, &extent)) {
        return infer_unknown_dim();
    }
    n = dim_mul(pool, dim_sub(pool, n, dim_int(1)), dim_int(w->stride[i]));
    n = dim_add(pool, dim_add(pool, n, dim_int(output_padding)), dim_int(extent));
    if (w->auto_pad == INFER_PAD_GIVEN) {
        n = dim_sub(pool, n, dim_int(w->begin[i]));
        n = dim_sub(pool, n, dim_int(w->end[i]));
    }
    return dim_to(n);
}

static void state_transposed_dims(struct infer *c, const struct infer_window *w,
                                  struct graph_dim *dims) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct infer_ints shape, padding;
    bool given = infer_attr_ints(c, "output_shape", &shape) && shape.n == w->n;
    bool padded = infer_attr_ints(c, "output_padding", &padding) && padding.n == w->n;
    for (uint32_t i = 0; i < w->n; i++) {
        dims[i + 2] =
            given ? infer_known_dim(shape.items[i])
                  : transposed_dim(c, w, i, dim_at(in, i + 2), padded ? padding.items[i] : 0);
    }
}

void infer_conv_transpose(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0), *weight = infer_in(c, 1);
    struct graph_dim dims[INFER_RANK_MAX];
    struct infer_window w;
    uint32_t n = spatial_dims(in, weight);
    if (n == 0 || !infer_window_read(c, n, &w)) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    kernel_of_weight(&w, weight);
    struct dim_num groups = dim_int(infer_attr_int(c, "group", 1));
    dims[0] = dim_at(in, 0);
    dims[1] = dim_to(dim_mul(c->job->dims, dim_from(dim_at(weight, 1)), groups));
    state_transposed_dims(c, &w, dims);
    infer_out(c, 0, in->dtype, n + 2, dims);
}
