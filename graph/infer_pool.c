// Pooling: (N, C, D1, ...) to (N, C, places of the window).
#include "graph/infer_rules.h"
#include "graph/infer_window.h"

void infer_pool(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    struct infer_window w;
    if (!in->has_rank || in->rank < 3 || !infer_window_read(c, in->rank - 2, &w)) {
        infer_out_unranked(c, 0, in->dtype);
        if (c->row->arg) {
            infer_out_unranked(c, 1, c->row->arg);
        }
        return;
    }
    bool last = infer_channels_last(c);
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    for (uint32_t i = 0; i < w.n; i++) {
        uint32_t at = infer_spatial_at(last, i);
        dims[at] = infer_window_dim(c, &w, i, in->dims[at]);
    }
    infer_out(c, 0, in->dtype, in->rank, dims);
    if (c->row->arg) {
        infer_out(c, 1, c->row->arg, in->rank, dims);
    }
}

void infer_global_pool(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    if (!in->has_rank || in->rank < 2) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        dims[i] = i < 2 ? in->dims[i] : infer_known_dim(1);
    }
    infer_out(c, 0, in->dtype, in->rank, dims);
}

// Without the output_shape input the pooling's arithmetic backwards.
static struct graph_dim unpooled_dim(struct infer *c, const struct infer_window *w, uint32_t i,
                                     struct graph_dim in) {
    struct dim_pool *pool = c->job->dims;
    struct dim_num n = dim_sub(pool, dim_from(in), dim_int(1));
    n = dim_mul(pool, n, dim_int(w->stride[i]));
    n = dim_add(pool, n, dim_int(w->kernel[i]));
    n = dim_sub(pool, n, dim_int(w->begin[i]));
    return dim_to(dim_sub(pool, n, dim_int(w->end[i])));
}

void infer_max_unpool(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct infer_data *shape = infer_data_in(c, 2);
    struct graph_dim dims[INFER_RANK_MAX];
    struct infer_window w;
    if (!in->has_rank || in->rank < 3 || !infer_window_read(c, in->rank - 2, &w)) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        if (infer_has(c, 2)) {
            dims[i] = shape && shape->n == in->rank ? dim_to(shape->nums[i]) : infer_unknown_dim();
        } else {
            dims[i] = i < 2 ? in->dims[i] : unpooled_dim(c, &w, i - 2, in->dims[i]);
        }
    }
    infer_out(c, 0, in->dtype, in->rank, dims);
}

static void state_regions(struct infer *c, uint32_t regions, int64_t height, int64_t width) {
    struct graph_dim dims[4] = {
        dim_to(infer_dim_in(c, regions, 0)),
        dim_to(infer_dim_in(c, 0, 1)),
        infer_known_dim(height),
        infer_known_dim(width),
    };
    infer_out(c, 0, infer_in(c, 0)->dtype, 4, dims);
}

void infer_roi_pool(struct infer *c) {
    struct infer_ints size;
    if (infer_attr_ints(c, "pooled_shape", &size) && size.n == 2) {
        state_regions(c, 1, size.items[0], size.items[1]);
    }
}

void infer_roi_align(struct infer *c) {
    state_regions(c, 1, infer_attr_int(c, "output_height", 1),
                  infer_attr_int(c, "output_width", 1));
}

// (N, C * block, L) to (N, C, image).
void infer_col2im(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    const struct infer_data *image = infer_data_in(c, 1), *block = infer_data_in(c, 2);
    struct graph_dim dims[INFER_RANK_MAX];
    struct dim_num size = dim_int(1);
    if (!image || !block || image->n + 2 > INFER_RANK_MAX) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    for (uint32_t i = 0; i < block->n; i++) {
        size = dim_mul(c->job->dims, size, block->nums[i]);
    }
    dims[0] = dim_to(infer_dim_in(c, 0, 0));
    dims[1] = dim_to(dim_exact_div(c->job->dims, infer_dim_in(c, 0, 1), size));
    for (uint32_t i = 0; i < image->n; i++) {
        dims[i + 2] = dim_to(image->nums[i]);
    }
    infer_out(c, 0, in->dtype, image->n + 2, dims);
}
