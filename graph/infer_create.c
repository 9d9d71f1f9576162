// Tensors that are made from sizes, attributes or nothing.
#include <math.h>

#include "graph/infer_rules.h"

// Attributes of Constant: one of them holds the value.
static const struct {
    const char *name;
    int32_t dtype;
    uint32_t rank;
} constant_forms[] = {
    {"value_float", ONNX_FLOAT, 0},   {"value_floats", ONNX_FLOAT, 1},
    {"value_int", ONNX_INT64, 0},     {"value_ints", ONNX_INT64, 1},
    {"value_string", ONNX_STRING, 0}, {"value_strings", ONNX_STRING, 1},
};

static void state_tensor(struct infer *c, const struct onnx_tensor *tensor) {
    struct graph_tensor_type type = {0};
    if (shape_of_tensor(c->job->shape, &type, tensor, NULL) < 0) {
        c->job->no_memory = true;
    }
    infer_out_shape(c, 0, type.dtype, &type);
}

void infer_constant(struct infer *c) {
    const struct onnx_attr *value = infer_attr(c, "value");
    if (!value) {
        value = infer_attr(c, "sparse_value");
    }
    if (value && value->tensors && value->n) {
        state_tensor(c, &value->tensors[0]);
        return;
    }
    for (size_t form = 0; form < ARRAY_LEN(constant_forms); form++) {
        const struct onnx_attr *attr = infer_attr(c, constant_forms[form].name);
        struct graph_dim dim = infer_known_dim(attr ? (int64_t)attr->n : 0);
        if (attr) {
            infer_out(c, 0, constant_forms[form].dtype, constant_forms[form].rank, &dim);
        }
    }
}

void infer_constant_of_shape(struct infer *c) {
    const struct infer_data *shape = infer_data_in(c, 0);
    const struct onnx_attr *value = infer_attr(c, "value");
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t rank;
    int32_t dtype = value && value->tensors && value->n ? value->tensors[0].dtype : ONNX_FLOAT;
    const struct graph_tensor_type *in = infer_in(c, 0);
    if (shape) {
        rank = shape->n;
    } else if (in->has_rank && in->rank == 1 && in->dims[0].value >= 0 &&
               in->dims[0].value <= INFER_RANK_MAX) {
        rank = (uint32_t)in->dims[0].value;
    } else {
        infer_out_unranked(c, 0, dtype);
        return;
    }
    for (uint32_t i = 0; i < rank && i < INFER_RANK_MAX; i++) {
        dims[i] = shape ? dim_to(shape->nums[i]) : infer_unknown_dim();
    }
    infer_out(c, 0, dtype, rank, dims);
}

// Part of the dims between start and end, opset 15.
static int64_t shape_bound(const struct infer *c, const char *name, int64_t otherwise,
                           int64_t rank) {
    int64_t at = infer_attr_int(c, name, otherwise);
    if (at < 0) {
        at += rank;
    }
    return at < 0 ? 0 : at > rank ? rank : at;
}

bool infer_shape_part(const struct infer *c, uint32_t *first, uint32_t *n) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    if (!in->has_rank) {
        return false;
    }
    int64_t start = shape_bound(c, "start", 0, in->rank);
    int64_t end = shape_bound(c, "end", in->rank, in->rank);
    *first = (uint32_t)start;
    *n = end > start ? (uint32_t)(end - start) : 0;
    return true;
}

void infer_shape_of(struct infer *c) {
    uint32_t first, n;
    struct graph_dim dim = infer_unknown_dim();
    if (infer_shape_part(c, &first, &n)) {
        dim = infer_known_dim(n);
    }
    infer_out(c, 0, ONNX_INT64, 1, &dim);
}

void infer_size_of(struct infer *c) {
    infer_out_scalar(c, 0, ONNX_INT64);
}

static const struct dim_num *scalar_in(struct infer *c, uint32_t slot) {
    static const struct dim_num nothing = {.kind = DIM_UNKNOWN};
    const struct infer_data *data = infer_data_in(c, slot);
    return data && data->n == 1 ? &data->nums[0] : &nothing;
}

static struct dim_num range_length(struct infer *c) {
    const struct dim_num unknown = {.kind = DIM_UNKNOWN};
    struct dim_num start = *scalar_in(c, 0), limit = *scalar_in(c, 1), step = *scalar_in(c, 2);
    if (start.kind == DIM_REAL && limit.kind == DIM_REAL && step.kind == DIM_REAL) {
        double n = ceil((limit.real - start.real) / step.real);
        return n >= 0 && n < (double)INT32_MAX ? dim_int((int64_t)n) : unknown;
    }
    if (step.kind != DIM_INT || step.i == 0 || step.i == INT64_MIN) {
        return unknown;
    }
    struct dim_num way =
        step.i > 0 ? dim_sub(c->job->dims, limit, start) : dim_sub(c->job->dims, start, limit);
    struct dim_num n = dim_ceil_div(c->job->dims, way, step.i > 0 ? step.i : -step.i);
    return n.kind == DIM_INT && n.i < 0 ? dim_int(0) : n;
}

void infer_range(struct infer *c) {
    int32_t dtype = infer_in(c, 0)->dtype;
    struct graph_dim dim = dim_to(range_length(c));
    if (!dtype) {
        dtype = infer_in(c, 1)->dtype;
    }
    infer_out(c, 0, dtype, 1, &dim);
}

void infer_random(struct infer *c) {
    struct infer_ints shape;
    struct graph_dim dims[INFER_RANK_MAX];
    int32_t dtype = (int32_t)infer_attr_int(c, "dtype", ONNX_FLOAT);
    if (!infer_attr_ints(c, "shape", &shape) || shape.n > INFER_RANK_MAX) {
        infer_out_unranked(c, 0, dtype);
        return;
    }
    for (uint32_t i = 0; i < shape.n; i++) {
        dims[i] = infer_known_dim(shape.items[i]);
    }
    infer_out(c, 0, dtype, shape.n, dims);
}

void infer_eye_like(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    infer_out_shape(c, 0, (int32_t)infer_attr_int(c, "dtype", in->dtype), in);
}

void infer_multinomial(struct infer *c) {
    struct graph_dim dims[2] = {dim_to(infer_dim_in(c, 0, 0)),
                                infer_known_dim(infer_attr_int(c, "sample_size", 1))};
    infer_out(c, 0, (int32_t)infer_attr_int(c, "dtype", ONNX_INT32), 2, dims);
}

void infer_window(struct infer *c) {
    struct graph_dim dim = dim_to(*scalar_in(c, 0));
    infer_out(c, 0, (int32_t)infer_attr_int(c, "output_datatype", ONNX_FLOAT), 1, &dim);
}
