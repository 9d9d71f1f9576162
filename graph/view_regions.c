#include "graph/view_internal.h"

// A body's node in a call of its own needs a region for each call between them. A file that makes
// more than these per node is hostile; the rest lands in the body itself.
#define REGIONS_PER_NODE 4u

// Calls below a call are the ones whose rank lies within its span.
struct call_span {
    uint32_t first, size;
};

struct placing {
    struct view_build *b;
    struct call_span *spans;  // per call
    uint32_t *in, *as;        // per call: graph it was last placed in, and its region there
    uint32_t *climb;          // calls on the way up from a node
    size_t room;              // regions that bodies may still ask for
};

static bool is_around(const struct placing *p, uint32_t outer, uint32_t call) {
    const struct call_span *span = &p->spans[outer];

    return p->spans[call].first - span->first < span->size;
}

// Parents come before children, so one pass up gives the sizes and one pass down the ranks.
static void rank_calls(struct placing *p) {
    const struct graph_hierarchy *h = &p->b->model->hierarchy;
    uint32_t *next = p->climb;

    for (size_t c = h->n_calls; c-- > 0;) {
        p->spans[c].size++;
        if (c) {
            p->spans[h->calls[c].parent].size += p->spans[c].size;
        }
    }
    next[0] = 1;
    for (size_t c = 1; c < h->n_calls; c++) {
        uint32_t parent = h->calls[c].parent;

        p->spans[c].first = next[parent];
        next[c] = next[parent] + 1;
        next[parent] += p->spans[c].size;
    }
}

static uint32_t add_region(struct view_build *b, uint32_t parent, uint32_t call, uint32_t graph,
                           bool is_body) {
    struct view_region *r = &b->regions[b->n_regions];

    r->parent = parent;
    r->call = call;
    r->graph = graph;
    r->depth = parent == ONNX_NONE ? 0 : b->regions[parent].depth + 1;
    r->is_body = is_body;
    r->leaf = !is_body && b->model->hierarchy.calls[call].leaf;
    return b->n_regions++;
}

static uint32_t place_call(struct placing *p, uint32_t call, uint32_t body) {
    struct view_build *b = p->b;
    const struct graph_hierarchy *h = &b->model->hierarchy;
    const struct view_region *around = &b->regions[body];
    uint32_t graph = around->graph, n = 0, region;

    while (!is_around(p, call, around->call) && p->in[call] != graph) {
        p->climb[n++] = call;
        call = h->calls[call].parent;
    }
    region = is_around(p, call, around->call) ? body : p->as[call];
    if (n > p->room) {
        return region;
    }
    p->room -= n;
    while (n > 0) {
        call = p->climb[--n];
        region = add_region(b, region, call, graph, false);
        p->in[call] = graph;
        p->as[call] = region;
    }
    return region;
}

static void place_bodies(struct placing *p) {
    struct view_build *b = p->b;
    const struct graph_net *net = &b->model->net;

    for (uint32_t g = 1; g < net->model->n_graphs; g++) {
        const struct graph_net_graph *graph = &net->graphs[g];
        uint32_t holder = net->holder[g], body;

        if (holder == ONNX_NONE) {
            continue;
        }
        body =
            add_region(b, b->node_region[holder], b->model->hierarchy.node_call[holder], g, true);
        b->body_region[g] = body;
        for (uint32_t i = 0; i < graph->n_nodes; i++) {
            uint32_t node = graph->first_node + i;

            b->node_region[node] = place_call(p, b->model->hierarchy.node_call[node], body);
        }
    }
}

// Whether a parameter belongs to a module below `path`: "attn.out_proj.weight" below "attn".
static bool lies_below(struct str parameter, struct str path) {
    if (path.n == 0 || !str_starts(parameter, path) || parameter.n == path.n ||
        parameter.p[path.n] != '.') {
        return false;
    }
    return str_find(str_skip(parameter, path.n + 1), '.') != STR_NPOS;
}

// A module that reads the weights of a module below it without calling it (MultiheadAttention its
// out_proj) has child modules, so torchview opens it. The name is that of the value, not of the
// initializer behind it: exporters keep equal weights once and alias the others.
static void open_silent_parents(struct view_build *b) {
    const struct graph_hierarchy *h = &b->model->hierarchy;
    const struct graph_net *net = &b->model->net;

    for (size_t i = 0; i < net->n_nodes; i++) {
        struct view_region *r = &b->regions[b->node_region[i]];
        struct str path = h->modules[h->calls[r->call].module].path;

        for (uint32_t s = 0; r->leaf && s < net->nodes[i].n_inputs; s++) {
            uint32_t value = net->nodes[i].inputs[s];

            if (value != ONNX_NONE && lies_below(net->values[value].name, path) &&
                graph_value_is_fixed(net, &b->model->plumbing, value)) {
                r->leaf = false;
            }
        }
    }
}

static void mark_owners(struct view_build *b) {
    const struct graph_net *net = &b->model->net;

    for (size_t i = 0; i < net->n_nodes; i++) {
        if (!str_eq_z(net->nodes[i].proto->op, "Constant")) {
            b->regions[b->node_region[i]].owns = true;
        }
    }
    for (uint32_t r = b->n_regions; r-- > 1;) {
        if (b->regions[r].owns) {
            b->regions[b->regions[r].parent].owns = true;
        }
    }
}

static int allocate(struct placing *p, struct error *err) {
    struct view_build *b = p->b;
    const struct graph_net *net = &b->model->net;
    size_t calls = b->model->hierarchy.n_calls, graphs = net->model->n_graphs;
    size_t inner = net->n_nodes - net->graphs[0].n_nodes;
    size_t cap = calls + graphs + REGIONS_PER_NODE * inner;

    p->spans = arena_array(&b->work, calls, sizeof(*p->spans));
    p->in = arena_array(&b->work, calls, sizeof(*p->in));
    p->as = arena_array(&b->work, calls, sizeof(*p->as));
    p->climb = arena_array(&b->work, calls + 1, sizeof(*p->climb));
    b->regions = arena_array(&b->work, cap, sizeof(*b->regions));
    b->node_region = arena_array(&b->work, net->n_nodes, sizeof(*b->node_region));
    b->body_region = arena_array(&b->work, graphs, sizeof(*b->body_region));
    if (!p->spans || !p->in || !p->as || !p->climb || !b->regions || !b->node_region ||
        !b->body_region || cap >= ONNX_NONE) {
        return arena_error(&b->work, "the regions of a view", err);
    }
    p->room = REGIONS_PER_NODE * inner;
    memset(b->body_region, 0xFF, graphs * sizeof(*b->body_region));
    return 0;
}

int view_regions(struct view_build *b, struct error *err) {
    const struct graph_hierarchy *h = &b->model->hierarchy;
    struct placing p = {.b = b};
    int rc = allocate(&p, err);

    if (rc < 0) {
        return rc;
    }
    rank_calls(&p);
    for (uint32_t c = 0; c < h->n_calls; c++) {
        add_region(b, h->calls[c].parent, c, 0, false);
    }
    for (uint32_t i = 0; i < b->model->net.graphs[0].n_nodes; i++) {
        b->node_region[i] = h->node_call[i];
    }
    place_bodies(&p);
    mark_owners(b);
    open_silent_parents(b);
    return 0;
}
