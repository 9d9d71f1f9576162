#include "graph/layout_local.h"

#include <stdlib.h>
#include <string.h>

#include "graph/layout_cycles.h"

// An edge between two items of the innermost container of its ends.
struct meeting {
    uint32_t container;
    uint32_t from, to;  // items
};

// What a net has done in a container, valid when `net` is the number of the net.
struct visit {
    uint32_t net;
    uint32_t port;
    uint32_t arc;  // that leads to the port
    uint32_t n_ports;
};

struct builder {
    const struct graph_view *view;
    struct layout_locals *out;
    struct arena *arena;
    struct meeting *meetings;          // per edge
    uint32_t *nets;                    // edges, those of one net in a row
    bool *opens_net;                   // per entry of `nets`: the first of its net
    uint32_t *slots;                   // per node: nets that leave it so far
    struct visit *leaving, *entering;  // per container
    uint32_t net, source, slot;        // being walked
    size_t n_arcs, n_pieces;
    bool counts;  // first walk: only how many arcs, ports and pieces there are
};

static uint32_t root_of(const struct layout_locals *l) {
    return l->n_containers - 1;
}

static uint32_t container_of(const struct builder *b, uint32_t node) {
    uint32_t cluster = b->view->nodes[node].cluster;

    return cluster == ONNX_NONE ? root_of(b->out) : cluster;
}

static uint32_t item_of(const struct builder *b, uint32_t container) {
    return (uint32_t)b->view->n_nodes + container;
}

// ---- containers and items

static int find_levels(struct builder *b, struct error *err) {
    struct layout_locals *l = b->out;

    l->parent[root_of(l)] = LAYOUT_NONE;
    for (uint32_t c = 0; c < root_of(l); c++) {
        uint32_t parent = b->view->clusters[c].parent;

        l->parent[c] = parent == ONNX_NONE ? root_of(l) : parent;
        l->level[c] = parent == ONNX_NONE ? 1 : l->level[parent] + 1;
        l->of[l->parent[c]].n_items++;
        if (l->level[c] > GRAPH_VIEW_NESTING_MAX) {
            return error_set(err, ERR_LIMIT, "boxes are nested too deeply to be laid out");
        }
    }
    for (uint32_t i = 0; i < b->view->n_nodes; i++) {
        l->of[container_of(b, i)].n_items++;
    }
    return 0;
}

static void add_item(struct builder *b, uint32_t container, uint32_t item) {
    struct layout_local *local = &b->out->of[container];

    b->out->place[item] = local->n_items;
    local->items[local->n_items++] = item;
}

// A cluster stands where its first node does.
static void add_items(struct builder *b) {
    struct layout_locals *l = b->out;
    uint32_t chain[GRAPH_VIEW_NESTING_MAX + 1];

    for (uint32_t i = 0; i < b->view->n_nodes; i++) {
        uint32_t n = 0;

        for (uint32_t c = container_of(b, i);
             c != root_of(l) && l->place[item_of(b, c)] == LAYOUT_NONE; c = l->parent[c]) {
            chain[n++] = c;
        }
        while (n-- > 0) {
            add_item(b, l->parent[chain[n]], item_of(b, chain[n]));
        }
        add_item(b, container_of(b, i), i);
    }
    for (uint32_t c = 0; c < root_of(l); c++) {
        if (l->place[item_of(b, c)] == LAYOUT_NONE) {
            add_item(b, l->parent[c], item_of(b, c));
        }
    }
}

static bool make_items(struct builder *b) {
    struct layout_locals *l = b->out;

    for (uint32_t c = 0; c < l->n_containers; c++) {
        struct layout_local *local = &l->of[c];

        local->items = arena_array(b->arena, local->n_items, sizeof(*local->items));
        if (!local->items) {
            return false;
        }
        local->n_items = 0;
    }
    memset(l->place, 0xff, (b->view->n_nodes + l->n_containers) * sizeof(*l->place));
    add_items(b);
    return true;
}

// ---- cycles

static void meet(struct builder *b, uint32_t edge) {
    const struct layout_locals *l = b->out;
    uint32_t from = b->view->edges[edge].from, to = b->view->edges[edge].to;
    uint32_t a = container_of(b, from), c = container_of(b, to);

    while (a != c) {
        if (l->level[a] >= l->level[c]) {
            from = item_of(b, a);
            a = l->parent[a];
        } else {
            to = item_of(b, c);
            c = l->parent[c];
        }
    }
    b->meetings[edge] = (struct meeting){a, from, to};
}

// Inside of a part everything reads downwards in execution order; the rest has no cycles.
static bool turn_edges(struct builder *b, uint32_t container, const uint32_t *edges, uint32_t n) {
    const struct layout_locals *l = b->out;
    uint32_t items = l->of[container].n_items;
    uint32_t *first = arena_array(b->arena, (size_t)items + 2, sizeof(*first));
    uint32_t *heads = arena_array(b->arena, n, sizeof(*heads));
    uint32_t *part = arena_array(b->arena, items, sizeof(*part));

    if (!first || !heads || !part) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        first[l->place[b->meetings[edges[i]].from] + 2]++;
    }
    for (uint32_t v = 1; v <= items; v++) {
        first[v + 1] += first[v];
    }
    for (uint32_t i = 0; i < n; i++) {
        heads[first[l->place[b->meetings[edges[i]].from] + 1]++] =
            l->place[b->meetings[edges[i]].to];
    }
    if (!graph_layout_parts(part, items, first, heads, b->arena)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = l->place[b->meetings[edges[i]].from];
        uint32_t to = l->place[b->meetings[edges[i]].to];

        l->is_up[edges[i]] = from > to && part[from] == part[to];
    }
    return true;
}

static bool runs_back(const struct builder *b, uint32_t edge) {
    const struct meeting *m = &b->meetings[edge];

    return b->out->place[m->from] > b->out->place[m->to];
}

static bool break_cycles(struct builder *b) {
    uint32_t containers = b->out->n_containers, n = (uint32_t)b->view->n_edges;
    uint32_t *first = arena_array(b->arena, (size_t)containers + 2, sizeof(*first));
    uint32_t *edges = arena_array(b->arena, n, sizeof(*edges));
    bool *has_back = arena_array(b->arena, containers, sizeof(*has_back));

    if (!first || !edges || !has_back) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        meet(b, i);
        first[b->meetings[i].container + 2]++;
        if (runs_back(b, i)) {
            has_back[b->meetings[i].container] = true;
        }
    }
    for (uint32_t c = 1; c <= containers; c++) {
        first[c + 1] += first[c];
    }
    for (uint32_t i = 0; i < n; i++) {
        edges[first[b->meetings[i].container + 1]++] = i;
    }
    for (uint32_t c = 0; c < containers; c++) {
        if (has_back[c] && !turn_edges(b, c, &edges[first[c]], first[c + 1] - first[c])) {
            return false;
        }
    }
    return true;
}

// ---- nets

static int compare_values(const struct graph_view_edge *x, const struct graph_view_edge *y) {
    if (x->n_values != y->n_values) {
        return x->n_values < y->n_values ? -1 : 1;
    }
    return x->n_values ? memcmp(x->values, y->values, x->n_values * sizeof(*x->values)) : 0;
}

static int compare_nets(const void *a, const void *b, void *arg) {
    const struct builder *builder = arg;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct graph_view_edge *x = &builder->view->edges[i], *y = &builder->view->edges[k];
    int order;

    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    if (builder->out->is_up[i] != builder->out->is_up[k]) {
        return builder->out->is_up[i] ? 1 : -1;
    }
    order = compare_values(x, y);
    if (order) {
        return order;
    }
    return i < k ? -1 : 1;
}

// Edges that run upwards share nothing: they would meet at their lower ends.
static bool is_alone(const struct builder *b, uint32_t edge) {
    return b->out->is_up[edge] || b->view->edges[edge].from == b->view->edges[edge].to;
}

static bool same_net(const struct builder *b, uint32_t i, uint32_t k) {
    const struct graph_view_edge *x = &b->view->edges[i], *y = &b->view->edges[k];

    return x->from == y->from && !is_alone(b, i) && !is_alone(b, k) && compare_values(x, y) == 0;
}

static void sort_nets(struct builder *b) {
    size_t n = b->view->n_edges;

    for (uint32_t i = 0; i < n; i++) {
        b->nets[i] = i;
    }
    // Edges come sorted by (from, to), and most nodes make one value.
    for (size_t i = 1; i < n; i++) {
        if (compare_nets(&b->nets[i - 1], &b->nets[i], b) > 0) {
            qsort_r(b->nets, n, sizeof(*b->nets), compare_nets, b);
            break;
        }
    }
    for (size_t i = 0; i < n; i++) {
        b->opens_net[i] = i == 0 || !same_net(b, b->nets[i - 1], b->nets[i]);
    }
}

// ---- arcs

struct end {
    uint32_t container, vertex, slot;
};

static uint32_t add_arc(struct builder *b, struct end from, uint32_t to, uint32_t to_slot) {
    struct layout_local *local = &b->out->of[from.container];

    if (!b->counts) {
        local->arcs[local->n_arcs] = (struct layout_arc){from.vertex, to, from.slot, to_slot};
    }
    b->n_arcs++;
    return local->n_arcs++;
}

static void add_piece(struct builder *b, uint32_t container, uint32_t arc) {
    if (!b->counts) {
        b->out->pieces[b->n_pieces] = (struct layout_piece){container, arc};
    }
    b->n_pieces++;
}

// The last port takes what finds none of its own.
static void open_port(struct builder *b, struct visit *visit) {
    visit->net = b->net;
    if (visit->n_ports < GRAPH_LAYOUT_PORTS_MAX) {
        visit->n_ports++;
    } else if (b->counts) {
        b->out->merged++;
    }
    visit->port = visit->n_ports - 1;
}

// Out of the container of `at`: the same net at the cluster itself.
static struct end leave(struct builder *b, struct end at) {
    struct layout_locals *l = b->out;
    const struct layout_local *local = &l->of[at.container];
    struct visit *visit = &b->leaving[at.container];

    if (visit->net != b->net) {
        open_port(b, visit);
        visit->arc = add_arc(b, at, local->n_items + local->n_in + visit->port, 0);
    }
    add_piece(b, at.container, visit->arc);
    return (struct end){l->parent[at.container], l->place[item_of(b, at.container)], visit->port};
}

static struct end enter(struct builder *b, struct end at, uint32_t container) {
    struct layout_locals *l = b->out;
    struct visit *visit = &b->entering[container];

    if (visit->net != b->net) {
        open_port(b, visit);
        visit->arc = add_arc(b, at, l->place[item_of(b, container)], visit->port);
    }
    add_piece(b, at.container, visit->arc);
    return (struct end){container, l->of[container].n_items + visit->port, 0};
}

static void walk_edge(struct builder *b, uint32_t edge) {
    const struct layout_locals *l = b->out;
    const struct graph_view_edge *e = &b->view->edges[edge];
    uint32_t target = l->is_up[edge] ? e->from : e->to;
    uint32_t chain[GRAPH_VIEW_NESTING_MAX + 1], n = 0;
    struct end at = {container_of(b, b->source), l->place[b->source], b->slot};

    while (at.container != b->meetings[edge].container) {
        at = leave(b, at);
    }
    for (uint32_t c = container_of(b, target); c != at.container; c = l->parent[c]) {
        chain[n++] = c;
    }
    while (n-- > 0) {
        at = enter(b, at, chain[n]);
    }
    add_piece(b, at.container, add_arc(b, at, l->place[target], 0));
}

static void walk(struct builder *b) {
    struct layout_locals *l = b->out;

    for (size_t i = 0; i < b->view->n_edges; i++) {
        uint32_t edge = b->nets[i];
        const struct graph_view_edge *e = &b->view->edges[edge];

        l->first_piece[edge] = (uint32_t)b->n_pieces;
        l->n_pieces[edge] = 0;
        if (e->from == e->to) {
            continue;
        }
        if (b->opens_net[i]) {
            b->net++;
            b->source = l->is_up[edge] ? e->to : e->from;
            b->slot = b->slots[b->source]++;
        }
        walk_edge(b, edge);
        l->n_pieces[edge] = (uint32_t)b->n_pieces - l->first_piece[edge];
    }
}

static int count(struct builder *b, struct error *err) {
    b->counts = true;
    walk(b);
    if (b->n_arcs > LAYOUT_ARCS_MAX || b->n_pieces > LAYOUT_PIECES_MAX) {
        return error_set(err, ERR_LIMIT, "the edges of the view cross too many boxes");
    }
    return 0;
}

// Numbers of vertices depend on how many ports there are: what was counted is walked again.
static bool restart(struct builder *b) {
    struct layout_locals *l = b->out;

    for (uint32_t c = 0; c < l->n_containers; c++) {
        struct layout_local *local = &l->of[c];

        local->n_in = b->entering[c].n_ports;
        local->n_out = b->leaving[c].n_ports;
        local->arcs = arena_array(b->arena, local->n_arcs, sizeof(*local->arcs));
        if (!local->arcs) {
            return false;
        }
        local->n_arcs = 0;
    }
    l->pieces = arena_array(b->arena, b->n_pieces, sizeof(*l->pieces));
    memset(b->entering, 0, l->n_containers * sizeof(*b->entering));
    memset(b->leaving, 0, l->n_containers * sizeof(*b->leaving));
    memset(b->slots, 0, b->view->n_nodes * sizeof(*b->slots));
    b->net = 0;
    b->n_arcs = b->n_pieces = 0;
    b->counts = false;
    return l->pieces != NULL;
}

static bool allocate(struct builder *b) {
    struct layout_locals *l = b->out;
    size_t nodes = b->view->n_nodes, edges = b->view->n_edges, containers = l->n_containers;

    l->of = arena_array(b->arena, containers, sizeof(*l->of));
    l->parent = arena_array(b->arena, containers, sizeof(*l->parent));
    l->level = arena_array(b->arena, containers, sizeof(*l->level));
    l->place = arena_array(b->arena, nodes + containers, sizeof(*l->place));
    l->first_piece = arena_array(b->arena, edges, sizeof(*l->first_piece));
    l->n_pieces = arena_array(b->arena, edges, sizeof(*l->n_pieces));
    l->is_up = arena_array(b->arena, edges, sizeof(*l->is_up));
    b->meetings = arena_array(b->arena, edges, sizeof(*b->meetings));
    b->nets = arena_array(b->arena, edges, sizeof(*b->nets));
    b->opens_net = arena_array(b->arena, edges, sizeof(*b->opens_net));
    b->slots = arena_array(b->arena, nodes, sizeof(*b->slots));
    b->leaving = arena_array(b->arena, containers, sizeof(*b->leaving));
    b->entering = arena_array(b->arena, containers, sizeof(*b->entering));
    return l->of && l->parent && l->level && l->place && l->first_piece && l->n_pieces &&
           l->is_up && b->meetings && b->nets && b->opens_net && b->slots && b->leaving &&
           b->entering;
}

int graph_layout_local(struct layout_locals *out, const struct graph_view *view,
                       struct arena *arena, struct error *err) {
    struct builder b = {.view = view, .out = out, .arena = arena};
    int rc;

    *out = (struct layout_locals){.n_containers = (uint32_t)view->n_clusters + 1};
    if (!allocate(&b)) {
        return arena_error(arena, "the layout", err);
    }
    rc = find_levels(&b, err);
    if (rc < 0) {
        return rc;
    }
    if (!make_items(&b) || !break_cycles(&b)) {
        return arena_error(arena, "the layout", err);
    }
    sort_nets(&b);
    rc = count(&b, err);
    if (rc < 0) {
        return rc;
    }
    if (!restart(&b)) {
        return arena_error(arena, "the layout", err);
    }
    walk(&b);
    return 0;
}
