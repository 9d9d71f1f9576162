#include "onnx.pb-c.h"

#include <inttypes.h>

#include "base/array.h"
#include "base/buf.h"
#include "onnx/decode_internal.h"
#include "onnx/optype.h"

#define HOLDER_ATTR_EXTRA 32  // "[18446744073709551615]"

// ---- finding the graphs: breadth first, so that nodes of one graph are numbered in a row

struct nodes {
    Onnx__NodeProto *const *items;
    size_t n;
};

static size_t n_parts(const struct decode_source *source) {
    return source->body ? 1 : source->n_parts;
}

static struct nodes nodes_of(const struct decode_source *source, size_t part) {
    if (source->body) {
        return (struct nodes){source->body->node, source->body->n_node};
    }
    return (struct nodes){source->parts[part]->node, source->parts[part]->n_node};
}

static bool is_readable(const Onnx__NodeProto *node) {
    return onnx_optype_readable((struct str){(const char *)node->op_type.data, node->op_type.len});
}

static int add_source(struct decode *d, struct decode_source source) {
    int rc = array_grow(&d->sources, &d->cap_sources, d->n_sources + 1, sizeof(*d->sources),
                        ONNX_NONE, "graphs", d->err);
    if (rc < 0) {
        return rc;
    }
    d->sources[d->n_sources++] = source;
    return 0;
}

static struct str indexed(struct decode *d, struct str name, size_t index) {
    struct buf b;
    struct str out = {NULL, 0};
    buf_init(&b, name.n + HOLDER_ATTR_EXTRA);
    buf_add_str(&b, name);
    buf_add_char(&b, '[');
    buf_add_u64(&b, index);
    buf_add_char(&b, ']');
    char *p = onnx_memory_alloc(d->memory, b.n);
    if (p && !b.failed) {
        memcpy(p, b.p, b.n);
        out = (struct str){p, b.n};
    }
    buf_release(&b);
    return out;
}

static int find_in_attribute(struct decode *d, const Onnx__AttributeProto *attr,
                             size_t holder_graph) {
    int32_t type = decode_attr_type(attr);
    if (type != ONNX_ATTR_GRAPH && type != ONNX_ATTR_GRAPHS) {
        return 0;
    }
    struct decode_source inner = {
        .parts = attr->g,
        .n_parts = attr->n_g,
        .holder = (uint32_t)d->n_nodes,
        .holder_attr = decode_text(d, &attr->name),
        .function = d->sources[holder_graph].function,
        .depth = d->sources[holder_graph].depth + 1,
    };
    if (type == ONNX_ATTR_GRAPH) {
        return attr->n_g ? add_source(d, inner) : 0;
    }
    struct str name = inner.holder_attr;
    for (size_t i = 0; i < attr->n_graphs; i++) {
        inner.parts = &attr->graphs[i];
        inner.n_parts = 1;
        inner.holder_attr = attr->n_graphs > 1 ? indexed(d, name, i) : name;
        int rc = add_source(d, inner);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int find_in_node(struct decode *d, const Onnx__NodeProto *node, size_t graph) {
    for (size_t i = 0; i < node->n_attribute; i++) {
        int rc = find_in_attribute(d, node->attribute[i], graph);
        if (rc < 0) {
            return rc;
        }
    }
    d->n_nodes++;
    if (d->n_nodes > d->limits->max_nodes) {
        return error_set_limit(d->err, "max-nodes", "the model has more nodes than %" PRIu64,
                               d->limits->max_nodes);
    }
    return 0;
}

static int find_in_graph(struct decode *d, size_t graph, uint64_t *left_out) {
    for (size_t part = 0; part < n_parts(&d->sources[graph]); part++) {
        struct nodes nodes = nodes_of(&d->sources[graph], part);
        for (size_t i = 0; i < nodes.n; i++) {
            if (!is_readable(nodes.items[i])) {
                ++*left_out;
                continue;
            }
            int rc = find_in_node(d, nodes.items[i], graph);
            if (rc < 0) {
                return rc;
            }
        }
    }
    return 0;
}

static int find_all(struct decode *d, const Onnx__ModelProto *proto) {
    uint64_t left_out = 0;
    int rc = add_source(d, (struct decode_source){.parts = proto->graph,
                                                  .n_parts = proto->n_graph,
                                                  .holder = ONNX_NONE,
                                                  .function = ONNX_NONE});
    for (size_t i = 0; i < proto->n_functions && rc == 0; i++) {
        rc = add_source(d, (struct decode_source){.body = proto->functions[i],
                                                  .holder = ONNX_NONE,
                                                  .function = (uint32_t)i});
    }
    for (size_t graph = 0; graph < d->n_sources && rc == 0; graph++) {
        rc = find_in_graph(d, graph, &left_out);
    }
    if (rc == 0 && left_out) {
        warnings_add(d->warnings, "unreadable-node", NULL,
                     "%" PRIu64 " nodes are left out: their op_type is empty or no readable text",
                     left_out);
    }
    return rc;
}

// ---- filling them

static struct onnx_value *fill_values(struct decode *d, struct onnx_value *to,
                                      Onnx__ValueInfoProto *const *items, size_t n) {
    for (size_t i = 0; i < n; i++, to++) {
        to->name = decode_text(d, &items[i]->name);
        decode_type(d, &to->type, items[i]->type, items[i]->n_type);
    }
    return to;
}

// Room for the values of all parts of a graph, which are filled in one after the other.
struct value_lists {
    struct onnx_value *inputs, *outputs, *value_info;
    struct onnx_tensor *initializers;
    struct onnx_prop *metadata;
};

static bool make_lists(struct decode *d, struct onnx_graph *out, const struct decode_source *source,
                       struct value_lists *lists) {
    for (size_t i = 0; i < source->n_parts; i++) {
        const Onnx__GraphProto *g = source->parts[i];
        out->n_inputs += g->n_input;
        out->n_outputs += g->n_output;
        out->n_value_info += g->n_value_info;
        out->n_initializers += g->n_initializer + g->n_sparse_initializer;
        out->metadata.n += g->n_metadata_props;
    }
    struct onnx_memory *m = d->memory;
    lists->inputs = onnx_memory_array(m, out->n_inputs, sizeof(struct onnx_value));
    lists->outputs = onnx_memory_array(m, out->n_outputs, sizeof(struct onnx_value));
    lists->value_info = onnx_memory_array(m, out->n_value_info, sizeof(struct onnx_value));
    lists->initializers = onnx_memory_array(m, out->n_initializers, sizeof(struct onnx_tensor));
    lists->metadata = onnx_memory_array(m, out->metadata.n, sizeof(struct onnx_prop));
    out->inputs = lists->inputs;
    out->outputs = lists->outputs;
    out->value_info = lists->value_info;
    out->initializers = lists->initializers;
    out->metadata.items = lists->metadata;
    return !m->failed;
}

static void fill_part(struct decode *d, struct onnx_graph *out, const Onnx__GraphProto *g,
                      struct value_lists *to) {
    if (g->has_name) {
        out->name = decode_text(d, &g->name);
    }
    to->inputs = fill_values(d, to->inputs, g->input, g->n_input);
    to->outputs = fill_values(d, to->outputs, g->output, g->n_output);
    to->value_info = fill_values(d, to->value_info, g->value_info, g->n_value_info);
    for (size_t i = 0; i < g->n_initializer; i++) {
        decode_tensor(d, to->initializers++, &g->initializer[i], 1);
    }
    for (size_t i = 0; i < g->n_sparse_initializer; i++) {
        decode_sparse(d, to->initializers++, &g->sparse_initializer[i], 1);
    }
    for (size_t i = 0; i < g->n_metadata_props; i++) {
        *to->metadata++ = (struct onnx_prop){decode_text(d, &g->metadata_props[i]->key),
                                             decode_text(d, &g->metadata_props[i]->value)};
    }
}

static void fill_parts(struct decode *d, struct onnx_graph *out,
                       const struct decode_source *source) {
    struct value_lists lists;
    if (!make_lists(d, out, source, &lists)) {
        return;
    }
    for (size_t i = 0; i < source->n_parts; i++) {
        fill_part(d, out, source->parts[i], &lists);
    }
}

static void fill_body(struct decode *d, struct onnx_graph *out, const Onnx__FunctionProto *body) {
    struct onnx_value *values =
        onnx_memory_array(d->memory, body->n_value_info, sizeof(struct onnx_value));
    if (!values) {
        return;
    }
    (void)fill_values(d, values, body->value_info, body->n_value_info);
    out->name = decode_text(d, &body->name);
    out->value_info = values;
    out->n_value_info = body->n_value_info;
}

static void fill_graph(struct decode *d, struct onnx_graph *out, uint32_t index,
                       struct onnx_node *nodes) {
    const struct decode_source *source = &d->sources[index];
    *out = (struct onnx_graph){
        .first_node = (uint32_t)d->n_nodes,
        .holder = source->holder,
        .holder_attr = source->holder_attr,
        .function = source->function,
        .depth = source->depth,
    };
    if (source->body) {
        fill_body(d, out, source->body);
    } else {
        fill_parts(d, out, source);
    }
    for (size_t part = 0; part < n_parts(source); part++) {
        struct nodes list = nodes_of(source, part);
        for (size_t i = 0; i < list.n; i++) {
            if (is_readable(list.items[i])) {
                decode_node(d, &nodes[d->n_nodes++], list.items[i], index);
            }
        }
    }
    out->n_nodes = (uint32_t)d->n_nodes - out->first_node;
}

int decode_graphs(struct decode *d, const struct Onnx__ModelProto *proto) {
    int rc = find_all(d, proto);
    if (rc < 0) {
        return rc;
    }
    struct onnx_graph *graphs = onnx_memory_array(d->memory, d->n_sources, sizeof(*graphs));
    struct onnx_node *nodes = onnx_memory_array(d->memory, d->n_nodes, sizeof(*nodes));
    if (!graphs || !nodes) {
        return onnx_memory_error(d->memory, d->err);
    }
    d->n_nodes = 0;
    d->next_graph = 1 + (uint32_t)proto->n_functions;
    for (uint32_t i = 0; i < d->n_sources; i++) {
        fill_graph(d, &graphs[i], i, nodes);
    }
    d->model->graphs = graphs;
    d->model->n_graphs = d->n_sources;
    d->nodes = nodes;
    d->model->nodes = nodes;
    d->model->n_nodes = d->n_nodes;
    return 0;
}
