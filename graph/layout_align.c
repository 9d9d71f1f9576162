#include "graph/layout_align.h"

#include <string.h>

static bool is_virtual(const struct layout_layers *l, uint32_t v) {
    return v >= layout_n_real(l);
}

double graph_layout_weight(const struct layout_layers *layers, const struct layout_link *link) {
    static const double weights[2][2] = {{3, 1}, {0.5, 8}};

    return weights[is_virtual(layers, link->u)][is_virtual(layers, link->v)];
}

// ---- main links

// Longest path that goes on beyond a link; a rail does not count.
static uint32_t worth(const struct layout_layers *l, uint32_t link, bool is_down) {
    uint32_t v = is_down ? l->links[link].v : l->links[link].u;

    return is_virtual(l, v) ? 0 : l->ranks.through[v];
}

static uint32_t end_of(const struct layout_link *link, bool is_down) {
    return is_down ? link->v : link->u;
}

// The middle one of those that are worth most; of an even number none.
static uint32_t choose(const struct layout_layers *l, const struct layout_order *order,
                       const uint32_t *links, uint32_t n, bool is_down) {
    uint32_t best = 0, count = 0, chosen = LAYOUT_NONE;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t w = worth(l, links[i], is_down);

        count = w > best ? 1 : count + (w == best);
        best = w > best ? w : best;
    }
    if (count % 2 == 0) {
        return LAYOUT_NONE;
    }
    for (uint32_t i = 0; i < n && chosen == LAYOUT_NONE; i++) {
        uint32_t at = order->pos[end_of(&l->links[links[i]], is_down)], before = 0;

        if (worth(l, links[i], is_down) != best) {
            continue;
        }
        for (uint32_t k = 0; k < n && count > 1; k++) {
            if (worth(l, links[k], is_down) == best) {
                before += order->pos[end_of(&l->links[links[k]], is_down)] < at;
            }
        }
        if (before == count / 2) {
            chosen = links[i];
        }
    }
    return chosen;
}

// A rail goes on as a rail.
static uint32_t choose_rail(const struct layout_layers *l, uint32_t v) {
    uint32_t n = l->down_first[v + 1] - l->down_first[v];

    for (uint32_t k = l->down_first[v]; k < l->down_first[v + 1]; k++) {
        if (is_virtual(l, l->links[l->down[k]].v)) {
            return l->down[k];
        }
    }
    return n == 1 ? l->down[l->down_first[v]] : LAYOUT_NONE;
}

#define CHOICES_MAX 64u  // links of a vertex among which one can stand out

static void choose_all(struct layout_columns *c, const struct layout_layers *l,
                       const struct layout_order *order) {
    for (uint32_t v = 0; v < l->n; v++) {
        uint32_t downs = l->down_first[v + 1] - l->down_first[v];
        uint32_t ups = l->up_first[v + 1] - l->up_first[v];

        c->down[v] = c->up[v] = LAYOUT_NONE;
        if (is_virtual(l, v)) {
            c->down[v] = choose_rail(l, v);
        } else if (downs <= CHOICES_MAX) {
            c->down[v] = choose(l, order, &l->down[l->down_first[v]], downs, true);
        }
        if (ups <= CHOICES_MAX) {
            c->up[v] = choose(l, order, &l->up[l->up_first[v]], ups, false);
        }
    }
}

// ---- conflicts

static bool is_rail(const struct layout_layers *l, uint32_t link) {
    return is_virtual(l, l->links[link].u) && is_virtual(l, l->links[link].v);
}

// From left to right: what ends left of one that is kept crosses it. Rails go first.
static void drop_crossing(struct layout_columns *c, const struct layout_layers *l,
                          const struct layout_order *order, uint32_t rank, bool rails_only) {
    uint32_t first = l->rank_first[rank], n = l->rank_first[rank + 1] - first, reach = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t link = c->down[order->vertices[first + i]], at;

        if (link == LAYOUT_NONE || !c->is_straight[link] || (rails_only && !is_rail(l, link))) {
            continue;
        }
        at = order->pos[l->links[link].v] + 1;
        if (at > reach) {
            reach = at;
        } else {
            c->is_straight[link] = false;
        }
    }
}

// What crosses a rail on its right is not seen from the left.
static void drop_before_rails(struct layout_columns *c, const struct layout_layers *l,
                              const struct layout_order *order, uint32_t rank) {
    uint32_t first = l->rank_first[rank], reach = UINT32_MAX;

    for (uint32_t i = l->rank_first[rank + 1]; i-- > first;) {
        uint32_t link = c->down[order->vertices[i]], at;

        if (link == LAYOUT_NONE || !c->is_straight[link]) {
            continue;
        }
        at = order->pos[l->links[link].v];
        if (at > reach) {
            c->is_straight[link] = false;
        } else if (is_rail(l, link)) {
            reach = at;
        }
    }
}

bool graph_layout_align(struct layout_columns *out, const struct layout_layers *layers,
                        const struct layout_order *order, struct arena *arena) {
    out->down = arena_array(arena, layers->n, sizeof(*out->down));
    out->up = arena_array(arena, layers->n, sizeof(*out->up));
    out->is_straight = arena_array(arena, layers->n_links, sizeof(*out->is_straight));
    if (!out->down || !out->up || !out->is_straight) {
        return false;
    }
    choose_all(out, layers, order);
    for (uint32_t i = 0; i < layers->n_links; i++) {
        out->is_straight[i] =
            out->down[layers->links[i].u] == i && out->up[layers->links[i].v] == i;
    }
    for (uint32_t r = 0; r + 1 < layers->ranks.n_ranks; r++) {
        drop_crossing(out, layers, order, r, true);
        drop_before_rails(out, layers, order, r);
        drop_crossing(out, layers, order, r, false);
    }
    return true;
}
