#include "tests/graph/hand_view.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 4096
#define VALUES_ROOM 8  // in and out of one node
#define DIMS_ROOM 16384u

struct hand_view {
    struct graph_model model;
    struct graph_options options;
    struct graph_view view;
    struct onnx_model onnx;
    struct onnx_graph graph;
    struct graph_module modules[ROOM];
    struct graph_call calls[ROOM];
    struct graph_value values[ROOM];
    struct graph_tensor_type types[ROOM];
    struct graph_dim dims[DIMS_ROOM];
    size_t n_dims;
    struct graph_net_node net_nodes[ROOM];
    struct onnx_node protos[ROOM];
    struct graph_view_node nodes[ROOM];
    uint32_t reads[ROOM][VALUES_ROOM], makes[ROOM][VALUES_ROOM];
    struct graph_view_edge edges[ROOM];
    uint32_t carried[ROOM][VALUES_ROOM];
    struct graph_view_cluster clusters[ROOM];
};

static void need(int ok) {
    if (!ok) {
        abort();
    }
}

struct hand_view *hand_view_new(void) {
    struct hand_view *h = calloc(1, sizeof(*h));

    need(h != NULL);
    graph_options_init(&h->options);
    h->onnx.graphs = &h->graph;
    h->onnx.n_graphs = 1;
    h->onnx.producer = STR("pytorch");
    h->onnx.producer_version = STR("2.1.0");
    h->graph.name = STR("main_graph");
    h->model.onnx = &h->onnx;
    h->model.net.model = &h->onnx;
    h->model.net.nodes = h->net_nodes;
    h->model.net.values = h->values;
    h->model.shapes.values = h->types;
    h->model.hierarchy.modules = h->modules;
    h->model.hierarchy.calls = h->calls;
    h->model.hierarchy.n_modules = h->model.hierarchy.n_calls = 1;
    h->modules[0].n_calls = 1;
    h->calls[0].parent = ONNX_NONE;
    h->view.model = &h->model;
    h->view.options = &h->options;
    h->view.nodes = h->nodes;
    h->view.edges = h->edges;
    h->view.clusters = h->clusters;
    h->view.depth = 2;
    return h;
}

void hand_view_free(struct hand_view *h) {
    graph_options_release(&h->options);
    free(h);
}

struct graph_options *hand_options(struct hand_view *h) {
    return &h->options;
}

const struct graph_view *hand_view(struct hand_view *h) {
    return &h->view;
}

static uint32_t add_call(struct hand_view *h, const char *path, const char *class_name,
                         uint32_t depth) {
    size_t i = h->model.hierarchy.n_calls++;
    struct str name = str_from(class_name);

    need(i < ROOM);
    h->model.hierarchy.n_modules++;
    h->modules[i] = (struct graph_module){.path = str_from(path),
                                          .class_source = GRAPH_CLASS_METADATA,
                                          .n_calls = 1};
    if (str_ends(name, STR("?"))) {
        name = str_sub(name, 0, name.n - 1);
        h->modules[i].class_source = GRAPH_CLASS_INFERRED;
    }
    h->modules[i].class_name = name;
    h->calls[i] = (struct graph_call){.module = (uint32_t)i, .depth = depth, .owns = true};
    return (uint32_t)i;
}

static uint32_t depth_in(const struct hand_view *h, uint32_t cluster) {
    return cluster == ONNX_NONE ? 1 : h->clusters[cluster].depth + 1;
}

uint32_t hand_cluster(struct hand_view *h, enum graph_cluster_kind kind, uint32_t parent,
                      const char *path, const char *class_name) {
    size_t i = h->view.n_clusters++;

    need(i < ROOM);
    h->clusters[i] = (struct graph_view_cluster){
        .kind = kind, .graph = ONNX_NONE, .parent = parent, .depth = depth_in(h, parent)};
    h->clusters[i].call = add_call(h, path, class_name, h->clusters[i].depth);
    return (uint32_t)i;
}

static uint32_t add_node(struct hand_view *h, enum graph_view_kind kind, uint32_t cluster) {
    size_t i = h->view.n_nodes++;

    need(i < ROOM);
    h->nodes[i] = (struct graph_view_node){.kind = kind,
                                           .node = ONNX_NONE,
                                           .value = ONNX_NONE,
                                           .depth = depth_in(h, cluster),
                                           .count = 1,
                                           .cluster = cluster,
                                           .inputs = h->reads[i],
                                           .outputs = h->makes[i]};
    return (uint32_t)i;
}

uint32_t hand_tensor(struct hand_view *h, const char *name, uint32_t rank, const int64_t *dims) {
    size_t i = h->model.net.n_values++;

    need(i < ROOM && h->n_dims + rank <= DIMS_ROOM);
    h->values[i] = (struct graph_value){.name = str_from(name), .producer = ONNX_NONE};
    h->types[i] = (struct graph_tensor_type){
        .dtype = 1, .has_rank = dims != NULL, .rank = rank, .dims = &h->dims[h->n_dims]};
    for (uint32_t k = 0; dims && k < rank; k++) {
        h->dims[h->n_dims++].value = dims[k];
    }
    return (uint32_t)i;
}

uint32_t hand_value(struct hand_view *h, enum graph_view_kind kind, uint32_t cluster,
                    const char *name, uint32_t rank, const int64_t *dims) {
    uint32_t i = add_node(h, kind, cluster);

    h->nodes[i].value = hand_tensor(h, name, rank, dims);
    return i;
}

uint32_t hand_module(struct hand_view *h, uint32_t cluster, const char *path,
                     const char *class_name) {
    uint32_t i = add_node(h, GRAPH_VIEW_MODULE, cluster);

    h->nodes[i].call = add_call(h, path, class_name, h->nodes[i].depth);
    return i;
}

uint32_t hand_operator(struct hand_view *h, uint32_t cluster, const char *op, const char *name) {
    uint32_t i = add_node(h, GRAPH_VIEW_OPERATOR, cluster);
    size_t node = h->model.net.n_nodes++;

    h->protos[node] = (struct onnx_node){.op = str_from(op), .name = str_from(name)};
    h->net_nodes[node].proto = &h->protos[node];
    h->nodes[i].node = (uint32_t)node;
    return i;
}

void hand_dtype(struct hand_view *h, uint32_t value, int32_t dtype) {
    h->types[value].dtype = dtype;
}

void hand_reads(struct hand_view *h, uint32_t node, uint32_t value) {
    need(h->nodes[node].n_inputs < VALUES_ROOM);
    h->reads[node][h->nodes[node].n_inputs++] = value;
}

void hand_makes(struct hand_view *h, uint32_t node, uint32_t value) {
    need(h->nodes[node].n_outputs < VALUES_ROOM);
    h->makes[node][h->nodes[node].n_outputs++] = value;
}

uint32_t hand_edge(struct hand_view *h, uint32_t from, uint32_t to, uint32_t count) {
    size_t i = h->view.n_edges++;

    need(i < ROOM);
    h->edges[i] =
        (struct graph_view_edge){.from = from, .to = to, .count = count, .values = h->carried[i]};
    return (uint32_t)i;
}

void hand_carries(struct hand_view *h, uint32_t edge, uint32_t value) {
    need(h->edges[edge].n_values < VALUES_ROOM);
    h->carried[edge][h->edges[edge].n_values++] = value;
}
