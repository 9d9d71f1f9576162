#include "graph/layout_attach.h"

#include <math.h>
#include <stdlib.h>

#include "graph/layout_cross.h"

#define SPREAD 12.0  // points between the ends of two edges on a node
#define CORNER 8.0   // kept free at its corners

// The links that end in one point of a node: all of one slot below it, a single one above it.
struct end {
    uint64_t at;  // sum of where their other ends stand
    uint32_t n;
    uint32_t number;  // to tell ends apart that stand alike
    bool is_main;
    double dx;
};

struct attacher {
    const struct layout_layers *l;
    const struct layout_columns *columns;
    const struct layout_item *items;
    struct layout_attach *out;
    struct layout_cross cross;
    struct end *ends;
    uint32_t *rank;  // scratch: ends in order
};

static int compare_ends(const void *a, const void *b, void *arg) {
    const struct end *ends = arg;
    const struct end *x = &ends[*(const uint32_t *)a], *y = &ends[*(const uint32_t *)b];
    // Sums over different numbers of links: x.at / x.n < y.at / y.n without division.
    uint64_t left = x->at * y->n, right = y->at * x->n;

    if (left != right) {
        return left < right ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

static void spread(struct attacher *a, uint32_t n, double w) {
    double middle = (n - 1) / 2.0, reach, step;

    for (uint32_t i = 0; i < n; i++) {
        a->rank[i] = i;
    }
    if (n > 1) {
        qsort_r(a->rank, n, sizeof(*a->rank), compare_ends, a->ends);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (a->ends[a->rank[i]].is_main) {
            middle = i;
        }
    }
    reach = fmax(middle, n - 1 - middle);
    step = reach > 0 ? fmin(SPREAD, fmax(w / 2 - CORNER, 0) / reach) : 0;
    for (uint32_t i = 0; i < n; i++) {
        a->ends[a->rank[i]].dx = (i - middle) * step;
    }
}

static void attach_above(struct attacher *a, uint32_t v) {
    const struct layout_layers *l = a->l;
    const uint32_t *links = &l->up[l->up_first[v]];
    uint32_t n = l->up_first[v + 1] - l->up_first[v];

    for (uint32_t i = 0; i < n; i++) {
        a->ends[i] = (struct end){.at = graph_layout_key_up(&a->cross, &l->links[links[i]]),
                                  .n = 1,
                                  .number = i,
                                  .is_main = a->columns->up[v] == links[i]};
    }
    if (n) {
        spread(a, n, a->items[v].w);
    }
    for (uint32_t i = 0; i < n; i++) {
        a->out->lower[links[i]] = a->ends[i].dx;
    }
}

// Links of a slot follow each other.
static void attach_below(struct attacher *a, uint32_t v) {
    const struct layout_layers *l = a->l;
    const uint32_t *links = &l->down[l->down_first[v]];
    uint32_t n = l->down_first[v + 1] - l->down_first[v], ends = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || l->links[links[i]].u_slot != l->links[links[i - 1]].u_slot) {
            a->ends[ends] = (struct end){.number = ends};
            ends++;
        }
        a->ends[ends - 1].at += graph_layout_key_down(&a->cross, &l->links[links[i]]);
        a->ends[ends - 1].n++;
        if (a->columns->down[v] == links[i]) {
            a->ends[ends - 1].is_main = true;
        }
    }
    if (ends) {
        spread(a, ends, a->items[v].w);
    }
    for (uint32_t i = 0, end = 0; i < n; i++) {
        end += i && l->links[links[i]].u_slot != l->links[links[i - 1]].u_slot;
        a->out->upper[links[i]] = a->ends[end].dx;
    }
}

static void attach_cluster(struct attacher *a, uint32_t v) {
    const struct layout_layers *l = a->l;
    const struct layout_item *item = &a->items[v];

    for (uint32_t k = l->up_first[v]; k < l->up_first[v + 1]; k++) {
        a->out->lower[l->up[k]] = item->in_x[l->links[l->up[k]].v_slot] - item->w / 2;
    }
    for (uint32_t k = l->down_first[v]; k < l->down_first[v + 1]; k++) {
        a->out->upper[l->down[k]] = item->out_x[l->links[l->down[k]].u_slot] - item->w / 2;
    }
}

bool graph_layout_attach(struct layout_attach *out, const struct layout_layers *layers,
                         const struct layout_order *order, const struct layout_fixed *fixed,
                         const struct layout_columns *columns, const struct layout_item *items,
                         struct arena *arena) {
    struct attacher a = {.l = layers, .columns = columns, .items = items, .out = out};
    size_t n = layers->n_links;

    a.cross = (struct layout_cross){
        .layers = layers, .fixed = fixed, .pos = order->pos, .is_mirrored = order->is_mirrored};
    out->upper = arena_array(arena, n, sizeof(*out->upper));
    out->lower = arena_array(arena, n, sizeof(*out->lower));
    a.ends = arena_array(arena, n, sizeof(*a.ends));
    a.rank = arena_array(arena, n, sizeof(*a.rank));
    if (!out->upper || !out->lower || !a.ends || !a.rank) {
        return false;
    }
    for (uint32_t v = 0; v < layers->local->n_items; v++) {
        if (items[v].is_cluster) {
            attach_cluster(&a, v);
        } else {
            attach_above(&a, v);
            attach_below(&a, v);
        }
    }
    return true;
}
