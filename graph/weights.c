#include "graph/weights.h"

// Numbers of TensorProto.DataType that index, choose or name.
#define DTYPE_INT64 7
#define DTYPE_STRING 8
#define DTYPE_BOOL 9

static bool is_table(int32_t dtype) {
    return dtype != DTYPE_INT64 && dtype != DTYPE_STRING && dtype != DTYPE_BOOL;
}

static bool is_single(const struct onnx_tensor *tensor) {
    for (size_t i = 0; i < tensor->n_dims; i++) {
        if (tensor->dims[i] != 1) {
            return false;
        }
    }
    return true;
}

uint32_t graph_weight_root(const struct graph_net *net, const struct graph_plumbing_map *plumbing,
                           uint32_t value) {
    uint32_t root = plumbing->root[value];
    const struct graph_value *v = &net->values[root];

    if (v->kind != GRAPH_VALUE_INITIALIZER || !v->tensor || !is_table(v->tensor->dtype)) {
        return ONNX_NONE;
    }
    if (is_single(v->tensor) && str_find(v->name, '.') == STR_NPOS) {
        return ONNX_NONE;
    }
    return root;
}

bool graph_is_constant(const struct graph_net *net, const struct graph_plumbing_map *plumbing,
                       uint32_t value) {
    return graph_value_is_fixed(net, plumbing, value) &&
           graph_weight_root(net, plumbing, value) == ONNX_NONE;
}

// ---- captions of weights

#define ROLES 6

static const struct {
    const char *op;
    const char *roles[ROLES];  // by slot
} roles[] = {
    {"Conv", {NULL, "weight", "bias"}},
    {"ConvTranspose", {NULL, "weight", "bias"}},
    {"ConvInteger", {NULL, "weight"}},
    {"Gemm", {NULL, "weight", "bias"}},
    {"MatMul", {"weight", "weight"}},
    {"Add", {"bias", "bias"}},
    {"Gather", {"weight"}},
    {"PRelu", {NULL, "weight"}},
    {"BatchNormalization", {NULL, "weight", "bias", "running_mean", "running_var"}},
    {"InstanceNormalization", {NULL, "weight", "bias"}},
    {"LayerNormalization", {NULL, "weight", "bias"}},
    {"GroupNormalization", {NULL, "weight", "bias"}},
    {"LSTM", {NULL, "weight_ih", "weight_hh", "bias", NULL, "h_0"}},
    {"GRU", {NULL, "weight_ih", "weight_hh", "bias", NULL, "h_0"}},
    {"RNN", {NULL, "weight_ih", "weight_hh", "bias", NULL, "h_0"}},
};

static const char *role_of(struct str op, uint32_t slot) {
    for (size_t i = 0; i < ARRAY_LEN(roles) && slot < ROLES; i++) {
        if (str_eq_z(op, roles[i].op)) {
            return roles[i].roles[slot];
        }
    }
    return NULL;
}

void graph_weight_caption(struct buf *out, const struct graph_net *net, uint32_t root,
                          uint32_t node, uint32_t slot, struct str path) {
    struct str name = net->values[root].name;
    const char *role = role_of(net->nodes[node].proto->op, slot);
    bool is_below = path.n && str_starts(name, path) && name.n > path.n && name.p[path.n] == '.';

    if (is_below) {
        buf_add_str(out, str_skip(name, path.n + 1));
    } else if (role && (str_starts(name, STR("onnx::")) || str_find(name, '.') == STR_NPOS)) {
        buf_add_z(out, role);
    } else {
        buf_add_str(out, name);
    }
}
