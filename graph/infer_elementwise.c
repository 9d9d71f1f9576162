// Operators that work element by element, and norms: their outputs have the shape of an input, or
// of the inputs broadcast (https://onnx.ai/onnx/repo-docs/Broadcasting.html).
#include "graph/infer_rules.h"

void infer_same(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    infer_out_shape(c, 0, c->row->arg ? c->row->arg : in->dtype, in);
}

// Like the first input, type included, whatever the row's arg says to the costs.
void infer_same_shape(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    infer_out_shape(c, 0, in->dtype, in);
}

// Two results of the shape of the first input.
void infer_same_twice(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    infer_out_shape(c, 0, in->dtype, in);
    infer_out_shape(c, 1, in->dtype, in);
}

void infer_shape_attr_dtype(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    int32_t otherwise = c->row->arg ? c->row->arg : in->dtype;
    infer_out_shape(c, 0, (int32_t)infer_attr_int(c, "dtype", otherwise), in);
}

// Before opset 7 the second operand fits itself to the first.
static bool is_one_sided(const struct infer *c) {
    return c->opset < 7 && onnx_domain_is_standard(c->node->proto->domain) &&
           c->node->n_inputs == 2;
}

static int32_t common_dtype(const struct infer *c) {
    int32_t dtype = c->row->arg;
    for (uint32_t i = 0; i < c->node->n_inputs && !dtype; i++) {
        dtype = infer_in(c, i)->dtype;
    }
    return dtype;
}

// Output 0 is the first `n` inputs broadcast.
static void state_broadcast(struct infer *c, uint32_t n, int32_t dtype) {
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t rank = 0, shaped = 0, n_shaped = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_tensor_type *in = infer_in(c, i);
        if (!in->has_rank) {
            infer_out_unranked(c, 0, dtype);
            return;
        }
        if (in->rank) {
            shaped = i;
            n_shaped++;
        }
        if (!infer_broadcast(dims, &rank, in)) {
            infer_conflict(c, infer_in(c, 0), in, "these inputs do not fit each other: ");
            infer_out_unranked(c, 0, dtype);
            return;
        }
    }
    // With scalars around it, the one tensor among the inputs lends its dims.
    if (n_shaped <= 1) {
        infer_out_shape(c, 0, dtype, infer_in(c, shaped));
    } else {
        infer_out(c, 0, dtype, rank, dims);
    }
}

void infer_arith(struct infer *c) {
    if (is_one_sided(c)) {
        infer_out_shape(c, 0, common_dtype(c), infer_in(c, 0));
    } else if (c->node->n_inputs) {
        state_broadcast(c, c->node->n_inputs, common_dtype(c));
    }
}

void infer_where(struct infer *c) {
    int32_t dtype = infer_in(c, 1)->dtype;
    state_broadcast(c, 3, dtype ? dtype : infer_in(c, 2)->dtype);
}

void infer_cast(struct infer *c) {
    infer_out_shape(c, 0, (int32_t)infer_attr_int(c, "to", 0), infer_in(c, 0));
}

void infer_cast_like(struct infer *c) {
    infer_out_shape(c, 0, infer_in(c, 1)->dtype, infer_in(c, 0));
}

// The mask was of the data's type before opset 10.
void infer_dropout(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    infer_out_shape(c, 0, in->dtype, in);
    int32_t mask = c->opset < 10 ? in->dtype : ONNX_BOOL;
    infer_out_shape(c, 1, c->row->arg ? c->row->arg : mask, in);
}

void infer_layer_norm(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t axis;
    int32_t stash = (int32_t)infer_attr_int(c, "stash_type", ONNX_FLOAT);
    infer_out_shape(c, 0, in->dtype, in);
    if (!in->has_rank || !infer_axis(infer_attr_int(c, "axis", -1), in->rank, &axis)) {
        return;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        dims[i] = i < axis ? in->dims[i] : infer_known_dim(1);
    }
    for (uint32_t i = (uint32_t)c->row->arg; i < c->node->n_outputs; i++) {
        infer_out(c, i, stash, in->rank, dims);
    }
}

void infer_batch_norm(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0), *mean = infer_in(c, 3);
    infer_out_shape(c, 0, in->dtype, in);
    for (uint32_t i = 1; i < c->node->n_outputs; i++) {
        infer_out_shape(c, i, mean->dtype, mean);
    }
}
