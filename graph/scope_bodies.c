#include "graph/qualname.h"
#include "graph/scope_internal.h"

// Calls of local functions, and what lies in them. Each call of a function is a call here, whatever
// else its nodes say. The names of the modules come from the parameters that are handed in: those
// of a call and of the one inside it may tell the same, then the outer module is around the inner
// one.

// What the functions called in a body tell about the module that the body is of.
struct inner {
    uint32_t n;          // modules with a name
    uint32_t n_same;     // with the very name that the outer one seems to have
    uint32_t n_numbers;  // elements of it, were it a list
};

uint32_t graph_scope_caller(const struct scope_work *work, uint32_t node) {
    const struct graph_net *net = work->net;
    uint32_t caller = net->nodes[node].proto->caller - 1, graph = net->model->nodes[caller].graph;

    return net->graphs[graph].first_node + (caller - net->model->graphs[graph].first_node);
}

static const struct onnx_function *function_of(const struct scope_work *work, uint32_t node) {
    return onnx_model_function(work->net->model, work->net->nodes[node].proto);
}

static bool ends_with_number(struct str path) {
    struct str atom = str_skip(path, str_rfind(path, '.') + 1);

    for (size_t i = 0; i < atom.n; i++) {
        if (atom.p[i] < '0' || atom.p[i] > '9') {
            return false;
        }
    }
    return atom.n > 0;
}

// Sequential calls its elements, and so is called itself; a ModuleList is not.
static bool is_sequential(const struct onnx_function *f) {
    return str_contains(f->name, STR("Sequential"));
}

static void note_inner(const struct scope_work *work, struct inner *around, uint32_t caller,
                       struct str path) {
    struct str outer = work->called[caller];

    around->n++;
    around->n_same += str_eq(path, outer);
    around->n_numbers += graph_qualname_below(path, outer) && ends_with_number(path) &&
                         str_eq(graph_qualname_owner(path), outer);
}

// The module that a call is of, given what its body calls.
static struct str outer_path(struct str path, const struct onnx_function *f, struct inner inner) {
    bool list = !is_sequential(f) && inner.n_numbers > 0 && inner.n_numbers == inner.n;

    if (inner.n_same) {
        bool element = ends_with_number(path) && !is_sequential(f);

        path = graph_qualname_owner(path);
        return element ? graph_qualname_owner(path) : path;
    }
    return list ? graph_qualname_owner(path) : path;
}

// From the last node to the first: what lies in a call comes behind it.
int graph_scope_called(struct scope_work *work) {
    size_t n = work->net->n_nodes;
    struct inner *inner = NULL;

    if (work->net->model->n_functions == 0) {
        return 0;
    }
    inner = arena_array(&work->scratch, n, sizeof(*inner));
    if (!inner) {
        return arena_error(&work->scratch, "functions", work->err);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct onnx_function *f = function_of(work, i);

        if (f && graph_scope_stands_for_module(f)) {
            work->called[i] = graph_scope_function_path(work, i);
        }
    }
    for (uint32_t i = (uint32_t)n; i-- > 0;) {
        struct str path = work->called[i];

        if (path.n == 0) {
            continue;
        }
        work->called[i] = path = outer_path(path, function_of(work, i), inner[i]);
        // A call that is cut is of the very module that it lies in.
        if (path.n && scope_is_inner(work, i) && work->net->nodes[i].proto->expanded) {
            note_inner(work, &inner[graph_scope_caller(work, i)], graph_scope_caller(work, i),
                       path);
        }
    }
    return 0;
}

// ---- calls

// "layer1.0.ReLU()": no module is called so.
static struct str made_up_path(struct scope_work *work, struct str around, struct str class_name) {
    struct str name = str_skip(class_name, str_rfind(class_name, '.') + 1);
    size_t dot = around.n > 0, n = around.n + dot + name.n + 2;
    char *p =
        n > SCOPE_MAX_NAME || graph_scope_names_full(work) ? NULL : arena_alloc(work->arena, n);

    if (!p) {
        return (struct str){NULL, 0};
    }
    memcpy(p, around.p ? around.p : "", around.n);
    if (dot) {
        p[around.n] = '.';
    }
    memcpy(p + around.n + dot, name.p, name.n);
    p[n - 2] = '(';
    p[n - 1] = ')';
    return (struct str){p, n};
}

static void describe(struct scope_work *work, uint32_t text, enum graph_module_kind kind,
                     struct str class_name) {
    if (work->texts[text].class_name.n == 0) {
        work->texts[text].class_name = class_name;
        work->texts[text].class_source = GRAPH_CLASS_FUNCTION;
        work->texts[text].kind = (uint8_t)kind;
    }
}

// The call of the function that a node calls, in the call around it; that itself past the limits.
static uint32_t call_function(struct scope_work *work, uint32_t node, uint32_t around) {
    const struct onnx_function *f = function_of(work, node);
    struct str path = work->called[node], outer = work->texts[work->calls[around].path].s;
    struct str class_name = graph_scope_function_class(work, f, work->net->nodes[node].proto);
    enum graph_module_kind kind = GRAPH_MODULE;
    uint32_t text, site;

    if (!class_name.p) {
        (void)arena_error(work->arena, "names of classes", work->err);
        return ONNX_NONE;
    }
    if (path.n == 0 || !(outer.n == 0 || graph_qualname_below(path, outer))) {
        class_name = class_name.n ? class_name : f->name;
        path = made_up_path(work, outer, class_name);
        kind = graph_scope_stands_for_module(f) ? GRAPH_MODULE_NAMELESS : GRAPH_MODULE_OPERATOR;
    }
    if (path.n == 0) {
        return around;
    }
    text = graph_scope_text(work, path);
    site = text == ONNX_NONE ? ONNX_NONE
                             : graph_scope_site(work, work->calls[around].site, text, true);
    if (site == ONNX_NONE || site == work->calls[around].site) {
        return site == ONNX_NONE ? ONNX_NONE : around;
    }
    describe(work, text, kind, class_name);
    return graph_scope_call_new(work, site, around, work->position[node]);
}

// The call that a written-out node stands for. A module's own call is there already when the node
// stands in the file.
static int open_call(struct scope_work *work, uint32_t node, uint32_t *body) {
    bool inner = scope_is_inner(work, node);
    uint32_t around = inner ? body[graph_scope_caller(work, node)] : work->node_call[node];
    bool named = !inner && work->marks[node].source == GRAPH_SCOPE_FUNCTION &&
                 (work->called[node].n || work->n_operators == 1);

    body[node] = named ? around : call_function(work, node, around);
    work->node_call[node] = inner ? body[node] : around;
    return body[node] == ONNX_NONE ? work->err->code : 0;
}

// By index: a call comes before what lies in it.
int graph_scope_bodies(struct scope_work *work) {
    uint32_t *body = NULL;

    if (work->net->model->n_functions == 0) {
        return 0;
    }
    body = arena_array(&work->scratch, work->net->n_nodes, sizeof(*body));
    if (!body) {
        return arena_error(&work->scratch, "functions", work->err);
    }
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        if (scope_is_inner(work, i)) {
            work->marks[i].source = GRAPH_SCOPE_FUNCTION;
            work->node_call[i] = body[graph_scope_caller(work, i)];
        }
        if (work->net->nodes[i].proto->expanded && open_call(work, i, body) < 0) {
            return work->err->code;
        }
    }
    return 0;
}
