#include "graph/write_table.h"

#include "base/num.h"
#include "graph/borders.h"
#include "graph/module_tree.h"
#include "graph/table.h"
#include "onnx/dtype.h"

#define TYPE_BYTES 4096  // of one type in words

static void add_headers(struct graph_table *t, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        graph_table_add_z(t, names[i]);
    }
}

// ---- types

// "float (1, 64, 56, 56)", "?" when nothing is known.
static void type_text(struct buf *out, const struct graph_tensor_type *type) {
    const char *name = onnx_dtype_name(type->dtype);

    if (name) {
        buf_add_z(out, name);
        buf_add_char(out, ' ');
    }
    graph_shape_text(out, type);
}

static void add_types(struct graph_table *t, const struct graph_model *model,
                      const uint32_t *values, uint32_t n) {
    struct buf text;

    buf_init(&text, TYPE_BYTES);
    for (uint32_t i = 0; i < n && !text.failed; i++) {
        if (i) {
            buf_add_z(&text, ", ");
        }
        type_text(&text, &model->shapes.values[values[i]]);
    }
    graph_table_add_str(t, buf_str(&text), 0);
    buf_release(&text);
}

// ---- modules

static struct str last_part(struct str name) {
    size_t dot = str_rfind(name, '.');

    return dot == STR_NPOS || dot + 1 == name.n ? name : str_skip(name, dot + 1);
}

// The path as far as it goes beyond the parent's.
static struct str name_below(struct str path, struct str parent) {
    bool below =
        parent.n && path.n > parent.n + 1 && path.p[parent.n] == '.' && str_starts(path, parent);

    return below ? str_skip(path, parent.n + 1) : path;
}

// A class that was guessed stands in parentheses.
static void add_class(struct graph_table *t, const struct graph_module *module) {
    struct str name = last_part(module->class_name);
    struct buf text;

    if (module->class_source != GRAPH_CLASS_INFERRED) {
        graph_table_add_str(t, name, 0);
        return;
    }
    buf_init(&text, name.n + 2);
    buf_add_char(&text, '(');
    buf_add_str(&text, name);
    buf_add_char(&text, ')');
    graph_table_add_str(t, buf_str(&text), 0);
    buf_release(&text);
}

static void add_size(struct graph_table *t, uint64_t bytes) {
    struct buf text;

    buf_init(&text, 64);
    num_add_size(&text, bytes);
    graph_table_add_str(t, buf_str(&text), 0);
    buf_release(&text);
}

static void add_count(struct graph_table *t, struct dim_num count) {
    if (count.kind == DIM_INT && count.i >= 0) {
        graph_table_add_grouped(t, (uint64_t)count.i);
    } else if (count.kind == DIM_SYMBOL) {
        graph_table_add_str(t, count.symbol, 0);
    } else {
        graph_table_add_z(t, "?");
    }
}

static void add_module(struct graph_table *t, const struct graph_model *model,
                       const struct graph_module_tree *tree, const struct graph_borders *borders,
                       uint32_t m) {
    const struct graph_module *modules = model->hierarchy.modules;
    const struct graph_module_facts *facts = &tree->modules[m];
    const struct graph_border *border = &borders->calls[facts->first_call];

    if (facts->parent == ONNX_NONE) {
        graph_table_add_z(t, "(model)");
    } else {
        graph_table_add_str(t, name_below(modules[m].path, modules[facts->parent].path),
                            (size_t)facts->depth * 2);
    }
    add_class(t, &modules[m]);
    graph_table_add_u64(t, modules[m].n_calls);
    graph_table_add_u64(t, facts->n_nodes);
    graph_table_add_grouped(t, model->costs.module_parameters[m]);
    add_size(t, model->costs.module_bytes[m]);
    add_count(t, model->costs.module_macs[m]);
    add_types(t, model, border->outputs, border->n_outputs);
}

// "activations 22.8 MiB": in the column of the outputs, which have no total.
static void add_activations(struct graph_table *t, struct dim_num bytes) {
    struct buf text;

    if (bytes.kind == DIM_UNKNOWN) {
        graph_table_add_z(t, "");
        return;
    }
    buf_init(&text, 256);
    buf_add_z(&text, "activations ");
    graph_add_bytes(&text, bytes);
    graph_table_add_str(t, buf_str(&text), 0);
    buf_release(&text);
}

static void add_total(struct graph_table *t, const struct graph_model *model,
                      const struct graph_module_tree *tree) {
    graph_table_add_z(t, "total");
    graph_table_add_z(t, "");
    graph_table_add_u64(t, model->hierarchy.n_named_calls);
    graph_table_add_u64(t, tree->modules[0].n_nodes);
    graph_table_add_grouped(t, model->costs.total_parameters);
    add_size(t, model->costs.total_bytes);
    add_count(t, model->costs.macs[0]);
    add_activations(t, model->costs.activation_bytes[0]);
}

static int write_modules(struct graph_table *t, struct buf *out, const struct graph_model *model,
                         struct graph_module_tree *tree, struct graph_borders *borders,
                         struct error *err) {
    static const char *const headers[] = {"module",     "class", "calls", "nodes",
                                          "parameters", "bytes", "macs",  "outputs"};
    int failed = graph_module_tree_init(tree, &model->hierarchy, &model->net, err);

    if (!failed) {
        failed = graph_borders_init(borders, model, err);
    }
    if (failed) {
        return failed;
    }
    add_headers(t, headers, ARRAY_LEN(headers));
    for (size_t i = 0; i < model->hierarchy.n_modules; i++) {
        if (model->hierarchy.modules[tree->order[i]].kind == GRAPH_MODULE) {
            add_module(t, model, tree, borders, tree->order[i]);
        }
    }
    add_total(t, model, tree);
    return graph_table_write(t, out, err);
}

int graph_write_modules_table(struct buf *out, const struct graph_model *model, struct error *err) {
    struct graph_module_tree tree = {0};
    struct graph_borders borders = {0};
    struct graph_table t;
    int failed;

    graph_table_init(&t, "llrrrrrl");
    failed = write_modules(&t, out, model, &tree, &borders, err);
    graph_table_release(&t);
    graph_borders_release(&borders);
    graph_module_tree_release(&tree);
    return failed;
}

// ---- nodes

static void add_place(struct graph_table *t, const struct graph_hierarchy *h, uint32_t call) {
    const struct graph_module *module = &h->modules[h->calls[call].module];
    struct buf text;

    buf_init(&text, module->path.n + 32);
    buf_add_str(&text, module->path);
    if (module->n_calls > 1) {
        buf_add_char(&text, '@');
        buf_add_u64(&text, h->calls[call].number);
    }
    graph_table_add_str(t, buf_str(&text), 0);
    buf_release(&text);
}

static void add_node(struct graph_table *t, const struct graph_model *model, uint32_t i,
                     uint64_t number) {
    const struct graph_net_node *node = &model->net.nodes[i];
    const struct graph_hierarchy *h = &model->hierarchy;
    uint32_t first = node->n_outputs ? node->outputs[0] : ONNX_NONE;

    graph_table_add_u64(t, number);
    graph_table_add_str(t, node->proto->op, 0);
    add_place(t, h, h->node_call[i]);
    graph_table_add_z(t, graph_scope_source_name((enum graph_scope_source)h->node_source[i]));
    graph_table_add_z(t, graph_plumbing_is_listed((enum graph_plumbing)model->plumbing.nodes[i])
                             ? "plumbing"
                             : "");
    add_types(t, model, &first, first != ONNX_NONE);
    graph_table_add_str(t, node->proto->name, 0);
}

int graph_write_nodes_table(struct buf *out, const struct graph_model *model, struct error *err) {
    static const char *const headers[] = {"node", "operator", "module", "source",
                                          "",     "output",   "name"};
    struct graph_table t;
    uint64_t number = 0;
    int failed;

    graph_table_init(&t, "rllllll");
    add_headers(&t, headers, ARRAY_LEN(headers));
    for (uint32_t i = 0; i < model->net.n_nodes && !t.failed; i++) {
        if (model->net.nodes[i].proto->caller == 0) {
            add_node(&t, model, i, number++);
        }
    }
    failed = graph_table_write(&t, out, err);
    graph_table_release(&t);
    return failed;
}
