#include <math.h>
#include <stdlib.h>

#include "graph/layout_pull.h"

#define FAR 1e9         // beyond any picture
#define SIGHT 64u       // neighbours that make room for a column; those beyond stay
#define BEND_MAX 160.0  // points between the vertices of a column that one line may replace
#define DRIFT_MAX 48.0  // points that a column leaves its place to join a cluster's port straight

// ---- columns

// A straight link leads on through a vertex where it is entered and left at one x: always through
// nodes, through clusters only when their own trunk is straight. Otherwise a pile of clusters would
// drift sideways.
static void follow(struct layout_pull *p, uint32_t first) {
    uint32_t v = first, link = p->columns->down[v];

    p->column[v] = first;
    p->shift[v] = link == LAYOUT_NONE ? 0 : -p->attach->upper[link];
    while (link != LAYOUT_NONE && p->columns->is_straight[link] &&
           p->shift[v] == -p->attach->upper[link]) {
        p->next[v] = p->layers->links[link].v;
        v = p->next[v];
        p->column[v] = first;
        p->shift[v] = -p->attach->lower[link];
        link = p->columns->down[v];
    }
}

void graph_layout_find_columns(struct layout_pull *p) {
    const struct layout_layers *l = p->layers;

    for (uint32_t v = 0; v < l->n; v++) {
        p->column[v] = p->next[v] = LAYOUT_NONE;
    }
    // From top to bottom, so that a column is met at its first vertex. Below a cluster that breaks
    // one another begins.
    for (uint32_t i = 0; i < l->n; i++) {
        if (p->column[p->order->vertices[i]] == LAYOUT_NONE) {
            follow(p, p->order->vertices[i]);
        }
    }
}

static double mean_line(const struct layout_pull *p, uint32_t first) {
    double sum = 0;
    uint32_t n = 0;

    for (uint32_t v = first; v != LAYOUT_NONE; v = p->next[v]) {
        sum += p->x[v] - p->shift[v];
        n++;
    }
    return sum / n;
}

void graph_layout_aim(struct layout_pull *p) {
    for (uint32_t v = 0; v < p->layers->n; v++) {
        if (p->column[v] == v) {
            p->line[v] = mean_line(p, v);
        }
    }
}

// ---- which column goes first

struct column {
    uint32_t first;
    uint32_t real, length;  // vertices
};

// Trunks before rails, long ones before short ones.
static int compare_columns(const void *a, const void *b) {
    const struct column *x = a, *y = b;

    if (x->real != y->real) {
        return x->real > y->real ? -1 : 1;
    }
    if (x->length != y->length) {
        return x->length > y->length ? -1 : 1;
    }
    return x->first < y->first ? -1 : x->first > y->first;
}

static uint32_t list_columns(const struct layout_pull *p, struct column *columns) {
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->layers->n; i++) {
        uint32_t first = p->order->vertices[i];
        struct column c = {.first = first};

        if (p->column[first] != first || p->next[first] == LAYOUT_NONE) {
            continue;
        }
        for (uint32_t v = first; v != LAYOUT_NONE; v = p->next[v]) {
            c.length++;
            c.real += v < layout_n_real(p->layers);
        }
        columns[n++] = c;
    }
    return n;
}

// ---- making room

struct range {
    double low, high;
};

static uint32_t neighbour(const struct layout_pull *p, uint32_t v, int step) {
    const struct layout_layers *l = p->layers;
    uint32_t first = l->rank_first[l->rank[v]], at = first + p->order->pos[v];

    if (step < 0) {
        return at == first ? LAYOUT_NONE : p->order->vertices[at - 1];
    }
    return at + 1 == l->rank_first[l->rank[v] + 1] ? LAYOUT_NONE : p->order->vertices[at + 1];
}

// How far v may go to one side until those that stay there are in the way.
static double reach(const struct layout_pull *p, uint32_t v, int step) {
    double distance = 0;

    for (uint32_t i = 0; i < SIGHT; i++) {
        uint32_t next = neighbour(p, v, step);

        if (next == LAYOUT_NONE) {
            return step * FAR;
        }
        distance +=
            step < 0 ? graph_layout_distance(p, next, v) : graph_layout_distance(p, v, next);
        if (p->is_fixed[next]) {
            return p->x[next] - step * distance;
        }
        v = next;
    }
    return p->x[v] - step * distance;
}

static void push(struct layout_pull *p, uint32_t v, int step) {
    for (;;) {
        uint32_t next = neighbour(p, v, step);
        double at;

        if (next == LAYOUT_NONE) {
            return;
        }
        at = step < 0 ? p->x[v] - graph_layout_distance(p, next, v)
                      : p->x[v] + graph_layout_distance(p, v, next);
        if (step < 0 ? p->x[next] <= at : p->x[next] >= at) {
            return;
        }
        p->x[next] = at;
        v = next;
    }
}

static void fix(struct layout_pull *p, uint32_t v, double line) {
    p->x[v] = line + p->shift[v];
    p->line[v] = line;
    p->is_fixed[v] = true;
    push(p, v, -1);
    push(p, v, 1);
}

// ---- straightening

// The line of what a column would join, were it not for a cluster between them.
static bool joins(const struct layout_pull *p, uint32_t v, bool is_above, double *line) {
    uint32_t link = is_above ? p->columns->up[v] : p->columns->down[v];
    uint32_t other;

    if (link == LAYOUT_NONE || !p->columns->is_straight[link]) {
        return false;
    }
    other = is_above ? p->layers->links[link].u : p->layers->links[link].v;
    *line = p->x[other] + (is_above ? p->attach->upper[link] : p->attach->lower[link]);
    return p->is_fixed[other];
}

static double aim_of(const struct layout_pull *p, uint32_t first, uint32_t last, double mean) {
    double line;

    if (joins(p, first, true, &line) && fabs(line - mean) < DRIFT_MAX) {
        return line;
    }
    if (joins(p, last, false, &line) && fabs(line - mean) < DRIFT_MAX) {
        return line;
    }
    return mean;
}

// Vertices from `first` on as long as one line fits them all; returns the one after them.
static uint32_t straighten_part(struct layout_pull *p, uint32_t first) {
    struct range room = {-FAR, FAR}, bend = {FAR, -FAR};
    uint32_t n = 0, end, last = first;
    double sum = 0, line;

    for (end = first; end != LAYOUT_NONE; end = p->next[end]) {
        double low = fmax(room.low, reach(p, end, -1) - p->shift[end]);
        double high = fmin(room.high, reach(p, end, 1) - p->shift[end]);
        double at = p->x[end] - p->shift[end];

        bend = (struct range){fmin(bend.low, at), fmax(bend.high, at)};
        if (n && (low > high || bend.high - bend.low > BEND_MAX)) {
            break;
        }
        room = (struct range){low, high};
        sum += at;
        last = end;
        n++;
    }
    line = aim_of(p, first, last, sum / n);
    line = fmin(fmax(line, room.low), fmax(room.low, room.high));
    for (uint32_t v = first; v != end; v = p->next[v]) {
        fix(p, v, line);
    }
    return end;
}

bool graph_layout_straighten(struct layout_pull *p, struct arena *arena) {
    struct column *columns = arena_array(arena, p->layers->n, sizeof(*columns));
    uint32_t n;

    if (!columns) {
        return false;
    }
    n = list_columns(p, columns);
    qsort(columns, n, sizeof(*columns), compare_columns);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t at = columns[i].first; at != LAYOUT_NONE;) {
            at = straighten_part(p, at);
        }
    }
    return true;
}
