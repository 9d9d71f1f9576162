#include "graph/qualname.h"
#include "graph/scope_internal.h"

// Nodes that call a local function which stands for a module:
// torch.onnx.export(export_modules_as_functions) and dynamo_export. The node's own name is the
// scope of the last node inside, so what tells the module are the parameters that are handed in.

static bool starts_with_any(struct str s, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (str_starts(s, str_from(words[i]))) {
            return true;
        }
    }
    return false;
}

// Exporters also make functions that implement one operator.
bool graph_scope_stands_for_module(const struct onnx_function *f) {
    static const char *const domains[] = {"pkg.onnxscript", "ai.onnx", "com.microsoft"};
    static const char *const names[] = {"aten_", "_aten_", "prims_"};

    return !onnx_domain_is_standard(f->domain) &&
           !starts_with_any(f->domain, domains, ARRAY_LEN(domains)) &&
           !starts_with_any(f->name, names, ARRAY_LEN(names));
}

static struct str common_module(struct str a, struct str b) {
    while (a.n && !str_eq(a, b) && !graph_qualname_below(b, a)) {
        a = graph_qualname_owner(a);
    }
    return a;
}

// dynamo_export calls its functions CLASS_INSTANCE_CALL, all dots written as underscores, and their
// result INSTANCE_CALL. Splits that; false when it does not fit.
static bool split_dynamo(const struct onnx_function *f, const struct onnx_node *node,
                         struct str *class_name, struct str *instance) {
    struct str result, tail;
    uint32_t call;

    // Inside a function results have the function's own names.
    node = node->source ? node->source : node;
    result = node->n_outputs ? node->outputs[0] : (struct str){NULL, 0};
    if (!str_starts(f->domain, STR("pkg.")) || f->name.n < result.n + 2) {
        return false;
    }
    *class_name = str_sub(f->name, 0, f->name.n - result.n - 1);
    tail = str_skip(f->name, class_name->n + 1);
    return f->name.p[class_name->n] == '_' && str_eq_nocase(tail, result) &&
           graph_qualname_split_number(tail, instance, &call);
}

// Whether the module is printed as the instance: "layer1_0_conv1", or, for an index in its path,
// "getattr_L__self___layer1___0___conv1".
static bool is_instance(struct str path, struct str instance) {
    static const struct str getattr = {"getattr_L__self___", 18};
    size_t i = 0, step = 1;

    if (str_starts(instance, getattr)) {
        instance = str_skip(instance, getattr.n);
        step = 3;
    }
    for (size_t k = 0; k < path.n; k++) {
        bool dot = path.p[k] == '.';

        if (i >= instance.n || instance.p[i] != (dot ? '_' : path.p[k])) {
            return false;
        }
        i += dot ? step : 1;
    }
    return i == instance.n;
}

// The module around the owners that is printed as the instance; without owners what can be read of
// the instance itself, where an underscore may be a dot.
static struct str instance_path(struct str owners, struct str instance) {
    for (struct str path = owners; path.n; path = graph_qualname_owner(path)) {
        if (is_instance(path, instance)) {
            return path;
        }
    }
    return owners.n == 0 && str_find(instance, '_') == STR_NPOS ? instance : owners;
}

static struct str common_owner(const struct scope_work *work, uint32_t node) {
    const struct graph_net_node *n = &work->net->nodes[node];
    struct str path = {NULL, 0};
    bool any = false;

    for (uint32_t i = 0; i < n->n_inputs; i++) {
        uint32_t v = n->inputs[i];

        if (v == ONNX_NONE || work->owners[v].n == 0) {
            continue;
        }
        path = any ? common_module(path, work->owners[v]) : work->owners[v];
        any = true;
    }
    return path;
}

struct str graph_scope_function_path(const struct scope_work *work, uint32_t node) {
    const struct onnx_node *proto = work->net->nodes[node].proto;
    const struct onnx_function *f = onnx_model_function(work->net->model, proto);
    struct str class_name, instance;

    if (f && split_dynamo(f, proto, &class_name, &instance)) {
        return instance_path(common_owner(work, node), instance);
    }
    // A graph of one node is the model itself, however few of its parameters have kept their names.
    return work->n_operators == 1 && !scope_is_inner(work, node) ? STR("")
                                                                 : common_owner(work, node);
}

static bool has_owner(const struct scope_work *work, uint32_t node) {
    const struct graph_net_node *n = &work->net->nodes[node];

    for (uint32_t i = 0; i < n->n_inputs; i++) {
        if (n->inputs[i] != ONNX_NONE && work->owners[n->inputs[i]].n) {
            return true;
        }
    }
    return false;
}

// "BasicBlock.1" is another body of class BasicBlock.
static struct str class_of(struct str name) {
    size_t dot = str_rfind(name, '.');

    for (size_t i = dot == STR_NPOS ? name.n : dot + 1; i < name.n; i++) {
        if (name.p[i] < '0' || name.p[i] > '9') {
            return name;
        }
    }
    return dot == STR_NPOS ? name : str_sub(name, 0, dot);
}

// The domain is the class's Python module. dynamo_export's is a package; the class is the last part
// of what its name has before the instance.
struct str graph_scope_function_class(struct scope_work *work, const struct onnx_function *f,
                                      const struct onnx_node *node) {
    struct str class_name, instance;
    size_t underscore;

    if (!str_starts(f->domain, STR("pkg."))) {
        return graph_qualname_append(work->arena, f->domain, class_of(f->name));
    }
    if (!split_dynamo(f, node, &class_name, &instance)) {
        return STR("");
    }
    underscore = str_rfind(class_name, '_');
    return str_skip(class_name, underscore == STR_NPOS ? 0 : underscore + 1);
}

static int note_class(struct scope_work *work, const struct onnx_function *f, uint32_t node) {
    uint32_t text = graph_scope_text(work, work->called[node]);
    struct str class_name;

    if (text == ONNX_NONE) {
        return work->err->code;
    }
    if (work->texts[text].class_name.n) {
        return 0;
    }
    class_name = graph_scope_function_class(work, f, work->net->nodes[node].proto);
    if (!class_name.p) {
        return arena_error(work->arena, "names of classes", work->err);
    }
    work->texts[text].class_name = class_name;
    work->texts[text].class_source = GRAPH_CLASS_FUNCTION;
    return 0;
}

int graph_scope_function_mark(struct scope_work *work, uint32_t node) {
    const struct onnx_function *f =
        onnx_model_function(work->net->model, work->net->nodes[node].proto);

    if (!f || !graph_scope_stands_for_module(f) ||
        (!has_owner(work, node) && work->called[node].n == 0)) {
        return 0;
    }
    work->marks[node].source = GRAPH_SCOPE_FUNCTION;
    if (note_class(work, f, node) < 0) {
        return work->err->code;
    }
    return 1;
}
