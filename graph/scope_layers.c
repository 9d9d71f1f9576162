#include "base/array.h"
#include "graph/scope_internal.h"

// Layers that exporters write as several operators, of which only some read a parameter that has
// kept its name: the others belong to the same module.

#define PIECES_MAX 12  // operators of one norm besides those that read parameters
#define READERS_MAX 4  // of any value inside a norm

struct norm {
    uint32_t pieces[PIECES_MAX];
    size_t n;
    bool mean, root;  // what every norm has
};

static bool is_one_of(struct str op, const char *const *ops, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (str_eq_z(op, ops[i])) {
            return true;
        }
    }
    return false;
}

static struct str op_of(const struct scope_work *work, uint32_t node) {
    return work->net->nodes[node].proto->op;
}

static bool is_fixed(const struct scope_work *work, uint32_t value) {
    return value != ONNX_NONE && graph_value_is_fixed(work->net, work->plumbing, value);
}

// ---- y = x W + b: folding renames W, and b still tells

static bool reads_matrix(const struct scope_work *work, uint32_t node, uint32_t *weight) {
    const struct graph_net_node *n = &work->net->nodes[node];

    for (uint32_t i = 0; i < n->n_inputs; i++) {
        const struct graph_value *root;

        if (n->inputs[i] == ONNX_NONE) {
            continue;
        }
        root = &work->net->values[work->plumbing->root[n->inputs[i]]];
        if (root->kind == GRAPH_VALUE_INITIALIZER && root->tensor && root->tensor->n_dims == 2) {
            *weight = n->inputs[i];
            return true;
        }
    }
    return false;
}

// The operator `op` that alone reads what a node makes, ONNX_NONE = there is none.
static uint32_t only_reader(const struct scope_work *work, uint32_t node, const char *op) {
    const struct graph_net *net = work->net;
    const struct graph_net_node *n = &net->nodes[node];
    uint32_t v, reader;

    if (n->n_outputs != 1 || n->outputs[0] == ONNX_NONE) {
        return ONNX_NONE;
    }
    v = n->outputs[0];
    if (net->first_use[v + 1] - net->first_use[v] != 1) {
        return ONNX_NONE;
    }
    reader = net->uses[net->first_use[v]].node;
    return str_eq_z(op_of(work, reader), op) ? reader : ONNX_NONE;
}

static void join_product(struct scope_work *work, struct scope_owned *owned, uint32_t node) {
    bool has_owner = owned[node].site != ONNX_NONE;
    uint32_t weight, sum;

    if (!str_eq(op_of(work, node), STR("MatMul")) ||
        (!has_owner && !graph_scope_is_open(work, node)) || !reads_matrix(work, node, &weight)) {
        return;
    }
    owned[node].layer = has_owner;
    sum = only_reader(work, node, "Add");
    if (sum == ONNX_NONE || owned[sum].site == ONNX_NONE ||
        (has_owner && owned[sum].site != owned[node].site)) {
        return;
    }
    owned[sum].layer = true;
    if (has_owner) {
        return;
    }
    owned[node] = owned[sum];
    owned[node].key = work->net->values[weight].name;
}

// The last product of an attention is one of matrices, whatever the shape of what comes out.
static void join_shape(const struct scope_work *work, struct scope_owned *owned, uint32_t node) {
    uint32_t reshape;

    if (owned[node].site == ONNX_NONE || !owned[node].composite ||
        !str_eq(op_of(work, node), STR("Gemm"))) {
        return;
    }
    reshape = only_reader(work, node, "Reshape");
    if (reshape == ONNX_NONE || !graph_scope_is_open(work, reshape)) {
        return;
    }
    owned[reshape] = owned[node];
    owned[reshape].key = STR("shape");
    owned[reshape].closes = true;
}

// ---- norms in pieces

static bool is_piece(const struct norm *norm, uint32_t node) {
    for (size_t i = 0; i < norm->n; i++) {
        if (norm->pieces[i] == node) {
            return true;
        }
    }
    return false;
}

// Nothing outside of the norm reads what the node makes.
static bool feeds_only(const struct scope_work *work, const struct norm *norm, uint32_t node,
                       uint32_t last) {
    const struct graph_net *net = work->net;
    const struct graph_net_node *n = &net->nodes[node];

    for (uint32_t i = 0; i < n->n_outputs; i++) {
        uint32_t v = n->outputs[i], from, end;

        if (v == ONNX_NONE) {
            continue;
        }
        from = net->first_use[v];
        end = net->first_use[v + 1];
        if (end - from > READERS_MAX) {
            return false;
        }
        for (uint32_t u = from; u < end; u++) {
            if (net->uses[u].node != last && !is_piece(norm, net->uses[u].node)) {
                return false;
            }
        }
    }
    return n->n_outputs > 0;
}

static bool may_be_piece(const struct scope_work *work, const struct scope_owned *owned,
                         uint32_t node) {
    static const char *const ops[] = {"Cast",       "Div",     "InstanceNormalization",
                                      "Mul",        "Pow",     "Reciprocal",
                                      "ReduceMean", "Reshape", "Sqrt",
                                      "Sub"};
    const struct graph_net_node *n = &work->net->nodes[node];

    if (owned[node].site != ONNX_NONE || !graph_scope_is_open(work, node)) {
        return false;
    }
    // The sum under the root has a constant in it; a sum of two activations comes before the norm.
    if (str_eq(n->proto->op, STR("Add"))) {
        return n->n_inputs == 2 && (is_fixed(work, n->inputs[0]) || is_fixed(work, n->inputs[1]));
    }
    return is_one_of(n->proto->op, ops, ARRAY_LEN(ops));
}

// One more piece among what the pieces and the last node read; false when there is none.
static bool add_piece(const struct scope_work *work, const struct scope_owned *owned,
                      struct norm *norm, uint32_t last) {
    for (size_t i = 0; i <= norm->n; i++) {
        const struct graph_net_node *n = &work->net->nodes[i == norm->n ? last : norm->pieces[i]];

        for (uint32_t k = 0; k < n->n_inputs && k < 3; k++) {
            uint32_t v = n->inputs[k], node = v == ONNX_NONE ? v : work->net->values[v].producer;

            if (node == ONNX_NONE || is_piece(norm, node) || !may_be_piece(work, owned, node) ||
                !feeds_only(work, norm, node, last)) {
                continue;
            }
            norm->pieces[norm->n++] = node;
            norm->mean = norm->mean || str_eq(op_of(work, node), STR("ReduceMean"));
            norm->root = norm->root || str_eq(op_of(work, node), STR("Sqrt"));
            if (str_eq(op_of(work, node), STR("InstanceNormalization"))) {
                norm->mean = norm->root = true;
            }
            return norm->n < PIECES_MAX;
        }
    }
    return false;
}

static void sort_pieces(const struct scope_work *work, struct norm *norm) {
    for (size_t i = 1; i < norm->n; i++) {
        for (size_t k = i;
             k > 0 && work->position[norm->pieces[k]] < work->position[norm->pieces[k - 1]]; k--) {
            uint32_t other = norm->pieces[k];

            norm->pieces[k] = norm->pieces[k - 1];
            norm->pieces[k - 1] = other;
        }
    }
}

// From the product with the weight backwards. A piece that comes again tells that the module is
// called again, so each has a name of its own.
static void join_norm(const struct scope_work *work, struct scope_owned *owned, uint32_t node) {
    static const char *const names[PIECES_MAX] = {"0", "1", "2", "3", "4",  "5",
                                                  "6", "7", "8", "9", "10", "11"};
    struct norm norm = {.n = 0};
    uint32_t bias;

    if (owned[node].site == ONNX_NONE || !str_eq(op_of(work, node), STR("Mul"))) {
        return;
    }
    while (add_piece(work, owned, &norm, node)) {
        continue;
    }
    if (!norm.mean || !norm.root) {
        return;
    }
    sort_pieces(work, &norm);
    bias = only_reader(work, node, "Add");
    if (bias != ONNX_NONE) {
        owned[bias].layer = true;
    }
    owned[node].layer = true;
    for (size_t i = 0; i < norm.n; i++) {
        owned[norm.pieces[i]] = owned[node];
        owned[norm.pieces[i]].key = str_from(names[i]);
    }
}

// ---- all

void graph_scope_layers(struct scope_work *work, struct scope_owned *owned) {
    static const char *const layers[] = {"BatchNormalization",
                                         "Conv",
                                         "ConvTranspose",
                                         "Gather",
                                         "Gemm",
                                         "GroupNormalization",
                                         "InstanceNormalization",
                                         "LayerNormalization",
                                         "PRelu"};

    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        if (owned[i].site != ONNX_NONE) {
            owned[i].layer = is_one_of(op_of(work, i), layers, ARRAY_LEN(layers));
        }
    }
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        join_norm(work, owned, i);
    }
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        join_product(work, owned, i);
        join_shape(work, owned, i);
    }
}
