// onnxscope/modules/1: every module that was called, with its calls.
#include <stdlib.h>

#include "graph/borders.h"
#include "graph/module_tree.h"
#include "graph/write_json.h"
#include "graph/write_parts.h"

struct document {
    struct json_write w;
    const struct graph_model *model;
    struct graph_module_tree tree;
    struct graph_borders borders;
    uint32_t *next_call;  // per call: the module's next one, ONNX_NONE = last
};

static void write_types(struct document *d, const char *key, const uint32_t *values, uint32_t n) {
    json_key(&d->w, key);
    json_open_array(&d->w);
    for (uint32_t i = 0; i < n; i++) {
        json_open_object(&d->w);
        graph_write_type(&d->w, &d->model->shapes.values[values[i]]);
        json_close_object(&d->w);
    }
    json_close_array(&d->w);
}

static void write_calls(struct document *d, uint32_t first) {
    json_key(&d->w, "calls");
    json_open_array(&d->w);
    for (uint32_t c = first; c != ONNX_NONE; c = d->next_call[c]) {
        const struct graph_border *border = &d->borders.calls[c];

        json_open_object(&d->w);
        json_member_u64(&d->w, "call", d->model->hierarchy.calls[c].number);
        write_types(d, "inputs", border->inputs, border->n_inputs);
        write_types(d, "outputs", border->outputs, border->n_outputs);
        json_close_object(&d->w);
    }
    json_close_array(&d->w);
}

static void write_text_or_null(struct json_write *w, const char *key, struct str text, bool known) {
    if (known) {
        json_member_str(w, key, text);
    } else {
        json_member_null(w, key);
    }
}

static void write_module(struct document *d, uint32_t m) {
    const struct graph_module *modules = d->model->hierarchy.modules, *module = &modules[m];
    const struct graph_module_facts *facts = &d->tree.modules[m];
    bool has_parent = facts->parent != ONNX_NONE;
    struct json_write *w = &d->w;

    json_open_object(w);
    json_member_str(w, "path", module->path);
    write_text_or_null(w, "class", module->class_name, module->class_source != GRAPH_CLASS_NONE);
    json_member_z(w, "class_source", graph_class_source_name(module->class_source));
    write_text_or_null(w, "parent", has_parent ? modules[facts->parent].path : STR(""), has_parent);
    json_member_u64(w, "depth", facts->depth);
    write_calls(d, facts->first_call);
    json_member_u64(w, "nodes", facts->n_nodes);
    json_member_u64(w, "parameters", d->model->costs.module_parameters[m]);
    json_member_u64(w, "parameter_bytes", d->model->costs.module_bytes[m]);
    graph_write_count(w, "macs", d->model->costs.module_macs[m]);
    json_close_object(w);
}

static int chain_calls(struct document *d, struct error *err) {
    const struct graph_hierarchy *h = &d->model->hierarchy;
    uint32_t *last = calloc(h->n_modules, sizeof(*last));

    d->next_call = calloc(h->n_calls, sizeof(*d->next_call));
    if (!last || !d->next_call) {
        free(last);
        return error_set(err, ERR_NOMEM, "no memory left for the list of modules");
    }
    for (size_t c = h->n_calls; c-- > 0;) {
        d->next_call[c] = ONNX_NONE;
    }
    for (uint32_t c = 0; c < h->n_calls; c++) {
        uint32_t m = h->calls[c].module;

        if (d->tree.modules[m].first_call != c) {
            d->next_call[last[m]] = c;
        }
        last[m] = c;
    }
    free(last);
    return 0;
}

static int write_document(struct document *d, struct buf *out, struct error *err) {
    const struct graph_model *model = d->model;
    int failed = graph_module_tree_init(&d->tree, &model->hierarchy, &model->net, err);

    if (!failed) {
        failed = graph_borders_init(&d->borders, model, err);
    }
    if (!failed) {
        failed = chain_calls(d, err);
    }
    if (failed) {
        return failed;
    }
    json_write_init(&d->w, out);
    json_open_object(&d->w);
    json_member_z(&d->w, "schema", "onnxscope/modules/1");
    json_key(&d->w, "modules");
    json_open_array(&d->w);
    for (uint32_t m = 0; m < model->hierarchy.n_modules && !out->failed; m++) {
        if (model->hierarchy.modules[m].kind == GRAPH_MODULE) {
            write_module(d, m);
        }
    }
    json_close_array(&d->w);
    json_close_object(&d->w);
    return buf_check(out, "the list of modules", "max-output", err);
}

int graph_write_modules(struct buf *out, const struct graph_model *model, struct error *err) {
    struct document d = {.model = model};
    int failed = write_document(&d, out, err);

    free(d.next_call);
    graph_borders_release(&d.borders);
    graph_module_tree_release(&d.tree);
    return failed;
}
