#include "graph/label_lines.h"

#include "base/num.h"
#include "base/utf8.h"
#include "graph/dim_name.h"
#include "graph/label.h"
#include "graph/label_groups.h"
#include "graph/value_text.h"
#include "graph/weights.h"
#include "onnx/dtype.h"

#define TEXT_MAX_BYTES ((size_t)1 << 20)
#define ATTRS_WIDTH 52u  // characters after which a line of attributes is broken
#define ARROW "\xE2\x86\x92 "

void graph_lines_init(struct graph_lines *lines) {
    lines->n = 0;
    buf_init(&lines->text, TEXT_MAX_BYTES);
    buf_init(&lines->raw, TEXT_MAX_BYTES);
}

void graph_lines_release(struct graph_lines *lines) {
    buf_release(&lines->text);
    buf_release(&lines->raw);
}

struct str graph_lines_at(const struct graph_lines *lines, size_t i) {
    size_t from = i ? lines->ends[i - 1] : 0;

    return str_sub(buf_str(&lines->text), from, lines->ends[i] - from);
}

// Ends the line in lines->raw, if there is one.
static void flush(struct graph_lines *lines, size_t chars) {
    if (lines->raw.n && lines->n < GRAPH_LINES_MAX) {
        utf8_add_shown(&lines->text, buf_str(&lines->raw), chars, GRAPH_LABEL_BYTES);
        lines->ends[lines->n++] = lines->text.n;
    }
    buf_reset(&lines->raw);
}

// ---- shapes

static bool is_known(const struct graph_view *view, uint32_t value) {
    return view->model->shapes.values[value].has_rank;
}

static bool any_known(const struct graph_view *view, const uint32_t *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (is_known(view, values[i])) {
            return true;
        }
    }
    return false;
}

void graph_shapes_text(struct buf *out, const struct graph_view *view, const uint32_t *values,
                       uint32_t n, uint32_t most, size_t chars) {
    struct label_groups g;

    label_groups_init(&g, most, true);
    for (uint32_t i = 0; i < n; i++) {
        size_t from = g.texts.n;

        graph_shape_text(&g.texts, &view->model->shapes.values[values[i]]);
        label_groups_add(&g, from);
    }
    label_groups_write(&g, out, chars);
    label_groups_release(&g);
}

static void add_side(struct graph_lines *lines, const struct graph_view *view,
                     const uint32_t *values, uint32_t n) {
    graph_shapes_text(&lines->raw, view, values, n, GRAPH_SIDE_SHAPES, GRAPH_SIDE_CHARS);
}

static void add_shapes(struct graph_lines *lines, const struct graph_view *view,
                       const struct graph_view_node *node) {
    if (!view->options->show_shapes) {
        return;
    }
    if (node->value != ONNX_NONE) {
        if (is_known(view, node->value)) {
            add_side(lines, view, &node->value, 1);
        }
    } else {
        if (any_known(view, node->inputs, node->n_inputs)) {
            add_side(lines, view, node->inputs, node->n_inputs);
        }
        if (any_known(view, node->outputs, node->n_outputs)) {
            buf_add_z(&lines->raw, lines->raw.n ? " " ARROW : ARROW);
            add_side(lines, view, node->outputs, node->n_outputs);
        } else if (lines->raw.n) {
            buf_add_z(&lines->raw, " " ARROW "?");
        }
    }
    flush(lines, (size_t)2 * GRAPH_LINE_CHARS);
}

// ---- numbers

static void separate(struct buf *out) {
    if (out->n) {
        buf_add_z(out, ", ");
    }
}

static void add_costs(struct buf *out, const struct graph_view *view,
                      struct graph_view_costs costs) {
    uint32_t wanted = view->options->costs;
    bool all = wanted == GRAPH_COST_LABELS_ALL;

    if (costs.has_parameters && costs.parameters && (all || wanted == GRAPH_COST_LABELS_PARAMS)) {
        separate(out);
        num_add_count(out, costs.parameters);
        buf_add_z(out, " params");
    }
    if (!all && wanted != GRAPH_COST_LABELS_MACS) {
        return;
    }
    if (costs.macs.kind == DIM_INT && costs.macs.i > 0) {
        separate(out);
        num_add_count(out, (uint64_t)costs.macs.i);
        buf_add_z(out, " MACs");
    } else if (costs.macs.kind == DIM_SYMBOL && !graph_dim_is_generated(costs.macs.symbol)) {
        separate(out);
        buf_add_str(out, costs.macs.symbol);
        buf_add_z(out, " MACs");
    }
}

static void add_numbers(struct graph_lines *lines, const struct graph_view *view, uint32_t node) {
    const struct graph_view_node *n = &view->nodes[node];

    if (n->calls && n->count > 1) {
        buf_printf(&lines->raw, "%u calls", n->count);
    }
    add_costs(&lines->raw, view, graph_view_node_costs(view, node));
    flush(lines, GRAPH_LINE_CHARS);
}

void graph_cluster_numbers(struct buf *out, const struct graph_view *view, uint32_t cluster) {
    const struct graph_view_cluster *c = &view->clusters[cluster];
    struct buf text;

    buf_init(&text, GRAPH_LABEL_BYTES);
    if (c->n_calls > 1) {
        buf_printf(&text, "%u calls", c->n_calls);
    }
    add_costs(&text, view, graph_view_cluster_costs(view, cluster));
    utf8_add_shown(out, buf_str(&text), GRAPH_LINE_CHARS, GRAPH_LABEL_BYTES);
    buf_release(&text);
}

// ---- weights

// A tensor that several nodes read is listed once.
static bool is_listed(const struct graph_lines *lines, size_t from, struct str text) {
    for (size_t i = from; i < lines->n; i++) {
        if (str_eq(graph_lines_at(lines, i), text)) {
            return true;
        }
    }
    return false;
}

// A name that leaves the shape no room is cut, not the shape.
static void add_shape_behind(struct buf *name, const struct graph_tensor_type *type) {
    struct buf shown, shape, fitted;

    buf_init(&shown, TEXT_MAX_BYTES);
    buf_init(&shape, TEXT_MAX_BYTES);
    buf_init(&fitted, TEXT_MAX_BYTES);
    graph_shape_text(&shape, type);
    label_add_shape(&fitted, buf_str(&shape), GRAPH_SIDE_CHARS);
    utf8_add_shown(&shown, buf_str(name), GRAPH_LINE_CHARS - 1 - utf8_count(buf_str(&fitted)),
                   GRAPH_LABEL_BYTES / 2);
    buf_reset(name);
    buf_add_str(name, buf_str(&shown));
    buf_add_char(name, ' ');
    buf_add_str(name, buf_str(&fitted));
    buf_release(&shown);
    buf_release(&shape);
    buf_release(&fitted);
}

// "weight (64, 3, 7, 7)"; false when it is no weight.
static bool add_weight(struct graph_lines *lines, const struct graph_view *view, uint32_t node,
                       uint32_t slot) {
    const struct graph_net *net = &view->model->net;
    const struct graph_hierarchy *h = &view->model->hierarchy;
    uint32_t value = net->nodes[node].inputs[slot], root;

    if (value == ONNX_NONE) {
        return false;
    }
    root = graph_weight_root(net, &view->model->plumbing, value);
    if (root == ONNX_NONE) {
        return false;
    }
    graph_weight_caption(&lines->raw, net, root, node, slot,
                         h->modules[h->calls[h->node_call[node]].module].path);
    add_shape_behind(&lines->raw, &view->model->shapes.values[root]);
    return true;
}

static void add_weights(struct graph_lines *lines, const struct graph_view *view,
                        const struct graph_view_node *node) {
    size_t from = lines->n, left_out = 0;

    if (view->options->params != GRAPH_PARAMS_LIST) {
        return;
    }
    for (uint32_t i = 0; i < node->n_own; i++) {
        for (uint32_t s = 0; s < view->model->net.nodes[node->own[i]].n_inputs; s++) {
            bool known = !add_weight(lines, view, node->own[i], s) ||
                         is_listed(lines, from, buf_str(&lines->raw));

            left_out += !known && lines->n - from == GRAPH_LINE_WEIGHTS;
            if (known || lines->n - from == GRAPH_LINE_WEIGHTS) {
                buf_reset(&lines->raw);
            }
            flush(lines, GRAPH_LINE_CHARS);
        }
    }
    if (left_out) {
        buf_printf(&lines->raw, "+%zu more", left_out);
    }
    flush(lines, GRAPH_LINE_CHARS);
}

// ---- attributes

// The one node of a module's own code that has attributes; a module with several is more than any
// of them.
static uint32_t node_with_attrs(const struct graph_view *view, const struct graph_view_node *node) {
    uint32_t found = ONNX_NONE;

    for (uint32_t i = 0; i < node->n_own; i++) {
        if (view->model->net.nodes[node->own[i]].proto->n_attrs == 0) {
            continue;
        }
        if (found != ONNX_NONE) {
            return ONNX_NONE;
        }
        found = node->own[i];
    }
    return found;
}

// Breaks the line before an attribute that would make it too long.
static void add_attr(struct graph_lines *lines, const struct onnx_attr *attr) {
    struct buf text;

    buf_init(&text, GRAPH_LABEL_BYTES);
    buf_add_str(&text, attr->name);
    buf_add_char(&text, ' ');
    if (graph_attr_text(&text, attr, GRAPH_ATTR_ELEMENTS)) {
        if (lines->raw.n && lines->raw.n + text.n > ATTRS_WIDTH) {
            flush(lines, GRAPH_LINE_CHARS);
        }
        separate(&lines->raw);
        buf_add_str(&lines->raw, buf_str(&text));
    }
    buf_release(&text);
}

static void add_attrs(struct graph_lines *lines, const struct graph_view *view,
                      const struct graph_view_node *node) {
    uint32_t op = view->options->attrs ? node_with_attrs(view, node) : ONNX_NONE;
    size_t from = lines->n;

    if (op == ONNX_NONE) {
        return;
    }
    for (size_t i = 0; i < view->model->net.nodes[op].proto->n_attrs; i++) {
        if (lines->n - from < GRAPH_LINE_ATTRS) {
            add_attr(lines, &view->model->net.nodes[op].proto->attrs[i]);
        }
    }
    flush(lines, GRAPH_LINE_CHARS);
}

void graph_lines_of_facts(struct graph_lines *lines, const struct graph_view *view, uint32_t node) {
    const struct graph_view_node *n = &view->nodes[node];

    buf_reset(&lines->text);
    lines->n = 0;
    add_numbers(lines, view, node);
    add_weights(lines, view, n);
    add_attrs(lines, view, n);
}

void graph_lines_of_node(struct graph_lines *lines, const struct graph_view *view, uint32_t node) {
    const struct graph_view_node *n = &view->nodes[node];

    buf_reset(&lines->text);
    lines->n = 0;
    add_shapes(lines, view, n);
    add_numbers(lines, view, node);
    add_weights(lines, view, n);
    add_attrs(lines, view, n);
}

// ---- edges

static void add_edge_value(struct buf *out, const struct graph_view *view, uint32_t value) {
    const struct graph_tensor_type *type = &view->model->shapes.values[value];
    const char *dtype = onnx_dtype_name(type->dtype);

    if (view->options->edge_labels == GRAPH_EDGE_LABELS_SHAPE) {
        graph_shape_text(out, type);
    } else if (view->options->edge_labels == GRAPH_EDGE_LABELS_DTYPE) {
        buf_add_z(out, dtype ? dtype : "?");
    } else {
        buf_add_str(out, view->model->net.values[value].name);
    }
}

// How many of a kind run along the edge is told by the groups, unless calls are rolled.
void graph_edge_text(struct buf *out, const struct graph_view *view, uint32_t edge) {
    const struct graph_view_edge *e = &view->edges[edge];
    struct label_groups g;

    if (view->options->edge_labels != GRAPH_EDGE_LABELS_NONE) {
        label_groups_init(&g, GRAPH_SIDE_SHAPES,
                          view->options->edge_labels == GRAPH_EDGE_LABELS_SHAPE);
        for (uint32_t i = 0; i < e->n_values; i++) {
            size_t from = g.texts.n;

            add_edge_value(&g.texts, view, e->values[i]);
            label_groups_add(&g, from);
        }
        label_groups_write(&g, out, GRAPH_SIDE_CHARS);
        label_groups_release(&g);
        if (e->count == e->n_values) {
            return;
        }
    }
    if (e->count > 1) {
        buf_printf(out, "%sx%u", out->n ? " " : "", e->count);
    }
}
