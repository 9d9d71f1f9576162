// Quantised tensors: the type is that of a zero point, or an attribute's.
#include "base/attr.h"
#include "graph/infer_rules.h"

void infer_quantize(struct infer *c) {
    int32_t dtype = infer_in(c, 2)->dtype;
    int64_t asked = infer_attr_int(c, "output_dtype", 0);
    if (!infer_has(c, 2)) {
        dtype = asked ? (int32_t)asked : ONNX_UINT8;
    }
    infer_out_shape(c, 0, dtype, infer_in(c, 0));
}

// Real numbers of the scale's type.
void infer_dequantize(struct infer *c) {
    int32_t dtype = infer_in(c, 1)->dtype;
    int64_t asked = infer_attr_int(c, "output_dtype", 0);
    if (asked) {
        dtype = (int32_t)asked;
    }
    infer_out_shape(c, 0, dtype ? dtype : ONNX_FLOAT, infer_in(c, 0));
}

void infer_dynamic_quantize(struct infer *c) {
    infer_out_shape(c, 0, ONNX_UINT8, infer_in(c, 0));
    infer_out_scalar(c, 1, ONNX_FLOAT);
    infer_out_scalar(c, 2, ONNX_UINT8);
}

// A, A_scale, A_zero_point, B, ...: A and B broadcast.
void infer_qlinear_binary(struct infer *c) {
    const struct graph_tensor_type *a = infer_in(c, 0);
    const struct graph_tensor_type *b = infer_in(c, (uint32_t)c->row->arg);
    int32_t dtype = c->row->data_arg ? c->row->data_arg : a->dtype;
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t rank = 0;
    if (a->has_rank && b->has_rank && infer_broadcast(dims, &rank, a) &&
        infer_broadcast(dims, &rank, b)) {
        infer_out(c, 0, dtype, rank, dims);
    } else {
        infer_out_unranked(c, 0, dtype);
    }
}

// condition, X, x_scale, x_zero_point, Y, ...
void infer_qlinear_where(struct infer *c) {
    const struct graph_tensor_type *x = infer_in(c, 1);
    static const uint32_t slots[] = {0, 1, 4};
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t rank = 0;
    bool known = true;
    for (size_t i = 0; i < ARRAY_LEN(slots); i++) {
        const struct graph_tensor_type *in = infer_in(c, slots[i]);
        known = known && in->has_rank && infer_broadcast(dims, &rank, in);
    }
    if (known) {
        infer_out(c, 0, x->dtype, rank, dims);
    } else {
        infer_out_unranked(c, 0, x->dtype);
    }
}

void infer_qlinear_global_pool(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    bool channels_last = infer_attr_int(c, "channels_last", 0) != 0;
    struct graph_dim dims[INFER_RANK_MAX];
    for (uint32_t i = 0; i < in->rank; i++) {
        bool kept = i == 0 || i == (channels_last ? in->rank - 1 : 1);
        dims[i] = kept ? in->dims[i] : infer_known_dim(1);
    }
    if (in->has_rank) {
        infer_out(c, 0, in->dtype, in->rank, dims);
    } else {
        infer_out_unranked(c, 0, in->dtype);
    }
}

// y_scale, y_zero_point, then (tensor, scale, zero point) per input.
void infer_qlinear_concat(struct infer *c) {
    const struct graph_tensor_type *first = infer_in(c, 2);
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t axis;
    bool known = first->has_rank && infer_axis(infer_attr_int(c, "axis", 0), first->rank, &axis);
    if (known && first->rank) {
        memcpy(dims, first->dims, first->rank * sizeof(*dims));
    }
    for (uint32_t i = 5; known && i < c->node->n_inputs; i += 3) {
        struct dim_num more = infer_dim_in(c, i, axis);
        dims[axis] = dim_to(dim_add(c->job->dims, dim_from(dims[axis]), more));
    }
    if (known) {
        infer_out(c, 0, infer_in(c, 1)->dtype, first->rank, dims);
    } else {
        infer_out_unranked(c, 0, infer_in(c, 1)->dtype);
    }
}

// A, a_scale, a_zero_point, B, b_scale, b_zero_point, C, y_scale, y_zero_point
void infer_qgemm(struct infer *c) {
    int64_t trans_a = infer_attr_int(c, "transA", 0), trans_b = infer_attr_int(c, "transB", 0);
    struct graph_dim dims[2] = {dim_to(infer_dim_in(c, 0, trans_a ? 1 : 0)),
                                dim_to(infer_dim_in(c, 3, trans_b ? 0 : 1))};
    infer_out(c, 0, infer_has(c, 8) ? infer_in(c, 8)->dtype : ONNX_FLOAT, 2, dims);
}
