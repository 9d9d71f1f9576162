#include "graph/pairs.h"

#include <stdlib.h>

#include "base/map.h"

#define FIRST_CAP ((size_t)64)

struct graph_pair_slot {
    uint32_t a, b;
    uint32_t value;  // GRAPH_PAIRS_NONE = free
};

void graph_pairs_init(struct graph_pairs *p) {
    *p = (struct graph_pairs){0};
}

void graph_pairs_release(struct graph_pairs *p) {
    if (!p) {
        return;
    }
    free(p->slots);
    *p = (struct graph_pairs){0};
}

static struct graph_pair_slot *find(const struct graph_pairs *p, uint32_t a, uint32_t b) {
    const uint32_t key[2] = {a, b};
    size_t i = (size_t)map_hash(key, sizeof(key)) & (p->cap - 1);

    while (p->slots[i].value != GRAPH_PAIRS_NONE && (p->slots[i].a != a || p->slots[i].b != b)) {
        i = (i + 1) & (p->cap - 1);
    }
    return &p->slots[i];
}

static int grow(struct graph_pairs *p, struct error *err) {
    struct graph_pairs next = {.cap = p->cap ? p->cap * 2 : FIRST_CAP, .n = p->n};

    next.slots = calloc(next.cap, sizeof(*next.slots));
    if (!next.slots) {
        return error_set(err, ERR_NOMEM, "no memory left for a table of %zu pairs", next.cap);
    }
    for (size_t i = 0; i < next.cap; i++) {
        next.slots[i].value = GRAPH_PAIRS_NONE;
    }
    for (size_t i = 0; i < p->cap; i++) {
        if (p->slots[i].value != GRAPH_PAIRS_NONE) {
            *find(&next, p->slots[i].a, p->slots[i].b) = p->slots[i];
        }
    }
    free(p->slots);
    *p = next;
    return 0;
}

int graph_pairs_put(struct graph_pairs *p, uint32_t a, uint32_t b, uint32_t value,
                    struct error *err) {
    struct graph_pair_slot *slot;

    if (p->n >= p->cap / 2 && grow(p, err) < 0) {
        return ERR_NOMEM;
    }
    slot = find(p, a, b);
    p->n += slot->value == GRAPH_PAIRS_NONE;
    *slot = (struct graph_pair_slot){a, b, value};
    return 0;
}

uint32_t graph_pairs_get(const struct graph_pairs *p, uint32_t a, uint32_t b) {
    return p->cap ? find(p, a, b)->value : GRAPH_PAIRS_NONE;
}
