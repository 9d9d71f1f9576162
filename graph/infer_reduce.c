// Reductions: axes from an attribute or, in later opsets, from an input.
#include "graph/infer_rules.h"

enum axes_known { AXES_ALL, AXES_SOME, AXES_UNKNOWN };

// Which axes are reduced, as bits; an empty list means all, or none at all with
// noop_with_empty_axes.
static enum axes_known reduced_axes(struct infer *c, uint32_t rank, uint64_t *bits) {
    struct infer_ints axes;
    bool given = infer_has_attr(c, "axes") || infer_has(c, 1);
    *bits = rank ? UINT64_MAX >> (64 - rank) : 0;
    if (given && !infer_attr_or_in(c, "axes", 1, &axes)) {
        return AXES_UNKNOWN;
    }
    if (!given || axes.n == 0) {
        if (infer_attr_int(c, "noop_with_empty_axes", 0)) {
            *bits = 0;
        }
        return AXES_ALL;
    }
    return infer_axes(&axes, rank, bits) ? AXES_SOME : AXES_UNKNOWN;
}

static void state_reduced(struct infer *c, int32_t dtype, uint64_t bits, bool keep) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < in->rank; i++) {
        if (!(bits >> i & 1)) {
            dims[rank++] = in->dims[i];
        } else if (keep) {
            dims[rank++] = infer_known_dim(1);
        }
    }
    infer_out(c, 0, dtype, rank, dims);
}

// Of axes only the number may be known.
static void state_reduced_somewhere(struct infer *c, bool keep) {
    const struct graph_tensor_type *in = infer_in(c, 0), *axes = infer_in(c, 1);
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t rank = in->rank, n = 0;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = infer_known_dim(in->dims[i].value == 1 && keep ? 1 : -1);
    }
    if (!keep && (!infer_count(axes, INFER_RANK_MAX, &n) || n == 0 || n > rank)) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    infer_out(c, 0, in->dtype, rank - n, dims);
}

void infer_reduce(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    bool keep = infer_attr_int(c, "keepdims", 1) != 0;
    uint64_t bits;
    if (!in->has_rank) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    if (reduced_axes(c, in->rank, &bits) == AXES_UNKNOWN) {
        state_reduced_somewhere(c, keep);
    } else {
        state_reduced(c, in->dtype, bits, keep || bits == 0);
    }
}

void infer_arg_reduce(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    uint32_t axis;
    if (!in->has_rank || !infer_axis(infer_attr_int(c, "axis", 0), in->rank, &axis)) {
        infer_out_unranked(c, 0, ONNX_INT64);
    } else {
        state_reduced(c, ONNX_INT64, (uint64_t)1 << axis, infer_attr_int(c, "keepdims", 1) != 0);
    }
}

// K was an attribute before opset 10.
static struct dim_num top_k(struct infer *c) {
    const struct infer_data *k;
    if (infer_has_attr(c, "k")) {
        return dim_int(infer_attr_int(c, "k", -1));
    }
    k = infer_data_in(c, 1);
    return k && k->n == 1 ? k->nums[0] : (struct dim_num){.kind = DIM_UNKNOWN};
}

void infer_top_k(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t axis;
    if (!in->has_rank || !infer_axis(infer_attr_int(c, "axis", -1), in->rank, &axis)) {
        infer_out_unranked(c, 0, in->dtype);
        infer_out_unranked(c, 1, ONNX_INT64);
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    dims[axis] = dim_to(top_k(c));
    infer_out(c, 0, in->dtype, in->rank, dims);
    infer_out(c, 1, ONNX_INT64, in->rank, dims);
}

void infer_scalar(struct infer *c) {
    infer_out_scalar(c, 0, c->row->arg ? c->row->arg : infer_in(c, 0)->dtype);
}

// Scores (N, C, D1, ...) and labels (N, D1, ...): one number, or one per label; then the log of the
// probabilities.
void infer_loss(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    if (str_eq_z(infer_attr_str(c, "reduction", "mean"), "none")) {
        infer_out_shape(c, 0, in->dtype, infer_in(c, 1));
    } else {
        infer_out_scalar(c, 0, in->dtype);
    }
    infer_out_shape(c, 1, in->dtype, in);
}
