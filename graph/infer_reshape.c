// Reshape and Flatten: the number of elements stays, which gives the one dim that is left open.
#include "graph/infer_rules.h"

// The target of a Reshape: the input, or the attribute of opset < 5.
static bool read_target(struct infer *c, struct dim_num *target, uint32_t *n) {
    struct infer_ints list;
    const struct infer_data *data;
    if (infer_has_attr(c, "shape")) {
        if (!infer_attr_ints(c, "shape", &list) || list.n > INFER_RANK_MAX) {
            return false;
        }
        *n = list.n;
        for (uint32_t i = 0; i < list.n; i++) {
            target[i] = dim_int(list.items[i]);
        }
        return true;
    }
    data = infer_data_in(c, 1);
    if (!data || data->n > INFER_RANK_MAX) {
        return false;
    }
    *n = data->n;
    if (data->n) {
        memcpy(target, data->nums, data->n * sizeof(*target));
    }
    return true;
}

// A zero copies the dim at its place. Nothing else is less than 0 but the -1 that stays open.
static void copy_zeros(struct infer *c, struct dim_num *target, uint32_t n) {
    if (infer_attr_int(c, "allowzero", 0)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (dim_is_int(target[i], 0)) {
            target[i] = infer_dim_in(c, 0, i);
        }
    }
}

// Takes a dim out of a list of factors; false when it is not in it.
static bool cancel(struct dim_num *factors, uint32_t *n, struct dim_num dim) {
    for (uint32_t i = 0; i < *n; i++) {
        if (dim_same(factors[i], dim)) {
            factors[i] = factors[--*n];
            return true;
        }
    }
    return false;
}

static struct dim_num product(struct infer *c, const struct dim_num *factors, uint32_t n) {
    struct dim_num all = dim_int(1);
    for (uint32_t i = 0; i < n; i++) {
        all = dim_mul(c->job->dims, all, factors[i]);
    }
    return all;
}

// What is left for the open dim: equal factors are taken out first, so that (a, b + 1, 4) to
// (a, -1) needs no division.
static struct dim_num open_dim(struct infer *c, const struct dim_num *target, uint32_t n,
                               uint32_t open) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct dim_num factors[INFER_RANK_MAX], rest[INFER_RANK_MAX];
    uint32_t n_factors = in->rank, n_rest = 0;
    for (uint32_t i = 0; i < in->rank; i++) {
        factors[i] = dim_from(in->dims[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i != open && !cancel(factors, &n_factors, target[i])) {
            rest[n_rest++] = target[i];
        }
    }
    struct dim_num elements = product(c, factors, n_factors), divisor = product(c, rest, n_rest);
    if (dim_is_int(divisor, 0)) {
        return (struct dim_num){.kind = DIM_UNKNOWN};
    }
    return dim_exact_div(c->job->dims, elements, divisor);
}

// The only dim that is -1 or unknown; n when there is none or more than one.
static uint32_t find_open(const struct dim_num *target, uint32_t n) {
    uint32_t open = n;
    for (uint32_t i = 0; i < n; i++) {
        bool is_open =
            target[i].kind == DIM_UNKNOWN || (target[i].kind == DIM_INT && target[i].i < 0);
        if (is_open && open != n) {
            return n;
        }
        if (is_open) {
            open = i;
        }
    }
    return open;
}

static void state_rank_of_target(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0), *shape = infer_in(c, 1);
    struct graph_dim dims[INFER_RANK_MAX];
    if (!shape->has_rank || shape->rank != 1 || shape->dims[0].value < 0 ||
        shape->dims[0].value > INFER_RANK_MAX) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    uint32_t rank = (uint32_t)shape->dims[0].value;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = infer_unknown_dim();
    }
    infer_out(c, 0, in->dtype, rank, dims);
}

// The number of elements cannot change.
static void expect_elements(struct infer *c, const struct graph_dim *dims, uint32_t n) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct graph_tensor_type out = {
        .dtype = in->dtype, .has_rank = true, .rank = n, .dims = dims};
    struct dim_num before = infer_elements(c, in), after = infer_elements(c, &out);
    if (before.kind == DIM_INT && after.kind == DIM_INT && before.i != after.i) {
        infer_conflict(c, in, &out, "these shapes have different numbers of elements: ");
    }
}

void infer_reshape(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct dim_num target[INFER_RANK_MAX];
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t n;
    if (!read_target(c, target, &n)) {
        state_rank_of_target(c);
        return;
    }
    copy_zeros(c, target, n);
    uint32_t open = in->has_rank ? find_open(target, n) : n;
    if (open < n) {
        target[open] = open_dim(c, target, n, open);
    }
    for (uint32_t i = 0; i < n; i++) {
        dims[i] = dim_to(target[i]);
    }
    expect_elements(c, dims, n);
    infer_out(c, 0, in->dtype, n, dims);
}

void infer_flatten(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    int64_t axis = infer_attr_int(c, "axis", 1);
    struct graph_dim dims[2] = {infer_unknown_dim(), infer_unknown_dim()};
    if (in->has_rank && axis >= -(int64_t)in->rank && axis <= (int64_t)in->rank) {
        uint32_t at = (uint32_t)(axis < 0 ? axis + (int64_t)in->rank : axis);
        dims[0] = dim_to(infer_product(c, in->dims, at));
        dims[1] = dim_to(infer_product(c, in->dims + at, in->rank - at));
    }
    infer_out(c, 0, in->dtype, 2, dims);
}
