#include "graph/plumbing.h"

#include <stdlib.h>

#include "graph/plumbing_sizes.h"
#include "graph/weights.h"

#define NODES_AHEAD 16  // whose names are fetched

enum role {
    ROLE_CONSTANT = 1,    // makes a fixed value of nothing
    ROLE_MEASURE = 2,     // makes a size of a tensor
    ROLE_ARITHMETIC = 4,  // what exporters compute sizes with
    ROLE_INDEX = 8,       // arithmetic on its first input; the others only point into it
    ROLE_PASS = 16,       // its output is its input
    ROLE_WEIGHT = 32,     // another form of the same tensor when that is a weight
};

// Operators missing here (Range, Expand, ConstantOfShape, Sqrt, ...) end shape arithmetic: what
// they make is a tensor in PyTorch too, unless it is read as a size again.
static const struct {
    const char *op;
    unsigned roles;
} roles[] = {
    {"Abs", ROLE_ARITHMETIC},
    {"Add", ROLE_ARITHMETIC},
    {"And", ROLE_ARITHMETIC},
    {"Cast", ROLE_ARITHMETIC | ROLE_WEIGHT},
    {"Ceil", ROLE_ARITHMETIC},
    {"Concat", ROLE_ARITHMETIC},
    {"Constant", ROLE_CONSTANT},
    {"DequantizeLinear", ROLE_WEIGHT},
    {"Div", ROLE_ARITHMETIC},
    {"Equal", ROLE_ARITHMETIC},
    {"Floor", ROLE_ARITHMETIC},
    {"Gather", ROLE_ARITHMETIC | ROLE_INDEX},
    {"Greater", ROLE_ARITHMETIC},
    {"Identity", ROLE_ARITHMETIC | ROLE_PASS},
    {"Less", ROLE_ARITHMETIC},
    {"Max", ROLE_ARITHMETIC},
    {"Min", ROLE_ARITHMETIC},
    {"Mod", ROLE_ARITHMETIC},
    {"Mul", ROLE_ARITHMETIC},
    {"Neg", ROLE_ARITHMETIC},
    {"Not", ROLE_ARITHMETIC},
    {"Or", ROLE_ARITHMETIC},
    {"QuantizeLinear", ROLE_WEIGHT},
    {"ReduceProd", ROLE_ARITHMETIC},
    {"ReduceSum", ROLE_ARITHMETIC},
    {"Reshape", ROLE_ARITHMETIC | ROLE_WEIGHT},
    {"Shape", ROLE_MEASURE},
    {"Size", ROLE_MEASURE},
    {"Slice", ROLE_ARITHMETIC},
    {"Split", ROLE_ARITHMETIC},
    {"Squeeze", ROLE_ARITHMETIC | ROLE_WEIGHT},
    {"Sub", ROLE_ARITHMETIC},
    {"Transpose", ROLE_WEIGHT},
    {"Unsqueeze", ROLE_ARITHMETIC | ROLE_WEIGHT},
    {"Where", ROLE_ARITHMETIC},
};

// What the inputs of a node are, taken together; left-out ones do not count.
struct inputs {
    uint32_t n;
    uint32_t n_constant;  // made by constants
    uint32_t n_known;     // constants in either form
    uint32_t n_fixed;     // known from the file alone, constants among them
    uint32_t n_shape;     // made by shape arithmetic
    uint32_t first;       // value in slot 0, ONNX_NONE = left out
    bool first_is_shape;
};

// Scanned: nearly every row differs in the first letter, and no comparison leaves this table.
static unsigned roles_of(const struct graph_net *net, const struct onnx_node *node) {
    if (node->op.n == 0 || !onnx_domain_is_standard(node->domain) ||
        onnx_model_function(net->model, node)) {
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
        if (roles[i].op[0] == node->op.p[0] && str_eq_z(node->op, roles[i].op)) {
            return roles[i].roles;
        }
    }
    return 0;
}

static enum graph_plumbing made_by(const struct graph_net *net,
                                   const struct graph_plumbing_map *map, uint32_t value) {
    uint32_t producer = net->values[value].producer;
    return producer == ONNX_NONE ? GRAPH_PLUMBING_NONE : (enum graph_plumbing)map->nodes[producer];
}

bool graph_plumbing_is_listed(enum graph_plumbing plumbing) {
    return plumbing != GRAPH_PLUMBING_NONE && plumbing != GRAPH_PLUMBING_CALL;
}

bool graph_plumbing_is_fixed(enum graph_plumbing plumbing) {
    return plumbing == GRAPH_PLUMBING_CONSTANT || plumbing == GRAPH_PLUMBING_ALIAS ||
           plumbing == GRAPH_PLUMBING_WEIGHT;
}

bool graph_value_is_fixed(const struct graph_net *net, const struct graph_plumbing_map *map,
                          uint32_t value) {
    if (net->values[value].kind == GRAPH_VALUE_INITIALIZER) {
        return true;
    }
    enum graph_plumbing made = made_by(net, map, value);
    return made == GRAPH_PLUMBING_CONSTANT || made == GRAPH_PLUMBING_ALIAS ||
           made == GRAPH_PLUMBING_WEIGHT;
}

static struct inputs look_at_inputs(const struct graph_net *net,
                                    const struct graph_plumbing_map *map,
                                    const struct graph_net_node *node) {
    struct inputs in = {.first = node->n_inputs ? node->inputs[0] : ONNX_NONE};
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        uint32_t value = node->inputs[i];
        if (value == ONNX_NONE) {
            continue;
        }
        enum graph_plumbing made = made_by(net, map, value);
        in.n++;
        in.n_constant += made == GRAPH_PLUMBING_CONSTANT;
        in.n_known += graph_is_constant(net, map, value);
        in.n_shape += made == GRAPH_PLUMBING_SHAPE;
        in.n_fixed += graph_value_is_fixed(net, map, value);
        in.first_is_shape |= i == 0 && made == GRAPH_PLUMBING_SHAPE;
    }
    return in;
}

static bool makes_an_end(const struct graph_net_node *node, const bool *ends) {
    for (uint32_t k = 0; k < node->n_outputs; k++) {
        if (node->outputs[k] != ONNX_NONE && ends[node->outputs[k]]) {
            return true;
        }
    }
    return false;
}

static enum graph_plumbing judge_fixed(unsigned role, const struct inputs *in) {
    if (in->n_constant == in->n) {
        return GRAPH_PLUMBING_CONSTANT;
    }
    if (role & ROLE_PASS) {
        return GRAPH_PLUMBING_ALIAS;
    }
    return role & ROLE_WEIGHT ? GRAPH_PLUMBING_WEIGHT : GRAPH_PLUMBING_NONE;
}

static enum graph_plumbing judge(unsigned role, const struct inputs *in) {
    if (role == 0) {
        return GRAPH_PLUMBING_NONE;
    }
    if (role & ROLE_CONSTANT) {
        return GRAPH_PLUMBING_CONSTANT;
    }
    if (role & ROLE_MEASURE) {
        return GRAPH_PLUMBING_SHAPE;
    }
    if (in->first == ONNX_NONE) {
        return GRAPH_PLUMBING_NONE;
    }
    if (in->n_fixed == in->n) {
        return judge_fixed(role, in);
    }
    bool is_arithmetic = role & ROLE_ARITHMETIC && in->n_shape > 0 &&
                         in->n_shape + in->n_fixed == in->n &&
                         (!(role & ROLE_INDEX) || in->first_is_shape);
    return is_arithmetic ? GRAPH_PLUMBING_SHAPE : GRAPH_PLUMBING_NONE;
}

// Folding constants would leave nothing of it. What a graph hands out stays in sight.
static enum graph_plumbing judge_folded(const struct graph_net *net,
                                        const struct graph_net_node *node, const struct inputs *in,
                                        const bool *ends) {
    bool is_known = in->n > 0 && in->n_known == in->n &&
                    graph_is_computed(net->model, node->proto) && !makes_an_end(node, ends);

    return is_known ? GRAPH_PLUMBING_CONSTANT : GRAPH_PLUMBING_NONE;
}

static void judge_node(const struct graph_net *net, struct graph_plumbing_map *map, uint32_t index,
                       const bool *ends) {
    const struct graph_net_node *node = &net->nodes[index];
    if (node->proto->expanded) {
        map->nodes[index] = GRAPH_PLUMBING_CALL;
        return;
    }
    unsigned role = roles_of(net, node->proto);
    struct inputs in = look_at_inputs(net, map, node);
    enum graph_plumbing made = judge(role, &in);
    if (made == GRAPH_PLUMBING_NONE) {
        made = judge_folded(net, node, &in, ends);
    }
    map->nodes[index] = (uint8_t)made;
    bool is_alias = made == GRAPH_PLUMBING_ALIAS || made == GRAPH_PLUMBING_WEIGHT;
    if (is_alias && node->n_outputs && node->outputs[0] != ONNX_NONE) {
        map->root[node->outputs[0]] = map->root[in.first];
    }
}

static void find_ends(const struct graph_net *net, bool *ends) {
    for (size_t g = 0; g < net->model->n_graphs; g++) {
        const struct graph_net_graph *graph = &net->graphs[g];

        for (uint32_t i = 0; i < graph->n_outputs; i++) {
            if (graph->outputs[i] != ONNX_NONE) {
                ends[graph->outputs[i]] = true;
            }
        }
    }
}

static void judge_nodes(const struct graph_net *net, struct graph_plumbing_map *out,
                        const bool *ends) {
    for (uint32_t v = 0; v < net->n_values; v++) {
        out->root[v] = v;
    }
    for (size_t i = 0; i < net->n_nodes; i++) {
        // Names lie far apart in memory: waiting for them would be most of the work.
        if (i + NODES_AHEAD < net->n_nodes) {
            __builtin_prefetch(net->nodes[net->order[i + NODES_AHEAD]].proto->op.p);
        }
        judge_node(net, out, net->order[i], ends);
    }
}

int graph_plumbing_init(struct graph_plumbing_map *out, const struct graph_net *net,
                        struct error *err) {
    bool *ends;
    int rc;

    out->nodes = calloc(net->n_nodes + 1, sizeof(*out->nodes));
    out->root = calloc(net->n_values + 1, sizeof(*out->root));
    ends = calloc(net->n_values + 1, sizeof(*ends));
    if (out->nodes && out->root && ends) {
        find_ends(net, ends);
        judge_nodes(net, out, ends);
        rc = graph_plumbing_sizes(out, net, ends, err);
    } else {
        rc = error_set(err, ERR_NOMEM, "no memory left for %zu nodes", net->n_nodes);
    }
    free(ends);
    return rc;
}

void graph_plumbing_release(struct graph_plumbing_map *map) {
    if (!map) {
        return;
    }
    free(map->nodes);
    free(map->root);
    *map = (struct graph_plumbing_map){0};
}
