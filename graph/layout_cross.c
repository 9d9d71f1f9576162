#include "graph/layout_cross.h"

#include <string.h>

bool graph_layout_cross_init(struct layout_cross *c, const struct layout_layers *layers,
                             const struct layout_fixed *fixed, struct arena *arena) {
    uint32_t ranks = layers->ranks.n_ranks, n = layers->n_links;

    *c = (struct layout_cross){.layers = layers, .fixed = fixed};
    c->by_rank_first = arena_array(arena, (size_t)ranks + 2, sizeof(*c->by_rank_first));
    c->by_rank = arena_array(arena, n, sizeof(*c->by_rank));
    c->key = arena_array(arena, n, sizeof(*c->key));
    c->by_port = arena_array(arena, n, sizeof(*c->by_port));
    c->sorted = arena_array(arena, n, sizeof(*c->sorted));
    c->count = arena_array(arena, (size_t)layers->n + 2, sizeof(*c->count));
    c->tree = arena_array(arena, (size_t)n + 2, sizeof(*c->tree));
    if (!c->by_rank_first || !c->by_rank || !c->key || !c->by_port || !c->sorted || !c->count ||
        !c->tree) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        c->by_rank_first[layers->rank[layers->links[i].u] + 2]++;
    }
    for (uint32_t r = 1; r <= ranks; r++) {
        c->by_rank_first[r + 1] += c->by_rank_first[r];
    }
    for (uint32_t i = 0; i < n; i++) {
        c->by_rank[c->by_rank_first[layers->rank[layers->links[i].u] + 1]++] = i;
    }
    return true;
}

static uint32_t key_of(const struct layout_cross *c, uint32_t v, const struct layout_ports *ports,
                       uint32_t port) {
    uint32_t key = c->pos[v] * LAYOUT_KEYS, place;

    if (v >= c->layers->local->n_items || !ports[v].n) {
        return key;
    }
    place = ports[v].place[port];
    return key + (c->is_mirrored[v] ? ports[v].n - 1 - place : place);
}

uint32_t graph_layout_key_up(const struct layout_cross *c, const struct layout_link *link) {
    return key_of(c, link->u, c->fixed->out, link->u_slot);
}

uint32_t graph_layout_key_down(const struct layout_cross *c, const struct layout_link *link) {
    return key_of(c, link->v, c->fixed->in, link->v_slot);
}

// ---- counting

// Sorts links by the vertex of one end; equal ones keep their order.
static void sort_by_vertex(struct layout_cross *c, uint32_t *to, const uint32_t *from, uint32_t n,
                           uint32_t rank, bool by_upper) {
    const struct layout_layers *l = c->layers;
    uint32_t width = l->rank_first[rank + 1] - l->rank_first[rank];

    memset(c->count, 0, ((size_t)width + 1) * sizeof(*c->count));
    for (uint32_t i = 0; i < n; i++) {
        c->count[c->pos[by_upper ? l->links[from[i]].u : l->links[from[i]].v] + 1]++;
    }
    for (uint32_t i = 0; i < width; i++) {
        c->count[i + 1] += c->count[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        to[c->count[c->pos[by_upper ? l->links[from[i]].u : l->links[from[i]].v]]++] = from[i];
    }
}

typedef uint32_t key_fn(const struct layout_cross *, const struct layout_link *);

// Sorts links by the port at one end, whatever vertex it is of; equal ones keep their order. A
// vertex may have thousands of links, so both digits of a key are sorted by counting.
static void sort_by_port(struct layout_cross *c, uint32_t *to, const uint32_t *from, uint32_t n,
                         key_fn *key) {
    const struct layout_link *all = c->layers->links;
    uint32_t first[LAYOUT_KEYS + 1] = {0};

    for (uint32_t i = 0; i < n; i++) {
        first[key(c, &all[from[i]]) % LAYOUT_KEYS + 1]++;
    }
    for (uint32_t i = 0; i < LAYOUT_KEYS; i++) {
        first[i + 1] += first[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        to[first[key(c, &all[from[i]]) % LAYOUT_KEYS]++] = from[i];
    }
}

// Numbers the lower ends from left to right, links with one end alike. Returns how many.
static uint32_t number_ends(struct layout_cross *c, uint32_t rank, const uint32_t *links,
                            uint32_t n) {
    uint32_t number = 0, last = UINT32_MAX;

    sort_by_port(c, c->by_port, links, n, graph_layout_key_down);
    sort_by_vertex(c, c->sorted, c->by_port, n, rank + 1, false);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t key = graph_layout_key_down(c, &c->layers->links[c->sorted[i]]);

        number += i && key != last;
        last = key;
        c->key[c->sorted[i]] = number;
    }
    return n ? number + 1 : 0;
}

static uint32_t count_beyond(const struct layout_cross *c, uint32_t end, uint32_t ends) {
    uint32_t n = 0;

    for (uint32_t i = ends - 1 - end; i > 0; i -= i & (0 - i)) {
        n += c->tree[i];
    }
    return n;
}

static void insert(struct layout_cross *c, uint32_t end, uint32_t ends) {
    for (uint32_t i = ends - end; i <= ends; i += i & (0 - i)) {
        c->tree[i]++;
    }
}

// Links in the order of their upper ends; those that share one are counted before any is inserted.
static uint64_t count_rank(struct layout_cross *c, uint32_t rank) {
    const struct layout_link *links = c->layers->links;
    uint32_t n = c->by_rank_first[rank + 1] - c->by_rank_first[rank];
    uint32_t *list = &c->by_rank[c->by_rank_first[rank]];
    uint32_t ends = number_ends(c, rank, list, n), first = 0;
    uint64_t total = 0;

    memset(c->tree, 0, ((size_t)ends + 1) * sizeof(*c->tree));
    sort_by_port(c, c->by_port, list, n, graph_layout_key_up);
    sort_by_vertex(c, c->sorted, c->by_port, n, rank, true);
    for (uint32_t i = 0; i < n; i++) {
        total += count_beyond(c, c->key[c->sorted[i]], ends);
        if (i + 1 < n && graph_layout_key_up(c, &links[c->sorted[i + 1]]) ==
                             graph_layout_key_up(c, &links[c->sorted[i]])) {
            continue;
        }
        for (; first <= i; first++) {
            insert(c, c->key[c->sorted[first]], ends);
        }
    }
    return total;
}

uint64_t graph_layout_crossings(struct layout_cross *c, uint64_t limit) {
    uint64_t total = 0;

    for (uint32_t r = 0; r + 1 < c->layers->ranks.n_ranks && total <= limit; r++) {
        if (c->by_rank_first[r + 1] - c->by_rank_first[r] > 1) {
            total += count_rank(c, r);
        }
    }
    return total;
}
