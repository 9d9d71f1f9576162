// onnxscope/nodes/1: every node and every value that has a name.
#include <stdlib.h>

#include "base/map.h"
#include "graph/write_attr.h"
#include "graph/write_json.h"
#include "graph/write_parts.h"

#define KEYS_MEMORY_MAX ((size_t)256 << 20)

static void write_names(struct json_write *w, const char *key, const struct str *names, size_t n) {
    json_key(w, key);
    json_open_array(w);
    for (size_t i = 0; i < n; i++) {
        json_add_str(w, names[i]);
    }
    json_close_array(w);
}

// `chain` has room for the deepest call.
static void write_scope(struct json_write *w, const struct graph_hierarchy *hierarchy,
                        uint32_t call, uint32_t *chain) {
    uint32_t n = 0;
    while (hierarchy->modules[hierarchy->calls[call].module].kind != GRAPH_MODULE) {
        call = hierarchy->calls[call].parent;
    }
    for (uint32_t c = call; hierarchy->calls[c].parent != ONNX_NONE;
         c = hierarchy->calls[c].parent) {
        chain[n++] = c;
    }
    json_key(w, "scope");
    json_open_array(w);
    while (n-- > 0) {
        json_add_str(w, hierarchy->modules[hierarchy->calls[chain[n]].module].path);
    }
    json_close_array(w);
    json_member_u64(w, "call", hierarchy->calls[call].number);
}

static int write_node(struct json_write *w, const struct graph_model *model, uint32_t index,
                      uint64_t number, uint32_t *chain, struct error *err) {
    const struct graph_net_node *node = &model->net.nodes[index];
    const struct onnx_node *proto = node->proto;
    const struct graph_hierarchy *hierarchy = &model->hierarchy;
    json_open_object(w);
    json_member_u64(w, "index", number);
    json_member_str(w, "graph", graph_net_graph_path(&model->net, node->graph));
    json_member_str(w, "name", proto->name);
    json_member_str(w, "op", proto->op);
    json_member_str(w, "domain", proto->domain);
    write_scope(w, hierarchy, hierarchy->node_call[index], chain);
    json_member_z(w, "scope_source",
                  graph_scope_source_name((enum graph_scope_source)hierarchy->node_source[index]));
    json_member_bool(w, "plumbing",
                     graph_plumbing_is_listed((enum graph_plumbing)model->plumbing.nodes[index]));
    write_names(w, "inputs", proto->inputs, proto->n_inputs);
    write_names(w, "outputs", proto->outputs, proto->n_outputs);
    int result = graph_write_attributes(w, &model->net, proto, err);
    graph_write_count(w, "macs", model->shapes.macs[index]);
    json_close_object(w);
    return result;
}

static int write_node_list(struct json_write *w, const struct graph_model *model,
                           struct error *err) {
    uint32_t *chain = calloc((size_t)model->hierarchy.depth + 1, sizeof(*chain));
    uint64_t number = 0;
    int result = 0;
    if (!chain) {
        return error_set(err, ERR_NOMEM, "no memory left for the list of nodes");
    }
    json_key(w, "nodes");
    json_open_array(w);
    for (uint32_t i = 0; i < model->net.n_nodes && result == 0 && !w->out->failed; i++) {
        if (model->net.nodes[i].proto->caller == 0) {
            result = write_node(w, model, i, number++, chain, err);
        }
    }
    json_close_array(w);
    free(chain);
    return result;
}

// ---- values

struct keys {
    struct map taken;
    struct arena arena;  // of keys that no name is
};

static const char *source_name(enum graph_shape_source source) {
    static const char *const names[] = {
        [GRAPH_SHAPE_NONE] = NULL,
        [GRAPH_SHAPE_DECLARED] = "declared",
        [GRAPH_SHAPE_INFERRED] = "inferred",
        [GRAPH_SHAPE_INITIALIZER] = "initializer",
    };
    return names[source];
}

static int body_key(struct keys *keys, const struct graph_net *net, const struct graph_value *value,
                    struct str *key, struct error *err) {
    struct str path = graph_net_graph_path(net, value->graph);
    char *text = arena_alloc(&keys->arena, path.n + 1 + value->name.n);
    if (!text) {
        return arena_error(&keys->arena, "names of values", err);
    }
    memcpy(text, path.p, path.n);
    text[path.n] = '/';
    memcpy(text + path.n + 1, value->name.p, value->name.n);
    *key = (struct str){text, path.n + 1 + value->name.n};
    return 0;
}

// The name, or graph/name where another value has it. Empty when both are taken: the graph itself
// makes the name twice.
static int choose_key(struct keys *keys, const struct graph_net *net, uint32_t index,
                      struct str *key, struct error *err) {
    const struct graph_value *value = &net->values[index];
    uint32_t holder;
    *key = value->name;
    int result = map_put_new(&keys->taken, *key, index, &holder, err);
    if (result < 0 || holder == index) {
        return result;
    }
    *key = (struct str){NULL, 0};
    if (value->graph == 0) {
        return 0;
    }
    struct str longer = {NULL, 0};
    result = body_key(keys, net, value, &longer, err);
    if (result == 0) {
        result = map_put_new(&keys->taken, longer, index, &holder, err);
    }
    if (result == 0 && holder == index) {
        *key = longer;
    }
    return result;
}

static int write_value(struct json_write *w, const struct graph_model *model, struct keys *keys,
                       uint32_t index, struct error *err) {
    const struct graph_tensor_type *type = &model->shapes.values[index];
    struct str key;
    int result = choose_key(keys, &model->net, index, &key, err);
    if (result < 0 || key.n == 0 || type->source == GRAPH_SHAPE_NONE) {
        return result;
    }
    json_key_str(w, key);
    json_open_object(w);
    graph_write_type(w, type);
    json_member_z(w, "source", source_name(type->source));
    json_close_object(w);
    return 0;
}

// Types that the file lists for values that no node makes: those inside functions
// ("domain::function/value", as torch.onnx.dynamo_export wrote them), and what an optimizer fused
// away without dropping its type.
static int write_listed(struct json_write *w, const struct graph_model *model, struct keys *keys,
                        struct error *err) {
    const struct onnx_graph *graph = &model->onnx->graphs[0];
    uint32_t none = (uint32_t)model->net.n_values, holder;
    int result = 0;
    for (size_t i = 0; i < graph->n_value_info && result == 0 && !w->out->failed; i++) {
        const struct onnx_value *value = &graph->value_info[i];
        if (!value->name.n || value->type.kind != ONNX_TYPE_TENSOR) {
            continue;
        }
        result = map_put_new(&keys->taken, value->name, none + (uint32_t)i, &holder, err);
        if (result < 0 || holder != none + (uint32_t)i) {
            continue;
        }
        json_key_str(w, value->name);
        json_open_object(w);
        graph_write_declared(w, &value->type);
        json_member_z(w, "source", source_name(GRAPH_SHAPE_DECLARED));
        json_close_object(w);
    }
    return result;
}

// Values come graph by graph, the main graph first: so its values win the plain names.
static int write_value_list(struct json_write *w, const struct graph_model *model,
                            struct error *err) {
    struct keys keys;
    int result = 0;
    map_init(&keys.taken);
    arena_init(&keys.arena, KEYS_MEMORY_MAX);
    json_key(w, "values");
    json_open_object(w);
    for (uint32_t v = 0; v < model->net.n_values && result == 0 && !w->out->failed; v++) {
        if (model->net.values[v].name.n) {
            result = write_value(w, model, &keys, v, err);
        }
    }
    if (result == 0) {
        result = write_listed(w, model, &keys, err);
    }
    json_close_object(w);
    map_release(&keys.taken);
    arena_release(&keys.arena);
    return result;
}

int graph_write_nodes(struct buf *out, const struct graph_model *model, struct error *err) {
    struct json_write w;
    json_write_init(&w, out);
    json_open_object(&w);
    json_member_z(&w, "schema", "onnxscope/nodes/1");
    int result = write_node_list(&w, model, err);
    if (result == 0) {
        result = write_value_list(&w, model, err);
    }
    if (result < 0) {
        return result;
    }
    json_close_object(&w);
    return buf_check(out, "the list of nodes", "max-output", err);
}
