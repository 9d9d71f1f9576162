#include "graph/layout_order.h"

#include <stdlib.h>
#include <string.h>

#include "graph/layout_cross.h"

#define PATIENCE 5u        // sweeps without a better order before giving up
#define SWITCH_ROUNDS 3u   // passes over the neighbours of a rank after a sweep
#define SWITCH_PAIRS 400u  // pairs of links looked at when two neighbours are compared
#define SORT_SMALL 12u

// Sweeps by size: vertices and links.
static const struct {
    uint32_t size, sweeps;
} efforts[] = {{4000, 24}, {40000, 10}, {400000, 4}, {UINT32_MAX, 2}};

struct entry {
    uint32_t v, number;  // number: where it was, which decides between equals
    double at;           // where its neighbours stand on the average
};

struct sweeper {
    const struct layout_layers *l;
    const struct layout_fixed *fixed;
    struct layout_order *best;
    struct layout_cross cross;
    uint32_t *vertices, *pos;
    bool *is_mirrored;
    bool keeps_first, keeps_last;  // the order of the ports is given
    struct entry *entries;
    uint32_t *fill, *stack;
    bool *seen;
};

static bool allocate(struct sweeper *s, struct arena *arena) {
    size_t n = s->l->n, items = s->l->local->n_items;

    s->vertices = arena_array(arena, n, sizeof(*s->vertices));
    s->pos = arena_array(arena, n, sizeof(*s->pos));
    s->is_mirrored = arena_array(arena, items, sizeof(*s->is_mirrored));
    s->best->vertices = arena_array(arena, n, sizeof(*s->best->vertices));
    s->best->pos = arena_array(arena, n, sizeof(*s->best->pos));
    s->best->is_mirrored = arena_array(arena, items, sizeof(*s->best->is_mirrored));
    s->entries = arena_array(arena, n, sizeof(*s->entries));
    s->fill = arena_array(arena, (size_t)s->l->ranks.n_ranks + 1, sizeof(*s->fill));
    s->stack = arena_array(arena, n + 2 * (size_t)s->l->n_links + 1, sizeof(*s->stack));
    s->seen = arena_array(arena, n, sizeof(*s->seen));
    s->cross.vertices = s->vertices;
    s->cross.pos = s->pos;
    s->cross.is_mirrored = s->is_mirrored;
    return s->vertices && s->pos && s->is_mirrored && s->best->vertices && s->best->pos &&
           s->best->is_mirrored && s->entries && s->fill && s->stack && s->seen;
}

static uint32_t width_of(const struct sweeper *s, uint32_t rank) {
    return s->l->rank_first[rank + 1] - s->l->rank_first[rank];
}

static uint32_t *rank_of(const struct sweeper *s, uint32_t rank) {
    return &s->vertices[s->l->rank_first[rank]];
}

static bool is_kept(const struct sweeper *s, uint32_t rank) {
    return (rank == 0 && s->keeps_first) || (rank + 1 == s->l->ranks.n_ranks && s->keeps_last);
}

static void number_rank(struct sweeper *s, uint32_t rank) {
    const uint32_t *vertices = rank_of(s, rank);

    for (uint32_t i = 0; i < width_of(s, rank); i++) {
        s->pos[vertices[i]] = i;
    }
}

// ---- orders to begin with

static void push_heads(struct sweeper *s, uint32_t v, uint32_t *n) {
    for (uint32_t k = s->l->down_first[v + 1]; k-- > s->l->down_first[v];) {
        if (!s->seen[s->l->links[s->l->down[k]].v]) {
            s->stack[(*n)++] = s->l->links[s->l->down[k]].v;
        }
    }
}

static void push_tails(struct sweeper *s, uint32_t v, uint32_t *n) {
    for (uint32_t k = s->l->up_first[v + 1]; k-- > s->l->up_first[v];) {
        if (!s->seen[s->l->links[s->l->up[k]].u]) {
            s->stack[(*n)++] = s->l->links[s->l->up[k]].u;
        }
    }
}

// Depth first: what hangs together stands together. What is pushed last is looked at first.
static void explore(struct sweeper *s, uint32_t root, bool tails_first) {
    uint32_t n = 0;

    s->stack[n++] = root;
    while (n) {
        uint32_t v = s->stack[--n], rank = s->l->rank[v];

        if (s->seen[v]) {
            continue;
        }
        s->seen[v] = true;
        s->vertices[s->fill[rank]++] = v;
        if (!tails_first) {
            push_tails(s, v, &n);
        }
        push_heads(s, v, &n);
        if (tails_first) {
            push_tails(s, v, &n);
        }
    }
}

static void begin(struct sweeper *s, bool from_below) {
    const struct layout_layers *l = s->l;
    const uint32_t *first = from_below ? l->down_first : l->up_first;

    memcpy(s->fill, l->rank_first, ((size_t)l->ranks.n_ranks + 1) * sizeof(*s->fill));
    memset(s->seen, 0, l->n * sizeof(*s->seen));
    for (uint32_t v = 0; v < l->n; v++) {
        if (!s->seen[v] && first[v + 1] == first[v]) {
            explore(s, v, !from_below);
        }
    }
    for (uint32_t v = 0; v < l->n; v++) {
        if (!s->seen[v]) {
            explore(s, v, !from_below);
        }
    }
}

static void fix_ports(struct sweeper *s, const struct layout_ports *own, uint32_t first_port,
                      uint32_t rank) {
    for (uint32_t p = 0; p < own->n; p++) {
        rank_of(s, rank)[own->place[p]] = first_port + p;
    }
}

static void finish_start(struct sweeper *s) {
    const struct layout_local *local = s->l->local;
    uint32_t ranks = s->l->ranks.n_ranks;

    if (s->keeps_first) {
        fix_ports(s, &s->fixed->own_in, local->n_items, 0);
    }
    if (s->keeps_last) {
        fix_ports(s, &s->fixed->own_out, local->n_items + local->n_in, ranks - 1);
    }
    for (uint32_t r = 0; r < ranks; r++) {
        number_rank(s, r);
    }
}

static void begin_with(struct sweeper *s, const struct layout_order *start) {
    memcpy(s->vertices, start->vertices, s->l->n * sizeof(*s->vertices));
    memcpy(s->is_mirrored, start->is_mirrored, s->l->local->n_items * sizeof(*s->is_mirrored));
}

// ---- sweeps

static int compare_entries(const void *a, const void *b) {
    const struct entry *x = a, *y = b;

    if (x->at < y->at || x->at > y->at) {
        return x->at < y->at ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

// Stable. Most ranks are small, and then calls of a comparison cost more than the moves.
static void sort_entries(struct entry *e, uint32_t n) {
    if (n > SORT_SMALL) {
        for (uint32_t i = 0; i < n; i++) {
            e[i].number = i;
        }
        qsort(e, n, sizeof(*e), compare_entries);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        struct entry x = e[i];
        uint32_t k = i;

        for (; k > 0 && e[k - 1].at > x.at; k--) {
            e[k] = e[k - 1];
        }
        e[k] = x;
    }
}

// False: nothing above.
static bool average_up(const struct sweeper *s, uint32_t v, double *at) {
    const struct layout_layers *l = s->l;
    uint64_t sum = 0;

    for (uint32_t k = l->up_first[v]; k < l->up_first[v + 1]; k++) {
        sum += graph_layout_key_up(&s->cross, &l->links[l->up[k]]);
    }
    if (l->up_first[v + 1] == l->up_first[v]) {
        return false;
    }
    *at = (double)sum / (l->up_first[v + 1] - l->up_first[v]);
    return true;
}

static bool average_down(const struct sweeper *s, uint32_t v, double *at) {
    const struct layout_layers *l = s->l;
    uint64_t sum = 0;

    for (uint32_t k = l->down_first[v]; k < l->down_first[v + 1]; k++) {
        sum += graph_layout_key_down(&s->cross, &l->links[l->down[k]]);
    }
    if (l->down_first[v + 1] == l->down_first[v]) {
        return false;
    }
    *at = (double)sum / (l->down_first[v + 1] - l->down_first[v]);
    return true;
}

// Vertices without neighbours on that side stay behind the one on their left. Ties keep their
// order, every other time the reverse.
static void sort_rank(struct sweeper *s, uint32_t rank, bool downwards, bool reverses_ties) {
    uint32_t n = width_of(s, rank), *vertices = rank_of(s, rank);
    double last = -1;

    for (uint32_t i = 0; i < n; i++) {
        struct entry *e = &s->entries[reverses_ties ? n - 1 - i : i];
        double at = last;

        if (downwards ? average_up(s, vertices[i], &at) : average_down(s, vertices[i], &at)) {
            last = at;
        }
        *e = (struct entry){.v = vertices[i], .at = at};
    }
    sort_entries(s->entries, n);
    for (uint32_t i = 0; i < n; i++) {
        vertices[i] = s->entries[i].v;
    }
    number_rank(s, rank);
}

static void sweep(struct sweeper *s, uint32_t round) {
    uint32_t ranks = s->l->ranks.n_ranks;
    bool downwards = round % 2 == 0;

    for (uint32_t i = 0; i < ranks; i++) {
        uint32_t rank = downwards ? i : ranks - 1 - i;

        if (width_of(s, rank) > 1 && !is_kept(s, rank)) {
            sort_rank(s, rank, downwards, round & 2);
        }
    }
}

// ---- neighbours

struct tally {
    uint32_t as_is, switched;  // crossings among the links of two vertices
};

static void compare(uint32_t a, uint32_t b, struct tally *t) {
    t->as_is += a > b;
    t->switched += a < b;
}

static struct tally tally(const struct sweeper *s, uint32_t u, uint32_t v) {
    const struct layout_layers *l = s->l;
    struct tally t = {0, 0};

    for (uint32_t i = l->up_first[u]; i < l->up_first[u + 1]; i++) {
        for (uint32_t k = l->up_first[v]; k < l->up_first[v + 1]; k++) {
            compare(graph_layout_key_up(&s->cross, &l->links[l->up[i]]),
                    graph_layout_key_up(&s->cross, &l->links[l->up[k]]), &t);
        }
    }
    for (uint32_t i = l->down_first[u]; i < l->down_first[u + 1]; i++) {
        for (uint32_t k = l->down_first[v]; k < l->down_first[v + 1]; k++) {
            compare(graph_layout_key_down(&s->cross, &l->links[l->down[i]]),
                    graph_layout_key_down(&s->cross, &l->links[l->down[k]]), &t);
        }
    }
    return t;
}

static uint64_t pairs_of(const struct layout_layers *l, uint32_t u, uint32_t v) {
    uint64_t up_u = l->up_first[u + 1] - l->up_first[u], up_v = l->up_first[v + 1] - l->up_first[v];
    uint64_t down_u = l->down_first[u + 1] - l->down_first[u];
    uint64_t down_v = l->down_first[v + 1] - l->down_first[v];

    return up_u * up_v + down_u * down_v;
}

static bool switch_rank(struct sweeper *s, uint32_t rank) {
    uint32_t *vertices = rank_of(s, rank);
    bool changed = false;

    for (uint32_t i = 0; i + 1 < width_of(s, rank); i++) {
        uint32_t u = vertices[i], v = vertices[i + 1];
        struct tally t;

        if (pairs_of(s->l, u, v) > SWITCH_PAIRS) {
            continue;
        }
        t = tally(s, u, v);
        if (t.switched >= t.as_is) {
            continue;
        }
        vertices[i] = v;
        vertices[i + 1] = u;
        s->pos[v] = i;
        s->pos[u] = i + 1;
        changed = true;
    }
    return changed;
}

static bool switch_all(struct sweeper *s) {
    bool changed = false;

    for (uint32_t r = 0; r < s->l->ranks.n_ranks; r++) {
        if (!is_kept(s, r)) {
            for (uint32_t i = 0; i < SWITCH_ROUNDS && switch_rank(s, r); i++) {
                changed = true;
            }
        }
    }
    return changed;
}

// ---- mirrored clusters

// Crossings among the links of one side of a cluster, as it is and mirrored.
static void tally_side(const struct sweeper *s, const uint32_t *links, uint32_t n, bool is_in,
                       struct tally *t) {
    const struct layout_link *all = s->l->links;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n; k++) {
            const struct layout_link *a = &all[links[i]], *b = &all[links[k]];
            uint32_t here_a, here_b, there_a, there_b;

            here_a =
                is_in ? graph_layout_key_down(&s->cross, a) : graph_layout_key_up(&s->cross, a);
            here_b =
                is_in ? graph_layout_key_down(&s->cross, b) : graph_layout_key_up(&s->cross, b);
            there_a =
                is_in ? graph_layout_key_up(&s->cross, a) : graph_layout_key_down(&s->cross, a);
            there_b =
                is_in ? graph_layout_key_up(&s->cross, b) : graph_layout_key_down(&s->cross, b);
            if (here_a < here_b) {
                compare(there_a, there_b, t);
            } else if (here_a > here_b) {
                compare(there_b, there_a, t);
            }
        }
    }
}

static void mirror(struct sweeper *s) {
    const struct layout_layers *l = s->l;

    for (uint32_t v = 0; v < l->local->n_items; v++) {
        uint32_t ups = l->up_first[v + 1] - l->up_first[v];
        uint32_t downs = l->down_first[v + 1] - l->down_first[v];
        struct tally t = {0, 0};

        if (s->fixed->in[v].n + s->fixed->out[v].n < 2 ||
            (uint64_t)ups * ups + (uint64_t)downs * downs > UINT64_C(2) * SWITCH_PAIRS) {
            continue;
        }
        tally_side(s, &l->up[l->up_first[v]], ups, true, &t);
        tally_side(s, &l->down[l->down_first[v]], downs, false, &t);
        if (t.switched < t.as_is) {
            s->is_mirrored[v] = !s->is_mirrored[v];
        }
    }
}

// ---- all of it

static bool keep_better(struct sweeper *s) {
    uint64_t crossings = graph_layout_crossings(&s->cross, s->best->crossings);

    if (crossings >= s->best->crossings) {
        return false;
    }
    s->best->crossings = crossings;
    memcpy(s->best->vertices, s->vertices, s->l->n * sizeof(*s->vertices));
    memcpy(s->best->is_mirrored, s->is_mirrored, s->l->local->n_items * sizeof(*s->is_mirrored));
    return true;
}

static uint32_t sweeps_for(const struct layout_layers *l) {
    size_t i = 0;

    while (efforts[i].size < l->n + l->n_links) {
        i++;
    }
    return efforts[i].sweeps;
}

static void improve(struct sweeper *s) {
    uint32_t sweeps = sweeps_for(s->l), idle = 0;

    finish_start(s);
    mirror(s);
    (void)keep_better(s);
    for (uint32_t i = 0; i < sweeps && s->best->crossings > 0 && idle < PATIENCE; i++) {
        sweep(s, i);
        mirror(s);
        (void)switch_all(s);
        mirror(s);
        idle = keep_better(s) ? 0 : idle + 1;
    }
}

static void number_best(struct sweeper *s) {
    for (uint32_t r = 0; r < s->l->ranks.n_ranks; r++) {
        for (uint32_t i = 0; i < width_of(s, r); i++) {
            s->best->pos[s->best->vertices[s->l->rank_first[r] + i]] = i;
        }
    }
}

bool graph_layout_order(struct layout_order *out, const struct layout_layers *layers,
                        const struct layout_fixed *fixed, const struct layout_order *start,
                        struct arena *arena) {
    struct sweeper s = {.l = layers, .fixed = fixed, .best = out};

    *out = (struct layout_order){.crossings = UINT64_MAX};
    s.keeps_first = fixed->own_in.n > 0;
    s.keeps_last = fixed->own_out.n > 0;
    if (!graph_layout_cross_init(&s.cross, layers, fixed, arena) || !allocate(&s, arena)) {
        return false;
    }
    if (start) {
        begin_with(&s, start);
        improve(&s);
    }
    for (uint32_t i = 0; i < 2 && out->crossings > 0; i++) {
        begin(&s, i);
        improve(&s);
    }
    number_best(&s);
    return true;
}

// ---- ports

static uint32_t place_of(const struct layout_ports *ports, uint32_t port, bool is_mirrored) {
    return is_mirrored ? ports->n - 1 - ports->place[port] : ports->place[port];
}

// A port whose edges all run in lanes has no link: it stays beside the port that it is beside.
bool graph_layout_order_ports(uint32_t *place, const struct layout_layers *layers,
                              const struct layout_order *order, const struct layout_fixed *fixed,
                              uint32_t item, bool is_in, struct arena *arena) {
    const struct layout_ports *ports = is_in ? &fixed->in[item] : &fixed->out[item];
    const uint32_t *first = is_in ? layers->up_first : layers->down_first;
    const uint32_t *links = is_in ? layers->up : layers->down;
    struct layout_cross cross = {
        .layers = layers, .fixed = fixed, .pos = order->pos, .is_mirrored = order->is_mirrored};
    struct entry *entries = arena_array(arena, ports->n, sizeof(*entries));
    uint32_t *count = arena_array(arena, ports->n, sizeof(*count));
    double last = 0;

    if (!entries || !count) {
        return false;
    }
    for (uint32_t p = 0; p < ports->n; p++) {
        entries[place_of(ports, p, order->is_mirrored[item])].v = p;
    }
    for (uint32_t k = first[item]; k < first[item + 1]; k++) {
        const struct layout_link *link = &layers->links[links[k]];
        uint32_t port = is_in ? link->v_slot : link->u_slot;
        struct entry *e = &entries[place_of(ports, port, order->is_mirrored[item])];

        e->at += is_in ? graph_layout_key_up(&cross, link) : graph_layout_key_down(&cross, link);
        count[e - entries]++;
    }
    for (uint32_t i = 0; i < ports->n; i++) {
        if (count[i]) {
            last = entries[i].at /= count[i];
        }
        entries[i].at = last;
    }
    sort_entries(entries, ports->n);
    for (uint32_t i = 0; i < ports->n; i++) {
        place[entries[i].v] = i;
    }
    return true;
}
