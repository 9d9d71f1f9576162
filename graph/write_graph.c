#include <stdio.h>

#include "base/json_write.h"
#include "graph/write_json.h"
#include "graph/write_layout.h"
#include "graph/write_parts.h"

#define CAPTION_BYTES ((size_t)1 << 20)

struct writer {
    struct json_write json;
    const struct graph_view *view;
    const struct graph_layout *layout;  // NULL: graph.json
    struct buf caption;
};

static void member_id(struct writer *w, const char *name, char kind, uint32_t index) {
    char id[16];

    if (index == ONNX_NONE) {
        json_member_null(&w->json, name);
        return;
    }
    snprintf(id, sizeof(id), "%c%u", kind, index);
    json_member_z(&w->json, name, id);
}

static void member_label(struct writer *w) {
    json_member_str(&w->json, "label", buf_str(&w->caption));
    buf_reset(&w->caption);
}

// Null when the file does not know it.
static void member_class(struct writer *w, struct str class_name) {
    if (class_name.n) {
        json_member_str(&w->json, "class", class_name);
    } else {
        json_member_null(&w->json, "class");
    }
}

static const struct graph_module *module_of(const struct writer *w, uint32_t call) {
    const struct graph_hierarchy *h = &w->view->model->hierarchy;

    return &h->modules[h->calls[call].module];
}

static void member_calls(struct writer *w, const uint32_t *calls, uint32_t n) {
    json_key(&w->json, "calls");
    json_open_array(&w->json);
    for (uint32_t i = 0; i < n; i++) {
        json_add_u64(&w->json, w->view->model->hierarchy.calls[calls[i]].number);
    }
    json_close_array(&w->json);
}

static void member_types(struct writer *w, const char *name, const uint32_t *values, uint32_t n) {
    json_key(&w->json, name);
    json_open_array(&w->json);
    for (uint32_t i = 0; i < n; i++) {
        json_open_object(&w->json);
        graph_write_type(&w->json, &w->view->model->shapes.values[values[i]]);
        json_close_object(&w->json);
    }
    json_close_array(&w->json);
}

static void member_operator(struct writer *w, const struct graph_view_node *node) {
    const struct onnx_node *proto;

    if (node->kind != GRAPH_VIEW_OPERATOR &&
        (node->kind != GRAPH_VIEW_FOLD || node->node == ONNX_NONE)) {
        json_member_null(&w->json, "op");
        return;
    }
    proto = w->view->model->net.nodes[node->node].proto;
    json_member_str(&w->json, "op", proto->op);
    json_member_str(&w->json, "domain", proto->domain);
    json_member_str(&w->json, "name", proto->name);
}

// What is unknown is null.
static void member_costs(struct writer *w, uint32_t index) {
    struct graph_view_costs costs = graph_view_node_costs(w->view, index);

    if (costs.has_parameters) {
        json_member_u64(&w->json, "parameters", costs.parameters);
    } else {
        json_member_null(&w->json, "parameters");
    }
    graph_write_count(&w->json, "macs", costs.macs);
}

// A module by its path, an operator by its name or what it makes.
static void add_member(struct writer *w, const struct graph_view_member *member) {
    const struct graph_net *net = &w->view->model->net;
    const struct graph_net_node *node;

    if (member->node == ONNX_NONE) {
        json_add_str(&w->json, module_of(w, member->call)->path);
        return;
    }
    node = &net->nodes[member->node];
    if (node->proto->name.n || node->n_outputs == 0 || node->outputs[0] == ONNX_NONE) {
        json_add_str(&w->json, node->proto->name);
    } else {
        json_add_str(&w->json, net->values[node->outputs[0]].name);
    }
}

static void member_group(struct writer *w, const struct graph_view_group *group) {
    json_key(&w->json, "members");
    json_open_array(&w->json);
    for (uint32_t i = 0; group && i < group->n_members; i++) {
        add_member(w, &group->members[i]);
    }
    json_close_array(&w->json);
}

static void member_members(struct writer *w, const struct graph_view_node *node) {
    if (node->kind != GRAPH_VIEW_MODULE && !node->merged) {
        member_group(w, node->group);
        return;
    }
    json_key(&w->json, "members");
    json_open_array(&w->json);
    if (node->kind == GRAPH_VIEW_MODULE) {
        json_add_str(&w->json, module_of(w, node->call)->path);
    }
    for (uint32_t i = 0; i < node->n_merged; i++) {
        json_add_str(&w->json, w->view->model->net.values[node->merged[i]].name);
    }
    json_close_array(&w->json);
}

// A run of one module in each instance is called as the first of them; its call is that one's.
static bool is_one_module(const struct graph_view_group *group) {
    return group && group->kind == GRAPH_CLUSTER_FOLD && group->n_members == group->count &&
           group->members[0].node == ONNX_NONE;
}

static void add_node(struct writer *w, uint32_t index) {
    const struct graph_view_node *node = &w->view->nodes[index];
    const struct graph_module *module = module_of(w, node->call);
    bool is_module = node->kind == GRAPH_VIEW_MODULE || is_one_module(node->group);

    json_open_object(&w->json);
    member_id(w, "id", 'n', index);
    json_member_z(&w->json, "kind", graph_view_kind_name(node->kind));
    graph_view_caption(&w->caption, w->view, index);
    member_label(w);
    json_member_str(&w->json, "path", node->group ? node->group->path : module->path);
    member_class(w, is_module ? module->class_name : (struct str){0});
    member_calls(w, node->calls ? node->calls : &node->call, node->calls ? node->n_calls : 1);
    member_operator(w, node);
    json_member_u64(&w->json, "depth", node->depth);
    json_member_u64(&w->json, "count", node->count);
    member_id(w, "cluster", 'm', node->cluster);
    member_types(w, "inputs", node->inputs, node->n_inputs);
    member_types(w, "outputs", node->outputs, node->n_outputs);
    if (node->highlight) {
        json_member_bool(&w->json, "highlight", true);
    }
    if (node->conflict) {
        json_member_bool(&w->json, "conflict", true);
    }
    member_costs(w, index);
    member_members(w, node);
    if (w->layout) {
        graph_write_box(&w->json, w->layout->nodes[index]);
    }
    json_close_object(&w->json);
}

static void add_edge(struct writer *w, uint32_t index) {
    const struct graph_view_edge *edge = &w->view->edges[index];

    json_open_object(&w->json);
    member_id(w, "id", 'e', index);
    member_id(w, "from", 'n', edge->from);
    member_id(w, "to", 'n', edge->to);
    json_member_u64(&w->json, "count", edge->count);
    json_key(&w->json, "tensors");
    json_open_array(&w->json);
    for (uint32_t i = 0; i < edge->n_values; i++) {
        json_add_str(&w->json, w->view->model->net.values[edge->values[i]].name);
    }
    json_close_array(&w->json);
    if (w->layout) {
        graph_write_routes(&w->json, &w->layout->edges[index]);
    }
    json_close_object(&w->json);
}

static void add_cluster(struct writer *w, uint32_t index) {
    const struct graph_view_cluster *cluster = &w->view->clusters[index];
    const struct graph_module *module = module_of(w, cluster->call);
    bool is_module = graph_cluster_is_call(cluster->kind) || is_one_module(cluster->group);

    bool is_run = cluster->kind == GRAPH_CLUSTER_FOLD;

    json_open_object(&w->json);
    member_id(w, "id", 'm', index);
    graph_view_cluster_caption(&w->caption, w->view, index);
    member_label(w);
    if (cluster->group) {
        json_member_str(&w->json, "path", cluster->group->path);
    } else if (is_module) {
        json_member_str(&w->json, "path", module->path);
    } else {
        json_member_str(&w->json, "path",
                        graph_net_graph_path(&w->view->model->net, cluster->graph));
    }
    member_class(w, is_module ? module->class_name : (struct str){0});
    member_calls(w, cluster->calls ? cluster->calls : &cluster->call,
                 cluster->calls ? cluster->n_calls : 1);
    member_id(w, "parent", 'm', cluster->parent);
    json_member_z(&w->json, "kind", graph_cluster_kind_name(cluster->kind));
    json_member_u64(&w->json, "depth", cluster->depth);
    if (cluster->highlight) {
        json_member_bool(&w->json, "highlight", true);
    }
    json_member_u64(&w->json, "count", is_run ? cluster->group->count : 1);
    member_group(w, cluster->group);
    if (w->layout) {
        graph_write_box(&w->json, w->layout->clusters[index]);
    }
    json_close_object(&w->json);
}

static void add_number(struct writer *w, const struct graph_option *row, uint32_t v) {
    if (row->type == GRAPH_OPTION_ENUM) {
        json_add_z(&w->json, row->words[v]);
    } else if (row->type == GRAPH_OPTION_DEPTH && v == GRAPH_DEPTH_INF) {
        json_add_z(&w->json, "inf");
    } else {
        json_add_u64(&w->json, v);
    }
}

static void add_option(struct writer *w, const struct graph_option *row) {
    const void *field = (const char *)w->view->options + row->offset;
    const char *patterns;

    json_key(&w->json, row->name);
    if (row->type == GRAPH_OPTION_BOOL) {
        json_add_u64(&w->json, *(const bool *)field);
    } else if (row->type == GRAPH_OPTION_PATTERNS) {
        patterns = *(char *const *)field;
        json_add_str(&w->json, str_from(patterns));
    } else if (row->type == GRAPH_OPTION_DEPTH) {
        add_number(w, row, w->view->depth);
    } else {
        add_number(w, row, *(const uint32_t *)field);
    }
}

static void member_options(struct writer *w) {
    json_key(&w->json, "options");
    json_open_object(&w->json);
    for (size_t i = 0; i < graph_option_count; i++) {
        add_option(w, &graph_option_table[i]);
    }
    json_close_object(&w->json);
}

typedef void add_fn(struct writer *, uint32_t);

static void member_list(struct writer *w, const char *name, size_t n, add_fn *add) {
    json_key(&w->json, name);
    json_open_array(&w->json);
    for (uint32_t i = 0; i < n; i++) {
        add(w, i);
    }
    json_close_array(&w->json);
}

int graph_write_view(struct buf *out, const struct graph_view *view,
                     const struct graph_layout *layout, struct error *err) {
    struct writer w = {.view = view, .layout = layout};

    json_write_init(&w.json, out);
    buf_init(&w.caption, CAPTION_BYTES);
    json_open_object(&w.json);
    json_member_z(&w.json, "schema", layout ? "onnxscope/layout/1" : "onnxscope/graph/1");
    if (layout) {
        graph_write_size(&w.json, layout);
    }
    member_options(&w);
    member_list(&w, "nodes", view->n_nodes, add_node);
    member_list(&w, "edges", view->n_edges, add_edge);
    member_list(&w, "clusters", view->n_clusters, add_cluster);
    json_key(&w.json, "warnings");
    json_open_array(&w.json);
    graph_write_warning_items(&w.json, &view->model->warnings);
    graph_write_warning_items(&w.json, &view->warnings);
    json_close_array(&w.json);
    json_close_object(&w.json);
    buf_release(&w.caption);
    return buf_check(out, layout ? "layout.json" : "graph.json", "max-output", err);
}

int graph_write_graph(struct buf *out, const struct graph_view *view, struct error *err) {
    return graph_write_view(out, view, NULL, err);
}
