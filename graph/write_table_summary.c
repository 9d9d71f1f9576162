#include "base/num.h"
#include "graph/table.h"
#include "graph/write_table.h"
#include "onnx/dtype.h"

#define LINE_BYTES 4096

// "producer   pytorch 2.1.0": one fact a line, its name in the first column.
struct facts {
    struct graph_table table;
    struct buf line;  // of the fact at hand
};

static void add_fact(struct facts *f, const char *name) {
    graph_table_add_z(&f->table, name);
    graph_table_add_str(&f->table, buf_str(&f->line), 0);
    buf_reset(&f->line);
}

static void add_count(struct facts *f, const char *name, uint64_t n) {
    buf_add_u64(&f->line, n);
    add_fact(f, name);
}

static void add_file(struct facts *f, const struct graph_model *model,
                     const struct graph_source *source) {
    const struct onnx_model *onnx = model->onnx;

    num_add_size(&f->line, source->size);
    if (!source->complete) {
        buf_add_z(&f->line, ", incomplete");
    }
    add_fact(f, "size");
    buf_add_str(&f->line, onnx->producer);
    buf_add_char(&f->line, ' ');
    buf_add_str(&f->line, onnx->producer_version);
    add_fact(f, "producer");
    for (size_t i = 0; i < onnx->n_opsets; i++) {
        buf_add_str(&f->line, onnx->opsets[i].domain.n ? onnx->opsets[i].domain : STR("ai.onnx"));
        buf_add_char(&f->line, ' ');
        buf_add_i64(&f->line, onnx->opsets[i].version);
        add_fact(f, i ? "" : "opsets");
    }
    buf_add_str(&f->line, onnx->graphs[0].name);
    add_fact(f, "graph");
}

static void add_values(struct facts *f, const char *name, const struct graph_model *model,
                       const uint32_t *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_tensor_type *type = &model->shapes.values[values[i]];
        const char *dtype = onnx_dtype_name(type->dtype);

        buf_add_str(&f->line, model->net.values[values[i]].name);
        buf_add_z(&f->line, ": ");
        buf_add_z(&f->line, dtype ? dtype : "");
        buf_add_z(&f->line, dtype ? " " : "");
        graph_shape_text(&f->line, type);
        add_fact(f, i ? "" : name);
    }
}

static void add_sources(struct facts *f, const struct graph_hierarchy *h) {
    bool any = false;

    for (unsigned i = 0; i < GRAPH_SCOPE_SOURCES; i++) {
        if (h->sources[i] == 0) {
            continue;
        }
        buf_add_u64(&f->line, h->sources[i]);
        buf_add_z(&f->line, " nodes by ");
        buf_add_z(&f->line, graph_scope_source_name((enum graph_scope_source)i));
        add_fact(f, any ? "" : "hierarchy");
        any = true;
    }
}

void graph_add_bytes(struct buf *out, struct dim_num bytes) {
    if (bytes.kind == DIM_INT && bytes.i >= 0) {
        num_add_size(out, (uint64_t)bytes.i);
    } else if (bytes.kind == DIM_SYMBOL) {
        buf_add_str(out, bytes.symbol);
        buf_add_z(out, " bytes");
    }
}

// What is unknown has no line.
static void add_cost(struct facts *f, const char *name, struct dim_num cost) {
    if (cost.kind == DIM_UNKNOWN) {
        return;
    }
    if (cost.kind == DIM_SYMBOL) {
        buf_add_str(&f->line, cost.symbol);
    } else {
        num_add_grouped(&f->line, cost.i > 0 ? (uint64_t)cost.i : 0);
    }
    add_fact(f, name);
}

static void add_counts(struct facts *f, const struct graph_model *model) {
    const struct graph_hierarchy *h = &model->hierarchy;

    size_t n_nodes = graph_count_file_nodes(model->onnx);

    add_count(f, "nodes", model->onnx->graphs[0].n_nodes);
    if (n_nodes > model->onnx->graphs[0].n_nodes) {
        add_count(f, "in all graphs", n_nodes);
    }
    add_count(f, "initializers", model->onnx->graphs[0].n_initializers);
    if (model->onnx->n_functions) {
        add_count(f, "functions", model->onnx->n_functions);
    }
    add_count(f, "modules", h->n_named - 1);
    add_count(f, "module calls", h->n_named_calls - 1);
    add_count(f, "depth", h->named_depth);
    add_sources(f, h);
    num_add_grouped(&f->line, model->costs.total_parameters);
    buf_add_z(&f->line, ", ");
    num_add_size(&f->line, model->costs.total_bytes);
    add_fact(f, "parameters");
    add_cost(f, "macs", model->costs.macs[0]);
    graph_add_bytes(&f->line, model->costs.activation_bytes[0]);
    if (f->line.n) {
        add_fact(f, "activations");
    }
}

static void add_warnings(struct facts *f, const struct warnings *warnings) {
    for (size_t i = 0; i < warnings->n; i++) {
        buf_add_z(&f->line, warnings->items[i].message);
        add_fact(f, i ? "" : "warnings");
    }
    if (warnings->total > warnings->n) {
        buf_add_u64(&f->line, warnings->total - warnings->n);
        buf_add_z(&f->line, " more");
        add_fact(f, "");
    }
}

int graph_write_summary_table(struct buf *out, const struct graph_model *model,
                              const struct graph_source *source, struct error *err) {
    const struct graph_net_graph *graph = &model->net.graphs[0];
    struct facts f;
    int failed;

    graph_table_init(&f.table, "ll");
    buf_init(&f.line, LINE_BYTES);
    add_file(&f, model, source);
    add_values(&f, "inputs", model, graph->inputs, graph->n_inputs);
    add_values(&f, "outputs", model, graph->outputs, graph->n_outputs);
    add_counts(&f, model);
    add_warnings(&f, &model->warnings);
    failed = graph_table_write(&f.table, out, err);
    buf_release(&f.line);
    graph_table_release(&f.table);
    return failed;
}
