#include "graph/layout_space.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

#define CELL_MIN 40.0
#define CELLS_MAX 250000.0
#define ENTRIES_MAX ((size_t)8 << 20)
#define BOX_WEIGHT 8u
#define NONE UINT32_MAX

struct layout_space_entry {
    struct graph_point a, b;  // of a line its ends, of a box its corners
    uint32_t next;
    bool is_box;
};

bool graph_layout_space_init(struct layout_space *s, double w, double h, struct arena *arena) {
    size_t cells;

    *s = (struct layout_space){.arena = arena};
    s->cell = fmax(CELL_MIN, sqrt(w * h / CELLS_MAX));
    s->columns = (uint32_t)(w / s->cell) + 1;
    s->rows = (uint32_t)(h / s->cell) + 1;
    cells = (size_t)s->columns * s->rows;
    s->first = arena_array(arena, cells, sizeof(*s->first));
    for (size_t i = 0; s->first && i < cells; i++) {
        s->first[i] = NONE;
    }
    return s->first != NULL;
}

void graph_layout_space_release(struct layout_space *s) {
    free(s->entries);
    *s = (struct layout_space){0};
}

// Cells that a box touches, those of the picture only.
struct cells {
    uint32_t left, right, top, bottom;
};

static uint32_t clamp(double v, uint32_t n) {
    if (v < 0) {
        return 0;
    }
    return v >= n ? n - 1 : (uint32_t)v;
}

static struct cells cells_of(const struct layout_space *s, struct graph_point a,
                             struct graph_point b) {
    return (struct cells){clamp(fmin(a.x, b.x) / s->cell, s->columns),
                          clamp(fmax(a.x, b.x) / s->cell, s->columns),
                          clamp(fmin(a.y, b.y) / s->cell, s->rows),
                          clamp(fmax(a.y, b.y) / s->cell, s->rows)};
}

static void add_to(struct layout_space *s, size_t cell, struct layout_space_entry entry) {
    if (array_grow(&s->entries, &s->cap_entries, s->n_entries + 1, sizeof(*s->entries), ENTRIES_MAX,
                   "lines of a picture", NULL) < 0) {
        s->failed = true;
        return;
    }
    entry.next = s->first[cell];
    s->entries[s->n_entries] = entry;
    s->first[cell] = (uint32_t)s->n_entries++;
}

void graph_layout_space_add_box(struct layout_space *s, struct graph_box box) {
    struct layout_space_entry e = {{box.x, box.y}, {box.x + box.w, box.y + box.h}, NONE, true};
    struct cells c = cells_of(s, e.a, e.b);

    for (uint32_t y = c.top; y <= c.bottom; y++) {
        for (uint32_t x = c.left; x <= c.right; x++) {
            add_to(s, (size_t)y * s->columns + x, e);
        }
    }
}

// Whether a line has a point inside of a box: its part within the box, by one axis after the other.
static bool meets(struct graph_point a, struct graph_point b, struct graph_box box) {
    double from[2] = {a.x, a.y}, way[2] = {b.x - a.x, b.y - a.y};
    double low[2] = {box.x, box.y}, high[2] = {box.x + box.w, box.y + box.h};
    double first = 0, last = 1;

    for (int i = 0; i < 2; i++) {
        double s, t;

        if (way[i] == 0) {
            if (from[i] <= low[i] || from[i] >= high[i]) {
                return false;
            }
            continue;
        }
        s = (low[i] - from[i]) / way[i];
        t = (high[i] - from[i]) / way[i];
        first = fmax(first, fmin(s, t));
        last = fmin(last, fmax(s, t));
    }
    return first < last;
}

void graph_layout_space_add_line(struct layout_space *s, struct graph_point a,
                                 struct graph_point b) {
    struct layout_space_entry e = {a, b, NONE, false};
    struct cells c = cells_of(s, a, b);

    for (uint32_t y = c.top; y <= c.bottom; y++) {
        for (uint32_t x = c.left; x <= c.right; x++) {
            struct graph_box cell = {x * s->cell - 1, y * s->cell - 1, s->cell + 2, s->cell + 2};

            if (meets(a, b, cell)) {
                add_to(s, (size_t)y * s->columns + x, e);
            }
        }
    }
}

static bool overlaps(const struct layout_space_entry *e, struct graph_box box) {
    return e->a.x < box.x + box.w && e->b.x > box.x && e->a.y < box.y + box.h && e->b.y > box.y;
}

// What lies in several cells is counted in each of them: more is only more of the same.
uint32_t graph_layout_space_count(struct layout_space *s, struct graph_box box, uint32_t limit) {
    struct cells c = cells_of(s, (struct graph_point){box.x, box.y},
                              (struct graph_point){box.x + box.w, box.y + box.h});
    uint32_t n = 0;

    for (uint32_t y = c.top; y <= c.bottom; y++) {
        for (uint32_t x = c.left; x <= c.right; x++) {
            for (uint32_t i = s->first[(size_t)y * s->columns + x]; i != NONE && n < limit;
                 i = s->entries[i].next) {
                const struct layout_space_entry *e = &s->entries[i];

                s->work++;

                if (e->is_box) {
                    n += overlaps(e, box) ? BOX_WEIGHT : 0;
                } else {
                    n += meets(e->a, e->b, box);
                }
            }
        }
    }
    return n;
}
