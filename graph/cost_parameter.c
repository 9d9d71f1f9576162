// Which tensors are parameters in the sense of PyTorch, and how many numbers they hold.
//
// A file does not say what is a parameter and what a buffer: names, element types and the slots of
// the operators that read a tensor tell. What is trained counts, in whatever form the exporter left
// it; what it computed on the way (masks, sizes, states to start from) does not.
#include "graph/cost_internal.h"
#include "graph/tensor_values.h"
#include "onnx/dtype.h"

#define SLOT(n) (1u << (n))
#define QUANTIZED (SLOT(1) | SLOT(2) | SLOT(4) | SLOT(5) | SLOT(6) | SLOT(7))
#define ONE_QUANTIZED (SLOT(1) | SLOT(2) | SLOT(3) | SLOT(4))
#define MASK_RANK_MIN 3  // a bias that is added has fewer dims

// ---- names

// "features.0.bias": the path of a parameter or buffer below a module.
static bool is_qualified(struct str name) {
    return str_find(name, '.') != STR_NPOS && !str_starts(name, STR("onnx::"));
}

// "onnx::Add_12", "val_12": what the exporter computed.
static bool is_made_up(struct str name) {
    return str_starts(name, STR("onnx::")) || str_starts(name, STR("val_")) ||
           str_starts(name, STR("_val_"));
}

// ---- slots

// Slots of scales, zero points, limits, statistics and tables of positions; of states only when
// nothing but the exporter named the tensor.
static const struct {
    const char *op;
    unsigned slots;
    unsigned states;
} no_parameters[] = {
    {"BatchNormalization", SLOT(3) | SLOT(4), 0},
    {"Clip", SLOT(1) | SLOT(2), 0},
    {"ConvInteger", SLOT(2) | SLOT(3), 0},
    {"DequantizeLinear", SLOT(1) | SLOT(2), 0},
    {"DynamicQuantizeMatMul", SLOT(2) | SLOT(3), 0},
    {"GRU", SLOT(4), SLOT(5)},
    {"GatherBlockQuantized", SLOT(2) | SLOT(3), 0},
    {"GroupQueryAttention", SLOT(7) | SLOT(8), 0},
    {"LSTM", SLOT(4), SLOT(5) | SLOT(6)},
    {"MatMulInteger", SLOT(2) | SLOT(3), 0},
    {"MatMulIntegerToFloat", SLOT(2) | SLOT(3) | SLOT(4) | SLOT(5), 0},
    {"MatMulNBits", SLOT(2) | SLOT(3) | SLOT(4), 0},
    {"Pad", SLOT(1) | SLOT(2) | SLOT(3), 0},
    {"QAttention", SLOT(3) | SLOT(4) | SLOT(5) | SLOT(6) | SLOT(7), 0},
    {"QGemm", SLOT(1) | SLOT(2) | SLOT(4) | SLOT(5) | SLOT(7) | SLOT(8), 0},
    {"QLinearAdd", QUANTIZED, 0},
    {"QLinearAveragePool", ONE_QUANTIZED, 0},
    {"QLinearConv", QUANTIZED, 0},
    {"QLinearGlobalAveragePool", ONE_QUANTIZED, 0},
    {"QLinearLeakyRelu", ONE_QUANTIZED, 0},
    {"QLinearMatMul", QUANTIZED, 0},
    {"QLinearMul", QUANTIZED, 0},
    {"QLinearSigmoid", ONE_QUANTIZED, 0},
    {"QLinearSoftmax", ONE_QUANTIZED, 0},
    {"QuantizeLinear", SLOT(1) | SLOT(2), 0},
    {"RNN", SLOT(4), SLOT(5)},
    {"Resize", SLOT(1) | SLOT(2) | SLOT(3), 0},
    {"RotaryEmbedding", SLOT(1) | SLOT(2) | SLOT(3), 0},
};

static bool is_no_parameter_slot(struct str op, uint32_t slot, struct str name) {
    for (size_t i = 0; i < ARRAY_LEN(no_parameters) && slot < 32; i++) {
        if (str_eq_z(op, no_parameters[i].op)) {
            unsigned states = is_qualified(name) ? 0 : no_parameters[i].states;
            return (no_parameters[i].slots | states) & SLOT(slot);
        }
    }
    return false;
}

// Slots in which a Constant is a weight: scripted models and optimizers turn weights into them. The
// rank is what tells it from a number.
static const struct {
    const char *op;
    unsigned slots;
    uint32_t min_rank, max_rank;
} weights[] = {
    {"Add", SLOT(0) | SLOT(1), 1, 1},
    {"BatchNormalization", SLOT(1) | SLOT(2), 1, 1},
    {"Conv", SLOT(1), 3, 5},
    {"Conv", SLOT(2), 1, 1},
    {"ConvTranspose", SLOT(1), 3, 5},
    {"ConvTranspose", SLOT(2), 1, 1},
    {"GRU", SLOT(1) | SLOT(2) | SLOT(3), 2, 3},
    {"Gather", SLOT(0), 2, 2},
    {"Gemm", SLOT(1) | SLOT(2), 1, 2},
    {"LSTM", SLOT(1) | SLOT(2) | SLOT(3), 2, 3},
    {"LayerNormalization", SLOT(1) | SLOT(2), 1, 3},
    {"MatMul", SLOT(0) | SLOT(1), 2, 2},
    {"RNN", SLOT(1) | SLOT(2) | SLOT(3), 2, 3},
};

static bool is_weight_slot(struct str op, uint32_t slot, uint32_t rank) {
    for (size_t i = 0; i < ARRAY_LEN(weights) && slot < 32; i++) {
        if (weights[i].slots & SLOT(slot) && rank >= weights[i].min_rank &&
            rank <= weights[i].max_rank && str_eq_z(op, weights[i].op)) {
            return true;
        }
    }
    return false;
}

// A mask, or positions that were computed from a smaller table.
static bool is_mask(struct str op, struct str name, uint32_t rank) {
    static const char *const ops[] = {"Add", "Div", "Mul", "Sub", "Where"};
    bool combines = false;
    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        combines |= str_eq_z(op, ops[i]);
    }
    return combines && rank >= MASK_RANK_MIN && is_made_up(name);
}

// ---- tensors

static bool is_single(const struct graph_tensor_type *type) {
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i].value != 1) {
            return false;
        }
    }
    return true;
}

static bool is_trainable(int32_t dtype) {
    return dtype != ONNX_INT64 && dtype != ONNX_STRING && dtype != ONNX_BOOL;
}

static enum graph_plumbing made_by(const struct cost_input *in, uint32_t value) {
    uint32_t producer = in->net->values[value].producer;
    return producer == ONNX_NONE ? GRAPH_PLUMBING_NONE
                                 : (enum graph_plumbing)in->plumbing->nodes[producer];
}

// Of equal parameters the exporter keeps one; the others read it through an Identity that has their
// name. Vectors are equal by chance (biases of zeros) and count each; matrices are equal because
// they are one parameter of two names.
static bool is_own_vector(const struct cost_input *in, uint32_t value, uint32_t root) {
    const struct graph_tensor_type *type = &in->shapes->values[root];
    return value != root && made_by(in, value) == GRAPH_PLUMBING_ALIAS && type->has_rank &&
           type->rank == 1 && is_qualified(in->net->values[value].name);
}

uint32_t cost_tensor_of(const struct cost_input *in, uint32_t tensor) {
    return in->plumbing->root[tensor];
}

static bool is_stored(const struct cost_input *in, uint32_t root) {
    const struct graph_value *v = &in->net->values[root];
    return v->tensor && (v->kind == GRAPH_VALUE_INITIALIZER || v->kind == GRAPH_VALUE_INPUT);
}

static bool is_stored_parameter(const struct cost_input *in, uint32_t root, struct str op,
                                uint32_t slot) {
    const struct graph_tensor_type *type = &in->shapes->values[root];
    struct str name = in->net->values[root].name;
    bool is_buffer = str_ends(name, STR("running_mean")) || str_ends(name, STR("running_var"));
    bool is_number = is_single(type) && !is_qualified(name) && !str_eq_z(op, "PRelu");
    return is_trainable(type->dtype) && !is_buffer && !is_number &&
           !is_no_parameter_slot(op, slot, name) && !is_mask(op, name, type->rank);
}

static bool is_same_number(double a, double b) {
    return !(a < b) && !(a > b);
}

static double number_at(const struct graph_tensor_reader *reader, size_t i) {
    struct graph_tensor_value value = graph_tensor_at(reader, i);
    return value.kind == GRAPH_TENSOR_REAL ? value.real : (double)value.i;
}

static bool is_filled_tensor(const struct onnx_tensor *tensor) {
    struct graph_tensor_reader reader;
    size_t n, same = 1;
    if (!graph_tensor_open(&reader, tensor, &n) || n == 0) {
        return false;
    }
    while (same < n && is_same_number(number_at(&reader, 0), number_at(&reader, same))) {
        same++;
    }
    return same == n;
}

static bool is_filled_list(const double *items, size_t n) {
    size_t same = 1;
    while (same < n && is_same_number(items[0], items[same])) {
        same++;
    }
    return same == n;
}

// Zeros to start from, and the bias that an operator asked for.
static bool is_filler(const struct cost_input *in, uint32_t value) {
    const struct onnx_node *maker = in->net->nodes[in->net->values[value].producer].proto;
    const struct onnx_attr *attr = onnx_node_attr(maker, "value");
    const struct onnx_attr *list = onnx_node_attr(maker, "value_floats");
    if (attr && attr->type == ONNX_ATTR_TENSOR && attr->n) {
        return is_filled_tensor(attr->tensors);
    }
    return list && list->type == ONNX_ATTR_FLOATS && is_filled_list(list->floats, list->n);
}

static bool is_constant_parameter(const struct cost_input *in, uint32_t value, struct str op,
                                  uint32_t slot) {
    const struct graph_tensor_type *type = &in->shapes->values[value];
    return made_by(in, value) == GRAPH_PLUMBING_CONSTANT && type->has_rank && !is_single(type) &&
           is_trainable(type->dtype) && is_weight_slot(op, slot, type->rank) &&
           !is_filler(in, value);
}

// Plumbing that cuts a matrix or vector up or puts it together: the parameter belongs to its
// module. What plumbing hands on whole counts with the reader.
static bool is_taken_apart(const struct cost_input *in, uint32_t root, struct graph_use use) {
    const struct graph_net_node *node = &in->net->nodes[use.node];
    bool scales = str_eq_z(node->proto->op, "DequantizeLinear") ||
                  str_eq_z(node->proto->op, "QuantizeLinear");
    bool handed_on = node->n_outputs && node->outputs[0] != ONNX_NONE &&
                     in->plumbing->root[node->outputs[0]] == root;
    return !scales && !handed_on && in->shapes->values[root].rank < MASK_RANK_MIN &&
           is_qualified(in->net->values[root].name);
}

uint32_t cost_parameter(const struct cost_input *in, uint32_t value, struct graph_use use) {
    const struct graph_net_node *node = &in->net->nodes[use.node];
    uint32_t root = in->plumbing->root[value];
    bool is_plumbing = in->plumbing->nodes[use.node] != GRAPH_PLUMBING_NONE;
    if (!is_stored(in, root)) {
        bool counts = !is_plumbing && is_constant_parameter(in, value, node->proto->op, use.slot);
        return counts ? value : ONNX_NONE;
    }
    if (!is_stored_parameter(in, root, node->proto->op, use.slot) ||
        (is_plumbing && !is_taken_apart(in, root, use))) {
        return ONNX_NONE;
    }
    return is_own_vector(in, value, root) ? value : root;
}

// ---- packed weights: bytes that hold several numbers each

static const struct {
    const char *op;
    unsigned slots;
    const char *bits;  // attribute
} packed[] = {
    {"GatherBlockQuantized", SLOT(0), "bits"},
    {"MatMulBnb4", SLOT(1), "bits"},
    {"MatMulNBits", SLOT(1), "bits"},
    {"QMoE", SLOT(2) | SLOT(5) | SLOT(8), "expert_weight_bits"},
};

uint32_t cost_numbers_per_byte(const struct cost_input *in, uint32_t tensor, struct graph_use use) {
    const struct onnx_node *node = in->net->nodes[use.node].proto;
    int32_t dtype = in->shapes->values[tensor].dtype;
    for (size_t i = 0; i < ARRAY_LEN(packed) && use.slot < 32; i++) {
        if (!(packed[i].slots & SLOT(use.slot)) || !str_eq_z(node->op, packed[i].op) ||
            (dtype != ONNX_UINT8 && dtype != ONNX_INT8)) {
            continue;
        }
        const struct onnx_attr *attr = onnx_node_attr(node, packed[i].bits);
        int64_t bits = attr && attr->type == ONNX_ATTR_INT ? attr->i : 4;
        return bits == 2 || bits == 4 ? (uint32_t)(8 / bits) : 1;
    }
    return 1;
}
