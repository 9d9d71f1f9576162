#include "base/num.h"
#include "graph/operator_text.h"
#include "graph/value_text.h"
#include "graph/view.h"
#include "graph/weights.h"

#define CONSTANT_ELEMENTS 4   // of one that is a box
#define ROOT_CAPTION "model"  // a root whose class the file does not know
#define OPS_SHOWN 3u          // types of operators that a run without modules is called by

static struct str short_class(const struct graph_module *module) {
    struct str name = module->class_name;
    size_t dot = str_rfind(name, '.');

    if (dot == STR_NPOS || dot + 1 == name.n) {
        return name;
    }
    return str_skip(name, dot + 1);
}

static const struct graph_module *module_of(const struct graph_view *view, uint32_t call) {
    const struct graph_hierarchy *h = &view->model->hierarchy;

    return &h->modules[h->calls[call].module];
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_number(struct str s) {
    uint64_t v;

    return num_parse_u64(s, &v);
}

// The last part of a path that says something: "conv1", and for an index its container too,
// "layer1.0".
static struct str tail_of(struct str path) {
    size_t from = path.n;

    while (from > 0) {
        size_t dot = str_rfind(str_sub(path, 0, from), '.');
        size_t start = dot == STR_NPOS ? 0 : dot + 1;
        bool more = is_number(str_sub(path, start, from - start)) && start > 0;

        if (!more) {
            return str_skip(path, start);
        }
        from = dot;
    }
    return path;
}

// "@1" behind the name, as patterns write it, where one module is drawn for several of its calls.
static void add_call(struct buf *out, const struct graph_view *view, uint32_t call,
                     uint32_t n_calls) {
    const struct graph_call *c = &view->model->hierarchy.calls[call];

    if (n_calls <= 1 && view->repeats && view->repeats[c->module]) {
        buf_printf(out, "@%u", c->number);
    }
}

static void add_module(struct buf *out, const struct graph_view *view, uint32_t call,
                       uint32_t n_calls) {
    const struct graph_module *module = module_of(view, call);
    struct str class_name = short_class(module), path = module->path;
    uint32_t names = view->options->names;
    bool with_path;

    if (module->kind != GRAPH_MODULE && names != GRAPH_NAMES_PATH) {
        path = STR("");
    }
    with_path = path.n && (names != GRAPH_NAMES_CLASS || class_name.n == 0);
    if (path.n == 0 && class_name.n == 0) {
        buf_add_z(out, ROOT_CAPTION);
        return;
    }
    if (names != GRAPH_NAMES_PATH) {
        path = tail_of(path);
    }
    if (with_path) {
        buf_add_str(out, path);
        add_call(out, view, call, n_calls);
    }
    if (path.n && names == GRAPH_NAMES_BOTH && class_name.n) {
        buf_add_z(out, ": ");
    }
    if (path.n == 0 || names == GRAPH_NAMES_CLASS || names == GRAPH_NAMES_BOTH) {
        buf_add_str(out, class_name);
    }
}

// ---- runs and sections

static struct str path_shown(const struct graph_view *view, uint32_t call) {
    struct str path = module_of(view, call)->path;

    return view->options->names == GRAPH_NAMES_PATH ? path : tail_of(path);
}

static const struct graph_view_member *first_module(const struct graph_view_group *group) {
    for (uint32_t i = 0; i < group->n_members; i++) {
        if (group->members[i].node == ONNX_NONE) {
            return &group->members[i];
        }
    }
    return NULL;
}

static const struct graph_view_member *last_module(const struct graph_view_group *group) {
    for (uint32_t i = group->n_members; i-- > 0;) {
        if (group->members[i].node == ONNX_NONE) {
            return &group->members[i];
        }
    }
    return NULL;
}

// "layers.0 ... layers.11"; of one module called again and again its name alone.
static void add_range(struct buf *out, const struct graph_view *view,
                      const struct graph_view_group *group) {
    struct str from = path_shown(view, first_module(group)->call);
    struct str to = path_shown(view, last_module(group)->call);

    buf_add_str(out, from);
    if (str_eq(from, to)) {
        return;
    }
    buf_add_z(out, " ... ");
    buf_add_str(out, to);
}

// The class of what there is one of in each instance; none where there are several siblings.
static struct str class_shown(const struct graph_view *view, const struct graph_view_group *group) {
    if (group->n_members != group->count || view->options->names == GRAPH_NAMES_ATTR ||
        view->options->names == GRAPH_NAMES_PATH) {
        return (struct str){0};
    }
    return short_class(module_of(view, group->members[0].call));
}

static void add_modules(struct buf *out, const struct graph_view *view,
                        const struct graph_view_group *group) {
    struct str class_name = class_shown(view, group);
    bool named = module_of(view, first_module(group)->call)->kind == GRAPH_MODULE;
    bool with_range = (view->options->names != GRAPH_NAMES_CLASS && named) || class_name.n == 0;

    if (with_range) {
        add_range(out, view, group);
    }
    if (with_range && class_name.n) {
        buf_add_z(out, ": ");
    }
    buf_add_str(out, class_name);
}

static void add_operators(struct buf *out, const struct graph_view *view,
                          const struct graph_view_group *group) {
    uint32_t n = group->n_members / group->count;

    for (uint32_t i = 0; i < n && i < OPS_SHOWN; i++) {
        if (i) {
            buf_add_z(out, ", ");
        }
        buf_add_str(out, view->model->net.nodes[group->members[i].node].proto->op);
    }
    if (n > OPS_SHOWN) {
        buf_add_z(out, ", ...");
    }
}

// The only one holds what is between modules: operators.
static void add_section(struct buf *out, const struct graph_view_group *group) {
    if (group->count == 1) {
        buf_printf(out, "%u operators", group->n_shown);
        return;
    }
    buf_printf(out, "part %u of %u", group->part, group->count);
}

static void add_group(struct buf *out, const struct graph_view *view,
                      const struct graph_view_group *group) {
    if (group->kind == GRAPH_CLUSTER_SECTION) {
        add_section(out, group);
        return;
    }
    if (first_module(group)) {
        add_modules(out, view, group);
    } else {
        add_operators(out, view, group);
    }
    buf_printf(out, " x %u", group->count);
}

// ---- inputs and outputs

// "past_key_values.*.key": what the names of a run have in common. Numbers are not cut apart.
static void add_common(struct buf *out, const struct graph_view *view,
                       const struct graph_view_node *node) {
    const struct graph_value *values = view->model->net.values;
    struct str first = values[node->merged[0]].name;
    size_t head = first.n, tail = first.n;

    for (uint32_t i = 1; i < node->n_merged; i++) {
        struct str name = values[node->merged[i]].name;
        size_t n = 0;

        while (n < head && n < name.n && name.p[n] == first.p[n]) {
            n++;
        }
        head = n;
        for (n = 0; n < tail && n < name.n && name.p[name.n - 1 - n] == first.p[first.n - 1 - n];) {
            n++;
        }
        tail = n;
    }
    while (head > 0 && is_digit(first.p[head - 1])) {
        head--;
    }
    while (tail > 0 && is_digit(first.p[first.n - tail])) {
        tail--;
    }
    buf_add_str(out, str_sub(first, 0, head));
    buf_add_char(out, '*');
    if (head + tail < first.n) {
        buf_add_str(out, str_skip(first, first.n - tail));
    }
}

static const char *plural_end(enum graph_view_kind kind) {
    if (kind == GRAPH_VIEW_INPUT) {
        return " more inputs";
    }
    return kind == GRAPH_VIEW_OUTPUT ? " more outputs" : " more missing values";
}

static void add_end(struct buf *out, const struct graph_view *view,
                    const struct graph_view_node *node) {
    if (node->n_merged > 1) {
        add_common(out, view, node);
        buf_printf(out, " x %u", node->n_merged);
    } else if (node->count > 1) {
        buf_add_u64(out, node->count);
        buf_add_z(out, plural_end(node->kind));
    } else if (node->value != ONNX_NONE) {
        buf_add_str(out, view->model->net.values[node->value].name);
    }
}

// ---- the rest

static void add_fixed(struct buf *out, const struct graph_view *view,
                      const struct graph_view_node *node) {
    const struct graph_net *net = &view->model->net;

    if (!graph_constant_text(out, net, &view->model->plumbing, node->value, CONSTANT_ELEMENTS)) {
        buf_add_str(out, net->values[node->value].name);
    }
}

static void add_weight(struct buf *out, const struct graph_view *view,
                       const struct graph_view_node *node) {
    const struct graph_net *net = &view->model->net;
    const struct graph_net_node *reader = &net->nodes[node->node];
    uint32_t slot = 0;

    while (slot < reader->n_inputs &&
           (reader->inputs[slot] == ONNX_NONE ||
            graph_weight_root(net, &view->model->plumbing, reader->inputs[slot]) != node->value)) {
        slot++;
    }
    graph_weight_caption(out, net, node->value, node->node, slot,
                         module_of(view, view->model->hierarchy.node_call[node->node])->path);
}

void graph_view_caption(struct buf *out, const struct graph_view *view, uint32_t node) {
    const struct graph_view_node *n = &view->nodes[node];

    if (n->group) {
        add_group(out, view, n->group);
    } else if (n->kind == GRAPH_VIEW_MODULE) {
        add_module(out, view, n->call, n->n_calls);
    } else if (n->kind == GRAPH_VIEW_OPERATOR) {
        graph_operator_text(out, view, n->node);
    } else if (n->kind == GRAPH_VIEW_CONSTANT) {
        add_fixed(out, view, n);
    } else if (n->kind == GRAPH_VIEW_PARAMETER) {
        add_weight(out, view, n);
    } else {
        add_end(out, view, n);
    }
}

void graph_view_cluster_caption(struct buf *out, const struct graph_view *view, uint32_t cluster) {
    const struct graph_view_cluster *c = &view->clusters[cluster];
    const struct graph_net *net = &view->model->net;

    if (c->group) {
        add_group(out, view, c->group);
        return;
    }
    if (graph_cluster_is_call(c->kind)) {
        add_module(out, view, c->call, c->n_calls);
        return;
    }
    buf_add_str(out, net->nodes[net->holder[c->graph]].proto->op);
    buf_add_char(out, ' ');
    buf_add_str(out, net->model->graphs[c->graph].holder_attr);
}
