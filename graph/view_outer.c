#include "graph/view_outer.h"

#include <string.h>

// The graph is filled in by key_in(). Names are not empty.
static char *new_key(struct view_outer *o, struct str name, struct error *err) {
    char *key = arena_alloc(o->arena, sizeof(uint32_t) + name.n);

    if (!key) {
        arena_error(o->arena, "the names around bodies", err);
        return NULL;
    }
    memcpy(key + sizeof(uint32_t), name.p, name.n);
    return key;
}

static struct str key_in(char *key, uint32_t graph, struct str name) {
    memcpy(key, &graph, sizeof(graph));
    return (struct str){key, sizeof(graph) + name.n};
}

static int fill(struct view_outer *o, struct error *err) {
    const struct graph_net *net = o->net;

    for (uint32_t v = 0; v < net->n_values; v++) {
        const struct graph_value *value = &net->values[v];
        char *key;
        int rc;

        if (value->name.n == 0 || value->kind == GRAPH_VALUE_MISSING) {
            continue;
        }
        key = new_key(o, value->name, err);
        if (!key) {
            return ERR_NOMEM;
        }
        rc = map_put(&o->values, key_in(key, value->graph, value->name), v, err);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

int view_outer_value(struct view_outer *o, uint32_t *found, uint32_t graph, struct str name,
                     struct error *err) {
    uint32_t at = MAP_NONE;
    char *key;
    int rc = o->values.n ? 0 : fill(o, err);

    if (rc < 0) {
        return rc;
    }
    key = name.n ? new_key(o, name, err) : NULL;
    if (name.n && !key) {
        return ERR_NOMEM;
    }
    while (key && at == MAP_NONE && o->net->holder[graph] != ONNX_NONE) {
        graph = o->net->nodes[o->net->holder[graph]].graph;
        at = map_get(&o->values, key_in(key, graph, name));
    }
    *found = at == MAP_NONE ? ONNX_NONE : at;
    return 0;
}

void view_outer_release(struct view_outer *o) {
    map_release(&o->values);
}
