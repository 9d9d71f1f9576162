// Attention, of ONNX (opset 23) and of ONNX Runtime.
#include "graph/infer_rules.h"

static struct dim_num divided(struct infer *c, struct dim_num a, int64_t by) {
    return by > 0 ? dim_exact_div(c->job->dims, a, dim_int(by))
                  : (struct dim_num){.kind = DIM_UNKNOWN};
}

// https://onnx.ai/onnx/operators/onnx__Attention.html: Q, K, V of (B, heads, S, head size) or
// (B, S, heads * head size); outputs Y, present key and value, and the scores.
void infer_attention(struct infer *c) {
    const struct graph_tensor_type *q = infer_in(c, 0), *v = infer_in(c, 2);
    int64_t heads = infer_attr_int(c, "q_num_heads", -1);
    int64_t kv_heads = infer_attr_int(c, "kv_num_heads", -1);
    if (!q->has_rank || !v->has_rank || q->rank != v->rank || (q->rank != 3 && q->rank != 4)) {
        infer_out_unranked(c, 0, q->dtype);
        return;
    }
    bool flat = q->rank == 3;
    struct dim_num seq = infer_dim_in(c, 0, -2);
    struct dim_num total = dim_add(c->job->dims, infer_dim_in(c, 1, -2),
                                   infer_has(c, 4) ? infer_dim_in(c, 4, 2) : dim_int(0));
    struct dim_num n = flat ? dim_int(heads) : infer_dim_in(c, 0, 1);
    struct dim_num n_kv = flat ? dim_int(kv_heads) : infer_dim_in(c, 1, 1);
    struct dim_num size_k =
        flat ? divided(c, infer_dim_in(c, 1, 2), kv_heads) : infer_dim_in(c, 1, 3);
    struct dim_num size_v =
        flat ? divided(c, infer_dim_in(c, 2, 2), kv_heads) : infer_dim_in(c, 2, 3);
    struct graph_dim batch = q->dims[0];
    struct graph_dim y[4] = {batch, dim_to(n), dim_to(seq), dim_to(size_v)};
    struct graph_dim y_flat[3] = {batch, dim_to(seq), dim_to(dim_mul(c->job->dims, n, size_v))};
    struct graph_dim key[4] = {batch, dim_to(n_kv), dim_to(total), dim_to(size_k)};
    struct graph_dim value[4] = {batch, dim_to(n_kv), dim_to(total), dim_to(size_v)};
    struct graph_dim scores[4] = {batch, dim_to(n), dim_to(seq), dim_to(total)};
    infer_out(c, 0, q->dtype, q->rank, flat ? y_flat : y);
    infer_out(c, 1, infer_in(c, 1)->dtype, 4, key);
    infer_out(c, 2, v->dtype, 4, value);
    infer_out(c, 3, q->dtype, 4, scores);
}

// com.microsoft Attention: X (B, S, in), packed weights (in, 3 * hidden); present (2, B, heads,
// total, head size).
void infer_ms_attention(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct infer_ints sizes;
    struct dim_num width = infer_dim_in(c, (uint32_t)c->row->arg, -1), hidden, past = dim_int(0);
    int64_t heads = infer_attr_int(c, "num_heads", 0);
    if (infer_attr_ints(c, "qkv_hidden_sizes", &sizes) && sizes.n == 3) {
        hidden = dim_int(sizes.items[2]);
    } else {
        hidden = divided(c, width, 3);
    }
    struct graph_dim y[3] = {dim_to(infer_dim_in(c, 0, 0)), dim_to(infer_dim_in(c, 0, 1)),
                             dim_to(hidden)};
    int32_t dtype = c->row->arg == 1 && in->dtype != ONNX_INT8 && in->dtype != ONNX_UINT8
                        ? in->dtype
                        : ONNX_FLOAT;
    infer_out(c, 0, dtype, 3, y);
    uint32_t slot = (uint32_t)c->row->data_arg;
    if (infer_has(c, slot) && infer_attr_int(c, "past_present_share_buffer", 0)) {
        infer_out_shape(c, 1, dtype, infer_in(c, slot));
        return;
    }
    if (infer_has(c, slot)) {
        past = infer_dim_in(c, slot, 3);
    }
    struct graph_dim present[5] = {infer_known_dim(2), y[0], infer_known_dim(heads ? heads : -1),
                                   dim_to(dim_add(c->job->dims, infer_dim_in(c, 0, 1), past)),
                                   dim_to(divided(c, hidden, heads))};
    infer_out(c, 1, dtype, 5, present);
}

// query (B, S, hidden) or packed (B, S, heads, 3, head size); key, value; the output is (B, S,
// width of the value), present key and value (B, heads, total, head size).
void infer_multi_head_attention(struct infer *c) {
    const struct graph_tensor_type *q = infer_in(c, 0), *v = infer_in(c, 2);
    int64_t heads = infer_attr_int(c, "num_heads", 0);
    struct dim_num width = infer_dim_in(c, 0, 2), total = infer_dim_in(c, 1, 1);
    if (v->has_rank && v->rank == 3) {
        width = infer_dim_in(c, 2, 2);
    } else if (v->has_rank && v->rank == 4) {
        width = dim_mul(c->job->dims, infer_dim_in(c, 2, 1), infer_dim_in(c, 2, 3));
    } else if (q->has_rank && q->rank == 5) {
        width = dim_mul(c->job->dims, infer_dim_in(c, 0, 2), infer_dim_in(c, 0, 4));
    }
    struct graph_dim y[3] = {dim_to(infer_dim_in(c, 0, 0)), dim_to(infer_dim_in(c, 0, 1)),
                             dim_to(width)};
    if (q->has_rank) {
        infer_out(c, 0, q->dtype, 3, y);
    }
    if (v->has_rank && v->rank == 4) {
        total = infer_dim_in(c, 2, 2);
    } else if (infer_has(c, (uint32_t)c->row->arg)) {
        total = dim_add(c->job->dims, total, infer_dim_in(c, (uint32_t)c->row->arg, 2));
    }
    struct graph_dim present[4] = {y[0], infer_known_dim(heads ? heads : -1), dim_to(total),
                                   dim_to(divided(c, width, heads))};
    uint32_t past = (uint32_t)c->row->arg;
    if (infer_has(c, past) && infer_has(c, past + 2)) {  // past and present share memory
        infer_out_shape(c, 1, q->dtype, infer_in(c, past));
        infer_out_shape(c, 2, q->dtype, infer_in(c, past + 1));
        return;
    }
    infer_out(c, 1, q->dtype, 4, present);
    infer_out(c, 2, q->dtype, 4, present);
}

// Tokens of all sequences in one row, without padding: (tokens, hidden) and packed weights, or
// query, key and value; the output is (tokens, width of the value).
void infer_packed_attention(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct dim_num width;
    struct infer_ints sizes;
    if (c->row->arg) {
        width = divided(c, infer_dim_in(c, 1, -1), 3);
        if (infer_attr_ints(c, "qkv_hidden_sizes", &sizes) && sizes.n == 3) {
            width = dim_int(sizes.items[2]);
        }
    } else if (infer_has(c, 2)) {
        width = infer_dim_in(c, 2, 1);
    } else {  // (tokens, heads, 3, head size)
        width = dim_mul(c->job->dims, infer_dim_in(c, 0, 1), infer_dim_in(c, 0, 3));
    }
    struct graph_dim dims[2] = {dim_to(infer_dim_in(c, 0, 0)), dim_to(width)};
    infer_out(c, 0, in->dtype, 2, dims);
}

// The caches keep their size when they share memory; their declared or past shape says so.
void infer_group_query_attention(struct infer *c) {
    const struct graph_tensor_type *q = infer_in(c, 0);
    int64_t heads = infer_attr_int(c, "num_heads", 0);
    int64_t kv_heads = infer_attr_int(c, "kv_num_heads", 0);
    struct dim_num width = infer_dim_in(c, 0, 2), size;
    if (!infer_has(c, 1)) {  // Q, K and V packed in the query
        size = divided(c, width, heads + 2 * kv_heads);
        width = dim_mul(c->job->dims, size, dim_int(heads));
    } else {
        size = divided(c, width, heads);
    }
    struct graph_dim y[3] = {dim_to(infer_dim_in(c, 0, 0)), dim_to(infer_dim_in(c, 0, 1)),
                             dim_to(width)};
    struct graph_dim present[4] = {y[0], infer_known_dim(kv_heads ? kv_heads : -1),
                                   infer_unknown_dim(), dim_to(size)};
    if (!infer_has(c, 3)) {
        present[2] = y[1];
    }
    if (q->has_rank) {
        infer_out(c, 0, q->dtype, 3, y);
    }
    infer_out(c, 1, q->dtype, 4, present);
    infer_out(c, 2, q->dtype, 4, present);
}
