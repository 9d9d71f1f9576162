#include <stdlib.h>

#include "graph/class_infer.h"
#include "graph/scope_internal.h"

// The final tables: calls that have nodes, in execution order, numbered by module.

struct finisher {
    struct scope_work *work;
    uint32_t *depth;      // per call
    uint32_t *by_depth;   // calls, shallow ones first
    uint32_t *operator_;  // per call: position of the first node in it that is no plumbing,
                          // ONNX_NONE = none
    bool *owns;           // per call: holds a node that is no Constant
    uint32_t *start;      // per call: where it sorts, ONNX_NONE = it has no node
    uint32_t *sorted;     // calls that have nodes
    size_t n_sorted;
    uint32_t *new_id;              // per call
    struct graph_module *modules;  // the final ones
};

static void first_positions(struct finisher *f) {
    const struct scope_work *work = f->work;

    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t node = work->net->order[i], c = work->node_call[node];

        if (f->start[c] == ONNX_NONE) {
            f->start[c] = i;
        }
        if (f->operator_[c] == ONNX_NONE && !scope_is_plumbing(work, node)) {
            f->operator_[c] = i;
        }
        f->owns[c] = f->owns[c] || !graph_scope_is_constant(work, node);
    }
}

static void sort_by_depth(struct finisher *f, uint32_t *first) {
    const struct scope_work *work = f->work;
    uint32_t path[SCOPE_MAX_LEVELS + 2];

    for (size_t c = 1; c < work->n_calls; c++) {
        uint32_t at = (uint32_t)c;
        size_t n = 0;

        while (at != 0 && f->depth[at] == 0) {
            path[n++] = at;
            at = work->calls[at].parent;
        }
        while (n-- > 0) {
            f->depth[path[n]] = f->depth[at] + 1;
            at = path[n];
        }
    }
    for (size_t c = 0; c < work->n_calls; c++) {
        first[f->depth[c] + 1]++;
    }
    for (size_t d = 0; d <= SCOPE_MAX_LEVELS + 1; d++) {
        first[d + 1] += first[d];
    }
    for (size_t c = 0; c < work->n_calls; c++) {
        f->by_depth[first[f->depth[c]]++] = (uint32_t)c;
    }
}

static void lower(uint32_t *to, uint32_t value) {
    if (value < *to) {
        *to = value;
    }
}

// Plumbing may stand anywhere, so calls sort by their first operator; but never before the call
// that made them.
static void settle_starts(struct finisher *f) {
    const struct scope_work *work = f->work;

    for (size_t i = work->n_calls; i-- > 1;) {
        uint32_t c = f->by_depth[i], parent = work->calls[c].parent;

        lower(&f->operator_[parent], f->operator_[c]);
        lower(&f->start[parent], f->start[c]);
        f->owns[parent] = f->owns[parent] || f->owns[c];
    }
    f->start[0] = 0;
    for (size_t i = 1; i < work->n_calls; i++) {
        uint32_t c = f->by_depth[i], parent = work->calls[c].parent;

        if (f->start[c] == ONNX_NONE) {
            continue;
        }
        if (f->operator_[c] != ONNX_NONE) {
            f->start[c] = f->operator_[c];
        }
        if (f->start[c] < f->start[parent]) {
            f->start[c] = f->start[parent];
        }
    }
}

static int by_start(const void *a, const void *b, void *finisher) {
    const struct finisher *f = finisher;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (f->start[x] != f->start[y]) {
        return f->start[x] < f->start[y] ? -1 : 1;
    }
    if (f->depth[x] != f->depth[y]) {
        return f->depth[x] < f->depth[y] ? -1 : 1;
    }
    return (x > y) - (x < y);
}

static void sort_calls(struct finisher *f) {
    for (uint32_t c = 0; c < f->work->n_calls; c++) {
        if (f->start[c] != ONNX_NONE) {
            f->sorted[f->n_sorted++] = c;
        }
    }
    qsort_r(f->sorted, f->n_sorted, sizeof(*f->sorted), by_start, f);
    for (size_t i = 0; i < f->n_sorted; i++) {
        f->new_id[f->sorted[i]] = (uint32_t)i;
    }
}

static int write_modules(struct graph_hierarchy *out, struct finisher *f,
                         struct graph_call *calls) {
    struct scope_work *work = f->work;
    struct graph_module *modules = arena_array(&out->arena, f->n_sorted, sizeof(*modules));
    uint32_t *module_of = arena_array(&work->scratch, work->n_texts, sizeof(*module_of));

    if (!modules || !module_of) {
        return arena_error(&out->arena, "the modules", work->err);
    }
    for (size_t i = 0; i < f->n_sorted; i++) {
        uint32_t text = work->calls[f->sorted[i]].path;
        uint32_t *module = &module_of[text];

        // 0 stands for "not seen", except for the root's own text, which comes first.
        if (i == 0 || (*module == 0 && text != work->calls[0].path)) {
            *module = (uint32_t)out->n_modules;
            modules[out->n_modules++] = (struct graph_module){
                .kind = (enum graph_module_kind)work->texts[text].kind,
                .path = work->texts[text].s,
                .class_name = work->texts[text].class_name,
                .class_source = work->texts[text].class_name.n ? work->texts[text].class_source
                                                               : GRAPH_CLASS_NONE,
            };
        }
        calls[i].module = *module;
        calls[i].number = modules[*module].n_calls++;
    }
    out->modules = f->modules = modules;
    return 0;
}

static enum graph_module_kind kind_of(const struct scope_work *work, uint32_t call) {
    return (enum graph_module_kind)work->texts[work->calls[call].path].kind;
}

static void count_named(struct graph_hierarchy *out, const struct graph_call *calls) {
    for (size_t m = 0; m < out->n_modules; m++) {
        out->n_named += out->modules[m].kind == GRAPH_MODULE;
    }
    for (size_t c = 0; c < out->n_calls; c++) {
        if (out->modules[calls[c].module].kind != GRAPH_MODULE) {
            continue;
        }
        out->n_named_calls++;
        out->named_depth = calls[c].depth > out->named_depth ? calls[c].depth : out->named_depth;
    }
}

static int write_calls(struct graph_hierarchy *out, struct finisher *f) {
    const struct scope_work *work = f->work;
    struct graph_call *calls = arena_array(&out->arena, f->n_sorted, sizeof(*calls));

    if (!calls) {
        return arena_error(&out->arena, "the module calls", work->err);
    }
    for (size_t i = 0; i < f->n_sorted; i++) {
        uint32_t c = f->sorted[i];

        calls[i].parent = c == 0 ? ONNX_NONE : f->new_id[work->calls[c].parent];
        calls[i].depth = f->depth[c];
        calls[i].leaf = true;
        calls[i].owns = f->owns[c];
        out->depth = calls[i].depth > out->depth ? calls[i].depth : out->depth;
        if (c != 0 && calls[i].owns && kind_of(work, c) != GRAPH_MODULE_OPERATOR) {
            calls[calls[i].parent].leaf = false;
        }
    }
    out->calls = calls;
    out->n_calls = f->n_sorted;
    if (write_modules(out, f, calls) < 0) {
        return work->err->code;
    }
    count_named(out, calls);
    return 0;
}

static int write_nodes(struct graph_hierarchy *out, const struct finisher *f) {
    const struct scope_work *work = f->work;
    size_t n = work->net->n_nodes;
    uint32_t *node_call = arena_array(&out->arena, n, sizeof(*node_call));
    uint8_t *node_source = arena_array(&out->arena, n, sizeof(*node_source));

    if (!node_call || !node_source) {
        return arena_error(&out->arena, "the hierarchy", work->err);
    }
    for (size_t i = 0; i < n; i++) {
        node_call[i] = f->new_id[work->node_call[i]];
        node_source[i] = work->marks[i].source;
        out->sources[work->marks[i].source] += !scope_is_inner(work, (uint32_t)i);
    }
    out->node_call = node_call;
    out->node_source = node_source;
    return 0;
}

int graph_calls_finish(struct graph_hierarchy *out, struct scope_work *work) {
    struct finisher f = {.work = work};
    struct arena *a = &work->scratch;
    size_t n = work->n_calls;
    uint32_t *first = arena_array(a, SCOPE_MAX_LEVELS + 3, sizeof(*first));

    f.depth = arena_array(a, n, sizeof(*f.depth));
    f.by_depth = arena_array(a, n, sizeof(*f.by_depth));
    f.operator_ = arena_array(a, n, sizeof(*f.operator_));
    f.owns = arena_array(a, n, sizeof(*f.owns));
    f.start = arena_array(a, n, sizeof(*f.start));
    f.sorted = arena_array(a, n, sizeof(*f.sorted));
    f.new_id = arena_array(a, n, sizeof(*f.new_id));
    if (!first || !f.depth || !f.by_depth || !f.operator_ || !f.owns || !f.start || !f.sorted ||
        !f.new_id) {
        return arena_error(a, "the module calls", work->err);
    }
    for (size_t c = 0; c < n; c++) {
        f.operator_[c] = f.start[c] = ONNX_NONE;
    }
    first_positions(&f);
    sort_by_depth(&f, first);
    settle_starts(&f);
    sort_calls(&f);
    if (write_calls(out, &f) < 0 || write_nodes(out, &f) < 0) {
        return work->err->code;
    }
    // Layers of other frameworks have other classes.
    if (work->relative_names) {
        return 0;
    }
    return graph_class_infer(f.modules, out, work->net, work->plumbing, work->err);
}
