#include "graph/scope_internal.h"

// tf2onnx, keras2onnx, jax and the builders of language models: "model/dense_1/BiasAdd". The scope
// is relative, numbers at the end of a component are part of the name, and what stands behind the
// last layer are operators: layers are written small, operators with a capital. Scopes of the
// program are no modules of PyTorch, but they are what the author grouped the model by.

#define SHARE_MIN 30  // per cent of the nodes that must be named so

static bool is_relative(struct str name) {
    size_t slash = str_find(name, '/');

    return slash != STR_NPOS && slash > 0;
}

int graph_scope_tf_init(struct scope_work *work) {
    size_t n = 0;

    for (size_t i = 0; i < work->net->n_nodes; i++) {
        n += is_relative(work->net->nodes[i].proto->name);
    }
    work->relative_names = n * 100 >= work->net->n_nodes * SHARE_MIN && n > 0;
    return 0;
}

static bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

// Several operators made one: "a/Relu;a/BiasAdd;b/Conv2D". The first is what is left to see.
static struct str first_of_list(struct str name) {
    size_t end = str_find(name, ';');

    return str_sub(name, 0, end == STR_NPOS ? name.n : end);
}

static struct str without_last(struct str path) {
    size_t slash = str_rfind(path, '/');

    return str_sub(path, 0, slash == STR_NPOS ? 0 : slash);
}

// Wrappers of the runtime, and bodies that were put in place of a call.
static struct str without_wrappers(struct str scope) {
    static const char *const wrappers[] = {"PartitionedCall", "_Inline_"};
    size_t i = 0;

    while (i < ARRAY_LEN(wrappers)) {
        size_t end = str_find(scope, '/');
        struct str first = str_sub(scope, 0, end == STR_NPOS ? scope.n : end);

        if (!str_contains(first, str_from(wrappers[i]))) {
            i++;
            continue;
        }
        scope = str_skip(scope, first.n + 1);
        i = 0;
    }
    return scope;
}

static struct str scope_of(struct str name) {
    struct str scope = without_wrappers(without_last(first_of_list(name)));
    size_t slash = str_rfind(scope, '/'), start = slash == STR_NPOS ? 0 : slash + 1;

    while (start > 0 && start < scope.n && is_capital(scope.p[start])) {
        scope = str_sub(scope, 0, start - 1);
        slash = str_rfind(scope, '/');
        start = slash == STR_NPOS ? 0 : slash + 1;
    }
    return scope;
}

static int walk(struct scope_work *work, struct str scope, uint32_t *site) {
    struct str rest = scope, part;

    while (str_next(&rest, '/', &part)) {
        uint32_t parent = *site, text;

        if (part.n == 0) {
            continue;
        }
        if (part.n > SCOPE_MAX_NAME) {
            return 0;
        }
        text = graph_scope_text(work, part);
        *site = text == ONNX_NONE ? ONNX_NONE : graph_scope_site(work, parent, text, false);
        if (*site == ONNX_NONE) {
            return work->err->code;
        }
        if (*site == parent) {
            return 0;
        }
    }
    return 0;
}

int graph_scope_tf_mark(struct scope_work *work, uint32_t node) {
    struct str name = work->net->nodes[node].proto->name;
    uint32_t site = 0;

    if (!work->relative_names || !is_relative(name)) {
        return 0;
    }
    if (walk(work, scope_of(name), &site) < 0) {
        return work->err->code;
    }
    work->marks[node] =
        (struct scope_mark){.site = site, .literal = true, .source = GRAPH_SCOPE_NAME};
    return 1;
}
