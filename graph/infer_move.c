// Dims that change place, split, join, repeat or get padding.
#include "graph/infer_rules.h"

static void state_unknown(struct infer *c) {
    infer_out_unranked(c, 0, infer_in(c, 0)->dtype);
}

// Of the right rank, nothing else known.
static void state_rank(struct infer *c, uint32_t slot, uint32_t rank) {
    struct graph_dim dims[INFER_RANK_MAX];
    for (uint32_t i = 0; i < rank && i < INFER_RANK_MAX; i++) {
        dims[i] = infer_unknown_dim();
    }
    infer_out(c, slot, infer_in(c, 0)->dtype, rank, dims);
}

void infer_squeeze(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    struct infer_ints axes;
    uint64_t gone = 0;
    uint32_t rank = 0;
    bool given = infer_has_attr(c, "axes") || infer_has(c, 1);
    bool known = in->has_rank;
    if (given) {
        known =
            known && infer_attr_or_in(c, "axes", 1, &axes) && infer_axes(&axes, in->rank, &gone);
    }
    for (uint32_t i = 0; known && i < in->rank; i++) {
        if (!given && in->dims[i].value == 1) {
            gone |= (uint64_t)1 << i;
        }
        known = given || in->dims[i].value >= 0;
        if (!(gone >> i & 1)) {
            dims[rank++] = in->dims[i];
        }
    }
    if (known) {
        infer_out(c, 0, in->dtype, rank, dims);
    } else {
        state_unknown(c);
    }
}

void infer_unsqueeze(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    struct infer_ints axes;
    uint64_t new_dims;
    if (!in->has_rank || !infer_attr_or_in(c, "axes", 1, &axes) ||
        in->rank + axes.n > INFER_RANK_MAX || !infer_axes(&axes, in->rank + axes.n, &new_dims)) {
        state_unknown(c);
        return;
    }
    uint32_t from = 0, rank = in->rank + axes.n;
    for (uint32_t i = 0; i < rank; i++) {
        bool is_new = new_dims >> i & 1 || from == in->rank;
        dims[i] = is_new ? infer_known_dim(1) : in->dims[from++];
    }
    infer_out(c, 0, in->dtype, rank, dims);
}

void infer_transpose(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    struct infer_ints perm;
    uint32_t at;
    bool given = infer_attr_ints(c, "perm", &perm);
    if (!in->has_rank || (given && perm.n != in->rank)) {
        state_unknown(c);
        return;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        at = in->rank - 1 - i;
        if (given && !infer_axis(perm.items[i], in->rank, &at)) {
            state_unknown(c);
            return;
        }
        dims[i] = in->dims[at];
    }
    infer_out(c, 0, in->dtype, in->rank, dims);
}

void infer_expand(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct infer_data *to = infer_data_in(c, 1);
    struct graph_dim dims[INFER_RANK_MAX], target[INFER_RANK_MAX];
    uint32_t rank = 0, n;
    bool counted = infer_count(&(struct graph_tensor_type){.has_rank = infer_in(c, 1)->rank == 1,
                                                           .rank = 1,
                                                           .dims = infer_in(c, 1)->dims},
                               INFER_RANK_MAX, &n);
    if (!in->has_rank || (!to && !counted) || (to && to->n > INFER_RANK_MAX)) {
        state_unknown(c);
        return;
    }
    n = to ? to->n : n;
    for (uint32_t i = 0; i < n; i++) {
        target[i] = to ? dim_to(to->nums[i]) : infer_unknown_dim();
    }
    struct graph_tensor_type shape = {.has_rank = true, .rank = n, .dims = target};
    if (infer_broadcast(dims, &rank, in) && infer_broadcast(dims, &rank, &shape)) {
        infer_out(c, 0, in->dtype, rank, dims);
    } else {
        state_unknown(c);
    }
}

void infer_tile(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct infer_data *repeats = infer_data_in(c, 1);
    struct graph_dim dims[INFER_RANK_MAX];
    if (!in->has_rank) {
        state_unknown(c);
        return;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        dims[i] = repeats && repeats->n == in->rank
                      ? dim_to(dim_mul(c->job->dims, dim_from(in->dims[i]), repeats->nums[i]))
                      : infer_unknown_dim();
    }
    infer_out(c, 0, in->dtype, in->rank, dims);
}

// ---- Pad

// Begin and end of each axis that is padded; false when they are unknown.
struct padding {
    struct dim_num begin[INFER_RANK_MAX], end[INFER_RANK_MAX];
};

static bool padded_axes(struct infer *c, uint32_t rank, struct infer_ints *axes) {
    if (infer_has(c, 3)) {
        return infer_ints_in(c, 3, axes);
    }
    axes->n = rank;
    for (uint32_t i = 0; i < rank; i++) {
        axes->items[i] = i;
    }
    return true;
}

static bool pad_nums(struct infer *c, uint32_t n, struct dim_num *nums) {
    struct infer_ints list;
    const struct infer_data *data;
    const char *name = infer_has_attr(c, "pads") ? "pads" : "paddings";
    if (infer_has_attr(c, name)) {
        if (!infer_attr_ints(c, name, &list) || list.n != n) {
            return false;
        }
        for (uint32_t i = 0; i < n; i++) {
            nums[i] = dim_int(list.items[i]);
        }
        return true;
    }
    data = infer_data_in(c, 1);
    if (!data || data->n != n) {
        return false;
    }
    memcpy(nums, data->nums, n * sizeof(*nums));
    return true;
}

static bool read_padding(struct infer *c, uint32_t rank, struct padding *out) {
    struct infer_ints axes;
    struct dim_num nums[2 * INFER_RANK_MAX];
    uint32_t axis;
    if (!padded_axes(c, rank, &axes) || axes.n > rank || !pad_nums(c, 2 * axes.n, nums)) {
        return false;
    }
    for (uint32_t i = 0; i < rank; i++) {
        out->begin[i] = out->end[i] = dim_int(0);
    }
    for (uint32_t i = 0; i < axes.n; i++) {
        if (!infer_axis(axes.items[i], rank, &axis)) {
            return false;
        }
        out->begin[axis] = nums[i];
        out->end[axis] = nums[axes.n + i];
    }
    return true;
}

void infer_pad(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    struct padding pad;
    if (!in->has_rank) {
        state_unknown(c);
        return;
    }
    if (!read_padding(c, in->rank, &pad)) {
        state_rank(c, 0, in->rank);
        return;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        struct dim_num n = dim_add(c->job->dims, dim_from(in->dims[i]), pad.begin[i]);
        dims[i] = dim_to(dim_add(c->job->dims, n, pad.end[i]));
    }
    infer_out(c, 0, in->dtype, in->rank, dims);
}

// ---- Concat, Split

// Dims that are not joined must be equal: what one input knows holds for all.
static bool join(struct infer *c, const struct graph_tensor_type *in, uint32_t axis,
                 struct graph_dim *dims, uint32_t rank) {
    for (uint32_t i = 0; i < rank; i++) {
        struct graph_dim dim = in->dims[i];
        if (i == axis) {
            dims[i] = dim_to(dim_add(c->job->dims, dim_from(dims[i]), dim_from(dim)));
        } else if (dims[i].value >= 0 && dim.value >= 0 && dims[i].value != dim.value) {
            return false;
        } else {
            dims[i] = infer_same_dim(dims[i], dim);
        }
    }
    return true;
}

void infer_concat(struct infer *c) {
    const struct graph_tensor_type *first = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t axis;
    if (!first->has_rank ||
        !infer_axis(infer_attr_int(c, "axis", c->row->arg), first->rank, &axis)) {
        state_unknown(c);
        return;
    }
    memcpy(dims, first->dims, first->rank * sizeof(*dims));
    for (uint32_t i = 1; i < c->node->n_inputs; i++) {
        const struct graph_tensor_type *in = infer_in(c, i);
        bool fits = !in->has_rank || in->rank == first->rank;
        if (fits && in->has_rank) {
            fits = join(c, in, axis, dims, first->rank);
        }
        if (!fits) {
            infer_conflict(c, first, in, "these tensors cannot be joined: ");
            state_unknown(c);
            return;
        }
        if (!in->has_rank) {
            dims[axis] = infer_unknown_dim();
        }
    }
    infer_out(c, 0, first->dtype, first->rank, dims);
}

// Size of output `i` of `n`: as listed, else equal parts, the last one smaller.
static struct graph_dim part_of(struct infer *c, struct dim_num size, uint32_t i, uint32_t n) {
    struct infer_ints list;
    int64_t part;
    if (infer_has_attr(c, "split")) {
        if (infer_attr_ints(c, "split", &list) && i < list.n) {
            return infer_known_dim(list.items[i]);
        }
        return infer_unknown_dim();
    }
    if (infer_has(c, 1)) {
        const struct infer_data *sizes = infer_data_in(c, 1);
        return sizes && i < sizes->n ? dim_to(sizes->nums[i]) : infer_unknown_dim();
    }
    if (size.kind != DIM_INT) {
        return dim_to(dim_exact_div(c->job->dims, size, dim_int(n)));
    }
    part = size.i / n + (size.i % n != 0);
    return i + 1 < n ? infer_known_dim(part) : infer_known_dim(size.i - part * (n - 1));
}

void infer_split(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t axis, n = c->node->n_outputs;
    if (!in->has_rank || !infer_axis(infer_attr_int(c, "axis", 0), in->rank, &axis)) {
        for (uint32_t i = 0; i < n; i++) {
            infer_out_unranked(c, i, in->dtype);
        }
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    for (uint32_t i = 0; i < n; i++) {
        dims[axis] = part_of(c, dim_from(in->dims[axis]), i, n);
        infer_out(c, i, in->dtype, in->rank, dims);
    }
}

// ---- blocks

static void state_blocks(struct infer *c, bool to_space) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct dim_pool *pool = c->job->dims;
    struct dim_num block = dim_int(infer_attr_int(c, "blocksize", 0));
    struct dim_num square = dim_mul(pool, block, block);
    struct graph_dim dims[4];
    if (!in->has_rank || in->rank != 4 || block.i <= 0) {
        state_unknown(c);
        return;
    }
    dims[0] = in->dims[0];
    for (uint32_t i = 1; i < 4; i++) {
        struct dim_num dim = dim_from(in->dims[i]);
        struct dim_num by = i == 1 ? square : block;
        bool grows = (i == 1) != to_space;
        dims[i] = dim_to(grows ? dim_mul(pool, dim, by) : dim_exact_div(pool, dim, by));
    }
    infer_out(c, 0, in->dtype, 4, dims);
}

void infer_depth_to_space(struct infer *c) {
    state_blocks(c, true);
}

void infer_space_to_depth(struct infer *c) {
    state_blocks(c, false);
}
