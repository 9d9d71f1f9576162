// Slice: attributes before opset 10, inputs since.
#include "graph/infer_slice.h"

#include "graph/infer_rules.h"

// An end this large means "to the end" (exporters write INT32_MAX or INT64_MAX).
#define TO_THE_END INT32_MAX

struct bounds {
    struct dim_num start[INFER_RANK_MAX], end[INFER_RANK_MAX];
    struct infer_ints axes, steps;
    uint32_t n;
    bool known_starts, known_ends;
};

static bool read_nums(struct infer *c, const char *name, uint32_t slot, struct dim_num *out,
                      uint32_t *n, bool *known) {
    struct infer_ints list;
    const struct infer_data *data = NULL;
    *known = false;
    if (infer_has_attr(c, name)) {
        if (!infer_attr_ints(c, name, &list) || list.n > INFER_RANK_MAX) {
            return false;
        }
        for (uint32_t i = 0; i < list.n; i++) {
            out[i] = dim_int(list.items[i]);
        }
        *n = list.n;
        *known = true;
        return true;
    }
    data = infer_data_in(c, slot);
    if (!data || data->n > INFER_RANK_MAX) {
        return infer_count(infer_in(c, slot), INFER_RANK_MAX, n);
    }
    memcpy(out, data->nums, data->n * sizeof(*out));
    *n = data->n;
    *known = true;
    return true;
}

static bool read_axes(struct infer *c, struct bounds *b) {
    if (infer_has_attr(c, "axes") || infer_has(c, 3)) {
        return infer_attr_or_in(c, "axes", 3, &b->axes) && b->axes.n == b->n;
    }
    b->axes.n = b->n;
    for (uint32_t i = 0; i < b->n; i++) {
        b->axes.items[i] = i;
    }
    return true;
}

static bool read_bounds(struct infer *c, struct bounds *b) {
    uint32_t n_ends;
    if (!read_nums(c, "starts", 1, b->start, &b->n, &b->known_starts) ||
        !read_nums(c, "ends", 2, b->end, &n_ends, &b->known_ends) || n_ends != b->n) {
        return false;
    }
    if (!infer_ints_in(c, 4, &b->steps)) {
        b->steps.n = b->n;
        for (uint32_t i = 0; i < b->n; i++) {
            b->steps.items[i] = infer_has(c, 4) ? 0 : 1;
        }
    }
    return b->steps.n == b->n && read_axes(c, b);
}

bool infer_slice_read(struct infer *c, struct infer_range *ranges) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct dim_num unknown = {.kind = DIM_UNKNOWN};
    struct bounds b;
    uint32_t axis;
    if (!in->has_rank || !read_bounds(c, &b)) {
        return false;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        ranges[i] = (struct infer_range){.sliced = false};
    }
    for (uint32_t i = 0; i < b.n; i++) {
        if (!infer_axis(b.axes.items[i], in->rank, &axis)) {
            return false;
        }
        ranges[axis] = (struct infer_range){.sliced = true,
                                            .start = b.known_starts ? b.start[i] : unknown,
                                            .end = b.known_ends ? b.end[i] : unknown,
                                            .step = b.steps.items[i]};
    }
    return true;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high) {
    return v < low ? low : v > high ? high : v;
}

// https://onnx.ai/onnx/operators/onnx__Slice.html
void infer_slice_clamp(const struct infer_range *range, int64_t size, int64_t *start, int64_t *n) {
    bool back = range->step < 0;
    int64_t from = range->start.i, to = range->end.i;
    if (from < 0) {
        from += size;
    }
    if (to < 0) {
        to = to < -size ? -1 : to + size;
    }
    from = clamp(from, 0, back ? size - 1 : size);
    to = clamp(to, back ? -1 : 0, size);
    int64_t way = back ? from - to : to - from;
    uint64_t step = back ? 0 - (uint64_t)range->step : (uint64_t)range->step;
    *start = from;
    *n = way <= 0 ? 0 : (int64_t)(((uint64_t)way - 1) / step + 1);
}

static bool is_known(const struct infer_range *range) {
    return range->start.kind == DIM_INT && range->end.kind == DIM_INT && range->step != 0;
}

// A symbolic bound is taken to lie within the dim: a Slice up to `seq` of a table of 1024 has `seq`
// places, because every exporter means that.
static struct graph_dim symbolic_length(struct infer *c, const struct infer_range *range,
                                        struct dim_num size) {
    struct dim_pool *pool = c->job->dims;
    struct dim_num from = range->start, to = range->end;
    if (range->step != 1 || from.kind == DIM_UNKNOWN || to.kind == DIM_UNKNOWN) {
        return infer_unknown_dim();
    }
    if (from.kind == DIM_INT && from.i < 0) {
        from = dim_add(pool, size, from);
    }
    if (to.kind == DIM_INT && to.i >= TO_THE_END) {
        to = size;
    } else if (to.kind == DIM_INT && to.i < 0) {
        to = dim_add(pool, size, to);
    } else if (to.kind == DIM_INT && size.kind != DIM_INT) {
        return infer_unknown_dim();
    }
    return dim_to(dim_sub(pool, to, from));
}

static struct graph_dim sliced_dim(struct infer *c, const struct infer_range *range,
                                   struct graph_dim dim) {
    int64_t start, n;
    if (!range->sliced || (range->step == 1 && dim_is_int(range->start, 0) &&
                           range->end.kind == DIM_INT && range->end.i >= TO_THE_END)) {
        return dim;
    }
    if (!is_known(range) || dim.value < 0) {
        return symbolic_length(c, range, dim_from(dim));
    }
    infer_slice_clamp(range, dim.value, &start, &n);
    return infer_known_dim(n);
}

void infer_slice(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct infer_range ranges[INFER_RANK_MAX] = {{.sliced = false}};
    struct graph_dim dims[INFER_RANK_MAX];
    if (!in->has_rank) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    bool known = infer_slice_read(c, ranges);
    for (uint32_t i = 0; i < in->rank; i++) {
        dims[i] = known ? sliced_dim(c, &ranges[i], in->dims[i]) : infer_unknown_dim();
    }
    infer_out(c, 0, in->dtype, in->rank, dims);
}

void infer_center_crop(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct infer_data *shape = infer_data_in(c, 1);
    struct infer_ints axes;
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t axis;
    if (!in->has_rank) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    bool given = infer_attr_ints(c, "axes", &axes);
    for (uint32_t i = 0; i < in->rank; i++) {
        dims[i] = shape && given ? in->dims[i] : infer_unknown_dim();
    }
    for (uint32_t i = 0; shape && i < shape->n && (given ? i < axes.n : i < in->rank); i++) {
        if (infer_axis(given ? axes.items[i] : i, in->rank, &axis)) {
            dims[axis] = dim_to(shape->nums[i]);
        }
    }
    infer_out(c, 0, in->dtype, in->rank, dims);
}
