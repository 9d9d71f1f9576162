#include "graph/operator_text.h"

#include "graph/label.h"
#include "graph/slice_text.h"
#include "graph/value_text.h"
#include "graph/weights.h"

#define INLINE_ELEMENTS 8           // of a constant in an operator's caption
#define NOT_WRITTEN "\xE2\x80\xA6"  // a constant that is larger, or computed
#define IDENTITIES_MAX 4u
#define CAPTION_BYTES 60  // less than a label cuts; the operands behind it are left out
#define BLANK "_"         // what an edge brings

static bool is_commutative(struct str op) {
    static const char *const ops[] = {"Add", "Mul", "Max", "Min",  "And",
                                      "Or",  "Xor", "Sum", "Mean", "Equal"};

    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        if (str_eq_z(op, ops[i])) {
            return true;
        }
    }
    return false;
}

static bool is_constant(const struct graph_view *view, uint32_t value) {
    return value != ONNX_NONE &&
           graph_is_constant(&view->model->net, &view->model->plumbing, value);
}

// Whether a constant stands before something else, so that its place matters.
static bool needs_places(const struct graph_view *view, const struct graph_net_node *node) {
    bool constant = false;

    if (is_commutative(node->proto->op)) {
        return false;
    }
    for (uint32_t s = 0; s < node->n_inputs; s++) {
        if (constant && node->inputs[s] != ONNX_NONE && !is_constant(view, node->inputs[s])) {
            return true;
        }
        constant |= is_constant(view, node->inputs[s]);
    }
    return false;
}

static uint32_t last_constant(const struct graph_view *view, const struct graph_net_node *node) {
    uint32_t n = node->n_inputs;

    while (n > 0 && !is_constant(view, node->inputs[n - 1])) {
        n--;
    }
    return n;
}

// Whether it says something: an empty list is how exporters leave an input out.
static bool add_elements(struct buf *out, const struct graph_view *view, uint32_t value) {
    size_t from = out->n;

    if (!graph_constant_text(out, &view->model->net, &view->model->plumbing, value,
                             INLINE_ELEMENTS)) {
        return false;
    }
    if (str_eq_z(str_skip(buf_str(out), from), "()")) {
        buf_truncate(out, from);
        return false;
    }
    return true;
}

// Whether it is a constant that was written.
static bool add_operand(struct buf *out, const struct graph_view *view, uint32_t value,
                        bool with_place) {
    bool constant = is_constant(view, value);

    if (constant && add_elements(out, view, value)) {
        return true;
    }
    if (with_place) {
        buf_add_z(out, value == ONNX_NONE ? "-" : constant ? NOT_WRITTEN : BLANK);
    }
    return false;
}

// "Add 1.0", "Sub 1.0, _", "Clip -, 6.0", "Where (...), 0.0, _"
static void add_constants(struct buf *out, const struct graph_view *view,
                          const struct graph_net_node *node) {
    bool places = needs_places(view, node), any = false;
    uint32_t n = places ? node->n_inputs : last_constant(view, node);
    size_t before = out->n, caption = before - node->proto->op.n;

    for (uint32_t s = 0; s < n; s++) {
        size_t from = out->n, written;

        buf_add_z(out, from == before ? " " : ", ");
        written = out->n;
        any |= add_operand(out, view, node->inputs[s], places || node->inputs[s] == ONNX_NONE);
        if (out->n - caption > CAPTION_BYTES) {
            buf_truncate(out, written);
            buf_add_z(out, NOT_WRITTEN);
            break;
        }
        if (out->n == written) {
            buf_truncate(out, from);
        }
    }
    if (!any) {
        buf_truncate(out, before);
    }
}

// ---- what has a text of its own

static bool is_true(const struct graph_view *view, uint32_t value) {
    const struct graph_model *model = view->model;
    int64_t held;
    size_t n;

    return value != ONNX_NONE &&
           graph_constant_ints(&held, &n, &model->net, &model->plumbing, value, 1) && n == 1 &&
           held;
}

// Behind Identity, which exporters put where a body hands something on.
static uint32_t behind_identity(const struct graph_net *net, uint32_t value) {
    for (unsigned step = 0; step < IDENTITIES_MAX; step++) {
        const struct graph_value *v = &net->values[value];
        const struct graph_net_node *maker;

        if (v->kind != GRAPH_VALUE_NODE) {
            break;
        }
        maker = &net->nodes[v->producer];
        if (!str_eq_z(maker->proto->op, "Identity") || !maker->n_inputs ||
            maker->inputs[0] == ONNX_NONE) {
            break;
        }
        value = maker->inputs[0];
    }
    return value;
}

// Whether the condition of a Loop (ONNX operator Loop, inputs M and cond; the body's first output
// is the next cond) never ends it: it starts true, and the body hands it on or makes it true.
static bool runs_all_trips(const struct graph_view *view, uint32_t node) {
    const struct graph_net *net = &view->model->net;
    const struct graph_net_node *n = &net->nodes[node];
    bool starts = n->n_inputs < 2 || n->inputs[1] == ONNX_NONE || is_true(view, n->inputs[1]);

    for (size_t g = 1; starts && g < net->model->n_graphs; g++) {
        const struct graph_net_graph *body = &net->graphs[g];
        uint32_t next;

        if (net->holder[g] != node || body->n_outputs == 0 || body->outputs[0] == ONNX_NONE) {
            continue;
        }
        next = behind_identity(net, body->outputs[0]);
        return is_true(view, next) || (body->n_inputs > 1 && next == body->inputs[1]);
    }
    return false;
}

// Without the largest integers, which exporters write for "as long as the condition holds".
static void add_trips(struct buf *out, const struct graph_view *view, uint32_t node) {
    const struct graph_model *model = view->model;
    const struct graph_net_node *n = &model->net.nodes[node];
    int64_t trips;
    size_t count;

    if (n->n_inputs == 0 || n->inputs[0] == ONNX_NONE ||
        !graph_constant_ints(&trips, &count, &model->net, &model->plumbing, n->inputs[0], 1) ||
        count != 1 || trips < 0 || trips >= INT32_MAX) {
        return;
    }
    buf_add_z(out, runs_all_trips(view, node) ? " " : " at most ");
    buf_add_u64(out, (uint64_t)trips);
    buf_add_z(out, trips == 1 ? " time" : " times");
}

static void add_nothing(struct buf *out, const struct graph_view *view, uint32_t node) {
    (void)out;
    (void)view;
    (void)node;
}

typedef void operands_fn(struct buf *out, const struct graph_view *view, uint32_t node);

static operands_fn *operands_of(struct str op) {
    static const struct {
        const char *op;
        operands_fn *add;
    } rows[] = {
        {"Loop", add_trips},
        {"If", add_nothing},
        {"Scan", add_nothing},
        {"QuantizeLinear", add_nothing},
        {"DequantizeLinear", add_nothing},
        {"ConvInteger", add_nothing},
        {"MatMulInteger", add_nothing},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (str_eq_z(op, rows[i].op)) {
            return rows[i].add;
        }
    }
    return str_starts(op, STR("QLinear")) ? add_nothing : NULL;
}

void graph_operator_text(struct buf *out, const struct graph_view *view, uint32_t node) {
    const struct graph_net_node *n = &view->model->net.nodes[node];

    operands_fn *special = operands_of(n->proto->op);
    size_t before = out->n;

    buf_add_str(out, n->proto->op);
    if (view->options->consts != GRAPH_CONSTS_INLINE) {
        return;
    }
    if (special) {
        special(out, view, node);
    } else if (!graph_slice_text(out, view, n)) {
        add_constants(out, view, n);
    } else if (out->n - before > GRAPH_LABEL_CHARS) {
        buf_truncate(out, before + n->proto->op.n);
    }
}
