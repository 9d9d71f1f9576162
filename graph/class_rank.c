#include "graph/class_rank.h"

#define STEPS_MAX 32  // operators that are looked through

enum rule {
    RULE_SAME,    // as many as its first input
    RULE_WEIGHT,  // as many as its second input
    RULE_KERNEL,  // two more than its kernel has
    RULE_TWO,
};

static const struct {
    const char *op;
    enum rule rule;
} rules[] = {
    {"Add", RULE_SAME},
    {"AveragePool", RULE_KERNEL},
    {"BatchNormalization", RULE_SAME},
    {"Cast", RULE_SAME},
    {"Clip", RULE_SAME},
    {"Concat", RULE_SAME},
    {"Conv", RULE_WEIGHT},
    {"ConvTranspose", RULE_WEIGHT},
    {"DequantizeLinear", RULE_SAME},
    {"Div", RULE_SAME},
    {"Dropout", RULE_SAME},
    {"Elu", RULE_SAME},
    {"Flatten", RULE_TWO},
    {"Gelu", RULE_SAME},
    {"Gemm", RULE_TWO},
    {"GlobalAveragePool", RULE_SAME},
    {"HardSigmoid", RULE_SAME},
    {"HardSwish", RULE_SAME},
    {"Identity", RULE_SAME},
    {"InstanceNormalization", RULE_SAME},
    {"LeakyRelu", RULE_SAME},
    {"MaxPool", RULE_KERNEL},
    {"Mul", RULE_SAME},
    {"PRelu", RULE_SAME},
    {"Pad", RULE_SAME},
    {"QuantizeLinear", RULE_SAME},
    {"Relu", RULE_SAME},
    {"Resize", RULE_SAME},
    {"Selu", RULE_SAME},
    {"Sigmoid", RULE_SAME},
    {"Softmax", RULE_SAME},
    {"Softplus", RULE_SAME},
    {"Tanh", RULE_SAME},
    {"Upsample", RULE_SAME},
};

static uint32_t stated_rank(const struct graph_net *net, const struct graph_plumbing_map *plumbing,
                            uint32_t value) {
    const struct graph_value *v = &net->values[value];
    const struct graph_value *root = &net->values[plumbing->root[value]];

    if (root->tensor) {
        return (uint32_t)root->tensor->n_dims;
    }
    if (v->declared && v->declared->has_shape && v->declared->nesting == 0) {
        return (uint32_t)v->declared->n_dims;
    }
    return GRAPH_RANK_UNKNOWN;
}

static uint32_t kernel_rank(const struct onnx_node *node) {
    const struct onnx_attr *kernel = onnx_node_attr(node, "kernel_shape");

    return kernel && kernel->type == ONNX_ATTR_INTS ? (uint32_t)kernel->n + 2 : GRAPH_RANK_UNKNOWN;
}

// The input that has as many dimensions as the output, or ONNX_NONE with *rank set.
static uint32_t look_through(const struct graph_net_node *node, uint32_t *rank) {
    const struct onnx_node *proto = node->proto;

    *rank = GRAPH_RANK_UNKNOWN;
    for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
        uint32_t slot = rules[i].rule == RULE_WEIGHT;

        if (!str_eq_z(proto->op, rules[i].op)) {
            continue;
        }
        if (rules[i].rule == RULE_SAME || rules[i].rule == RULE_WEIGHT) {
            return slot < node->n_inputs ? node->inputs[slot] : ONNX_NONE;
        }
        *rank = rules[i].rule == RULE_TWO ? 2 : kernel_rank(proto);
    }
    return ONNX_NONE;
}

uint32_t graph_class_rank(const struct graph_net *net, const struct graph_plumbing_map *plumbing,
                          uint32_t value) {
    for (int step = 0; step < STEPS_MAX; step++) {
        uint32_t rank = stated_rank(net, plumbing, value), producer = net->values[value].producer;

        if (rank != GRAPH_RANK_UNKNOWN || producer == ONNX_NONE ||
            !onnx_domain_is_standard(net->nodes[producer].proto->domain)) {
            return rank;
        }
        value = look_through(&net->nodes[producer], &rank);
        if (value == ONNX_NONE) {
            return rank;
        }
    }
    return GRAPH_RANK_UNKNOWN;
}
