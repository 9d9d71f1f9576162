#include "graph/layout_layers.h"

#include <stdlib.h>

struct builder {
    struct layout_layers *out;
    struct arena *arena;
    uint32_t limit;   // ranks that an arc may cross
    uint32_t *heads;  // arcs of a net, by rank of what they lead to
    uint32_t n_virtual, n_links;
};

static uint32_t span(const struct layout_layers *l, uint32_t arc) {
    const struct layout_arc *a = &l->local->arcs[arc];

    return l->ranks.of[a->to] - l->ranks.of[a->from];
}

static bool opens_net(const struct layout_local *local, uint32_t arc) {
    const struct layout_arc *a = &local->arcs[arc];

    return arc == 0 || a[-1].from != a->from || a[-1].from_slot != a->from_slot;
}

// ---- how many virtual vertices

static uint64_t count_virtual(const struct layout_layers *l, uint32_t limit) {
    uint64_t n = 0;
    uint32_t far = 0;

    for (uint32_t i = 0; i < l->local->n_arcs; i++) {
        if (opens_net(l->local, i)) {
            n += far ? far - 1 : 0;
            far = 0;
        }
        if (span(l, i) <= limit && far < span(l, i)) {
            far = span(l, i);
        }
    }
    return n + (far ? far - 1 : 0);
}

// Ranks that all ways together cross: every arc's way is drawn from end to end.
static uint64_t count_steps(const struct layout_layers *l, uint32_t limit) {
    uint64_t n = 0;

    for (uint32_t i = 0; i < l->local->n_arcs; i++) {
        n += span(l, i) <= limit ? span(l, i) : 0;
    }
    return n;
}

static void choose_limit(struct builder *b, uint32_t budget) {
    if (budget > LAYOUT_VIRTUAL_MAX) {
        budget = LAYOUT_VIRTUAL_MAX;
    }
    b->limit = b->out->ranks.n_ranks;
    while (b->limit > 1 && (count_virtual(b->out, b->limit) > budget ||
                            count_steps(b->out, b->limit) > LAYOUT_STEPS_MAX)) {
        b->limit /= 2;
    }
    b->n_virtual = (uint32_t)count_virtual(b->out, b->limit);
}

// ---- links

static uint32_t add_link(struct builder *b, uint32_t u, uint32_t v, uint32_t arc) {
    const struct layout_arc *a = &b->out->local->arcs[arc];

    b->out->links[b->n_links] = (struct layout_link){.u = u,
                                                     .v = v,
                                                     .u_slot = u == a->from ? a->from_slot : 0,
                                                     .v_slot = v == a->to ? a->to_slot : 0,
                                                     .arc = arc};
    return b->n_links++;
}

static int compare_heads(const void *x, const void *y, void *arg) {
    const struct layout_layers *l = arg;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    uint32_t a = span(l, i), b = span(l, k);

    if (a != b) {
        return a < b ? -1 : 1;
    }
    return i < k ? -1 : 1;
}

// Arcs first .. end - 1 are one net.
static uint32_t sort_heads(struct builder *b, uint32_t first, uint32_t end) {
    struct layout_layers *l = b->out;
    uint32_t n = 0;

    for (uint32_t i = first; i < end; i++) {
        l->last[i] = LAYOUT_NONE;
        if (span(l, i) <= b->limit) {
            b->heads[n++] = i;
        }
    }
    l->n_lanes += end - first - n;
    for (uint32_t i = 1; i < n; i++) {
        if (compare_heads(&b->heads[i - 1], &b->heads[i], l) > 0) {
            qsort_r(b->heads, n, sizeof(*b->heads), compare_heads, l);
            break;
        }
    }
    return n;
}

static void link_net(struct builder *b, uint32_t first, uint32_t end) {
    struct layout_layers *l = b->out;
    uint32_t n = sort_heads(b, first, end);
    uint32_t at = l->local->arcs[first].from, rank = l->ranks.of[at];

    for (uint32_t i = 0; i < n; i++) {
        uint32_t arc = b->heads[i], head = l->local->arcs[arc].to;

        for (; rank + 1 < l->ranks.of[head]; rank++) {
            uint32_t next = layout_n_real(l) + b->n_virtual++;

            l->rank[next] = rank + 1;
            (void)add_link(b, at, next, arc);
            at = next;
        }
        l->last[arc] = add_link(b, at, head, arc);
    }
}

static void link_all(struct builder *b) {
    const struct layout_local *local = b->out->local;
    uint32_t first = 0;

    b->n_virtual = 0;
    for (uint32_t i = 1; i <= local->n_arcs; i++) {
        if (i == local->n_arcs || opens_net(local, i)) {
            link_net(b, first, i);
            first = i;
        }
    }
}

// ---- tables

static bool allocate(struct builder *b) {
    struct layout_layers *l = b->out;
    size_t links = (size_t)b->n_virtual + l->local->n_arcs;

    l->n = layout_n_real(l) + b->n_virtual;
    l->rank = arena_array(b->arena, l->n, sizeof(*l->rank));
    l->links = arena_array(b->arena, links, sizeof(*l->links));
    l->down_first = arena_array(b->arena, (size_t)l->n + 2, sizeof(*l->down_first));
    l->up_first = arena_array(b->arena, (size_t)l->n + 2, sizeof(*l->up_first));
    l->down = arena_array(b->arena, links, sizeof(*l->down));
    l->up = arena_array(b->arena, links, sizeof(*l->up));
    l->rank_first = arena_array(b->arena, (size_t)l->ranks.n_ranks + 1, sizeof(*l->rank_first));
    l->last = arena_array(b->arena, l->local->n_arcs, sizeof(*l->last));
    b->heads = arena_array(b->arena, l->local->n_arcs, sizeof(*b->heads));
    return l->rank && l->links && l->down_first && l->up_first && l->down && l->up &&
           l->rank_first && l->last && b->heads;
}

static void index_links(struct layout_layers *l) {
    for (uint32_t i = 0; i < l->n_links; i++) {
        l->down_first[l->links[i].u + 2]++;
        l->up_first[l->links[i].v + 2]++;
    }
    for (uint32_t v = 1; v <= l->n; v++) {
        l->down_first[v + 1] += l->down_first[v];
        l->up_first[v + 1] += l->up_first[v];
    }
    for (uint32_t i = 0; i < l->n_links; i++) {
        l->down[l->down_first[l->links[i].u + 1]++] = i;
        l->up[l->up_first[l->links[i].v + 1]++] = i;
    }
}

static void index_ranks(struct layout_layers *l) {
    for (uint32_t v = 0; v < l->n; v++) {
        l->rank_first[l->rank[v] + 1]++;
    }
    for (uint32_t r = 0; r < l->ranks.n_ranks; r++) {
        l->rank_first[r + 1] += l->rank_first[r];
    }
}

bool graph_layout_layers(struct layout_layers *out, const struct layout_local *local,
                         uint32_t *budget, struct arena *arena) {
    struct builder b = {.out = out, .arena = arena};

    *out = (struct layout_layers){.local = local};
    if (!graph_layout_rank(&out->ranks, local, arena)) {
        return false;
    }
    choose_limit(&b, *budget);
    *budget -= b.n_virtual < *budget ? b.n_virtual : *budget;
    if (!allocate(&b)) {
        return false;
    }
    for (uint32_t v = 0; v < layout_n_real(out); v++) {
        out->rank[v] = out->ranks.of[v];
    }
    link_all(&b);
    out->n_links = b.n_links;
    index_links(out);
    index_ranks(out);
    return true;
}
