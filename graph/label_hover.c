#include "base/utf8.h"
#include "graph/label.h"
#include "onnx/dtype.h"

#define TEXT_MAX_BYTES ((size_t)64 << 10)

static void add_shown(struct buf *out, struct str text) {
    utf8_add_shown(out, text, GRAPH_HOVER_CHARS, (size_t)GRAPH_HOVER_CHARS * 4);
}

static void add_type(struct buf *out, const struct graph_view *view, uint32_t value) {
    const struct graph_tensor_type *type = &view->model->shapes.values[value];
    const char *dtype = onnx_dtype_name(type->dtype);
    struct buf text;

    if (dtype) {
        buf_add_z(out, dtype);
        buf_add_char(out, ' ');
    }
    buf_init(&text, TEXT_MAX_BYTES);
    graph_shape_text(&text, type);
    add_shown(out, buf_str(&text));
    buf_release(&text);
}

static bool is_known(const struct graph_view *view, uint32_t value) {
    const struct graph_tensor_type *type = &view->model->shapes.values[value];

    return type->dtype != 0 || type->has_rank;
}

static bool any_known(const struct graph_view *view, const uint32_t *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (is_known(view, values[i])) {
            return true;
        }
    }
    return false;
}

static void add_types(struct buf *out, const struct graph_view *view, const char *what,
                      const uint32_t *values, uint32_t n) {
    if (!any_known(view, values, n)) {
        return;
    }
    buf_add_char(out, '\n');
    buf_add_z(out, what);
    for (uint32_t i = 0; i < n && i < GRAPH_HOVER_VALUES; i++) {
        buf_add_z(out, i ? ", " : " ");
        add_type(out, view, values[i]);
    }
    if (n > GRAPH_HOVER_VALUES) {
        buf_printf(out, ", %u more", n - GRAPH_HOVER_VALUES);
    }
}

// "layer1.0.conv1@1: torch.nn.modules.conv.Conv2d, call 2 of 3"
static void add_call(struct buf *out, const struct graph_view *view, uint32_t call) {
    const struct graph_hierarchy *h = &view->model->hierarchy;
    const struct graph_module *module;

    if (call >= h->n_calls) {
        return;
    }
    module = &h->modules[h->calls[call].module];
    if (module->path.n) {
        add_shown(out, module->path);
    } else {
        buf_add_z(out, "the model");
    }
    if (module->n_calls > 1) {
        buf_printf(out, "@%u", h->calls[call].number);
    }
    if (module->class_name.n) {
        buf_add_z(out, ": ");
        add_shown(out, module->class_name);
        if (module->class_source == GRAPH_CLASS_INFERRED) {
            buf_add_z(out, " (inferred)");
        }
    }
    if (module->n_calls > 1) {
        buf_printf(out, ", call %u of %u", h->calls[call].number + 1, module->n_calls);
    }
}

static void add_operator(struct buf *out, const struct graph_view *view, uint32_t node) {
    const struct onnx_node *proto = view->model->net.nodes[node].proto;

    if (proto->domain.n) {
        add_shown(out, proto->domain);
        buf_add_z(out, ".");
    }
    add_shown(out, proto->op);
    if (proto->name.n) {
        buf_add_char(out, ' ');
        add_shown(out, proto->name);
    }
}

static void add_value(struct buf *out, const struct graph_view *view, uint32_t value) {
    struct str name = view->model->net.values[value].name;

    add_shown(out, name);
    if (!is_known(view, value)) {
        return;
    }
    if (name.n) {
        buf_add_char(out, ' ');
    }
    add_type(out, view, value);
}

static void add_caption(struct buf *out, const struct graph_view *view, uint32_t i,
                        void (*caption)(struct buf *, const struct graph_view *, uint32_t)) {
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    caption(&text, view, i);
    add_shown(out, buf_str(&text));
    buf_release(&text);
}

static void add_member(struct buf *out, const struct graph_view *view,
                       const struct graph_view_member *member) {
    const struct graph_hierarchy *h = &view->model->hierarchy;

    if (member->node != ONNX_NONE) {
        add_operator(out, view, member->node);
    } else {
        add_shown(out, h->modules[h->calls[member->call].module].path);
    }
}

// What it stands for: all when they are few, else the first and the last.
static void add_group(struct buf *out, const struct graph_view *view,
                      const struct graph_view_group *group) {
    uint32_t n = group->n_members;

    for (uint32_t i = 0; i < n; i++) {
        if (n > GRAPH_HOVER_VALUES && i == GRAPH_HOVER_VALUES - 1) {
            buf_printf(out, "\n%u more", n - GRAPH_HOVER_VALUES);
            i = n - 1;
        }
        buf_add_char(out, '\n');
        add_member(out, view, &group->members[i]);
    }
}

static void add_merged(struct buf *out, const struct graph_view *view,
                       const struct graph_view_node *node) {
    for (uint32_t i = 0; i < node->n_merged && i < GRAPH_HOVER_VALUES; i++) {
        buf_add_char(out, '\n');
        add_value(out, view, node->merged[i]);
    }
    if (node->n_merged > GRAPH_HOVER_VALUES) {
        buf_printf(out, "\n%u more", node->n_merged - GRAPH_HOVER_VALUES);
    }
}

void graph_hover_node(struct buf *out, const struct graph_view *view, uint32_t i) {
    const struct graph_view_node *node = &view->nodes[i];

    if (node->group) {
        add_caption(out, view, i, graph_view_caption);
        add_group(out, view, node->group);
    } else if (node->merged) {
        add_caption(out, view, i, graph_view_caption);
        add_merged(out, view, node);
        return;
    } else if (node->kind == GRAPH_VIEW_OPERATOR && node->node != ONNX_NONE) {
        add_operator(out, view, node->node);
    } else if (node->kind == GRAPH_VIEW_MODULE) {
        add_call(out, view, node->call);
    } else if (node->value != ONNX_NONE) {
        buf_add_z(out, graph_view_kind_name(node->kind));
        buf_add_char(out, ' ');
        add_value(out, view, node->value);
        return;
    } else {
        add_caption(out, view, i, graph_view_caption);
    }
    add_types(out, view, "in", node->inputs, node->n_inputs);
    add_types(out, view, "out", node->outputs, node->n_outputs);
}

void graph_hover_cluster(struct buf *out, const struct graph_view *view, uint32_t i) {
    const struct graph_view_cluster *cluster = &view->clusters[i];

    if (graph_cluster_is_call(cluster->kind)) {
        add_call(out, view, cluster->call);
    } else {
        add_caption(out, view, i, graph_view_cluster_caption);
    }
    if (cluster->group) {
        add_group(out, view, cluster->group);
    }
}

void graph_hover_edge(struct buf *out, const struct graph_view *view, uint32_t i) {
    const struct graph_view_edge *edge = &view->edges[i];

    for (uint32_t k = 0; k < edge->n_values && k < GRAPH_HOVER_VALUES; k++) {
        if (k) {
            buf_add_char(out, '\n');
        }
        add_value(out, view, edge->values[k]);
    }
    if (edge->n_values > GRAPH_HOVER_VALUES) {
        buf_printf(out, "\n%u more", edge->n_values - GRAPH_HOVER_VALUES);
    }
}

void graph_hover_title(struct buf *out, const struct graph_view *view) {
    const struct graph_hierarchy *h = &view->model->hierarchy;
    struct str name = view->model->onnx->graphs[0].name;

    if (h->n_modules && h->modules[0].class_name.n) {
        name = h->modules[0].class_name;
    }
    if (str_trim(name).n) {
        add_shown(out, name);
    } else {
        buf_add_z(out, "ONNX graph");
    }
}
