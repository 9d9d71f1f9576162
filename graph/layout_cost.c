#include "graph/layout_cost.h"

#include <stdlib.h>

#include "base/num.h"

#define ROWS_MAX ((size_t)16 << 20)  // ranks of all clusters together

// Items of a container are nodes and clusters; clusters follow the nodes in the tables, and the
// picture itself is the container after the last cluster.
struct ranking {
    const struct graph_view *view;
    uint32_t n_containers;
    uint32_t *level;   // per container: clusters around it
    uint32_t *first;   // per item: its first node, UINT32_MAX when it has none
    uint32_t *start;   // per item: rank in its container
    uint32_t *height;  // per item: ranks it takes
    uint32_t *least;   // per item: first rank that reads it; UINT32_MAX: it reads something itself
    uint32_t *container;  // per edge: innermost container of both ends
    uint32_t *edges;      // edges by container
    uint32_t *offset;     // per container: where its edges begin
    size_t *row;          // per container: where its ranks begin in `delta`
    int32_t *delta;       // per rank: edges that begin to cross less edges that end
    size_t n_rows;
};

static uint32_t root_of(const struct ranking *r) {
    return r->n_containers - 1;
}

static uint32_t parent_of(const struct ranking *r, uint32_t container) {
    uint32_t parent = r->view->clusters[container].parent;

    return parent == ONNX_NONE ? root_of(r) : parent;
}

static uint32_t container_of(const struct ranking *r, uint32_t node) {
    uint32_t cluster = r->view->nodes[node].cluster;

    return cluster == ONNX_NONE ? root_of(r) : cluster;
}

static uint32_t item_of(const struct ranking *r, uint32_t container) {
    return (uint32_t)r->view->n_nodes + container;
}

static int ranking_init(struct ranking *r, const struct graph_view *view, struct error *err) {
    size_t containers = view->n_clusters + 1, items = view->n_nodes + containers;

    *r = (struct ranking){.view = view, .n_containers = (uint32_t)containers};
    r->level = calloc(containers, sizeof(*r->level));
    r->first = calloc(items, sizeof(*r->first));
    r->start = calloc(items, sizeof(*r->start));
    r->height = calloc(items, sizeof(*r->height));
    r->least = calloc(items, sizeof(*r->least));
    r->container = calloc(view->n_edges + 1, sizeof(*r->container));
    r->edges = calloc(view->n_edges + 1, sizeof(*r->edges));
    r->offset = calloc(containers + 1, sizeof(*r->offset));
    r->row = calloc(containers + 1, sizeof(*r->row));
    if (r->level && r->first && r->start && r->height && r->least && r->container && r->edges &&
        r->offset && r->row) {
        return 0;
    }
    return error_set(err, ERR_NOMEM, "no memory for the ranks of a view");
}

static void ranking_release(struct ranking *r) {
    free(r->level);
    free(r->first);
    free(r->start);
    free(r->height);
    free(r->least);
    free(r->container);
    free(r->edges);
    free(r->offset);
    free(r->row);
    free(r->delta);
}

static void find_levels(struct ranking *r) {
    size_t n_nodes = r->view->n_nodes;

    for (uint32_t c = 0; c + 1 < r->n_containers; c++) {
        r->level[c] = r->view->clusters[c].parent == ONNX_NONE ? 1 : r->level[parent_of(r, c)] + 1;
        r->first[n_nodes + c] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < n_nodes; i++) {
        uint32_t c = container_of(r, i);

        r->first[i] = i;
        r->height[i] = 1;
        if (c != root_of(r) && r->first[item_of(r, c)] == UINT32_MAX) {
            r->first[item_of(r, c)] = i;
        }
    }
    for (uint32_t c = root_of(r); c-- > 0;) {
        uint32_t outer = item_of(r, parent_of(r, c)), item = item_of(r, c);

        if (r->first[item] < r->first[outer]) {
            r->first[outer] = r->first[item];
        }
    }
}

// The innermost container of both ends, and their items in it.
static uint32_t meet(const struct ranking *r, const struct graph_view_edge *edge, uint32_t *from,
                     uint32_t *to) {
    uint32_t a = container_of(r, edge->from), b = container_of(r, edge->to);

    *from = edge->from;
    *to = edge->to;
    while (a != b) {
        if (r->level[a] >= r->level[b]) {
            *from = item_of(r, a);
            a = parent_of(r, a);
        } else {
            *to = item_of(r, b);
            b = parent_of(r, b);
        }
    }
    return a;
}

static void sort_edges(struct ranking *r) {
    const struct graph_view *view = r->view;
    uint32_t from, to;

    for (uint32_t i = 0; i < view->n_edges; i++) {
        r->container[i] = meet(r, &view->edges[i], &from, &to);
        r->offset[r->container[i] + 1]++;
    }
    for (uint32_t c = 0; c < r->n_containers; c++) {
        r->offset[c + 1] += r->offset[c];
    }
    for (uint32_t i = (uint32_t)view->n_edges; i-- > 0;) {
        r->edges[--r->offset[r->container[i] + 1]] = i;
    }
    // Each offset now is where the container before it ends its own: move them down by one.
    for (uint32_t c = 0; c < r->n_containers; c++) {
        r->offset[c] = r->offset[c + 1];
    }
    r->offset[r->n_containers] = (uint32_t)view->n_edges;
}

static void grow(struct ranking *r, uint32_t container, uint32_t item) {
    uint32_t end = r->start[item] + r->height[item], *height = &r->height[item_of(r, container)];

    if (*height < end) {
        *height = end;
    }
}

// Longest paths along the execution order; what runs against it does not push.
static void push_down(struct ranking *r, uint32_t container) {
    uint32_t from, to;

    for (uint32_t k = r->offset[container]; k < r->offset[container + 1]; k++) {
        (void)meet(r, &r->view->edges[r->edges[k]], &from, &to);
        r->least[from] = r->least[from] ? r->least[from] : UINT32_MAX - 1;
        r->least[to] = UINT32_MAX;
        if (r->first[from] < r->first[to] && r->start[to] < r->start[from] + r->height[from]) {
            r->start[to] = r->start[from] + r->height[from];
        }
        grow(r, container, from);
        grow(r, container, to);
    }
}

// Sources stand directly above their first reader.
static void slide_sources(struct ranking *r, uint32_t container) {
    uint32_t from, to;

    for (uint32_t k = r->offset[container]; k < r->offset[container + 1]; k++) {
        (void)meet(r, &r->view->edges[r->edges[k]], &from, &to);
        if (r->least[from] != UINT32_MAX && r->least[from] > r->start[to]) {
            r->least[from] = r->start[to];
        }
    }
    for (uint32_t k = r->offset[container]; k < r->offset[container + 1]; k++) {
        (void)meet(r, &r->view->edges[r->edges[k]], &from, &to);
        if (r->least[from] != UINT32_MAX && r->least[from] >= r->height[from]) {
            r->start[from] = r->least[from] - r->height[from];
        }
    }
}

static void rank_container(struct ranking *r, uint32_t container) {
    push_down(r, container);
    slide_sources(r, container);
    if (!r->height[item_of(r, container)]) {
        r->height[item_of(r, container)] = 1;
    }
}

// Children before parents, so that their heights are known.
static int rank_all(struct ranking *r, struct error *err) {
    size_t rows = 0;

    for (uint32_t c = r->n_containers; c-- > 0;) {
        if (c == root_of(r)) {
            continue;
        }
        rank_container(r, c);
    }
    rank_container(r, root_of(r));
    for (uint32_t c = 0; c < r->n_containers; c++) {
        r->row[c] = rows;
        rows += (size_t)r->height[item_of(r, c)] + 1;
    }
    r->n_rows = rows;
    r->delta = rows <= ROWS_MAX ? calloc(rows + 1, sizeof(*r->delta)) : NULL;
    return r->delta ? 0 : error_set(err, ERR_NOMEM, "no memory for the ranks of a view");
}

static void cross(struct ranking *r, uint32_t container, uint32_t from, uint32_t to) {
    uint32_t low = from < to ? from : to, high = from < to ? to : from;

    r->delta[r->row[container] + low]++;
    r->delta[r->row[container] + high]--;
}

// From its item to the bottom of every container that an edge leaves, from the top to its item in
// those that it enters.
static void cross_edge(struct ranking *r, uint32_t i) {
    const struct graph_view_edge *edge = &r->view->edges[i];
    uint32_t meeting = r->container[i], from = edge->from, to = edge->to;
    uint32_t c;

    for (c = container_of(r, from); c != meeting; c = parent_of(r, c)) {
        cross(r, c, r->start[from] + r->height[from], r->height[item_of(r, c)]);
        from = item_of(r, c);
    }
    for (c = container_of(r, to); c != meeting; c = parent_of(r, c)) {
        cross(r, c, 0, r->start[to]);
        to = item_of(r, c);
    }
    cross(r, meeting, r->start[from] + r->height[from] - 1, r->start[to]);
}

static void add_up(const struct ranking *r, struct graph_layout_cost *out) {
    uint64_t square;
    int64_t width = 0;

    *out = (struct graph_layout_cost){.vertices = r->view->n_nodes};
    for (size_t i = 0; i < r->n_rows; i++) {
        width += r->delta[i];
        out->vertices += (uint64_t)width;
        if (!num_mul(&square, (uint64_t)width, (uint64_t)width) ||
            !num_add(&out->squares, out->squares, square)) {
            out->squares = UINT64_MAX;
        }
    }
}

int graph_layout_cost(struct graph_layout_cost *out, const struct graph_view *view,
                      struct error *err) {
    struct ranking r;
    int rc = ranking_init(&r, view, err);

    if (rc == 0) {
        find_levels(&r);
        sort_edges(&r);
        rc = rank_all(&r, err);
    }
    if (rc == 0 && r.delta) {
        for (uint32_t i = 0; i < view->n_edges; i++) {
            cross_edge(&r, i);
        }
        add_up(&r, out);
    }
    ranking_release(&r);
    return rc;
}
