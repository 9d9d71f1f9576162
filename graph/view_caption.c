#include "base/num.h"
#include "graph/view.h"

#define ROOT_CAPTION "model"  // a root whose class the file does not know

static struct str short_class(const struct graph_module *module)
{
    struct str name = module->class_name;
    size_t dot = str_rfind(name, '.');

    if (dot == STR_NPOS || dot + 1 == name.n)
        return name;
    return str_skip(name, dot + 1);
}

static const struct graph_module *module_of(const struct graph_view *view, uint32_t call)
{
    const struct graph_hierarchy *h = &view->model->hierarchy;

    return &h->modules[h->calls[call].module];
}

static bool is_number(struct str s)
{
    uint64_t v;

    return num_parse_u64(s, &v);
}

// The last part of a path that says something: "conv1", and for an index its container too,
// "layer1.0".
static struct str tail_of(struct str path)
{
    size_t from = path.n;

    while (from > 0) {
        size_t dot = str_rfind(str_sub(path, 0, from), '.');
        size_t start = dot == STR_NPOS ? 0 : dot + 1;
        bool more = is_number(str_sub(path, start, from - start)) && start > 0;

        if (!more)
            return str_skip(path, start);
        from = dot;
    }
    return path;
}

static void add_module(struct buf *out, const struct graph_view *view, uint32_t call)
{
    const struct graph_module *module = module_of(view, call);
    struct str class_name = short_class(module), path = module->path;
    uint32_t names = view->options->names;

    if (path.n == 0 && class_name.n == 0) {
        buf_add_z(out, ROOT_CAPTION);
        return;
    }
    if (names != GRAPH_NAMES_PATH)
        path = tail_of(path);
    if (path.n && (names != GRAPH_NAMES_CLASS || class_name.n == 0))
        buf_add_str(out, path);
    if (path.n && names == GRAPH_NAMES_BOTH && class_name.n)
        buf_add_z(out, ": ");
    if (path.n == 0 || names == GRAPH_NAMES_CLASS || names == GRAPH_NAMES_BOTH)
        buf_add_str(out, class_name);
}

static const char *plural_end(enum graph_view_kind kind)
{
    if (kind == GRAPH_VIEW_INPUT)
        return " more inputs";
    return kind == GRAPH_VIEW_OUTPUT ? " more outputs" : " more missing values";
}

static void add_end(struct buf *out, const struct graph_view *view,
                    const struct graph_view_node *node)
{
    if (node->count > 1) {
        buf_add_u64(out, node->count);
        buf_add_z(out, plural_end(node->kind));
    } else if (node->value != ONNX_NONE) {
        buf_add_str(out, view->model->net.values[node->value].name);
    }
}

void graph_view_caption(struct buf *out, const struct graph_view *view, uint32_t node)
{
    const struct graph_view_node *n = &view->nodes[node];

    if (n->kind == GRAPH_VIEW_MODULE)
        add_module(out, view, n->call);
    else if (n->kind == GRAPH_VIEW_OPERATOR)
        buf_add_str(out, view->model->net.nodes[n->node].proto->op);
    else
        add_end(out, view, n);
}

void graph_view_cluster_caption(struct buf *out, const struct graph_view *view, uint32_t cluster)
{
    const struct graph_view_cluster *c = &view->clusters[cluster];
    const struct graph_net *net = &view->model->net;

    if (c->kind == GRAPH_CLUSTER_MODULE) {
        add_module(out, view, c->call);
        return;
    }
    buf_add_str(out, net->nodes[net->holder[c->graph]].proto->op);
    buf_add_char(out, ' ');
    buf_add_str(out, net->model->graphs[c->graph].holder_attr);
}
