#include "graph/shape.h"

#include "graph/dim_name.h"
#include "graph/shape_internal.h"

#define SHAPE_MEMORY_MAX ((size_t)1 << 30)
#define DIM_MEMORY_MAX ((size_t)64 << 20)

static shape_source *const sources[] = {
    shape_declared,
    shape_initializers,
    shape_infer,
};

int graph_shapes_init(struct graph_shapes *out, const struct graph_net *net,
                      struct warnings *warnings, struct error *err) {
    struct shape_job job = {.shapes = out, .net = net, .warnings = warnings};
    arena_init(&out->arena, SHAPE_MEMORY_MAX);
    out->dims = arena_alloc(&out->arena, sizeof(*out->dims));
    if (!out->dims) {
        return arena_error(&out->arena, "shapes", err);
    }
    dim_pool_init(out->dims, DIM_MEMORY_MAX);
    out->values = arena_array(&out->arena, net->n_values, sizeof(*out->values));
    out->conflicts = arena_array(&out->arena, net->n_nodes, sizeof(*out->conflicts));
    out->macs = arena_array(&out->arena, net->n_nodes, sizeof(*out->macs));
    out->repeats = arena_array(&out->arena, net->model->n_graphs, sizeof(*out->repeats));
    if (!out->values || !out->conflicts || !out->macs || !out->repeats) {
        return arena_error(&out->arena, "shapes", err);
    }
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        int result = sources[i](&job, err);
        if (result < 0) {
            return result;
        }
    }
    return 0;
}

void graph_shapes_release(struct graph_shapes *shapes) {
    if (!shapes) {
        return;
    }
    if (shapes->dims) {
        dim_pool_release(shapes->dims);
    }
    arena_release(&shapes->arena);
    *shapes = (struct graph_shapes){0};
}

static void add_dim(struct buf *out, const struct graph_dim *dim) {
    if (dim->value >= 0) {
        buf_add_i64(out, dim->value);
    } else if (dim->symbol.n && !graph_dim_is_generated(dim->symbol)) {
        buf_add_str(out, dim->symbol);
    } else {
        buf_add_char(out, '?');
    }
}

void graph_shape_text(struct buf *out, const struct graph_tensor_type *type) {
    if (!type->has_rank) {
        buf_add_char(out, '?');
        return;
    }
    buf_add_char(out, '(');
    for (uint32_t i = 0; i < type->rank; i++) {
        if (i) {
            buf_add_z(out, ", ");
        }
        add_dim(out, &type->dims[i]);
    }
    buf_add_char(out, ')');
}
