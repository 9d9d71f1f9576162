#include "graph/plumbing_sizes.h"

#include <stdlib.h>

#define SLOT(n) (1u << (n))
#define NO_SIZE 32u  // slots from here on are data in all operators

// Facts of the operators' documents, all opsets together: where a slot had another meaning once, it
// was an attribute before.
static const struct {
    const char *op;
    uint32_t slots;
} takers[] = {
    {"AffineGrid", SLOT(1)},
    {"BlackmanWindow", SLOT(0)},
    {"CenterCropPad", SLOT(1)},
    {"Col2Im", SLOT(1) | SLOT(2)},
    {"ConstantOfShape", SLOT(0)},
    {"CumSum", SLOT(1)},
    {"DFT", SLOT(1) | SLOT(2)},
    {"Expand", SLOT(1)},
    {"HammingWindow", SLOT(0)},
    {"HannWindow", SLOT(0)},
    {"MaxUnpool", SLOT(2)},
    {"NonMaxSuppression", SLOT(2)},
    {"OneHot", SLOT(1)},
    {"Pad", SLOT(1) | SLOT(3)},
    {"Range", SLOT(0) | SLOT(1) | SLOT(2)},
    {"ReduceL1", SLOT(1)},
    {"ReduceL2", SLOT(1)},
    {"ReduceLogSum", SLOT(1)},
    {"ReduceLogSumExp", SLOT(1)},
    {"ReduceMax", SLOT(1)},
    {"ReduceMean", SLOT(1)},
    {"ReduceMin", SLOT(1)},
    {"ReduceProd", SLOT(1)},
    {"ReduceSum", SLOT(1)},
    {"ReduceSumSquare", SLOT(1)},
    {"Reshape", SLOT(1)},
    {"Resize", SLOT(1) | SLOT(2) | SLOT(3)},
    {"STFT", SLOT(1) | SLOT(3)},
    {"SequenceAt", SLOT(1)},
    {"SequenceErase", SLOT(1)},
    {"SequenceInsert", SLOT(2)},
    {"Slice", SLOT(1) | SLOT(2) | SLOT(3) | SLOT(4)},
    {"Split", SLOT(1)},
    {"SplitToSequence", SLOT(1)},
    {"Squeeze", SLOT(1)},
    {"Tile", SLOT(1) | SLOT(2)},
    {"TopK", SLOT(1)},
    {"Trilu", SLOT(1)},
    {"Unsqueeze", SLOT(1)},
    {"Upsample", SLOT(1)},
};

// What is not made of its inputs alone, or runs graphs of its own.
static const char *const others[] = {
    "Bernoulli",
    "Constant",
    "Dropout",
    "If",
    "Loop",
    "Multinomial",
    "Optional",
    "OptionalGetElement",
    "OptionalHasElement",
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Scan",
    "SequenceMap",
};

bool graph_takes_size(const struct onnx_node *node, uint32_t slot) {
    if (slot >= NO_SIZE || node->op.n == 0 || !onnx_domain_is_standard(node->domain)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(takers); i++) {
        if (takers[i].op[0] == node->op.p[0] && str_eq_z(node->op, takers[i].op)) {
            return takers[i].slots & SLOT(slot);
        }
    }
    return false;
}

bool graph_is_computed(const struct onnx_model *model, const struct onnx_node *node) {
    if (node->op.n == 0 || !onnx_domain_is_standard(node->domain) ||
        onnx_model_function(model, node)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        if (str_eq_z(node->op, others[i])) {
            return false;
        }
    }
    return true;
}

struct finder {
    const struct graph_net *net;
    struct graph_plumbing_map *map;
    bool *maybe;       // per net node: made of sizes, constants and such
    const bool *ends;  // per value: an output of a graph
};

static bool is_size(const struct finder *f, uint32_t value) {
    uint32_t producer = f->net->values[value].producer;

    if (producer == ONNX_NONE) {
        return f->net->values[value].kind == GRAPH_VALUE_INITIALIZER;
    }
    return f->map->nodes[producer] != GRAPH_PLUMBING_NONE || f->maybe[producer];
}

static bool is_of_sizes(const struct finder *f, const struct graph_net_node *node) {
    bool any = false;

    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (node->inputs[i] == ONNX_NONE) {
            continue;
        }
        if (!is_size(f, node->inputs[i])) {
            return false;
        }
        any = true;
    }
    return any && graph_is_computed(f->net->model, node->proto);
}

// What a body reads is among the uses of its own nodes, too.
static bool is_read_as_size(const struct finder *f, const struct graph_use *use) {
    const struct graph_net_node *reader = &f->net->nodes[use->node];

    return use->slot >= reader->n_inputs || f->map->nodes[use->node] == GRAPH_PLUMBING_SHAPE ||
           graph_takes_size(reader->proto, use->slot);
}

static bool only_sizes_are_read(const struct finder *f, const struct graph_net_node *node) {
    const struct graph_net *net = f->net;
    bool any = false;

    for (uint32_t k = 0; k < node->n_outputs; k++) {
        uint32_t v = node->outputs[k];

        if (v == ONNX_NONE) {
            continue;
        }
        for (uint32_t u = net->first_use[v]; u < net->first_use[v + 1]; u++) {
            // What a function is given, its body reads.
            if (net->nodes[net->uses[u].node].proto->expanded) {
                continue;
            }
            if (!is_read_as_size(f, &net->uses[u])) {
                return false;
            }
            any = true;
        }
        if (f->ends[v]) {
            return false;
        }
    }
    return any;
}

static void find(struct finder *f) {
    const struct graph_net *net = f->net;

    for (size_t i = 0; i < net->n_nodes; i++) {
        uint32_t n = net->order[i];

        f->maybe[n] = f->map->nodes[n] == GRAPH_PLUMBING_NONE && is_of_sizes(f, &net->nodes[n]);
    }
    for (size_t i = net->n_nodes; i-- > 0;) {
        uint32_t n = net->order[i];

        if (f->maybe[n] && only_sizes_are_read(f, &net->nodes[n])) {
            f->map->nodes[n] = GRAPH_PLUMBING_SHAPE;
        }
    }
}

int graph_plumbing_sizes(struct graph_plumbing_map *map, const struct graph_net *net,
                         const bool *ends, struct error *err) {
    struct finder f = {.net = net, .map = map, .ends = ends};
    int rc = 0;

    f.maybe = calloc(net->n_nodes + 1, sizeof(*f.maybe));
    if (f.maybe) {
        find(&f);
    } else {
        rc = error_set(err, ERR_NOMEM, "no memory left for %zu nodes", net->n_nodes);
    }
    free(f.maybe);
    return rc;
}
