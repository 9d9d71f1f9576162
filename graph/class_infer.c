#include "graph/class_infer.h"

#include <stdlib.h>

#include "graph/class_rank.h"
#include "graph/tensor_values.h"

#define STEPS_MAX 12  // operators of the longest row

struct inferrer {
    const struct graph_hierarchy *h;
    const struct graph_net *net;
    const struct graph_plumbing_map *plumbing;
    uint32_t *leaf;   // per node
    uint32_t *first;  // n_calls + 1 offsets into nodes
    uint32_t *nodes;  // operators of the leaf calls, in execution order
};

// The operators of one call.
struct steps {
    const struct inferrer *in;
    const uint32_t *nodes;
    size_t n;
};

// ---- what a node reads

static const struct graph_net_node *step(const struct steps *s, size_t i) {
    return &s->in->net->nodes[s->nodes[i]];
}

static uint32_t input(const struct steps *s, size_t i, uint32_t slot) {
    const struct graph_net_node *node = step(s, i);

    return slot < node->n_inputs ? node->inputs[slot] : ONNX_NONE;
}

static uint32_t rank_of(const struct steps *s, size_t i, uint32_t slot) {
    uint32_t value = input(s, i, slot);

    return value == ONNX_NONE ? GRAPH_RANK_UNKNOWN
                              : graph_class_rank(s->in->net, s->in->plumbing, value);
}

static bool is_weight(const struct steps *s, size_t i, uint32_t slot) {
    uint32_t value = input(s, i, slot);

    if (value == ONNX_NONE) {
        return false;
    }
    return s->in->net->values[s->in->plumbing->root[value]].tensor != NULL;
}

static bool is_weight_of(const struct steps *s, size_t i, uint32_t slot, uint32_t rank) {
    return is_weight(s, i, slot) && rank_of(s, i, slot) == rank;
}

static bool has_vector(const struct steps *s, size_t i) {
    return is_weight_of(s, i, 0, 1) || is_weight_of(s, i, 1, 1);
}

// Value of a bound that is an attribute in old opsets and an input in new ones.
static bool bound(const struct steps *s, uint32_t slot, const char *name, double *value) {
    const struct graph_net *net = s->in->net;
    const struct onnx_attr *attr = onnx_node_attr(step(s, 0)->proto, name);
    uint32_t v = input(s, 0, slot);
    const struct onnx_tensor *tensor;
    struct graph_tensor_reader reader;
    struct graph_tensor_value element;
    size_t n;

    if (attr && attr->type == ONNX_ATTR_FLOAT) {
        *value = attr->f;
        return true;
    }
    if (v == ONNX_NONE) {
        return false;
    }
    tensor = net->values[v].tensor;
    if (net->values[v].producer != ONNX_NONE) {
        attr = onnx_node_attr(net->nodes[net->values[v].producer].proto, "value");
        tensor = attr && attr->type == ONNX_ATTR_TENSOR && attr->n ? attr->tensors : NULL;
    }
    if (!tensor || !graph_tensor_open(&reader, tensor, &n) || n != 1) {
        return false;
    }
    element = graph_tensor_at(&reader, 0);
    *value = element.kind == GRAPH_TENSOR_REAL ? element.real : (double)element.i;
    return true;
}

// ---- what a row may ask for

static bool is_linear(const struct steps *s) {
    return is_weight_of(s, 0, 1, 2);
}

static bool is_linear_with_bias(const struct steps *s) {
    return is_linear(s) && has_vector(s, 1);
}

// PyTorch keeps the matrix transposed; Gemm without that comes from other layers.
static bool is_transposed_gemm(const struct steps *s) {
    const struct onnx_attr *attr = onnx_node_attr(step(s, 0)->proto, "transB");

    return attr && attr->i == 1 && rank_of(s, 0, 1) == 2;
}

static bool is_table(const struct steps *s) {
    return is_weight_of(s, 0, 0, 2);
}

static bool is_affine(const struct steps *s) {
    return has_vector(s, s->n - 2) && has_vector(s, s->n - 1);
}

static bool is_zero_to_six(const struct steps *s) {
    double min, max;

    return bound(s, 1, "min", &min) && bound(s, 2, "max", &max) && min == 0 && max == 6;
}

// y = x * f(x)
static bool is_gated(const struct steps *s) {
    uint32_t x = input(s, 0, 0), a = input(s, 1, 0), b = input(s, 1, 1);
    uint32_t f = step(s, 0)->n_outputs ? step(s, 0)->outputs[0] : ONNX_NONE;

    return f != ONNX_NONE && ((a == x && b == f) || (a == f && b == x));
}

// y = x / sqrt(2) ... * x ...: only its ends are looked at.
static bool is_gelu(const struct steps *s) {
    return input(s, 3, 0) == input(s, 0, 0) || input(s, 3, 1) == input(s, 0, 0);
}

// ---- how many dimensions the class is made for

static uint32_t by_weight(const struct steps *s) {
    return rank_of(s, 0, 1);
}

static uint32_t by_input(const struct steps *s) {
    uint32_t rank = rank_of(s, 0, 0);

    return rank == 2 ? 3 : rank;  // BatchNorm1d takes both
}

static uint32_t by_kernel(const struct steps *s) {
    const struct onnx_attr *attr = onnx_node_attr(step(s, s->n - 1)->proto, "kernel_shape");

    return attr && attr->type == ONNX_ATTR_INTS ? (uint32_t)attr->n + 2 : GRAPH_RANK_UNKNOWN;
}

// ---- rows

#define DIMENSIONS(name) name "1d", name "2d", name "3d"

static const struct row {
    const char *ops[STEPS_MAX];  // of the standard domain, in order
    bool (*fits)(const struct steps *s);
    uint32_t (*rank)(const struct steps *s);  // NULL: the class is names[0]
    const char *names[3];                     // for rank 3, 4, 5
} rows[] = {
    {{"Conv"}, NULL, by_weight, {DIMENSIONS("Conv")}},
    {{"ConvTranspose"}, NULL, by_weight, {DIMENSIONS("ConvTranspose")}},
    {{"Gemm"}, is_transposed_gemm, NULL, {"Linear"}},
    {{"MatMul"}, is_linear, NULL, {"Linear"}},
    {{"MatMul", "Add"}, is_linear_with_bias, NULL, {"Linear"}},
    {{"Gather"}, is_table, NULL, {"Embedding"}},
    {{"BatchNormalization"}, NULL, by_input, {DIMENSIONS("BatchNorm")}},
    {{"InstanceNormalization"}, NULL, by_input, {DIMENSIONS("InstanceNorm")}},
    {{"Reshape", "InstanceNormalization", "Reshape", "Mul", "Add"}, NULL, NULL, {"GroupNorm"}},
    {{"GroupNormalization"}, NULL, NULL, {"GroupNorm"}},
    {{"LayerNormalization"}, NULL, NULL, {"LayerNorm"}},
    {{"ReduceMean", "Sub", "Pow", "ReduceMean", "Add", "Sqrt", "Div", "Mul", "Add"},
     is_affine,
     NULL,
     {"LayerNorm"}},
    {{"LRN"}, NULL, NULL, {"LocalResponseNorm"}},
    {{"MaxPool"}, NULL, by_kernel, {DIMENSIONS("MaxPool")}},
    {{"Pad", "AveragePool"}, NULL, by_kernel, {DIMENSIONS("AvgPool")}},
    {{"GlobalAveragePool"}, NULL, by_input, {DIMENSIONS("AdaptiveAvgPool")}},
    {{"GlobalMaxPool"}, NULL, by_input, {DIMENSIONS("AdaptiveMaxPool")}},
    {{"Celu"}, NULL, NULL, {"CELU"}},
    {{"Clip"}, is_zero_to_six, NULL, {"ReLU6"}},
    {{"Dropout"}, NULL, NULL, {"Dropout"}},
    {{"Elu"}, NULL, NULL, {"ELU"}},
    {{"Flatten"}, NULL, NULL, {"Flatten"}},
    {{"Gelu"}, NULL, NULL, {"GELU"}},
    {{"Div", "Erf", "Add", "Mul", "Mul"}, is_gelu, NULL, {"GELU"}},
    {{"HardSigmoid"}, NULL, NULL, {"Hardsigmoid"}},
    {{"HardSigmoid", "Mul"}, is_gated, NULL, {"Hardswish"}},
    {{"HardSwish"}, NULL, NULL, {"Hardswish"}},
    {{"LeakyRelu"}, NULL, NULL, {"LeakyReLU"}},
    {{"LogSoftmax"}, NULL, NULL, {"LogSoftmax"}},
    {{"Mish"}, NULL, NULL, {"Mish"}},
    {{"PRelu"}, NULL, NULL, {"PReLU"}},
    {{"Relu"}, NULL, NULL, {"ReLU"}},
    {{"Selu"}, NULL, NULL, {"SELU"}},
    {{"Sigmoid"}, NULL, NULL, {"Sigmoid"}},
    {{"Sigmoid", "Mul"}, is_gated, NULL, {"SiLU"}},
    {{"Softmax"}, NULL, NULL, {"Softmax"}},
    {{"Softplus"}, NULL, NULL, {"Softplus"}},
    {{"Softsign"}, NULL, NULL, {"Softsign"}},
    {{"Tanh"}, NULL, NULL, {"Tanh"}},
};

// Recurrent layers come with as much around them as they have layers and directions.
static const char *const recurrent[] = {"LSTM", "GRU", "RNN"};
static const char *const around_recurrent[] = {
    "Cast",    "Concat", "ConstantOfShape", "Expand",  "Gather",    "Identity",  "Shape",
    "Reshape", "Slice",  "Split",           "Squeeze", "Transpose", "Unsqueeze",
};

static bool matches(const struct steps *s, const struct row *row) {
    if (s->n < STEPS_MAX && row->ops[s->n]) {
        return false;
    }
    for (size_t i = 0; i < s->n; i++) {
        if (!row->ops[i] || !str_eq_z(step(s, i)->proto->op, row->ops[i])) {
            return false;
        }
    }
    return !row->fits || row->fits(s);
}

static const char *name_of(const struct steps *s, const struct row *row) {
    uint32_t rank;

    if (!row->rank) {
        return row->names[0];
    }
    rank = row->rank(s);
    return rank >= 3 && rank <= 5 ? row->names[rank - 3] : NULL;
}

static size_t find_op(struct str op, const char *const *ops, size_t n) {
    size_t i = 0;

    while (i < n && !str_eq_z(op, ops[i])) {
        i++;
    }
    return i;
}

static const char *recurrent_class(const struct steps *s) {
    const char *found = NULL;

    for (size_t i = 0; i < s->n; i++) {
        struct str op = step(s, i)->proto->op;
        size_t kind = find_op(op, recurrent, ARRAY_LEN(recurrent));

        if (kind < ARRAY_LEN(recurrent)) {
            if (found && found != recurrent[kind]) {
                return NULL;
            }
            found = recurrent[kind];
        } else if (find_op(op, around_recurrent, ARRAY_LEN(around_recurrent)) ==
                   ARRAY_LEN(around_recurrent)) {
            return NULL;
        }
    }
    return found;
}

// No other class of PyTorch has a parameter of that name.
static bool is_attention(const struct steps *s) {
    bool product = false, projection = false;

    for (size_t i = 0; i < s->n; i++) {
        product = product || str_eq(step(s, i)->proto->op, STR("Softmax"));
        for (uint32_t k = 0; k < step(s, i)->n_inputs && !projection; k++) {
            uint32_t v = input(s, i, k);

            projection =
                v != ONNX_NONE && str_ends(s->in->net->values[v].name, STR(".in_proj_bias"));
        }
    }
    return product && projection;
}

static bool is_standard(const struct steps *s) {
    for (size_t i = 0; i < s->n; i++) {
        const struct onnx_node *proto = step(s, i)->proto;

        if (!onnx_domain_is_standard(proto->domain) &&
            !str_eq(proto->domain, STR("com.microsoft"))) {
            return false;
        }
        if (onnx_model_function(s->in->net->model, proto)) {
            return false;
        }
    }
    return s->n > 0;
}

static const char *class_of(const struct steps *s) {
    if (!is_standard(s)) {
        return NULL;
    }
    for (size_t i = 0; s->n <= STEPS_MAX && i < ARRAY_LEN(rows); i++) {
        if (matches(s, &rows[i])) {
            return name_of(s, &rows[i]);
        }
    }
    return is_attention(s) ? "MultiheadAttention" : recurrent_class(s);
}

// ---- calls

// Quantizers and converters put these beside any operator.
static bool is_carrier(struct str op) {
    if (op.n == 0 || (op.p[0] != 'Q' && op.p[0] != 'D' && op.p[0] != 'C')) {
        return false;
    }
    return str_eq(op, STR("QuantizeLinear")) || str_eq(op, STR("DequantizeLinear")) ||
           str_eq(op, STR("Cast"));
}

static bool has_class(const struct graph_module *module) {
    return module->class_source == GRAPH_CLASS_METADATA ||
           module->class_source == GRAPH_CLASS_FUNCTION;
}

// The leaf call that an operator is a step of, ONNX_NONE = none that is of interest.
static uint32_t leaf_of(const struct inferrer *in, uint32_t node) {
    uint32_t call = in->h->node_call[node];

    if (call == 0 || !in->h->calls[call].leaf ||
        graph_plumbing_is_listed((enum graph_plumbing)in->plumbing->nodes[node])) {
        return ONNX_NONE;
    }
    if (has_class(&in->h->modules[in->h->calls[call].module]) ||
        is_carrier(in->net->nodes[node].proto->op)) {
        return ONNX_NONE;
    }
    return call;
}

static void list_steps(struct inferrer *in) {
    size_t n_calls = in->h->n_calls;
    uint32_t total;

    for (uint32_t i = 0; i < in->net->n_nodes; i++) {
        in->leaf[i] = leaf_of(in, i);
        if (in->leaf[i] != ONNX_NONE) {
            in->first[in->leaf[i] + 1]++;
        }
    }
    for (size_t c = 0; c < n_calls; c++) {
        in->first[c + 1] += in->first[c];
    }
    total = in->first[n_calls];
    for (size_t i = in->net->n_nodes; i-- > 0;) {
        uint32_t node = in->net->order[i];

        if (in->leaf[node] != ONNX_NONE) {
            in->nodes[--in->first[in->leaf[node] + 1]] = node;
        }
    }
    // Filling moved every offset one list down.
    for (size_t c = 0; c < n_calls; c++) {
        in->first[c] = in->first[c + 1];
    }
    in->first[n_calls] = total;
}

static void infer(struct inferrer *in, struct graph_module *modules, uint8_t *refused) {
    for (uint32_t c = 1; c < in->h->n_calls; c++) {
        uint32_t m = in->h->calls[c].module;
        struct steps s = {in, in->nodes + in->first[c], in->first[c + 1] - in->first[c]};
        const char *name = NULL;

        if (has_class(&modules[m]) || refused[m] || (in->h->calls[c].leaf && s.n == 0)) {
            continue;
        }
        if (in->h->calls[c].leaf) {
            name = class_of(&s);
        }
        if (name && (modules[m].class_name.n == 0 || str_eq_z(modules[m].class_name, name))) {
            modules[m].class_name = str_from(name);
            modules[m].class_source = GRAPH_CLASS_INFERRED;
            continue;
        }
        refused[m] = 1;
        modules[m].class_name = (struct str){NULL, 0};
        modules[m].class_source = GRAPH_CLASS_NONE;
    }
}

int graph_class_infer(struct graph_module *modules, const struct graph_hierarchy *h,
                      const struct graph_net *net, const struct graph_plumbing_map *plumbing,
                      struct error *err) {
    struct inferrer in = {.h = h, .net = net, .plumbing = plumbing};
    uint8_t *refused = calloc(h->n_modules + 1, sizeof(*refused));
    bool ok;

    in.leaf = calloc(net->n_nodes + 1, sizeof(*in.leaf));
    in.first = calloc(h->n_calls + 2, sizeof(*in.first));
    in.nodes = calloc(net->n_nodes + 1, sizeof(*in.nodes));
    ok = refused && in.leaf && in.first && in.nodes;
    if (ok) {
        list_steps(&in);
        infer(&in, modules, refused);
    }
    free(refused);
    free(in.leaf);
    free(in.first);
    free(in.nodes);
    return ok ? 0 : error_set(err, ERR_NOMEM, "no memory left for %zu modules", h->n_modules);
}
