#include "graph/operator_text.h"

#include "graph/slice_text.h"
#include "graph/value_text.h"
#include "graph/weights.h"

#define INLINE_ELEMENTS 8           // of a constant in an operator's caption
#define NOT_WRITTEN "\xE2\x80\xA6"  // a constant that is larger, or computed

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
        buf_add_z(out, value == ONNX_NONE ? "-" : constant ? NOT_WRITTEN : "x");
    }
    return false;
}

// "Add 1.0", "Sub 1.0, x", "Clip -, 6.0", "Where (...), 0.0, x"
static void add_constants(struct buf *out, const struct graph_view *view,
                          const struct graph_net_node *node) {
    bool places = needs_places(view, node), any = false;
    uint32_t n = places ? node->n_inputs : last_constant(view, node);
    size_t before = out->n;

    for (uint32_t s = 0; s < n; s++) {
        size_t from = out->n, written;

        buf_add_z(out, from == before ? " " : ", ");
        written = out->n;
        any |= add_operand(out, view, node->inputs[s], places || node->inputs[s] == ONNX_NONE);
        if (out->n == written) {
            buf_truncate(out, from);
        }
    }
    if (!any) {
        buf_truncate(out, before);
    }
}

void graph_operator_text(struct buf *out, const struct graph_view *view, uint32_t node) {
    const struct graph_net_node *n = &view->model->net.nodes[node];

    buf_add_str(out, n->proto->op);
    if (view->options->consts == GRAPH_CONSTS_INLINE && !graph_slice_text(out, view, n)) {
        add_constants(out, view, n);
    }
}
