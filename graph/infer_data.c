// Values of small tensors: shape arithmetic is done here, so that Reshape, Expand and the like know
// their targets. This file: where values come from; infer_data_math.c computes with them,
// infer_data_move.c moves them.
#include "graph/infer_data.h"

#include <math.h>

#include "graph/infer_rules.h"

static const struct dim_num unknown = {.kind = DIM_UNKNOWN};

const struct infer_data *data_in(struct infer *c, uint32_t slot) {
    const struct infer_data *data = infer_data_in(c, slot);
    uint32_t n;
    if (!data || !infer_count(infer_in(c, slot), INFER_DATA_MAX, &n) || n != data->n) {
        return NULL;
    }
    return data;
}

const struct graph_tensor_type *data_out_type(const struct infer *c, uint32_t slot, uint32_t *n) {
    if (slot >= c->node->n_outputs || c->node->outputs[slot] == ONNX_NONE) {
        return NULL;
    }
    const struct graph_tensor_type *type = &c->frame->types[c->node->outputs[slot]];
    return type->rank <= INFER_RANK_MAX && infer_count(type, INFER_DATA_MAX, n) ? type : NULL;
}

uint32_t data_source(const struct graph_tensor_type *out, const struct graph_tensor_type *in,
                     uint32_t flat) {
    uint32_t at = 0, stride = 1;
    for (uint32_t i = 0; i < out->rank; i++) {
        uint32_t size = (uint32_t)out->dims[out->rank - 1 - i].value;
        uint32_t place = flat % size;
        flat /= size;
        if (i >= in->rank) {
            break;
        }
        uint32_t in_size = (uint32_t)in->dims[in->rank - 1 - i].value;
        at += place % in_size * stride;
        stride *= in_size;
    }
    return at;
}

static bool is_float(int32_t dtype) {
    return dtype == ONNX_FLOAT || dtype == ONNX_DOUBLE || dtype == ONNX_FLOAT16 ||
           dtype == ONNX_BFLOAT16;
}

static bool is_integer(int32_t dtype) {
    return (dtype >= ONNX_UINT8 && dtype <= ONNX_INT64) || dtype == 12 || dtype == 13;
}

struct dim_num data_as(struct dim_num num, int32_t dtype) {
    if (num.kind == DIM_UNKNOWN) {
        return num;
    }
    if (dtype == ONNX_BOOL) {
        return num.kind == DIM_INT ? dim_int(num.i != 0) : unknown;
    }
    if (is_float(dtype)) {
        if (num.kind == DIM_SYMBOL) {
            return num;
        }
        double real = num.kind == DIM_INT ? (double)num.i : num.real;
        return dim_real(dtype == ONNX_DOUBLE ? real : (double)(float)real);
    }
    if (!is_integer(dtype)) {
        return unknown;
    }
    if (num.kind != DIM_REAL) {
        return num;
    }
    // Past these bounds the conversion has no defined result.
    bool fits = num.real > -9.2e18 && num.real < 9.2e18;
    return fits ? dim_int((int64_t)num.real) : unknown;
}

void data_copy(struct infer *c) {
    const struct infer_data *in = infer_data_in(c, 0);
    uint32_t n;
    if (in && data_out_type(c, 0, &n) && n == in->n) {
        infer_out_data(c, 0, in->n, in->nums);
    }
}

void data_cast(struct infer *c) {
    const struct infer_data *in = infer_data_in(c, 0);
    struct dim_num nums[INFER_DATA_MAX];
    uint32_t n;
    const struct graph_tensor_type *out = in ? data_out_type(c, 0, &n) : NULL;
    if (!out || n != in->n) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        nums[i] = data_as(in->nums[i], out->dtype);
    }
    infer_out_data(c, 0, n, nums);
}

void data_constant(struct infer *c) {
    const struct onnx_attr *value = infer_attr(c, "value");
    const struct onnx_attr *ints = infer_attr(c, "value_ints"), *one = infer_attr(c, "value_int");
    const struct onnx_attr *reals = infer_attr(c, "value_floats");
    const struct onnx_attr *real = infer_attr(c, "value_float");
    struct dim_num nums[INFER_DATA_MAX];
    if (value && value->type == ONNX_ATTR_TENSOR && value->n) {
        const struct infer_data *data = infer_data_of_tensor(c, &value->tensors[0]);
        if (data && c->node->n_outputs && c->node->outputs[0] != ONNX_NONE) {
            c->frame->data[c->node->outputs[0]] = data;
        }
    } else if (one) {
        nums[0] = dim_int(one->i);
        infer_out_data(c, 0, 1, nums);
    } else if (real) {
        nums[0] = dim_real(real->f);
        infer_out_data(c, 0, 1, nums);
    } else if (ints && ints->type == ONNX_ATTR_INTS && ints->n <= INFER_DATA_MAX) {
        for (size_t i = 0; i < ints->n; i++) {
            nums[i] = dim_int(ints->ints[i]);
        }
        infer_out_data(c, 0, (uint32_t)ints->n, nums);
    } else if (reals && reals->type == ONNX_ATTR_FLOATS && reals->n <= INFER_DATA_MAX) {
        for (size_t i = 0; i < reals->n; i++) {
            nums[i] = dim_real((double)reals->floats[i]);
        }
        infer_out_data(c, 0, (uint32_t)reals->n, nums);
    }
}

void data_shape(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct dim_num nums[INFER_RANK_MAX];
    uint32_t first, n;
    if (!infer_shape_part(c, &first, &n)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        nums[i] = dim_from(in->dims[first + i]);
    }
    infer_out_data(c, 0, n, nums);
}

void data_size(struct infer *c) {
    struct dim_num n = infer_elements(c, infer_in(c, 0));
    if (n.kind != DIM_UNKNOWN) {
        infer_out_data(c, 0, 1, &n);
    }
}

void data_fill(struct infer *c) {
    const struct onnx_attr *value = infer_attr(c, "value");
    struct dim_num nums[INFER_DATA_MAX];
    struct dim_num filler = dim_real(0);
    uint32_t n;
    if (!data_out_type(c, 0, &n)) {
        return;
    }
    if (value) {
        const struct infer_data *data =
            value->tensors && value->n ? infer_data_of_tensor(c, &value->tensors[0]) : NULL;
        if (!data || data->n != 1) {
            return;
        }
        filler = data->nums[0];
    }
    for (uint32_t i = 0; i < n; i++) {
        nums[i] = filler;
    }
    infer_out_data(c, 0, n, nums);
}

void data_range(struct infer *c) {
    struct dim_num nums[INFER_DATA_MAX];
    int64_t start, step;
    uint32_t n;
    if (!data_out_type(c, 0, &n) || !infer_int_in(c, 0, &start) || !infer_int_in(c, 2, &step)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        nums[i] =
            dim_add(c->job->dims, dim_int(start), dim_mul(c->job->dims, dim_int(step), dim_int(i)));
    }
    infer_out_data(c, 0, n, nums);
}
