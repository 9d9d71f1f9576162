#include "graph/layout_cycles.h"

// Tarjan's algorithm on an explicit stack.
struct walk {
    const uint32_t *first, *heads;
    uint32_t *part;
    uint32_t *next;  // per vertex: edge to look at next
    uint32_t *seen;  // per vertex: number in order of discovery from 1, 0 = not yet
    uint32_t *low;   // per vertex: least number reached
    uint32_t *path;  // vertices being walked
    uint32_t *open;  // vertices without a part
    bool *is_open;
    uint32_t n_path, n_open, n_seen, n_parts;
};

static bool walk_init(struct walk *w, uint32_t n, struct arena *arena) {
    w->next = arena_array(arena, n, sizeof(*w->next));
    w->seen = arena_array(arena, n, sizeof(*w->seen));
    w->low = arena_array(arena, n, sizeof(*w->low));
    w->path = arena_array(arena, n, sizeof(*w->path));
    w->open = arena_array(arena, n, sizeof(*w->open));
    w->is_open = arena_array(arena, n, sizeof(*w->is_open));
    return w->next && w->seen && w->low && w->path && w->open && w->is_open;
}

static void enter(struct walk *w, uint32_t v) {
    w->seen[v] = w->low[v] = ++w->n_seen;
    w->next[v] = w->first[v];
    w->path[w->n_path++] = v;
    w->open[w->n_open++] = v;
    w->is_open[v] = true;
}

static void close_part(struct walk *w, uint32_t root) {
    uint32_t v;

    do {
        v = w->open[--w->n_open];
        w->is_open[v] = false;
        w->part[v] = w->n_parts;
    } while (v != root);
    w->n_parts++;
}

static void leave(struct walk *w, uint32_t v) {
    w->n_path--;
    if (w->low[v] == w->seen[v]) {
        close_part(w, v);
    }
    if (w->n_path && w->low[w->path[w->n_path - 1]] > w->low[v]) {
        w->low[w->path[w->n_path - 1]] = w->low[v];
    }
}

static void step(struct walk *w) {
    uint32_t v = w->path[w->n_path - 1], head;

    if (w->next[v] == w->first[v + 1]) {
        leave(w, v);
        return;
    }
    head = w->heads[w->next[v]++];
    if (!w->seen[head]) {
        enter(w, head);
    } else if (w->is_open[head] && w->low[v] > w->seen[head]) {
        w->low[v] = w->seen[head];
    }
}

bool graph_layout_parts(uint32_t *part, uint32_t n, const uint32_t *first, const uint32_t *heads,
                        struct arena *arena) {
    struct walk w = {.first = first, .heads = heads, .part = part};

    if (!walk_init(&w, n, arena)) {
        return false;
    }
    for (uint32_t v = 0; v < n; v++) {
        if (!w.seen[v]) {
            enter(&w, v);
        }
        while (w.n_path) {
            step(&w);
        }
    }
    return true;
}
