#include "graph/infer_window.h"

#include "base/num.h"

static bool read_list(const struct infer *c, const char *name, uint32_t n, int64_t otherwise,
                      int64_t *out) {
    struct infer_ints list;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = otherwise;
    }
    if (!infer_attr_ints(c, name, &list)) {
        return !infer_has_attr(c, name);
    }
    if (list.n != n) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        out[i] = list.items[i];
    }
    return true;
}

bool infer_channels_last(const struct infer *c) {
    return c->row->data_arg == INFER_NHWC || infer_attr_int(c, "channels_last", 0) != 0;
}

// First all begins, then all ends.
static bool read_pads(const struct infer *c, struct infer_window *w) {
    struct infer_ints pads;
    bool given = infer_attr_ints(c, "pads", &pads);
    if (given && pads.n != 2 * w->n) {
        return false;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        w->begin[i] = given ? pads.items[i] : 0;
        w->end[i] = given ? pads.items[i + w->n] : 0;
    }
    return true;
}

bool infer_window_read(const struct infer *c, uint32_t n, struct infer_window *out) {
    struct str auto_pad = infer_attr_str(c, "auto_pad", "NOTSET");
    out->n = n;
    out->auto_pad = INFER_PAD_GIVEN;
    if (str_eq_z(auto_pad, "VALID")) {
        out->auto_pad = INFER_PAD_VALID;
    } else if (str_starts(auto_pad, STR("SAME"))) {
        out->auto_pad = INFER_PAD_SAME;
    }
    out->ceil = infer_attr_int(c, "ceil_mode", 0) != 0;
    return read_list(c, "kernel_shape", n, -1, out->kernel) &&
           read_list(c, "strides", n, 1, out->stride) &&
           read_list(c, "dilations", n, 1, out->dilation) && read_pads(c, out);
}

bool infer_window_extent(const struct infer_window *w, uint32_t i, int64_t *out) {
    return w->kernel[i] > 0 && w->dilation[i] > 0 && num_sub(out, w->kernel[i], 1) &&
           num_mul(out, *out, w->dilation[i]) && num_add(out, *out, 1);
}

// A window that would start in the padding at the end does not count.
static int64_t without_last(int64_t n, int64_t stride, int64_t covered) {
    int64_t start;
    return n > 1 && num_mul(&start, n - 1, stride) && start >= covered ? n - 1 : n;
}

struct graph_dim infer_window_dim(struct infer *c, const struct infer_window *w, uint32_t i,
                                  struct graph_dim in) {
    struct dim_pool *pool = c->job->dims;
    struct dim_num size = dim_from(in), stride = dim_int(w->stride[i]);
    int64_t extent;
    if (w->stride[i] <= 0) {
        return infer_unknown_dim();
    }
    if (w->auto_pad == INFER_PAD_SAME) {
        return dim_to(dim_ceil_div(pool, size, w->stride[i]));
    }
    if (!infer_window_extent(w, i, &extent)) {
        return infer_unknown_dim();
    }
    if (w->auto_pad == INFER_PAD_GIVEN) {
        size = dim_add(pool, size, dim_int(w->begin[i]));
    }
    struct dim_num covered = size;
    if (w->auto_pad == INFER_PAD_GIVEN) {
        size = dim_add(pool, size, dim_int(w->end[i]));
    }
    size = dim_sub(pool, size, dim_int(extent));
    if (size.kind == DIM_INT && size.i < 0) {
        return infer_unknown_dim();
    }
    struct dim_num n =
        w->ceil ? dim_ceil_div(pool, size, w->stride[i]) : dim_floor_div(pool, size, stride);
    n = dim_add(pool, n, dim_int(1));
    if (w->ceil && n.kind == DIM_INT && covered.kind == DIM_INT) {
        n = dim_int(without_last(n.i, w->stride[i], covered.i));
    }
    return dim_to(n);
}
