#include "graph/scope_internal.h"

// Files that tell nothing but the owners of parameters: operators that read none. File order is the
// order of execution, and a call is contiguous in it, so an operator between two nodes of a call is
// in that call. How deep in it, the neighbours before and behind tell, when they are layers of
// which nothing is missing. What may be a module of its own, an activation or a layer whose
// parameters have lost their names, stays without evidence: a doubt is no place.

#define READERS_MAX 64  // of a value, that are looked at

struct span {
    uint32_t first, last;  // positions of placed nodes in a call, ONNX_NONE = none
    bool layers;           // it holds nothing but layers
};

struct between {
    struct scope_work *work;
    struct span *spans;  // per call
    uint32_t *depth;     // per call
    uint32_t before;     // placed node before the run at hand, ONNX_NONE = none
    uint32_t behind;     // and the one behind it
    uint32_t from, end;  // positions of the run
    bool unknown;        // the run holds a layer whose parameters have lost their names
    bool activation;     // the run holds an activation that is more than one operator
};

static bool is_one_of(struct str op, const char *const *ops, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (str_eq_z(op, ops[i])) {
            return true;
        }
    }
    return false;
}

static struct str op_of(const struct between *b, uint32_t node) {
    return b->work->net->nodes[node].proto->op;
}

static bool is_operator(const struct between *b, uint32_t node) {
    return !scope_is_plumbing(b->work, node);
}

static bool is_placed(const struct between *b, uint32_t node) {
    return b->work->node_call[node] != ONNX_NONE;
}

static uint32_t parent_of(const struct between *b, uint32_t call) {
    return b->work->calls[call].parent;
}

// ---- calls

static void widen_spans(struct between *b) {
    const struct scope_work *work = b->work;

    for (size_t c = 0; c < work->n_calls; c++) {
        b->spans[c] = (struct span){ONNX_NONE, ONNX_NONE, c != 0};
    }
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t node = work->net->order[i];

        if (!is_placed(b, node) || !is_operator(b, node)) {
            continue;
        }
        for (uint32_t c = work->node_call[node]; c != ONNX_NONE; c = parent_of(b, c)) {
            struct span *span = &b->spans[c];

            span->first = span->first == ONNX_NONE ? i : span->first;
            span->last = i;
            span->layers = span->layers && c == work->node_call[node] && work->marks[node].layer;
        }
    }
}

static void fill_depths(struct between *b) {
    uint32_t path[SCOPE_MAX_LEVELS + 2];

    for (uint32_t c = 1; c < b->work->n_calls; c++) {
        uint32_t at = c;
        size_t n = 0;

        // 0 is "not known" for all calls but the root.
        while (at != 0 && b->depth[at] == 0) {
            path[n++] = at;
            at = parent_of(b, at);
        }
        while (n-- > 0) {
            b->depth[path[n]] = b->depth[at] + 1;
            at = path[n];
        }
    }
}

static uint32_t common_call(const struct between *b, uint32_t x, uint32_t y) {
    while (x != y) {
        if (b->depth[x] >= b->depth[y]) {
            x = parent_of(b, x);
        } else {
            y = parent_of(b, y);
        }
    }
    return x;
}

static bool is_in(const struct between *b, uint32_t call, uint32_t around) {
    return common_call(b, call, around) == around;
}

// The call that `around` makes on the way to `call`; `around` itself when they are the same.
static uint32_t child_towards(const struct between *b, uint32_t around, uint32_t call) {
    uint32_t child = call;

    while (call != around) {
        child = call;
        call = parent_of(b, call);
    }
    return child;
}

// ---- operators that may be modules of their own

// Its parameters have lost their names, so its module has.
bool graph_scope_is_unknown_layer(const struct scope_work *work, uint32_t node) {
    static const char *const ops[] = {"BatchNormalization",
                                      "Conv",
                                      "ConvTranspose",
                                      "Einsum",
                                      "GRU",
                                      "Gather",
                                      "Gemm",
                                      "LSTM",
                                      "InstanceNormalization",
                                      "LayerNormalization",
                                      "MatMul",
                                      "PRelu",
                                      "RNN"};
    const struct graph_net_node *n = &work->net->nodes[node];

    if (!is_one_of(n->proto->op, ops, ARRAY_LEN(ops))) {
        return false;
    }
    for (uint32_t i = 0; i < n->n_inputs; i++) {
        const struct graph_value *root;

        if (n->inputs[i] == ONNX_NONE) {
            continue;
        }
        root = &work->net->values[work->plumbing->root[n->inputs[i]]];
        if (root->tensor && root->tensor->n_dims > 0) {
            return true;
        }
    }
    return false;
}

static bool is_simple_layer(const struct between *b, uint32_t node) {
    static const char *const ops[] = {"AveragePool",
                                      "Celu",
                                      "Clip",
                                      "Dropout",
                                      "Erf",
                                      "Elu",
                                      "Flatten",
                                      "Gelu",
                                      "GlobalAveragePool",
                                      "GlobalMaxPool",
                                      "HardSigmoid",
                                      "HardSwish",
                                      "Identity",
                                      "LRN",
                                      "LeakyRelu",
                                      "LogSoftmax",
                                      "MaxPool",
                                      "Mish",
                                      "Relu",
                                      "Resize",
                                      "Selu",
                                      "Sigmoid",
                                      "Softplus",
                                      "Softsign",
                                      "Tanh",
                                      "ThresholdedRelu",
                                      "Upsample"};

    return is_one_of(op_of(b, node), ops, ARRAY_LEN(ops));
}

static bool makes_activation(struct str op) {
    static const char *const ops[] = {"Erf", "HardSigmoid", "Sigmoid", "Softplus", "Tanh"};

    return is_one_of(op, ops, ARRAY_LEN(ops));
}

static bool is_arithmetic(struct str op) {
    static const char *const ops[] = {"Add", "Div", "Mul", "Pow", "Sub"};

    return is_one_of(op, ops, ARRAY_LEN(ops));
}

bool graph_scope_is_activation_piece(const struct scope_work *work, uint32_t node) {
    struct str op = work->net->nodes[node].proto->op;

    return makes_activation(op) || is_arithmetic(op);
}

static void look_at_run(struct between *b) {
    b->unknown = b->activation = false;
    for (uint32_t i = b->from; i < b->end; i++) {
        uint32_t node = b->work->net->order[i];

        b->unknown = b->unknown || graph_scope_is_unknown_layer(b->work, node);
        b->activation = b->activation || makes_activation(op_of(b, node));
    }
}

// ---- one operator

struct reading {
    uint32_t call;    // deepest call around all that it reads
    uint32_t values;  // different ones, fixed ones left out
    bool earlier;     // one of them the module in front of the run knows nothing of
};

// The module in front of the run was given the value, too.
static bool is_read_within(const struct between *b, uint32_t value, const struct span *span) {
    const struct graph_net *net = b->work->net;
    uint32_t from = net->first_use[value], end = net->first_use[value + 1];

    for (uint32_t u = from; u < end; u++) {
        uint32_t position = b->work->position[net->uses[u].node];

        if (u - from >= READERS_MAX || (position >= span->first && position <= span->last)) {
            return true;
        }
    }
    return false;
}

static bool is_from_before(const struct between *b, uint32_t value, const struct span *span) {
    uint32_t producer = b->work->net->values[value].producer;

    if (producer != ONNX_NONE && b->work->position[producer] >= span->first) {
        return false;
    }
    return !is_read_within(b, value, span);
}

static struct reading look_at_inputs(const struct between *b, uint32_t node, uint32_t front) {
    const struct scope_work *work = b->work;
    const struct graph_net_node *n = &work->net->nodes[node];
    struct reading r = {ONNX_NONE, 0, false};
    uint32_t last = ONNX_NONE;

    for (uint32_t i = 0; i < n->n_inputs; i++) {
        uint32_t v = n->inputs[i], producer;

        if (v == ONNX_NONE || graph_value_is_fixed(work->net, work->plumbing, v)) {
            continue;
        }
        producer = work->net->values[v].producer;
        r.values += v != last;
        last = v;
        r.earlier = r.earlier || is_from_before(b, v, &b->spans[front]);
        if (producer == ONNX_NONE || !is_placed(b, producer)) {
            r.call = 0;
        } else {
            r.call = r.call == ONNX_NONE ? work->node_call[producer]
                                         : common_call(b, r.call, work->node_call[producer]);
        }
    }
    return r;
}

// A placed operator outside of `call` reads what the node makes.
static bool is_read_outside(const struct between *b, uint32_t node, uint32_t call) {
    const struct graph_net *net = b->work->net;
    const struct graph_net_node *n = &net->nodes[node];

    for (uint32_t i = 0; i < n->n_outputs; i++) {
        uint32_t v = n->outputs[i], end = v == ONNX_NONE ? 0 : net->first_use[v + 1];

        for (uint32_t u = v == ONNX_NONE ? 0 : net->first_use[v]; u < end; u++) {
            uint32_t reader = net->uses[u].node;

            if (is_operator(b, reader) && is_placed(b, reader) &&
                !is_in(b, b->work->node_call[reader], call)) {
                return true;
            }
        }
    }
    return false;
}

// The call an operator of the run belongs to, ONNX_NONE = not certain.
static uint32_t judge(const struct between *b, uint32_t node) {
    const struct scope_work *work = b->work;
    uint32_t x = work->node_call[b->before], y = work->node_call[b->behind];
    uint32_t around = common_call(b, x, y);
    uint32_t front = child_towards(b, around, x), back = child_towards(b, around, y);
    struct reading r;

    if (b->unknown || is_simple_layer(b, node) ||
        (b->activation && is_arithmetic(op_of(b, node)))) {
        return ONNX_NONE;
    }
    r = look_at_inputs(b, node, front);
    // An attention returns what its last product makes.
    if (work->marks[b->before].closes && r.values > 1 && is_arithmetic(op_of(b, node)) &&
        (back == around || b->spans[back].layers)) {
        return around;
    }
    // Joined values of one module: it would have to return all of them, only to be joined.
    if (front != around && !b->spans[front].layers) {
        if (r.values > 1 && is_in(b, r.call, front) && !r.earlier) {
            return r.call;
        }
        if (!r.earlier) {
            return ONNX_NONE;
        }
    }
    if (back != around && !b->spans[back].layers && !is_read_outside(b, node, back)) {
        return ONNX_NONE;
    }
    return around;
}

static void settle_run(struct between *b) {
    struct scope_work *work = b->work;

    if (b->before == ONNX_NONE || b->behind == ONNX_NONE) {
        return;
    }
    look_at_run(b);
    for (uint32_t i = b->from; i < b->end; i++) {
        uint32_t node = work->net->order[i], call;

        if (!is_operator(b, node) || is_placed(b, node)) {
            continue;
        }
        call = judge(b, node);
        if (call == ONNX_NONE) {
            continue;
        }
        work->node_call[node] = call;
        work->marks[node].source = GRAPH_SCOPE_NEIGHBOUR;
    }
}

static void settle_all(struct between *b) {
    const struct scope_work *work = b->work;
    size_t n = work->net->n_nodes;

    b->before = b->behind = ONNX_NONE;
    b->from = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = work->net->order[i];

        if (!is_operator(b, node) || !is_placed(b, node)) {
            continue;
        }
        b->end = i;
        b->behind = node;
        settle_run(b);
        b->before = node;
        b->from = i + 1;
    }
}

int graph_scope_between(struct scope_work *work) {
    struct between b = {.work = work};

    if (!work->unscoped) {
        return 0;
    }
    b.spans = arena_array(&work->scratch, work->n_calls, sizeof(*b.spans));
    b.depth = arena_array(&work->scratch, work->n_calls, sizeof(*b.depth));
    if (!b.spans || !b.depth) {
        return arena_error(&work->scratch, "the hierarchy", work->err);
    }
    fill_depths(&b);
    widen_spans(&b);
    settle_all(&b);
    return 0;
}
