#include "graph/qualname.h"
#include "graph/scope_internal.h"

// Nodes that call a local function which stands for a module:
// torch.onnx.export(export_modules_as_functions) and dynamo_export. The node's own name is the
// scope of the last node inside, so what tells the module are the parameters that are handed in.

static bool starts_with_any(struct str s, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (str_starts(s, str_from(words[i])))
            return true;
    }
    return false;
}

// Exporters also make functions that implement one operator.
static bool stands_for_module(const struct onnx_function *f)
{
    static const char *const domains[] = {"pkg.onnxscript", "ai.onnx", "com.microsoft"};
    static const char *const names[] = {"aten_", "_aten_", "prims_"};

    return f && !onnx_domain_is_standard(f->domain) &&
           !starts_with_any(f->domain, domains, ARRAY_LEN(domains)) &&
           !starts_with_any(f->name, names, ARRAY_LEN(names));
}

static struct str common_module(struct str a, struct str b)
{
    while (a.n && !str_eq(a, b) && !graph_qualname_below(b, a))
        a = graph_qualname_owner(a);
    return a;
}

struct str graph_scope_function_path(const struct scope_work *work, uint32_t node)
{
    const struct graph_net_node *n = &work->net->nodes[node];
    struct str path = {NULL, 0};
    bool any = false;

    // A graph of one node is the model itself, however few of its parameters have kept their names.
    if (work->n_operators == 1)
        return STR("");
    for (uint32_t i = 0; i < n->n_inputs; i++) {
        uint32_t v = n->inputs[i];

        if (v == ONNX_NONE || work->owners[v].n == 0)
            continue;
        path = any ? common_module(path, work->owners[v]) : work->owners[v];
        any = true;
    }
    return path;
}

static bool has_owner(const struct scope_work *work, uint32_t node)
{
    const struct graph_net_node *n = &work->net->nodes[node];

    for (uint32_t i = 0; i < n->n_inputs; i++) {
        if (n->inputs[i] != ONNX_NONE && work->owners[n->inputs[i]].n)
            return true;
    }
    return false;
}

// "BasicBlock.1" is another body of class BasicBlock.
static struct str class_of(struct str name)
{
    size_t dot = str_rfind(name, '.');

    for (size_t i = dot == STR_NPOS ? name.n : dot + 1; i < name.n; i++) {
        if (name.p[i] < '0' || name.p[i] > '9')
            return name;
    }
    return dot == STR_NPOS ? name : str_sub(name, 0, dot);
}

// The domain is the class's Python module; dynamo_export's are packages and tell no class.
static int note_class(struct scope_work *work, const struct onnx_function *f, struct str path)
{
    uint32_t text = graph_scope_text(work, path);
    struct str class_name;

    if (text == ONNX_NONE)
        return work->err->code;
    if (str_starts(f->domain, STR("pkg.")) || work->texts[text].class_name.n)
        return 0;
    class_name = graph_qualname_append(work->arena, f->domain, class_of(f->name));
    if (!class_name.p)
        return arena_error(work->arena, "names of classes", work->err);
    work->texts[text].class_name = class_name;
    work->texts[text].class_source = GRAPH_CLASS_FUNCTION;
    return 0;
}

int graph_scope_function_mark(struct scope_work *work, uint32_t node)
{
    const struct onnx_function *f =
        onnx_model_function(work->net->model, work->net->nodes[node].proto);

    if (!stands_for_module(f) || !has_owner(work, node))
        return 0;
    work->marks[node].source = GRAPH_SCOPE_FUNCTION;
    if (note_class(work, f, graph_scope_function_path(work, node)) < 0)
        return work->err->code;
    return 1;
}
