#include "graph/net.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/num.h"
#include "graph/net_internal.h"

#define NET_MEMORY_MAX ((size_t)1 << 30)
#define NET_ITEMS_MAX ((size_t)1 << 30)  // nodes, values: ids are 32 bits
#define PATH_PART_MAX 120                // bytes of an operator's name in a path
#define PATH_MAX_BYTES 65536

static const struct {
    const char *code;
    const char *sentence;  // behind the name
    const char *more;      // behind a number
} warning_kinds[NET_WARNINGS] = {
    [NET_WARNING_DUPLICATE] = {"duplicate-value",
                               "is made more than once; a reader gets the last one before it",
                               "more values are made more than once"},
    [NET_WARNING_MISSING] = {"missing-value", "is read but made by nothing in the file",
                             "more values are read but made by nothing in the file"},
    [NET_WARNING_CYCLE] = {"cycle",
                           "reads what is made from its own output; the cycle was cut here",
                           "more cycles were cut"},
};

static bool is_summed_up(const struct net_build *b, enum net_warning kind) {
    return kind == NET_WARNING_MISSING && b->net->cut;
}

void net_warn(struct net_build *b, enum net_warning kind, struct str name) {
    if (b->warned[kind]++ >= NET_WARNINGS_MAX || is_summed_up(b, kind)) {
        return;
    }
    struct str shown = str_sub(name, 0, PATH_PART_MAX);
    warnings_add(b->warnings, warning_kinds[kind].code, NULL, "\"%.*s\" %s", STR_ARG(shown),
                 warning_kinds[kind].sentence);
}

static void warn_cut(struct net_build *b) {
    size_t n = b->warned[NET_WARNING_MISSING];
    if (n) {
        warnings_add(b->warnings, warning_kinds[NET_WARNING_MISSING].code, NULL,
                     "%zu %s read but made by nothing that is left of the file", n,
                     n == 1 ? "value is" : "values are");
    }
}

static void warn_rest(struct net_build *b) {
    for (unsigned kind = 0; kind < NET_WARNINGS; kind++) {
        if (is_summed_up(b, kind)) {
            warn_cut(b);
        } else if (b->warned[kind] > NET_WARNINGS_MAX) {
            warnings_add(b->warnings, warning_kinds[kind].code, NULL, "%zu %s",
                         b->warned[kind] - NET_WARNINGS_MAX, warning_kinds[kind].more);
        }
    }
}

// ---- skeleton: graphs, nodes, who holds which body

static int alloc_skeleton(struct net_build *b, struct error *err) {
    size_t n_graphs = b->model->n_graphs;
    size_t n_nodes = 0;
    for (size_t g = 0; g < n_graphs; g++) {
        if (net_covers(&b->model->graphs[g])) {
            n_nodes += b->model->graphs[g].n_nodes;
        }
    }
    if (n_nodes > NET_ITEMS_MAX || n_graphs > NET_ITEMS_MAX) {
        return error_set_limit(err, "max-nodes", "the model has too many nodes");
    }

    struct arena *arena = &b->net->arena;
    b->graphs = arena_array(arena, n_graphs, sizeof(*b->graphs));
    b->holder = arena_array(arena, n_graphs, sizeof(*b->holder));
    b->nodes = arena_array(arena, n_nodes, sizeof(*b->nodes));
    b->first_body = arena_array(&b->scratch, n_nodes, sizeof(*b->first_body));
    b->next_body = arena_array(&b->scratch, n_graphs, sizeof(*b->next_body));
    if (!b->graphs || !b->holder || !b->nodes || !b->first_body || !b->next_body) {
        return arena_error(arena, "nodes", err);
    }
    b->net->graphs = b->graphs;
    b->net->holder = b->holder;
    b->net->nodes = b->nodes;
    b->net->n_nodes = n_nodes;
    return 0;
}

static void place_nodes(struct net_build *b) {
    uint32_t next = 0;
    for (uint32_t g = 0; g < b->model->n_graphs; g++) {
        const struct onnx_graph *graph = &b->model->graphs[g];
        b->graphs[g].first_node = next;
        if (!net_covers(graph)) {
            continue;
        }
        b->graphs[g].n_nodes = graph->n_nodes;
        for (uint32_t i = 0; i < graph->n_nodes; i++, next++) {
            b->nodes[next].proto = &b->model->nodes[graph->first_node + i];
            b->nodes[next].graph = g;
            b->first_body[next] = ONNX_NONE;
        }
    }
}

static uint32_t net_node_of(const struct net_build *b, uint32_t onnx_node) {
    uint32_t graph = b->model->nodes[onnx_node].graph;
    return b->graphs[graph].first_node + (onnx_node - b->model->graphs[graph].first_node);
}

// From the last graph to the first, so that each holder's list is in order.
static void hang_bodies(struct net_build *b) {
    for (size_t g = b->model->n_graphs; g-- > 0;) {
        const struct onnx_graph *graph = &b->model->graphs[g];
        b->holder[g] = ONNX_NONE;
        b->next_body[g] = ONNX_NONE;
        if (!net_covers(graph) || graph->holder == ONNX_NONE) {
            continue;
        }
        uint32_t holder = net_node_of(b, graph->holder);
        b->holder[g] = holder;
        b->next_body[g] = b->first_body[holder];
        b->first_body[holder] = (uint32_t)g;
    }
}

// ---- paths of graphs

// A name's start, cut at a character.
static struct str path_part(struct str name) {
    if (name.n <= PATH_PART_MAX) {
        return name;
    }
    size_t n = PATH_PART_MAX;
    while (n > 0 && ((unsigned char)name.p[n] & 0xC0) == 0x80) {
        n--;
    }
    return str_sub(name, 0, n);
}

static void add_path(struct buf *out, const struct net_build *b, const struct str *paths,
                     uint32_t g) {
    uint32_t holder = b->holder[g];
    const struct graph_net_node *node = &b->nodes[holder];
    struct str name = path_part(node->proto->name);
    buf_add_str(out, paths[node->graph]);
    if (name.n == 0 || name.p[0] != '/') {
        buf_add_char(out, '/');
    }
    if (name.n) {
        buf_add_str(out, name);
    } else {
        buf_add_str(out, path_part(node->proto->op));
        buf_add_char(out, '_');
        buf_add_u64(out, holder - b->graphs[node->graph].first_node);
    }
    buf_add_char(out, '/');
    buf_add_str(out, path_part(b->model->graphs[g].holder_attr));
}

// Two holders may have one name: the later ones get "#2", "#3". `seen` counts by path, so that a
// thousand equal names do not try each number again.
static int make_unique(struct net_build *b, struct map *seen, struct buf *path, struct str *out,
                       struct error *err) {
    size_t base = path->n;
    struct str key = arena_str(&b->scratch, buf_str(path));
    uint32_t count = map_get(seen, key);
    for (uint32_t k = count == MAP_NONE ? 1 : count + 1;; k++) {
        buf_truncate(path, base);
        if (k > 1) {
            buf_add_char(path, '#');
            buf_add_u64(path, k);
        }
        int result = buf_check(path, "the path of a graph", "max-graph-depth", err);
        if (result < 0) {
            return result;
        }
        *out = arena_str(&b->net->arena, buf_str(path));
        if (!out->p || !key.p) {
            return arena_error(&b->net->arena, "paths", err);
        }
        if (map_get(seen, *out) != MAP_NONE) {
            continue;
        }
        result = map_put(seen, key, k, err);
        return result < 0 || k == 1 ? result : map_put(seen, *out, 1, err);
    }
}

static int name_graphs(struct net_build *b, struct error *err) {
    struct str *paths = arena_array(&b->net->arena, b->model->n_graphs, sizeof(*paths));
    if (!paths) {
        return arena_error(&b->net->arena, "paths", err);
    }
    b->net->paths = paths;
    struct map seen;
    struct buf path;
    int result = 0;
    map_init(&seen);
    buf_init(&path, PATH_MAX_BYTES);
    for (uint32_t g = 0; g < b->model->n_graphs && result == 0; g++) {
        if (b->holder[g] == ONNX_NONE) {
            continue;
        }
        buf_reset(&path);
        add_path(&path, b, paths, g);
        result = make_unique(b, &seen, &path, &paths[g], err);
    }
    buf_release(&path);
    map_release(&seen);
    return result;
}

struct str graph_net_graph_path(const struct graph_net *net, uint32_t graph) {
    return net->paths[graph];
}

// ---- the whole

static int build(struct net_build *b, struct error *err) {
    int result = alloc_skeleton(b, err);
    if (result < 0) {
        return result;
    }
    place_nodes(b);
    hang_bodies(b);

    static int (*const steps[])(struct net_build *, struct error *) = {
        name_graphs, net_resolve, net_capture, net_uses, net_order,
    };
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        result = steps[i](b, err);
        if (result < 0) {
            return result;
        }
    }
    return 0;
}

int graph_net_init(struct graph_net *out, const struct onnx_model *model, struct warnings *warnings,
                   struct error *err) {
    struct net_build b = {.model = model, .net = out, .warnings = warnings};
    arena_init(&out->arena, NET_MEMORY_MAX);
    arena_init(&b.scratch, NET_MEMORY_MAX);
    out->model = model;
    int result = build(&b, err);
    warn_rest(&b);
    arena_release(&b.scratch);
    return result;
}

void graph_net_release(struct graph_net *net) {
    if (!net) {
        return;
    }
    arena_release(&net->arena);
    *net = (struct graph_net){0};
}
