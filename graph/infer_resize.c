// Resize, its predecessor Upsample, and sampling by a grid.
#include <math.h>

#include "graph/infer_rules.h"

// Sizes and scales of a Resize, for the axes in `axes`.
struct resize {
    struct infer_ints axes;
    const struct infer_data *sizes, *scales;
};

static bool read_resize(struct infer *c, uint32_t rank, struct resize *r) {
    bool old = c->opset < 11;  // (X, scales) instead of (X, roi, scales, sizes)
    r->scales = infer_data_in(c, old ? 1 : 2);
    r->sizes = old ? NULL : infer_data_in(c, 3);
    if (!infer_attr_ints(c, "axes", &r->axes)) {
        r->axes.n = rank;
        for (uint32_t i = 0; i < rank; i++) {
            r->axes.items[i] = i;
        }
    }
    if (r->sizes && r->sizes->n != r->axes.n) {
        r->sizes = NULL;
    }
    if (r->scales && r->scales->n != r->axes.n) {
        r->scales = NULL;
    }
    return r->sizes || r->scales;
}

// floor(dim * scale). A symbolic dim takes whole factors and whole divisors.
static struct dim_num scaled(struct infer *c, struct dim_num dim, struct dim_num scale) {
    const struct dim_num unknown = {.kind = DIM_UNKNOWN};
    double by = scale.kind == DIM_REAL ? scale.real : scale.kind == DIM_INT ? (double)scale.i : -1;
    if (!(by > 0) || by > (double)INT32_MAX) {
        return unknown;
    }
    if (dim.kind == DIM_INT) {
        double n = floor((double)dim.i * by);
        return n < (double)INT64_MAX ? dim_int((int64_t)n) : unknown;
    }
    double whole = nearbyint(by), part = nearbyint(1 / by);
    if (fabs(by - whole) <= 0) {
        return dim_mul(c->job->dims, dim, dim_int((int64_t)whole));
    }
    if (fabs(by * part - 1) <= 0 && part < (double)INT32_MAX) {
        return dim_floor_div(c->job->dims, dim, dim_int((int64_t)part));
    }
    return unknown;
}

static void state_like_in(struct infer *c, const struct graph_dim *dims) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    infer_out(c, 0, in->dtype, in->rank, dims);
}

void infer_resize(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    struct resize r;
    uint32_t axis;
    struct str policy = infer_attr_str(c, "keep_aspect_ratio_policy", "stretch");
    if (!in->has_rank) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    bool known = read_resize(c, in->rank, &r) && str_eq_z(policy, "stretch");
    for (uint32_t i = 0; i < in->rank; i++) {
        dims[i] = known ? in->dims[i] : infer_unknown_dim();
    }
    for (uint32_t i = 0; known && i < r.axes.n; i++) {
        if (infer_axis(r.axes.items[i], in->rank, &axis)) {
            dims[axis] = dim_to(r.sizes ? r.sizes->nums[i]
                                        : scaled(c, dim_from(in->dims[axis]), r.scales->nums[i]));
        }
    }
    state_like_in(c, dims);
}

// Scales are an attribute in opset 7 and an input in opset 9.
void infer_upsample(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct onnx_attr *attr = infer_attr(c, "scales");
    const struct infer_data *data = infer_data_in(c, 1);
    struct graph_dim dims[INFER_RANK_MAX];
    if (!in->has_rank) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    bool from_attr = attr && attr->type == ONNX_ATTR_FLOATS && attr->n == in->rank;
    bool from_input = data && data->n == in->rank;
    for (uint32_t i = 0; i < in->rank; i++) {
        struct dim_num scale = {.kind = DIM_UNKNOWN};
        if (from_attr) {
            scale = dim_real((double)attr->floats[i]);
        } else if (from_input) {
            scale = data->nums[i];
        }
        dims[i] = dim_to(scaled(c, dim_from(in->dims[i]), scale));
    }
    state_like_in(c, dims);
}

// (N, C, D1, ...) at the places of a grid (N, E1, ..., r).
void infer_grid_sample(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0), *grid = infer_in(c, 1);
    struct graph_dim dims[INFER_RANK_MAX];
    if (!grid->has_rank || grid->rank < 3) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    dims[0] = infer_same_dim(dim_to(infer_dim_in(c, 0, 0)), grid->dims[0]);
    dims[1] = dim_to(infer_dim_in(c, 0, 1));
    for (uint32_t i = 2; i < grid->rank; i++) {
        dims[i] = grid->dims[i - 1];
    }
    infer_out(c, 0, in->dtype, grid->rank, dims);
}

// size (N, C, D1, ...) to a grid (N, D1, ..., number of Ds).
void infer_affine_grid(struct infer *c) {
    const struct infer_data *size = infer_data_in(c, 1);
    int32_t dtype = infer_in(c, 0)->dtype;
    struct graph_dim dims[INFER_RANK_MAX];
    if (!size || size->n < 3 || size->n > INFER_RANK_MAX) {
        infer_out_unranked(c, 0, dtype);
        return;
    }
    dims[0] = dim_to(size->nums[0]);
    for (uint32_t i = 2; i < size->n; i++) {
        dims[i - 1] = dim_to(size->nums[i]);
    }
    dims[size->n - 1] = infer_known_dim((int64_t)size->n - 2);
    infer_out(c, 0, dtype, size->n, dims);
}
