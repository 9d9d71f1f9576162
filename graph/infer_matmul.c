// Products of matrices.
#include "base/attr.h"
#include "graph/infer_rules.h"

// The shapes a product is made of, turned as the operator says.
struct product {
    struct graph_tensor_type a, b;
};

// Batch dims broadcast, as numpy.matmul does: https://onnx.ai/onnx/operators/onnx__MatMul.html
static bool product_dims(struct infer *c, const struct product *p, struct graph_dim *dims,
                         uint32_t *rank) {
    const struct graph_tensor_type *a = &p->a, *b = &p->b;
    if (!a->has_rank || !b->has_rank || a->rank == 0 || b->rank == 0) {
        return false;
    }
    struct graph_dim inner_a = a->dims[a->rank - 1];
    struct graph_dim inner_b = b->dims[b->rank > 1 ? b->rank - 2 : 0];
    if (inner_a.value >= 0 && inner_b.value >= 0 && inner_a.value != inner_b.value) {
        infer_conflict(c, a, b, "these matrices cannot be multiplied: ");
        return false;
    }
    struct graph_tensor_type batch_a = *a, batch_b = *b;
    batch_a.rank = a->rank > 2 ? a->rank - 2 : 0;
    batch_b.rank = b->rank > 2 ? b->rank - 2 : 0;
    *rank = 0;
    if (!infer_broadcast(dims, rank, &batch_a) || !infer_broadcast(dims, rank, &batch_b)) {
        infer_conflict(c, a, b, "these matrices cannot be multiplied: ");
        return false;
    }
    if (a->rank > 1) {
        dims[(*rank)++] = a->dims[a->rank - 2];
    }
    if (b->rank > 1) {
        dims[(*rank)++] = b->dims[b->rank - 1];
    }
    return true;
}

static void state_product(struct infer *c, const struct product *p, int32_t dtype) {
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t rank;
    if (product_dims(c, p, dims, &rank)) {
        infer_out(c, 0, dtype, rank, dims);
    } else {
        infer_out_unranked(c, 0, dtype);
    }
}

void infer_matmul(struct infer *c) {
    struct product p = {*infer_in(c, 0), *infer_in(c, 1)};
    int32_t dtype = c->row->arg;
    if (!dtype) {
        dtype = p.a.dtype ? p.a.dtype : p.b.dtype;
    }
    state_product(c, &p, dtype);
}

// a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point
void infer_qlinear_matmul(struct infer *c) {
    struct product p = {*infer_in(c, 0), *infer_in(c, 3)};
    state_product(c, &p, infer_in(c, 7)->dtype);
}

static void swap_last(struct infer *c, struct graph_tensor_type *type) {
    struct graph_dim dims[INFER_RANK_MAX];
    if (!type->has_rank || type->rank < 2) {
        return;
    }
    memcpy(dims, type->dims, type->rank * sizeof(*dims));
    dims[type->rank - 2] = type->dims[type->rank - 1];
    dims[type->rank - 1] = type->dims[type->rank - 2];
    infer_keep_dims(c, type, dims, type->rank);
}

// With transBatchA the first dim goes behind the others but one: (M, B, K) is (B, M, K).
static void turn_batch(struct infer *c, struct graph_tensor_type *type) {
    struct graph_dim dims[INFER_RANK_MAX];
    if (!type->has_rank || type->rank < 3) {
        return;
    }
    memcpy(dims, type->dims + 1, (type->rank - 2) * sizeof(*dims));
    dims[type->rank - 2] = type->dims[0];
    dims[type->rank - 1] = type->dims[type->rank - 1];
    infer_keep_dims(c, type, dims, type->rank);
}

void infer_fused_matmul(struct infer *c) {
    struct product p = {*infer_in(c, 0), *infer_in(c, 1)};
    if (infer_attr_int(c, "transBatchA", 0)) {
        turn_batch(c, &p.a);
    }
    if (infer_attr_int(c, "transBatchB", 0)) {
        turn_batch(c, &p.b);
    }
    if (infer_attr_int(c, "transA", 0)) {
        swap_last(c, &p.a);
    }
    if (infer_attr_int(c, "transB", 0)) {
        swap_last(c, &p.b);
    }
    state_product(c, &p, p.a.dtype);
}

void infer_gemm(struct infer *c) {
    int32_t dtype = c->row->arg ? c->row->arg : infer_in(c, 0)->dtype;
    dtype = (int32_t)infer_attr_int(c, "dtype", dtype);  // of GemmFloat8
    int64_t trans_a = infer_attr_int(c, "transA", 0), trans_b = infer_attr_int(c, "transB", 0);
    struct graph_dim dims[2] = {dim_to(infer_dim_in(c, 0, trans_a ? 1 : 0)),
                                dim_to(infer_dim_in(c, 1, trans_b ? 0 : 1))};
    struct dim_num inner_a = infer_dim_in(c, 0, trans_a ? 0 : 1);
    struct dim_num inner_b = infer_dim_in(c, 1, trans_b ? 1 : 0);
    if (inner_a.kind == DIM_INT && inner_b.kind == DIM_INT && inner_a.i != inner_b.i) {
        infer_conflict(c, infer_in(c, 0), infer_in(c, 1), "these matrices cannot be multiplied: ");
    }
    infer_out(c, 0, dtype, 2, dims);
}

void infer_matmul_nbits(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    if (!in->has_rank || in->rank == 0) {
        infer_out_unranked(c, 0, in->dtype);
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    dims[in->rank - 1] = infer_known_dim(infer_attr_int(c, "N", -1));
    infer_out(c, 0, in->dtype, in->rank, dims);
}

void infer_det(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    if (in->has_rank && in->rank >= 2) {
        infer_out(c, 0, in->dtype, in->rank - 2, in->dims);
    } else {
        infer_out_unranked(c, 0, in->dtype);
    }
}
