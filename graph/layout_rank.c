#include "graph/layout_rank.h"

#include <string.h>

#define ROUNDS 8
#define ROWS_MAX 16u    // more would cost too many lines between the boxes of a row
#define GROUP_WORK 400  // arcs looked at when groups are moved, per vertex and arc of the graph

struct ranking {
    const struct layout_local *local;
    struct layout_ranks *out;
    uint32_t first_item, last_item;  // ranks that items may have
    uint32_t *down_first, *down;     // arcs that leave a vertex
    uint32_t *up_first, *up;         // arcs that enter a vertex
    uint32_t *topo;                  // vertices, tails before heads
    uint32_t *far;                   // per arc: the lowest rank that its net reaches
    uint32_t *net;                   // per arc: first arc of its net
    uint32_t *stamp;                 // per vertex: closure that holds it
    uint32_t *members, n_members;    // of a closure
    bool *is_pinned;                 // per vertex: nothing below it gives way
    int64_t work;                    // left
};

static bool is_item(const struct ranking *r, uint32_t v) {
    return v < r->local->n_items;
}

static bool is_in_port(const struct ranking *r, uint32_t v) {
    return v >= r->local->n_items && v < r->local->n_items + r->local->n_in;
}

// ---- tables

static bool allocate(struct ranking *r, struct arena *arena) {
    size_t n = r->out->n, arcs = r->local->n_arcs;

    r->out->of = arena_array(arena, n, sizeof(*r->out->of));
    r->out->through = arena_array(arena, n, sizeof(*r->out->through));
    r->down_first = arena_array(arena, n + 2, sizeof(*r->down_first));
    r->up_first = arena_array(arena, n + 2, sizeof(*r->up_first));
    r->down = arena_array(arena, arcs, sizeof(*r->down));
    r->up = arena_array(arena, arcs, sizeof(*r->up));
    r->topo = arena_array(arena, n, sizeof(*r->topo));
    r->far = arena_array(arena, arcs, sizeof(*r->far));
    r->net = arena_array(arena, arcs, sizeof(*r->net));
    r->stamp = arena_array(arena, n, sizeof(*r->stamp));
    r->members = arena_array(arena, n, sizeof(*r->members));
    r->is_pinned = arena_array(arena, n, sizeof(*r->is_pinned));
    return r->out->of && r->out->through && r->down_first && r->up_first && r->down && r->up &&
           r->topo && r->far && r->net && r->stamp && r->members && r->is_pinned;
}

static void index_arcs(struct ranking *r) {
    const struct layout_arc *arcs = r->local->arcs;
    uint32_t n = r->out->n;

    for (uint32_t i = 0; i < r->local->n_arcs; i++) {
        r->down_first[arcs[i].from + 2]++;
        r->up_first[arcs[i].to + 2]++;
        r->net[i] =
            i && arcs[i].from == arcs[i - 1].from && arcs[i].from_slot == arcs[i - 1].from_slot
                ? r->net[i - 1]
                : i;
    }
    for (uint32_t v = 1; v <= n; v++) {
        r->down_first[v + 1] += r->down_first[v];
        r->up_first[v + 1] += r->up_first[v];
    }
    for (uint32_t i = 0; i < r->local->n_arcs; i++) {
        r->down[r->down_first[arcs[i].from + 1]++] = i;
        r->up[r->up_first[arcs[i].to + 1]++] = i;
    }
}

static uint32_t head_of(const struct ranking *r, uint32_t k) {
    return r->local->arcs[r->down[k]].to;
}

static uint32_t tail_of(const struct ranking *r, uint32_t k) {
    return r->local->arcs[r->up[k]].from;
}

// Tails before heads; `stamp` counts what has not been passed yet.
static void sort_vertices(struct ranking *r) {
    uint32_t n = r->out->n, done = 0, queued = 0;

    for (uint32_t v = 0; v < n; v++) {
        r->stamp[v] = r->up_first[v + 1] - r->up_first[v];
        if (!r->stamp[v]) {
            r->topo[queued++] = v;
        }
    }
    while (done < queued) {
        uint32_t v = r->topo[done++];

        for (uint32_t k = r->down_first[v]; k < r->down_first[v + 1]; k++) {
            if (--r->stamp[head_of(r, k)] == 0) {
                r->topo[queued++] = head_of(r, k);
            }
        }
    }
    memset(r->stamp, 0, n * sizeof(*r->stamp));
}

// ---- longest paths

static void push_down(struct ranking *r) {
    uint32_t *rank = r->out->of;

    for (uint32_t i = 0; i < r->out->n; i++) {
        uint32_t v = r->topo[i];

        if (!is_in_port(r, v) && rank[v] < r->first_item) {
            rank[v] = r->first_item;
        }
        for (uint32_t k = r->down_first[v]; k < r->down_first[v + 1]; k++) {
            if (rank[head_of(r, k)] <= rank[v]) {
                rank[head_of(r, k)] = rank[v] + 1;
            }
        }
        if (is_item(r, v) && r->last_item < rank[v]) {
            r->last_item = rank[v];
        }
    }
}

static void place_out_ports(struct ranking *r) {
    uint32_t first = r->local->n_items + r->local->n_in;

    for (uint32_t v = first; v < r->out->n; v++) {
        r->out->of[v] = r->last_item + 1;
    }
    r->out->n_ranks = r->last_item + 1 + (r->local->n_out > 0);
}

static void measure_paths(struct ranking *r) {
    uint32_t *through = r->out->through, *below = r->members;

    memset(below, 0, r->out->n * sizeof(*below));
    for (uint32_t i = r->out->n; i-- > 0;) {
        uint32_t v = r->topo[i];

        for (uint32_t k = r->down_first[v]; k < r->down_first[v + 1]; k++) {
            if (below[v] < below[head_of(r, k)] + 1) {
                below[v] = below[head_of(r, k)] + 1;
            }
        }
    }
    for (uint32_t i = 0; i < r->out->n; i++) {
        uint32_t v = r->topo[i];

        for (uint32_t k = r->up_first[v]; k < r->up_first[v + 1]; k++) {
            if (through[v] < through[tail_of(r, k)] + 1) {
                through[v] = through[tail_of(r, k)] + 1;
            }
        }
    }
    for (uint32_t v = 0; v < r->out->n; v++) {
        through[v] += below[v] + 1;
    }
}

// ---- moving groups down
//
// Longest paths put everything as high as it can be. What would make the drawing's lines shorter
// further down goes there, together with what it pushes: a group. A line is as long as its net:
// readers above its farthest one cost nothing.

static void find_far(struct ranking *r, uint32_t net) {
    const struct layout_arc *arcs = r->local->arcs;
    uint32_t far = 0, i;

    for (i = net; i < r->local->n_arcs && r->net[i] == net; i++) {
        if (far < r->out->of[arcs[i].to]) {
            far = r->out->of[arcs[i].to];
        }
    }
    r->far[net] = far;
    r->work -= i - net;
}

static void find_all_far(struct ranking *r) {
    for (uint32_t i = 0; i < r->local->n_arcs; i++) {
        if (r->net[i] == i) {
            find_far(r, i);
        }
    }
}

static void take(struct ranking *r, uint32_t v, uint32_t stamp) {
    if (r->stamp[v] == stamp) {
        return;
    }
    r->stamp[v] = stamp;
    r->members[r->n_members++] = v;
    r->work -= 1 + r->down_first[v + 1] - r->down_first[v] + r->up_first[v + 1] - r->up_first[v];
}

// A tail whose heads are all taken. It loses nothing when it follows as long as nothing enters it,
// or its own tails follow in their turn.
static bool follows(struct ranking *r, uint32_t v, uint32_t stamp, bool is_eager) {
    if (!is_item(r, v) || (!is_eager && r->up_first[v + 1] > r->up_first[v])) {
        return false;
    }
    r->work -= r->down_first[v + 1] - r->down_first[v];
    for (uint32_t k = r->down_first[v]; k < r->down_first[v + 1]; k++) {
        if (r->stamp[head_of(r, k)] != stamp) {
            return false;
        }
    }
    return true;
}

// v and all that it touches from above, and so on. False: an out-port, which stays, or no work
// left.
static bool close_group(struct ranking *r, uint32_t seed, uint32_t stamp, bool is_eager) {
    const uint32_t *rank = r->out->of;

    r->n_members = 0;
    take(r, seed, stamp);
    for (uint32_t i = 0; i < r->n_members; i++) {
        uint32_t v = r->members[i];

        for (uint32_t k = r->down_first[v]; k < r->down_first[v + 1]; k++) {
            if (rank[head_of(r, k)] != rank[v] + 1) {
                continue;
            }
            if (!is_item(r, head_of(r, k)) || r->work < 0) {
                return false;
            }
            take(r, head_of(r, k), stamp);
        }
        for (uint32_t k = r->up_first[v]; k < r->up_first[v + 1]; k++) {
            if (follows(r, tail_of(r, k), stamp, is_eager)) {
                take(r, tail_of(r, k), stamp);
            }
        }
    }
    return true;
}

struct change {
    int64_t gain;
    uint32_t room;  // ranks that the group may move
};

static void weigh_heads(const struct ranking *r, uint32_t v, uint32_t stamp, struct change *c) {
    uint32_t last = LAYOUT_NONE;

    for (uint32_t k = r->down_first[v]; k < r->down_first[v + 1]; k++) {
        uint32_t head = head_of(r, k), net = r->net[r->down[k]];

        if (r->stamp[head] == stamp) {
            continue;
        }
        if (c->room > r->out->of[head] - r->out->of[v] - 1) {
            c->room = r->out->of[head] - r->out->of[v] - 1;
        }
        if (net != last && r->out->of[head] == r->far[net]) {
            c->gain++;
            last = net;
        }
    }
}

static void weigh_tails(const struct ranking *r, uint32_t v, uint32_t stamp, struct change *c) {
    for (uint32_t k = r->up_first[v]; k < r->up_first[v + 1]; k++) {
        uint32_t net = r->net[r->up[k]];

        if (r->stamp[tail_of(r, k)] == stamp) {
            continue;
        }
        if (r->far[net] == r->out->of[v]) {
            c->gain--;
        } else if (c->room > r->far[net] - r->out->of[v]) {
            c->room = r->far[net] - r->out->of[v];
        }
    }
}

static struct change weigh(const struct ranking *r, uint32_t stamp) {
    struct change c = {.room = UINT32_MAX};

    for (uint32_t i = 0; i < r->n_members; i++) {
        uint32_t v = r->members[i];

        if (c.room > r->last_item - r->out->of[v]) {
            c.room = r->last_item - r->out->of[v];
        }
        weigh_heads(r, v, stamp, &c);
        weigh_tails(r, v, stamp, &c);
    }
    return c;
}

static void move_group(struct ranking *r, uint32_t by) {
    for (uint32_t i = 0; i < r->n_members; i++) {
        r->out->of[r->members[i]] += by;
    }
    for (uint32_t i = 0; i < r->n_members; i++) {
        uint32_t v = r->members[i];

        for (uint32_t k = r->up_first[v]; k < r->up_first[v + 1]; k++) {
            find_far(r, r->net[r->up[k]]);
        }
    }
}

static void find_pinned(struct ranking *r) {
    const uint32_t *rank = r->out->of;

    for (uint32_t i = r->out->n; i-- > 0;) {
        uint32_t v = r->topo[i];

        r->is_pinned[v] = !is_item(r, v) || rank[v] == r->last_item;
        for (uint32_t k = r->down_first[v]; k < r->down_first[v + 1]; k++) {
            if (r->is_pinned[head_of(r, k)] && rank[head_of(r, k)] == rank[v] + 1) {
                r->is_pinned[v] = true;
            }
        }
    }
}

static bool try_group(struct ranking *r, uint32_t seed, uint32_t stamp, bool is_eager) {
    struct change c;

    if (!close_group(r, seed, stamp, is_eager)) {
        return false;
    }
    c = weigh(r, stamp);
    if (c.gain <= 0 || c.room == 0) {
        return false;
    }
    move_group(r, c.room);
    return true;
}

static bool improve(struct ranking *r, uint32_t *stamp) {
    bool moved = false;

    find_pinned(r);
    for (uint32_t i = r->out->n; i-- > 0;) {
        uint32_t seed = r->topo[i];

        if (r->is_pinned[seed] || r->work < 0) {
            continue;
        }
        if (try_group(r, seed, ++*stamp, true) || try_group(r, seed, ++*stamp, false)) {
            moved = true;
        }
    }
    return moved;
}

static void shorten(struct ranking *r) {
    uint32_t stamp = 0;

    r->work = ((int64_t)r->out->n + r->local->n_arcs) * GROUP_WORK;
    find_all_far(r);
    for (uint32_t i = 0; i < ROUNDS && improve(r, &stamp); i++) {
    }
}

// ---- dense ranks, and rows

static void close_gaps(struct ranking *r) {
    uint32_t *used = r->stamp, n = 0;

    memset(used, 0, r->out->n * sizeof(*used));
    // There are never more ranks than vertices.
    for (uint32_t v = 0; v < r->out->n; v++) {
        used[r->out->of[v]] = 1;
    }
    for (uint32_t i = 0; i < r->out->n_ranks; i++) {
        uint32_t is_used = used[i];

        used[i] = n;
        n += is_used;
    }
    for (uint32_t v = 0; v < r->out->n; v++) {
        r->out->of[v] = used[r->out->of[v]];
    }
    r->out->n_ranks = n;
}

// Which vertices of a rank are only read, or only read from: they may stand in rows.
enum row_kind { ROW_NONE, ROW_SOURCE, ROW_SINK };

static enum row_kind row_kind(const struct ranking *r, uint32_t v) {
    bool has_tails = r->up_first[v + 1] > r->up_first[v];
    bool has_heads = r->down_first[v + 1] > r->down_first[v];

    if (!is_item(r, v) || (has_tails && has_heads)) {
        return ROW_NONE;
    }
    return has_tails ? ROW_SINK : ROW_SOURCE;
}

static uint32_t rows_of(uint32_t n) {
    uint32_t rows = n ? (n + LAYOUT_ROW - 1) / LAYOUT_ROW : 1;

    return rows < ROWS_MAX ? rows : ROWS_MAX;
}

// Rows before and after a rank, and how many of each kind it has had so far.
struct rows {
    uint32_t n_sources, n_sinks;
    uint32_t at;  // the rank itself, rows before it counted
    uint32_t done_sources, done_sinks;
};

static void number_rows(const struct ranking *r, struct rows *rows) {
    uint32_t shift = 0;

    for (uint32_t i = 0; i < r->out->n_ranks; i++) {
        shift += rows_of(rows[i].n_sources) - 1;
        rows[i].at = i + shift;
        shift += rows_of(rows[i].n_sinks) - 1;
    }
    r->out->n_ranks += shift;
}

static uint32_t nth_row(uint32_t i, uint32_t n_rows, uint32_t n) {
    return (uint32_t)((uint64_t)i * n_rows / n);
}

// A row is as long as the others of its kind, and the last one is the rank itself.
static uint32_t row_in(struct rows *rows, enum row_kind kind) {
    uint32_t n;

    if (kind == ROW_SOURCE && rows->n_sources) {
        n = rows_of(rows->n_sources);
        return rows->at + nth_row(rows->done_sources++, n, rows->n_sources) - (n - 1);
    }
    if (kind == ROW_SINK && rows->n_sinks) {
        n = rows_of(rows->n_sinks);
        return rows->at + nth_row(rows->done_sinks++, n, rows->n_sinks);
    }
    return rows->at;
}

static bool wrap(struct ranking *r, struct arena *arena) {
    uint32_t *rank = r->out->of;
    struct rows *rows = arena_array(arena, r->out->n_ranks, sizeof(*rows));

    if (!rows) {
        return false;
    }
    for (uint32_t v = 0; v < r->out->n; v++) {
        rows[rank[v]].n_sources += row_kind(r, v) == ROW_SOURCE;
        rows[rank[v]].n_sinks += row_kind(r, v) == ROW_SINK;
    }
    number_rows(r, rows);
    for (uint32_t v = 0; v < r->out->n; v++) {
        uint32_t plain = rows[rank[v]].at;

        rank[v] = row_in(&rows[rank[v]], row_kind(r, v));
        r->out->wrapped += rank[v] != plain;
    }
    return true;
}

bool graph_layout_rank(struct layout_ranks *out, const struct layout_local *local,
                       struct arena *arena) {
    struct ranking r = {.local = local, .out = out};

    *out = (struct layout_ranks){.n = local->n_items + local->n_in + local->n_out};
    if (!out->n) {
        return true;
    }
    r.first_item = r.last_item = local->n_in > 0;
    if (!allocate(&r, arena)) {
        return false;
    }
    index_arcs(&r);
    sort_vertices(&r);
    push_down(&r);
    place_out_ports(&r);
    measure_paths(&r);
    shorten(&r);
    close_gaps(&r);
    return wrap(&r, arena);
}
