#include "graph/expand.h"

#include <stdlib.h>

#include "base/array.h"
#include "graph/expand_internal.h"

#define EXPAND_MEMORY_MAX ((size_t)1 << 29)
#define EXPAND_NODES_MAX ((size_t)1 << 30)  // ids are 32 bits

enum cut { CUT_RECURSION, CUT_DEPTH, CUT_WORK, CUTS };

// A call that is being written out.
struct frame {
    const struct onnx_function *function;
    const struct frame *up;  // the call around it
    uint32_t depth;          // calls around it
    struct onnx_node node;   // the call, its names and attributes those of the outside
    uint32_t index;          // of that in the new table
    struct expand_scope *scope;
};

// A graph of the original that is being written.
struct level {
    const struct frame *frame;  // NULL: it stands in the file
    struct expand_scope *scope;
    const struct onnx_graph *graph;
    uint32_t next;  // node
};

// A body of If or Loop inside a function that waits for its turn.
struct pending {
    const struct frame *frame;
    struct expand_scope *scope;      // around it
    const struct onnx_graph *graph;  // of the original
    uint32_t holder;                 // in the new table
};

struct expander {
    struct graph_expansion *out;
    const struct onnx_model *model;
    struct warnings *warnings;
    struct error *err;
    struct expand_names names;
    struct expand_budget budget;
    uint32_t *moved;  // per node of the original: its place in the new table
    size_t n_nodes, cap_nodes;
    size_t n_graphs, cap_graphs;
    struct pending *pending;
    size_t n_pending, cap_pending;
    struct level levels[EXPAND_DEPTH_MAX + 1];
    bool warned[CUTS];
};

// ---- which calls are written out

// Says so, and no.
static bool cut(struct expander *e, enum cut kind, const struct onnx_function *f) {
    static const char *const texts[CUTS] = {
        [CUT_RECURSION] = "calls itself; the call inside is drawn as one box",
        [CUT_DEPTH] = "lies too deep in other functions; it is drawn as one box",
        [CUT_WORK] = "is too large, with the functions that it calls; it is drawn as one box",
    };
    if (!e->warned[kind]) {
        struct str name = str_sub(f->name, 0, 120);
        warnings_add(e->warnings, "function-cut", NULL, "function \"%.*s\" %s", STR_ARG(name),
                     texts[kind]);
    }
    e->warned[kind] = true;
    return false;
}

static bool takes_graph(const struct onnx_node *node) {
    for (size_t i = 0; i < node->n_attrs; i++) {
        if (node->attrs[i].type == ONNX_ATTR_GRAPH || node->attrs[i].type == ONNX_ATTR_GRAPHS) {
            return true;
        }
    }
    return false;
}

static bool is_inside(const struct frame *frame, const struct onnx_function *f) {
    for (; frame; frame = frame->up) {
        if (frame->function == f) {
            return true;
        }
    }
    return false;
}

static bool is_written_out(struct expander *e, const struct onnx_node *node,
                           const struct frame *around) {
    const struct onnx_function *f = onnx_model_function(e->model, node);
    if (!f || e->model->graphs[f->graph].n_nodes == 0 || takes_graph(node)) {
        return false;
    }
    if (is_inside(around, f)) {
        return cut(e, CUT_RECURSION, f);
    }
    if (around && around->depth + 1 >= EXPAND_DEPTH_MAX) {
        return cut(e, CUT_DEPTH, f);
    }
    return expand_spend(&e->budget, f, around == NULL) || cut(e, CUT_WORK, f);
}

// ---- nodes

static int put_node(struct expander *e, const struct onnx_node *node) {
    if (array_grow(&e->out->nodes, &e->cap_nodes, e->n_nodes + 1, sizeof(*e->out->nodes),
                   EXPAND_NODES_MAX, "nodes of functions", e->err) < 0) {
        return e->err->code;
    }
    e->out->nodes[e->n_nodes++] = *node;
    return 0;
}

static const struct str *rename_all(struct expander *e, struct expand_scope *scope,
                                    const struct str *items, size_t n) {
    struct str *out = arena_array(&e->out->arena, n, sizeof(*out));
    if (!out) {
        (void)arena_error(&e->out->arena, "functions", e->err);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (expand_resolve(&e->names, scope, items[i], &out[i]) < 0) {
            return NULL;
        }
    }
    return out;
}

static const struct onnx_attr *attr_named(const struct onnx_attr *attrs, size_t n,
                                          struct str name) {
    for (size_t i = 0; i < n; i++) {
        if (str_eq(attrs[i].name, name)) {
            return &attrs[i];
        }
    }
    return NULL;
}

// The attribute of the call that one inside the function refers to, or its default; NULL when it
// has neither.
static const struct onnx_attr *referred(const struct frame *frame, struct str ref) {
    const struct onnx_function *f = frame->function;
    const struct onnx_attr *given = attr_named(frame->node.attrs, frame->node.n_attrs, ref);
    return given ? given : attr_named(f->defaults, f->n_defaults, ref);
}

// Each graph of an attribute waits at the end of the table.
static int copy_graphs(struct expander *e, const struct level *at, struct onnx_attr *attr,
                       uint32_t holder) {
    uint32_t *graphs = arena_array(&e->out->arena, attr->n, sizeof(*graphs));
    if (!graphs) {
        return arena_error(&e->out->arena, "functions", e->err);
    }
    for (size_t i = 0; i < attr->n; i++) {
        if (array_grow(&e->pending, &e->cap_pending, e->n_pending + 1, sizeof(*e->pending),
                       EXPAND_NODES_MAX, "bodies in functions", e->err) < 0) {
            return e->err->code;
        }
        graphs[i] = (uint32_t)(e->model->n_graphs + e->n_pending);
        e->pending[e->n_pending++] =
            (struct pending){at->frame, at->scope, &e->model->graphs[attr->graphs[i]], holder};
    }
    attr->graphs = graphs;
    return 0;
}

static int copy_attrs(struct expander *e, const struct level *at, struct onnx_node *node) {
    struct onnx_attr *attrs = arena_array(&e->out->arena, node->n_attrs, sizeof(*attrs));
    size_t n = 0;
    if (!attrs) {
        return arena_error(&e->out->arena, "functions", e->err);
    }
    for (size_t i = 0; i < node->n_attrs; i++) {
        struct onnx_attr attr = node->attrs[i];
        if (attr.ref.n) {
            const struct onnx_attr *given = referred(at->frame, attr.ref);
            if (!given) {
                continue;
            }
            struct str name = attr.name;
            attr = *given;
            attr.name = name;
        } else if ((attr.type == ONNX_ATTR_GRAPH || attr.type == ONNX_ATTR_GRAPHS) &&
                   copy_graphs(e, at, &attr, (uint32_t)e->n_nodes) < 0) {
            return e->err->code;
        }
        attrs[n++] = attr;
    }
    node->attrs = attrs;
    node->n_attrs = n;
    return 0;
}

// A node as it reads outside of the function.
static int translate(struct expander *e, const struct level *at, const struct onnx_node *from,
                     struct onnx_node *node) {
    node->inputs = rename_all(e, at->scope, node->inputs, node->n_inputs);
    node->outputs = node->inputs ? rename_all(e, at->scope, node->outputs, node->n_outputs) : NULL;
    if (!node->outputs) {
        return e->err->code;
    }
    node->caller = at->frame->index + 1;
    node->source = from;
    return copy_attrs(e, at, node);
}

// ---- bodies

static int define_outputs(struct expander *e, struct expand_scope *scope,
                          const struct onnx_graph *graph) {
    int result = 0;
    for (uint32_t i = 0; i < graph->n_nodes && result == 0; i++) {
        const struct onnx_node *node = &e->model->nodes[graph->first_node + i];
        for (size_t k = 0; k < node->n_outputs && result == 0; k++) {
            result = expand_define(&e->names, scope, node->outputs[k], NULL);
        }
    }
    return result;
}

static struct str output_of(const struct frame *frame, size_t i) {
    return i < frame->node.n_outputs ? frame->node.outputs[i] : STR("");
}

static int define_all(struct expander *e, const struct frame *frame) {
    const struct onnx_function *f = frame->function;
    int result = 0;
    for (size_t i = 0; i < f->n_inputs && result == 0; i++) {
        struct str given = i < frame->node.n_inputs ? frame->node.inputs[i] : STR("");
        result = expand_define(&e->names, frame->scope, f->inputs[i], &given);
    }
    if (result == 0) {
        result = define_outputs(e, frame->scope, &e->model->graphs[f->graph]);
    }
    for (size_t i = 0; i < f->n_outputs && result == 0; i++) {
        struct str outside = output_of(frame, i);
        if (outside.n && expand_is_free(frame->scope, f->outputs[i])) {
            expand_set(frame->scope, f->outputs[i], outside);
        }
    }
    return result;
}

static struct str name_of_call(const struct onnx_node *node) {
    if (node->name.n) {
        return node->name;
    }
    return node->n_outputs && node->outputs[0].n ? node->outputs[0] : node->op;
}

// Goes into the function of the call that was put last.
static int enter(struct expander *e, size_t *depth, const struct onnx_node *call) {
    const struct level *top = &e->levels[*depth];
    struct frame *frame = arena_alloc(&e->out->arena, sizeof(*frame));
    if (!frame) {
        return arena_error(&e->out->arena, "functions", e->err);
    }
    frame->function = onnx_model_function(e->model, call);
    frame->up = top->frame;
    frame->depth = top->frame ? top->frame->depth + 1 : 0;
    frame->node = *call;
    frame->index = (uint32_t)e->n_nodes - 1;
    frame->scope = expand_scope_new(&e->names, NULL, name_of_call(call));
    if (!frame->scope || define_all(e, frame) < 0) {
        return e->err->code;
    }
    e->levels[++*depth] =
        (struct level){frame, frame->scope, &e->model->graphs[frame->function->graph], 0};
    return 0;
}

// A function may hand on what it was given, or one value twice.
static int leave(struct expander *e, const struct frame *frame) {
    const struct onnx_function *f = frame->function;
    int result = 0;
    for (size_t i = 0; i < f->n_outputs && result == 0; i++) {
        struct str outside = output_of(frame, i);
        struct str *ends = arena_array(&e->out->arena, 2, sizeof(*ends));
        if (!ends) {
            return arena_error(&e->out->arena, "functions", e->err);
        }
        result = expand_resolve(&e->names, frame->scope, f->outputs[i], &ends[0]);
        if (result < 0 || outside.n == 0 || str_eq(ends[0], outside)) {
            continue;
        }
        ends[1] = outside;
        result = put_node(e, &(struct onnx_node){.op = STR("Identity"),
                                                 .inputs = &ends[0],
                                                 .n_inputs = 1,
                                                 .outputs = &ends[1],
                                                 .n_outputs = 1,
                                                 .caller = frame->index + 1});
    }
    return result;
}

static int step(struct expander *e, size_t *depth) {
    struct level *top = &e->levels[*depth];
    const struct onnx_node *from = &e->model->nodes[top->graph->first_node + top->next++];
    struct onnx_node node = *from;
    bool in_file = !top->frame && top->graph->function == ONNX_NONE;
    if (!top->frame) {
        e->moved[from - e->model->nodes] = (uint32_t)e->n_nodes;
    } else if (translate(e, top, from, &node) < 0) {
        return e->err->code;
    }
    node.expanded = (in_file || top->frame) && is_written_out(e, &node, top->frame);
    if (put_node(e, &node) < 0) {
        return e->err->code;
    }
    return node.expanded ? enter(e, depth, &node) : 0;
}

// Writes the graph of levels[0].
static int write_graph(struct expander *e) {
    size_t depth = 0;
    for (;;) {
        const struct level *top = &e->levels[depth];
        if (top->next < top->graph->n_nodes) {
            if (step(e, &depth) < 0) {
                return e->err->code;
            }
            continue;
        }
        if (depth == 0) {
            return 0;
        }
        if (leave(e, top->frame) < 0) {
            return e->err->code;
        }
        depth--;
    }
}

// ---- graphs

static struct onnx_graph *put_graph(struct expander *e, const struct onnx_graph *graph) {
    if (array_grow(&e->out->graphs, &e->cap_graphs, e->n_graphs + 1, sizeof(*e->out->graphs),
                   EXPAND_NODES_MAX, "graphs of functions", e->err) < 0) {
        return NULL;
    }
    struct onnx_graph *out = &e->out->graphs[e->n_graphs++];
    *out = *graph;
    out->first_node = (uint32_t)e->n_nodes;
    return out;
}

static int write_original(struct expander *e, const struct onnx_graph *graph) {
    size_t index = e->n_graphs;
    if (!put_graph(e, graph)) {
        return e->err->code;
    }
    if (graph->holder != ONNX_NONE) {
        e->out->graphs[index].holder = e->moved[graph->holder];
    }
    e->levels[0] = (struct level){.graph = graph};
    int result = write_graph(e);
    e->out->graphs[index].n_nodes = (uint32_t)e->n_nodes - e->out->graphs[index].first_node;
    return result;
}

static const struct onnx_value *rename_values(struct expander *e, struct expand_scope *scope,
                                              const struct onnx_value *items, size_t n) {
    struct onnx_value *out = arena_array(&e->out->arena, n, sizeof(*out));
    if (!out) {
        (void)arena_error(&e->out->arena, "functions", e->err);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        out[i].type = items[i].type;
        if (expand_resolve(&e->names, scope, items[i].name, &out[i].name) < 0) {
            return NULL;
        }
    }
    return out;
}

static const struct onnx_tensor *rename_tensors(struct expander *e, struct expand_scope *scope,
                                                const struct onnx_tensor *items, size_t n) {
    struct onnx_tensor *out = arena_array(&e->out->arena, n, sizeof(*out));
    if (!out) {
        (void)arena_error(&e->out->arena, "functions", e->err);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = items[i];
        if (expand_resolve(&e->names, scope, items[i].name, &out[i].name) < 0) {
            return NULL;
        }
    }
    return out;
}

static struct expand_scope *scope_of_body(struct expander *e, const struct pending *p) {
    struct expand_scope *scope = expand_scope_new(&e->names, p->scope, p->scope->prefix);
    int result = scope ? 0 : ERR_NOMEM;
    for (size_t i = 0; i < p->graph->n_inputs && result == 0; i++) {
        result = expand_define(&e->names, scope, p->graph->inputs[i].name, NULL);
    }
    for (size_t i = 0; i < p->graph->n_initializers && result == 0; i++) {
        result = expand_define(&e->names, scope, p->graph->initializers[i].name, NULL);
    }
    if (result == 0) {
        result = define_outputs(e, scope, p->graph);
    }
    return result == 0 ? scope : NULL;
}

static int write_pending(struct expander *e, struct pending p) {
    struct expand_scope *scope = scope_of_body(e, &p);
    size_t index = e->n_graphs;
    struct onnx_graph *out = scope ? put_graph(e, p.graph) : NULL;
    if (!out) {
        return e->err->code;
    }
    out->function = ONNX_NONE;
    out->holder = p.holder;
    out->depth = e->out->graphs[e->out->nodes[p.holder].graph].depth + 1;
    out->value_info = NULL;
    out->n_value_info = 0;
    out->inputs = rename_values(e, scope, p.graph->inputs, p.graph->n_inputs);
    out->outputs =
        out->inputs ? rename_values(e, scope, p.graph->outputs, p.graph->n_outputs) : NULL;
    out->initializers =
        out->outputs ? rename_tensors(e, scope, p.graph->initializers, p.graph->n_initializers)
                     : NULL;
    if (!out->initializers) {
        return e->err->code;
    }
    e->levels[0] = (struct level){p.frame, scope, p.graph, 0};
    int result = write_graph(e);
    e->out->graphs[index].n_nodes = (uint32_t)e->n_nodes - e->out->graphs[index].first_node;
    return result;
}

// Nodes say which graph they are in.
static void number_graphs(struct expander *e, size_t from) {
    for (size_t g = from; g < e->n_graphs; g++) {
        const struct onnx_graph *graph = &e->out->graphs[g];
        for (uint32_t i = 0; i < graph->n_nodes; i++) {
            e->out->nodes[graph->first_node + i].graph = (uint32_t)g;
        }
    }
}

static int write_all(struct expander *e) {
    int result = 0;
    e->moved = arena_array(&e->out->arena, e->model->n_nodes, sizeof(*e->moved));
    if (!e->moved) {
        return arena_error(&e->out->arena, "functions", e->err);
    }
    for (size_t g = 0; g < e->model->n_graphs && result == 0; g++) {
        result = write_original(e, &e->model->graphs[g]);
    }
    number_graphs(e, 0);
    for (size_t i = 0; i < e->n_pending && result == 0; i++) {
        result = write_pending(e, e->pending[i]);
        number_graphs(e, e->n_graphs - 1);
    }
    return result;
}

// ---- the whole

static bool calls_functions(const struct onnx_model *model) {
    for (size_t i = 0; model->n_functions && i < model->n_nodes; i++) {
        uint32_t graph = model->nodes[i].graph;
        if (model->nodes[i].callee && model->graphs[graph].function == ONNX_NONE) {
            return true;
        }
    }
    return false;
}

static int expand(struct expander *e) {
    int result = expand_budget_init(&e->budget, &e->out->arena, e->model, e->err);
    if (result == 0) {
        result = expand_names_take(&e->names, e->model);
    }
    if (result == 0) {
        result = write_all(e);
    }
    if (result < 0) {
        return result;
    }
    e->out->model.nodes = e->out->nodes;
    e->out->model.n_nodes = e->n_nodes;
    e->out->model.graphs = e->out->graphs;
    e->out->model.n_graphs = e->n_graphs;
    return 0;
}

int graph_expand(struct graph_expansion *out, const struct onnx_model *model,
                 struct warnings *warnings, struct error *err) {
    struct error own;
    struct expander e = {.out = out, .model = model, .warnings = warnings, .err = err ? err : &own};
    arena_init(&out->arena, EXPAND_MEMORY_MAX);
    out->model = *model;
    if (!calls_functions(model)) {
        return 0;
    }
    expand_names_init(&e.names, &out->arena, e.err);
    int result = expand(&e);
    expand_names_release(&e.names);
    free(e.pending);
    return result;
}

void graph_expansion_release(struct graph_expansion *expansion) {
    if (!expansion) {
        return;
    }
    free(expansion->nodes);
    free(expansion->graphs);
    arena_release(&expansion->arena);
    *expansion = (struct graph_expansion){0};
}

const struct onnx_node *graph_expansion_origin(const struct onnx_model *model,
                                               const struct onnx_node *node) {
    while (node->caller) {
        node = &model->nodes[node->caller - 1];
    }
    return node;
}

size_t graph_count_file_nodes(const struct onnx_model *original) {
    size_t n = 0;
    for (size_t g = 0; g < original->n_graphs; g++) {
        n += original->graphs[g].function == ONNX_NONE ? original->graphs[g].n_nodes : 0;
    }
    return n;
}
