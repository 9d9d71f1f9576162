// Multiply-accumulates of one execution of an operator. One multiplication with its addition counts
// one; what does no sums of products counts none, as in fvcore
// (https://github.com/facebookresearch/fvcore/blob/main/docs/flop_count.md), torchinfo and the
// papers of the models. Unknown shapes give an unknown count.
#include "graph/infer_einsum.h"
#include "graph/infer_rules.h"

static const struct dim_num unknown = {.kind = DIM_UNKNOWN};

static struct dim_num times(struct infer *c, struct dim_num a, struct dim_num b) {
    return dim_mul(c->job->dims, a, b);
}

static const struct graph_tensor_type *output(const struct infer *c) {
    static const struct graph_tensor_type nothing = {0};
    if (c->node->n_outputs == 0 || c->node->outputs[0] == ONNX_NONE) {
        return &nothing;
    }
    const struct graph_tensor_type *type = &c->frame->types[c->node->outputs[0]];
    return type->rank <= INFER_RANK_MAX ? type : &nothing;
}

static struct dim_num dim_of(const struct graph_tensor_type *type, uint32_t at) {
    return type->has_rank && at < type->rank ? dim_from(type->dims[at]) : unknown;
}

// Each output element sums (C / group) * kernel products; the weight is (M, C / group, kernel).
static struct dim_num convolution(struct infer *c, uint32_t weight_slot) {
    const struct graph_tensor_type *weight = infer_in(c, weight_slot);
    if (!weight->has_rank || weight->rank < 2) {
        return unknown;
    }
    struct dim_num each = infer_product(c, weight->dims + 1, weight->rank - 1);
    return times(c, infer_elements(c, output(c)), each);
}

// What multiplies, but by no formula that is known here.
struct dim_num macs_unknown(struct infer *c) {
    (void)c;
    return unknown;
}

struct dim_num macs_conv(struct infer *c) {
    return convolution(c, 1);
}

struct dim_num macs_qlinear_conv(struct infer *c) {
    return convolution(c, 3);
}

// Each input element is multiplied by (M / group) * kernel weights; the weight is (C, M / group,
// kernel).
struct dim_num macs_conv_transpose(struct infer *c) {
    const struct graph_tensor_type *weight = infer_in(c, 1);
    if (!weight->has_rank || weight->rank < 2) {
        return unknown;
    }
    struct dim_num each = infer_product(c, weight->dims + 1, weight->rank - 1);
    return times(c, infer_elements(c, infer_in(c, 0)), each);
}

// (..., M, K) x (..., K, N): K products for each element of the output.
static struct dim_num product(struct infer *c, struct dim_num inner) {
    return times(c, infer_elements(c, output(c)), inner);
}

struct dim_num macs_matmul(struct infer *c) {
    struct dim_num inner = infer_dim_in(c, 0, -1);
    if (inner.kind == DIM_UNKNOWN) {
        inner = infer_dim_in(c, 1, infer_in(c, 1)->rank > 1 ? -2 : -1);
    }
    return product(c, inner);
}

struct dim_num macs_qlinear_matmul(struct infer *c) {
    return product(c, infer_dim_in(c, 0, -1));
}

struct dim_num macs_fused_matmul(struct infer *c) {
    bool turned = infer_attr_int(c, "transA", 0) != 0;
    bool batch = infer_attr_int(c, "transBatchA", 0) != 0;
    if (!turned) {
        return product(c, infer_dim_in(c, 0, -1));
    }
    return product(c, infer_dim_in(c, 0, batch ? 0 : -2));
}

// (M, K) x (K, N), the addition of C aside.
struct dim_num macs_gemm(struct infer *c) {
    struct dim_num inner = infer_dim_in(c, 0, infer_attr_int(c, "transA", 0) ? 0 : 1);
    if (inner.kind == DIM_UNKNOWN) {
        inner = infer_dim_in(c, (uint32_t)(c->row->data_arg ? c->row->data_arg : 1),
                             infer_attr_int(c, "transB", 0) ? 1 : 0);
    }
    return product(c, inner);
}

struct dim_num macs_matmul_nbits(struct infer *c) {
    int64_t inner = infer_attr_int(c, "K", -1);
    return product(c, inner >= 0 ? dim_int(inner) : infer_dim_in(c, 0, -1));
}

// One product for each combination of letters; a sum over one input alone has none.
struct dim_num macs_einsum(struct infer *c) {
    struct infer_einsum e;
    struct dim_num n = dim_int(1);
    if (!infer_einsum_read(c, &e)) {
        return unknown;
    }
    if (c->node->n_inputs < 2) {
        return dim_int(0);
    }
    for (size_t letter = 0; letter < EINSUM_LETTERS; letter++) {
        if (e.used[letter]) {
            n = times(c, n, dim_from(e.dims[letter]));
        }
    }
    return times(c, n, infer_product(c, e.rest, e.n_rest));
}

// Per step, batch entry and direction: gates * hidden * (input + hidden), which is what W and R
// hold per direction.
struct dim_num macs_recurrent(struct infer *c) {
    const struct graph_tensor_type *w = infer_in(c, 1), *r = infer_in(c, 2);
    struct dim_num weights = dim_add(c->job->dims, infer_elements(c, w), infer_elements(c, r));
    struct dim_num steps = times(c, infer_dim_in(c, 0, 0), infer_dim_in(c, 0, 1));
    return times(c, steps, weights);
}

// Scores and weighted sum: 2 * batch * heads * queries * keys * head size = 2 * elements of the
// output * keys, when keys and values have heads of one size.
static struct dim_num attended(struct infer *c, struct dim_num keys) {
    return times(c, times(c, dim_int(2), infer_elements(c, output(c))), keys);
}

struct dim_num macs_attention(struct infer *c) {
    struct dim_num keys = infer_dim_in(c, 1, -2);
    if (infer_has(c, 4)) {
        keys = dim_add(c->job->dims, keys, infer_dim_in(c, 4, 2));
    }
    return attended(c, keys);
}

// Projection to query, key and value, then attention.
struct dim_num macs_ms_attention(struct infer *c) {
    const struct graph_tensor_type *weight = infer_in(c, 1);
    struct dim_num rows = times(c, infer_dim_in(c, 0, 0), infer_dim_in(c, 0, 1));
    struct dim_num keys = infer_dim_in(c, 0, 1);
    if (infer_attr_int(c, "past_present_share_buffer", 0)) {
        return unknown;
    }
    uint32_t slot = (uint32_t)c->row->data_arg;
    if (infer_has(c, slot)) {
        keys = dim_add(c->job->dims, keys, infer_dim_in(c, slot, 3));
    }
    struct dim_num projected = times(c, rows, infer_elements(c, weight));
    return dim_add(c->job->dims, projected, attended(c, keys));
}

struct dim_num macs_multi_head_attention(struct infer *c) {
    struct dim_num keys = infer_in(c, 1)->rank == 4 ? infer_dim_in(c, 1, 2) : infer_dim_in(c, 1, 1);
    if (!infer_has(c, 1)) {
        keys = infer_dim_in(c, 0, 1);
    }
    if (infer_has(c, 8)) {  // the past is a buffer that is longer than what is attended to
        return unknown;
    }
    if (infer_has(c, 6)) {
        keys = dim_add(c->job->dims, keys, infer_dim_in(c, 6, 2));
    }
    return attended(c, keys);
}

// The past may be a buffer that is longer than what is attended to: only without one the number of
// keys is known.
struct dim_num macs_group_query_attention(struct infer *c) {
    if (infer_has(c, 3)) {
        return unknown;
    }
    return attended(c, dim_of(output(c), 1));
}

// Numbers in the matrices of one expert, which are (experts, rows, columns); arg of the row: slots
// from one matrix to the next. Bytes may hold several numbers.
static struct dim_num expert(struct infer *c) {
    struct dim_num sum = dim_int(0);
    uint32_t step = (uint32_t)c->row->arg;
    for (uint32_t i = 0; i < 3; i++) {
        const struct graph_tensor_type *matrix = infer_in(c, 2 + i * step);
        if (!infer_has(c, 2 + i * step)) {
            continue;
        }
        if (!matrix->has_rank || matrix->rank != 3) {
            return unknown;
        }
        int64_t bits = infer_attr_int(c, "expert_weight_bits", 4);
        bool is_packed = matrix->dtype == ONNX_UINT8 && bits > 0 && bits < 8;
        struct dim_num n = infer_product(c, matrix->dims + 1, 2);
        sum = dim_add(c->job->dims, sum, times(c, n, dim_int(is_packed ? 8 / bits : 1)));
    }
    return sum;
}

// Each token goes through the k best experts.
struct dim_num macs_moe(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    int64_t k = infer_attr_int(c, "k", 1);
    if (!in->has_rank || in->rank < 2 || k <= 0) {
        return unknown;
    }
    struct dim_num tokens = infer_product(c, in->dims, in->rank - 1);
    return times(c, times(c, tokens, dim_int(k)), expert(c));
}
