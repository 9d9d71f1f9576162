// onnxscope/model/1: what a file is, in one page.
#include <stdlib.h>

#include "base/map.h"
#include "graph/write_json.h"
#include "graph/write_parts.h"

// How often each of some texts occurs. Zeroed is empty.
struct tally {
    struct map numbers;
    struct tally_row {
        struct str text;
        int64_t count;
    } * rows;
    uint32_t n;
};

static int tally_init(struct tally *t, size_t max, struct error *err) {
    *t = (struct tally){.rows = calloc(max + 1, sizeof(*t->rows))};
    if (t->rows) {
        return 0;
    }
    (void)error_set(err, ERR_NOMEM, "no memory left for the summary");
    return ERR_NOMEM;
}

static void tally_release(struct tally *t) {
    map_release(&t->numbers);
    free(t->rows);
}

// The row of a text, new with count 0; NULL without memory.
static struct tally_row *tally_row(struct tally *t, struct str text, struct error *err) {
    struct tally_row *rows = t->rows;
    uint32_t number;
    if (map_put_new(&t->numbers, text, t->n, &number, err) < 0) {
        return NULL;
    }
    if (number == t->n) {
        rows[number].text = text;
        t->n++;
    }
    return &rows[number];
}

static int by_text(const void *a, const void *b) {
    const struct tally_row *x = a, *y = b;
    return str_cmp(x->text, y->text);
}

static void tally_write(struct json_write *w, const char *name, const struct tally *t) {
    json_key(w, name);
    json_open_object(w);
    for (uint32_t i = 0; i < t->n; i++) {
        json_key_str(w, t->rows[i].text);
        json_add_i64(w, t->rows[i].count);
    }
    json_close_object(w);
}

// ---- parts of the document

static void write_source(struct json_write *w, const struct graph_source *source) {
    json_key(w, "id");
    if (source->id.p) {
        json_add_str(w, source->id);
    } else {
        json_add_null(w);
    }
    json_member_u64(w, "size", source->size);
    json_member_bool(w, "complete", source->complete);
}

// A domain imported twice counts with its highest version.
static int write_opsets(struct json_write *w, const struct onnx_model *onnx, struct error *err) {
    struct tally versions;
    int result = tally_init(&versions, onnx->n_opsets, err);
    if (result < 0) {
        return result;
    }
    for (size_t i = 0; i < onnx->n_opsets && result == 0; i++) {
        uint32_t before = versions.n;
        struct tally_row *row = tally_row(&versions, onnx->opsets[i].domain, err);
        if (!row) {
            result = ERR_NOMEM;
        } else if (versions.n > before || row->count < onnx->opsets[i].version) {
            row->count = onnx->opsets[i].version;
        }
    }
    if (result == 0) {
        tally_write(w, "opsets", &versions);
    }
    tally_release(&versions);
    return result;
}

static void write_values(struct json_write *w, const char *name, const struct graph_model *model,
                         const uint32_t *values, uint32_t n) {
    json_key(w, name);
    json_open_array(w);
    for (uint32_t i = 0; i < n; i++) {
        json_open_object(w);
        json_member_str(w, "name", model->net.values[values[i]].name);
        graph_write_type(w, &model->shapes.values[values[i]]);
        json_close_object(w);
    }
    json_close_array(w);
}

// The node of the file that stands for a node: that which calls the function it is in. Nodes of the
// main graph have the same numbers in net and model.
static uint32_t in_file(const struct graph_net *net, uint32_t node) {
    const struct onnx_node *proto = net->nodes[node].proto;
    return proto->caller ? (uint32_t)(graph_expansion_origin(net->model, proto) - net->model->nodes)
                         : node;
}

// Pairs of nodes of the main graph that at least one value joins.
static int count_edges(const struct graph_net *net, uint64_t *count, struct error *err) {
    uint32_t n_main = net->graphs[0].n_nodes;
    uint32_t *read_from = calloc((size_t)n_main + 1, sizeof(*read_from));
    if (!read_from) {
        return error_set(err, ERR_NOMEM, "no memory left for the summary");
    }
    *count = 0;
    for (uint32_t node = 0; node < n_main; node++) {
        uint32_t from = in_file(net, node);
        for (uint32_t i = 0; i < net->nodes[node].n_outputs; i++) {
            uint32_t value = net->nodes[node].outputs[i];
            if (value == ONNX_NONE) {
                continue;
            }
            for (uint32_t u = net->first_use[value]; u < net->first_use[value + 1]; u++) {
                uint32_t reader = in_file(net, net->uses[u].node);
                if (reader >= n_main || reader == from || read_from[reader] == from + 1) {
                    continue;
                }
                read_from[reader] = from + 1;
                ++*count;
            }
        }
    }
    free(read_from);
    return 0;
}

static size_t count_subgraphs(const struct onnx_model *onnx) {
    size_t n = 0;
    for (size_t g = 0; g < onnx->n_graphs; g++) {
        n += onnx->graphs[g].holder != ONNX_NONE && onnx->graphs[g].function == ONNX_NONE;
    }
    return n;
}

static int write_counts(struct json_write *w, const struct graph_model *model, struct error *err) {
    uint64_t edges = 0;
    int result = count_edges(&model->net, &edges, err);
    if (result < 0) {
        return result;
    }
    json_key(w, "counts");
    json_open_object(w);
    json_member_u64(w, "nodes", model->onnx->graphs[0].n_nodes);
    json_member_u64(w, "nodes_all_graphs", graph_count_file_nodes(model->onnx));
    json_member_u64(w, "edges", edges);
    json_member_u64(w, "initializers", model->onnx->graphs[0].n_initializers);
    json_member_u64(w, "functions", model->onnx->n_functions);
    json_member_u64(w, "subgraphs", count_subgraphs(model->onnx));
    json_member_u64(w, "modules", model->hierarchy.n_named - 1);
    json_member_u64(w, "module_calls", model->hierarchy.n_named_calls - 1);
    json_close_object(w);
    return 0;
}

static void write_hierarchy(struct json_write *w, const struct graph_hierarchy *hierarchy) {
    json_key(w, "hierarchy");
    json_open_object(w);
    json_key(w, "sources");
    json_open_object(w);
    for (unsigned i = 0; i < GRAPH_SCOPE_SOURCES; i++) {
        json_member_u64(w, graph_scope_source_name((enum graph_scope_source)i),
                        hierarchy->sources[i]);
    }
    json_close_object(w);
    json_member_u64(w, "depth", hierarchy->named_depth);
    json_close_object(w);
}

static int write_operators(struct json_write *w, const struct onnx_model *onnx, struct error *err) {
    const struct onnx_graph *graph = &onnx->graphs[0];
    struct tally ops;
    int result = tally_init(&ops, graph->n_nodes, err);
    if (result < 0) {
        return result;
    }
    for (uint32_t i = 0; i < graph->n_nodes && result == 0; i++) {
        struct tally_row *row = tally_row(&ops, onnx->nodes[graph->first_node + i].op, err);
        if (row) {
            row->count++;
        } else {
            result = ERR_NOMEM;
        }
    }
    if (result == 0 && ops.n) {
        qsort(ops.rows, ops.n, sizeof(*ops.rows), by_text);
    }
    if (result == 0) {
        tally_write(w, "operators", &ops);
    }
    tally_release(&ops);
    return result;
}

// A key that stands twice keeps its first value.
static int write_metadata(struct json_write *w, struct onnx_props props, struct error *err) {
    struct map seen;
    int result = 0;
    map_init(&seen);
    json_key(w, "metadata");
    json_open_object(w);
    for (uint32_t i = 0; i < props.n && result == 0; i++) {
        uint32_t first;
        result = map_put_new(&seen, props.items[i].key, i, &first, err);
        if (result < 0 || first != i) {
            continue;
        }
        json_key_str(w, props.items[i].key);
        json_add_str(w, props.items[i].value);
    }
    json_close_object(w);
    map_release(&seen);
    return result;
}

// ---- the whole

static int write_members(struct json_write *w, const struct graph_model *model,
                         const struct graph_source *source, struct error *err) {
    const struct onnx_model *onnx = model->onnx;
    const struct graph_net_graph *graph = &model->net.graphs[0];
    json_member_z(w, "schema", "onnxscope/model/1");
    write_source(w, source);
    json_member_str(w, "producer", onnx->producer);
    json_member_str(w, "producer_version", onnx->producer_version);
    json_member_i64(w, "ir_version", onnx->ir_version);
    int result = write_opsets(w, onnx, err);
    if (result < 0) {
        return result;
    }
    json_member_str(w, "graph_name", onnx->graphs[0].name);
    write_values(w, "inputs", model, graph->inputs, graph->n_inputs);
    write_values(w, "outputs", model, graph->outputs, graph->n_outputs);
    result = write_counts(w, model, err);
    if (result < 0) {
        return result;
    }
    write_hierarchy(w, &model->hierarchy);
    json_member_u64(w, "parameters", model->costs.total_parameters);
    json_member_u64(w, "parameter_bytes", model->costs.total_bytes);
    graph_write_count(w, "macs", model->costs.macs[0]);
    graph_write_count(w, "activation_bytes", model->costs.activation_bytes[0]);
    result = write_operators(w, onnx, err);
    if (result < 0) {
        return result;
    }
    result = write_metadata(w, onnx->metadata, err);
    graph_write_warnings(w, &model->warnings);
    return result;
}

int graph_write_summary(struct buf *out, const struct graph_model *model,
                        const struct graph_source *source, struct error *err) {
    struct json_write w;
    json_write_init(&w, out);
    json_open_object(&w);
    int result = write_members(&w, model, source, err);
    if (result < 0) {
        return result;
    }
    json_close_object(&w);
    return buf_check(out, "the summary", "max-output", err);
}
