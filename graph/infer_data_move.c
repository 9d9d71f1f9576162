// Values of small tensors that change place.
#include "graph/infer_data.h"
#include "graph/infer_rules.h"
#include "graph/infer_slice.h"

// Elements before and behind one axis: the tensor is outer x dims[axis] x inner.
struct cut {
    uint32_t outer, size, inner;
};

static bool multiply(uint32_t *product, const struct graph_dim *dims, uint32_t n) {
    struct graph_tensor_type part = {.has_rank = true, .rank = n, .dims = dims};
    return infer_count(&part, INFER_DATA_MAX, product);
}

static bool cut_at(const struct graph_tensor_type *type, int64_t axis, struct cut *out) {
    uint32_t at;
    if (!type->has_rank || !infer_axis(axis, type->rank, &at)) {
        return false;
    }
    return multiply(&out->outer, type->dims, at) && multiply(&out->size, &type->dims[at], 1) &&
           multiply(&out->inner, &type->dims[at + 1], type->rank - at - 1);
}

void data_gather(struct infer *c) {
    const struct infer_data *in = data_in(c, 0);
    struct infer_ints at;
    struct dim_num nums[INFER_DATA_MAX];
    struct cut cut;
    uint32_t n, filled = 0;
    if (!in || !data_in(c, 1) || !infer_ints_in(c, 1, &at) || !data_out_type(c, 0, &n) ||
        !cut_at(infer_in(c, 0), infer_attr_int(c, "axis", 0), &cut) ||
        (uint64_t)cut.outer * at.n * cut.inner != n) {
        return;
    }
    for (uint32_t o = 0; o < cut.outer; o++) {
        for (uint32_t j = 0; j < at.n; j++) {
            uint32_t place;
            if (!infer_axis(at.items[j], cut.size, &place)) {
                return;
            }
            const struct dim_num *from = &in->nums[((size_t)o * cut.size + place) * cut.inner];
            memcpy(nums + filled, from, cut.inner * sizeof(*nums));
            filled += cut.inner;
        }
    }
    infer_out_data(c, 0, n, nums);
}

// Place in the input of one element of the slice.
static uint32_t sliced_source(const struct graph_tensor_type *out,
                              const struct graph_tensor_type *in, const int64_t *start,
                              const struct infer_range *ranges, uint32_t flat) {
    int64_t at = 0, stride = 1;
    for (uint32_t i = in->rank; i-- > 0;) {
        int64_t size = out->dims[i].value;
        int64_t place = (int64_t)flat % size;
        flat = (uint32_t)((int64_t)flat / size);
        at += (start[i] + place * (ranges[i].sliced ? ranges[i].step : 1)) * stride;
        stride *= in->dims[i].value;
    }
    return (uint32_t)at;
}

void data_slice(struct infer *c) {
    const struct infer_data *data = data_in(c, 0);
    const struct graph_tensor_type *in = infer_in(c, 0), *out;
    struct infer_range ranges[INFER_RANK_MAX];
    struct dim_num nums[INFER_DATA_MAX];
    int64_t start[INFER_RANK_MAX], length;
    uint32_t n;
    if (!data || !infer_slice_read(c, ranges) || !(out = data_out_type(c, 0, &n)) ||
        out->rank != in->rank) {
        return;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        start[i] = 0;
        length = in->dims[i].value;
        if (!ranges[i].sliced && length == out->dims[i].value) {
            continue;
        }
        if (ranges[i].start.kind != DIM_INT || ranges[i].end.kind != DIM_INT || !ranges[i].step) {
            return;
        }
        infer_slice_clamp(&ranges[i], in->dims[i].value, &start[i], &length);
        if (length != out->dims[i].value) {
            return;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        nums[i] = data->nums[sliced_source(out, in, start, ranges, i)];
    }
    infer_out_data(c, 0, n, nums);
}

static void append(struct dim_num *nums, uint32_t *n, const struct infer_data *from, uint32_t first,
                   uint32_t count) {
    memcpy(nums + *n, from->nums + first, count * sizeof(*nums));
    *n += count;
}

// An input whose elements are unknown counts with unknown elements, when its shape is known.
void data_concat(struct infer *c) {
    int64_t axis = infer_attr_int(c, "axis", c->row->arg);
    struct dim_num nums[INFER_DATA_MAX];
    struct cut out, cut;
    uint32_t n, filled = 0;
    const struct graph_tensor_type *type = data_out_type(c, 0, &n);
    if (!type || !cut_at(type, axis, &out)) {
        return;
    }
    for (uint32_t o = 0; o < out.outer; o++) {
        for (uint32_t i = 0; i < c->node->n_inputs; i++) {
            const struct infer_data *in = data_in(c, i);
            if (infer_in(c, i)->rank != type->rank || !cut_at(infer_in(c, i), axis, &cut) ||
                cut.outer != out.outer || filled + cut.size * cut.inner > n) {
                return;
            }
            if (in) {
                append(nums, &filled, in, o * cut.size * cut.inner, cut.size * cut.inner);
                continue;
            }
            for (uint32_t k = 0; k < cut.size * cut.inner; k++) {
                nums[filled++] = (struct dim_num){.kind = DIM_UNKNOWN};
            }
        }
    }
    if (filled == n) {
        infer_out_data(c, 0, n, nums);
    }
}

void data_split(struct infer *c) {
    const struct infer_data *in = data_in(c, 0);
    int64_t axis = infer_attr_int(c, "axis", 0);
    struct cut all, part;
    uint32_t n, before = 0;
    if (!in || !cut_at(infer_in(c, 0), axis, &all)) {
        return;
    }
    for (uint32_t i = 0; i < c->node->n_outputs; i++) {
        struct dim_num nums[INFER_DATA_MAX];
        uint32_t filled = 0;
        const struct graph_tensor_type *type = data_out_type(c, i, &n);
        if (!type || !cut_at(type, axis, &part) || part.outer != all.outer ||
            part.inner != all.inner || before + part.size > all.size) {
            return;
        }
        for (uint32_t o = 0; o < all.outer; o++) {
            append(nums, &filled, in, (o * all.size + before) * all.inner, part.size * all.inner);
        }
        before += part.size;
        infer_out_data(c, i, filled, nums);
    }
}

void data_transpose(struct infer *c) {
    const struct infer_data *data = data_in(c, 0);
    const struct graph_tensor_type *in = infer_in(c, 0), *out;
    struct dim_num nums[INFER_DATA_MAX];
    struct infer_ints perm;
    uint32_t stride[INFER_RANK_MAX], n, axis;
    if (!data || !(out = data_out_type(c, 0, &n)) || n != data->n || out->rank != in->rank) {
        return;
    }
    bool given = infer_attr_ints(c, "perm", &perm);
    for (uint32_t i = in->rank, step = 1; i-- > 0; step *= (uint32_t)in->dims[i].value) {
        stride[i] = step;
    }
    for (uint32_t flat = 0; flat < n; flat++) {
        uint32_t rest = flat, at = 0;
        for (uint32_t i = out->rank; i-- > 0;) {
            axis = out->rank - 1 - i;
            if (given && (i >= perm.n || !infer_axis(perm.items[i], in->rank, &axis))) {
                return;
            }
            at += rest % (uint32_t)out->dims[i].value * stride[axis];
            rest /= (uint32_t)out->dims[i].value;
        }
        if (at >= data->n) {
            return;
        }
        nums[flat] = data->nums[at];
    }
    infer_out_data(c, 0, n, nums);
}

void data_expand(struct infer *c) {
    const struct infer_data *data = data_in(c, 0);
    struct dim_num nums[INFER_DATA_MAX];
    uint32_t n;
    const struct graph_tensor_type *out = data ? data_out_type(c, 0, &n) : NULL;
    if (!out || (data->n == 0 && n)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        nums[i] = data->nums[data_source(out, infer_in(c, 0), i)];
    }
    infer_out_data(c, 0, n, nums);
}
