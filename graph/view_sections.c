#include <stdlib.h>

#include "base/buf.h"
#include "graph/view_fold_internal.h"

#define LEAST_SECTIONS 2u
#define LEAST_CUT 4u      // units: fewer are no section too large
#define OUTSIDE_SHARE 8u  // of the nodes cut: a run that is as much of them lies in no section
#define LEAST_NAMED 3u    // modules between which the rest is a section
#define CUT_SHARE 4u      // of a section's size: how far a cut may move to where fewer values cross

struct part {
    uint32_t first, n;  // units
    uint32_t around;    // region
};

// What a section is cut from: the siblings of one region, runs as a whole.
struct cutting {
    struct view_build *b;
    struct view_fold *f;
    uint32_t region;
    uint32_t budget;  // units that may be shown at once
    uint32_t *first;  // per unit, and one more: its first sibling, an item
    uint32_t n_units;
    uint32_t *crossed;  // per unit: values that go from the ones before to it or beyond
    struct part *todo;  // stack: what may still be too much
    uint32_t n_todo;
    bool keep_named;  // modules lie in no section
};

static uint32_t n_net_nodes(const struct view_build *b) {
    return (uint32_t)b->model->net.n_nodes;
}

// ---- the region that is more than one box

// A module that holds nothing but one thing says less than that thing.
static uint32_t main_region(const struct view_build *b) {
    const struct view_fold *f = b->fold;
    uint32_t region = 0, item;

    while ((item = view_only_item(f, region)) != ONNX_NONE) {
        uint32_t id = f->line.items[item].id, inner;

        if (id < n_net_nodes(b)) {
            break;
        }
        inner = id - n_net_nodes(b);
        if (view_is_closed_leaf(b, &b->regions[inner]) && !b->regions[inner].leaf) {
            break;
        }
        if (f->line.first_item[inner] == f->line.first_item[inner + 1] ||
            (b->regions[inner].leaf && view_only_item(f, inner) != ONNX_NONE &&
             f->line.items[view_only_item(f, inner)].n < 2 &&
             f->line.first_item[inner] + 1 == f->line.first_item[inner + 1])) {
            break;
        }
        region = inner;
    }
    return region;
}

uint32_t view_depth_least(struct view_build *b) {
    uint32_t region = main_region(b);

    b->open_leaf = b->regions[region].leaf ? region : ONNX_NONE;
    return b->regions[region].depth + 1;
}

// ---- runs of several siblings, closed

struct open_run {
    uint32_t box, shown;
};

static int by_shown(const void *a, const void *b) {
    const struct open_run *x = a, *y = b;

    if (x->shown != y->shown) {
        return x->shown > y->shown ? -1 : 1;
    }
    return x->box < y->box ? -1 : x->box > y->box;
}

static uint32_t find_open_runs(struct view_build *b, uint32_t region, struct open_run *out) {
    const struct view_fold *f = b->fold;
    uint32_t n = 0;

    for (uint32_t r = 0; r < f->n_runs; r++) {
        const struct view_run *run = &f->runs[r];
        uint32_t shown = 0;

        if (run->box == ONNX_NONE || b->regions[run->box].parent != region) {
            continue;
        }
        for (uint32_t i = 0; i < run->period; i++) {
            shown += f->owner[run->first + i] != VIEW_DROPPED;
        }
        out[n++] = (struct open_run){run->box, shown};
    }
    if (n) {
        qsort(out, n, sizeof(*out), by_shown);
    }
    return n;
}

// The largest first, until the rest fits.
static int close_runs(struct view_build *b, uint32_t region, uint64_t too_many, struct error *err) {
    struct open_run *runs = arena_array(&b->work, b->fold->n_runs, sizeof(*runs));
    uint64_t gained = 0;
    uint32_t n;

    if (!runs) {
        return arena_error(&b->work, "the runs of a view", err);
    }
    n = find_open_runs(b, region, runs);
    for (uint32_t i = 0; i < n && gained < too_many; i++) {
        b->regions[runs[i].box].shut = true;
        gained += runs[i].shown - 1;
    }
    return 0;
}

// ---- units

static uint32_t box_in(const struct cutting *c, uint32_t item) {
    uint32_t box = c->f->item_box[item];

    while (box != ONNX_NONE && c->b->regions[box].parent != c->region) {
        box = c->b->regions[box].parent;
    }
    return box;
}

static void find_units(struct cutting *c) {
    const struct view_line *line = &c->f->line;
    uint32_t before = ONNX_NONE, end = line->first_item[c->region + 1];

    for (uint32_t i = line->first_item[c->region]; i < end; i++) {
        uint32_t box;

        if (c->f->owner[i] == VIEW_DROPPED) {
            continue;
        }
        box = box_in(c, i);
        if (box == ONNX_NONE || box != before) {
            c->first[c->n_units++] = i;
        }
        before = box;
    }
    c->first[c->n_units] = end;
}

static void note_units(struct cutting *c) {
    const struct view_line *line = &c->f->line;

    for (uint32_t u = 0; u < c->n_units; u++) {
        for (uint32_t i = c->first[u]; i < c->first[u + 1]; i++) {
            for (uint32_t p = 0; p < line->items[i].n; p++) {
                c->f->item_at[line->items[i].lo + p] = u;
            }
        }
    }
}

static uint32_t last_unit(const struct cutting *c, uint32_t value) {
    const struct graph_net *net = &c->b->model->net;
    const struct view_line *line = &c->f->line;
    uint32_t lo = line->lo[c->region], n = line->hi[c->region] - lo, last = 0;

    for (uint32_t u = net->first_use[value]; u < net->first_use[value + 1]; u++) {
        uint32_t place = line->place[net->uses[u].node];

        if (!c->b->hidden[net->uses[u].node] && place - lo < n && c->f->item_at[place] > last) {
            last = c->f->item_at[place];
        }
    }
    return last;
}

static void count_crossings(struct cutting *c) {
    const struct graph_net *net = &c->b->model->net;
    const struct view_line *line = &c->f->line;

    for (uint32_t u = 0; u < c->n_units; u++) {
        const struct view_item *from = &line->items[c->first[u]];
        const struct view_item *to = &line->items[c->first[u + 1] - 1];

        for (uint32_t p = from->lo; p < to->lo + to->n; p++) {
            const struct graph_net_node *node = &net->nodes[line->nodes[p]];

            for (uint32_t k = 0; k < node->n_outputs; k++) {
                uint32_t v = node->outputs[k], last;

                last = v != ONNX_NONE && view_carries(c->b, v) ? last_unit(c, v) : 0;
                if (last <= u) {
                    continue;
                }
                c->crossed[u + 1]++;
                c->crossed[last + 1]--;
            }
        }
    }
    for (uint32_t u = 0; u < c->n_units; u++) {
        c->crossed[u + 1] += c->crossed[u];
    }
}

// ---- cutting

static uint32_t root_of(uint32_t n) {
    uint32_t root = 1;

    while ((uint64_t)root * root < n) {
        root++;
    }
    return root;
}

// About as many sections as units in each, within the budget.
static uint32_t section_size(uint32_t n, uint32_t budget) {
    uint32_t size = root_of(n), least;

    budget = budget < LEAST_SECTIONS ? LEAST_SECTIONS : budget;
    least = (n + budget - 1) / budget;
    size = size < least ? least : size;
    return 2 * size > n ? (n + 1) / 2 : size;
}

// Near the place for equal sections, where the fewest values cross.
static uint32_t cut_near(const struct cutting *c, uint32_t at, uint32_t by, uint32_t after,
                         uint32_t before) {
    uint32_t best = at;

    for (uint32_t d = 1; d <= by; d++) {
        if (at >= after + d && c->crossed[at - d] < c->crossed[best]) {
            best = at - d;
        }
        if (at + d <= before && c->crossed[at + d] < c->crossed[best]) {
            best = at + d;
        }
    }
    return best;
}

static struct str section_path(struct view_build *b, uint32_t around, uint32_t part) {
    const struct graph_hierarchy *h = &b->model->hierarchy;
    const struct view_region *outer = &b->regions[around];
    struct str path =
        outer->group ? outer->group->path : h->modules[h->calls[outer->call].module].path;
    struct buf text;

    buf_init(&text, VIEW_PATH_BYTES);
    buf_add_str(&text, path);
    buf_add_z(&text, path.n ? ".~" : "~");
    buf_add_u64(&text, part);
    path = arena_str(&b->view->arena, buf_str(&text));
    buf_release(&text);
    return path;
}

static bool is_named(const struct cutting *c, uint32_t unit) {
    return c->f->line.items[c->first[unit]].id >= n_net_nodes(c->b);
}

// Plumbing that is not drawn is a sibling, too.
static bool is_shown(const struct cutting *c, uint32_t unit) {
    return is_named(c, unit) || !c->b->hidden[c->f->line.items[c->first[unit]].id];
}

static struct graph_view_group *make_group(struct cutting *c, const struct part *part,
                                           uint32_t number, uint32_t of) {
    struct view_build *b = c->b;
    struct graph_view_group *group = arena_alloc(&b->view->arena, sizeof(*group));
    struct graph_view_member *members =
        arena_array(&b->view->arena, c->first[part->first + part->n] - c->first[part->first],
                    sizeof(*members));

    if (!group || !members) {
        return NULL;
    }
    *group = (struct graph_view_group){.kind = GRAPH_CLUSTER_SECTION,
                                       .call = b->regions[c->region].call,
                                       .path = section_path(b, part->around, number),
                                       .count = of,
                                       .part = number,
                                       .members = members};
    for (uint32_t u = part->first; u < part->first + part->n; u++) {
        group->n_shown += is_shown(c, u);
    }
    for (uint32_t i = c->first[part->first]; i < c->first[part->first + part->n]; i++) {
        members[group->n_members++] = view_member(c->f, i);
    }
    return group;
}

static void enter_units(struct cutting *c, const struct part *part, uint32_t section) {
    for (uint32_t i = c->first[part->first]; i < c->first[part->first + part->n]; i++) {
        uint32_t box = c->f->item_box[i];

        if (c->f->owner[i] == VIEW_DROPPED) {
            continue;
        }
        while (box != ONNX_NONE && c->b->regions[box].parent != part->around) {
            box = c->b->regions[box].parent;
        }
        if (box == ONNX_NONE && c->f->item_box[i] == ONNX_NONE) {
            view_enter_box(c->f, i, section);
        } else if (box != ONNX_NONE && box != section) {
            c->b->regions[box].parent = section;
        }
    }
}

static int add_section(struct cutting *c, struct part part, uint32_t number, uint32_t of,
                       struct error *err) {
    struct view_build *b = c->b;
    const struct graph_view_group *group = make_group(c, &part, number, of);
    uint32_t section = b->n_regions;
    const struct view_region *outer = &b->regions[part.around];

    if (!group) {
        return arena_error(&b->view->arena, "the sections of a view", err);
    }
    b->regions[section] = (struct view_region){.parent = part.around,
                                               .call = outer->call,
                                               .graph = outer->graph,
                                               .depth = outer->depth,
                                               .is_group = true,
                                               .shut = true,
                                               .owns = true,
                                               .stand_in = section,
                                               .group = group};
    b->n_regions++;
    enter_units(c, &part, section);
    part.around = section;
    if (part.n > c->budget && part.n > LEAST_CUT) {
        c->todo[c->n_todo++] = part;
    }
    return 0;
}

// A run that is much of the model is seen whatever is cut around it.
static bool stays_out(const struct cutting *c, uint32_t unit) {
    if (c->keep_named) {
        return is_named(c, unit);
    }
    const struct view_line *line = &c->f->line;
    const struct view_item *from = &line->items[c->first[unit]];
    const struct view_item *to = &line->items[c->first[unit + 1] - 1];
    uint64_t n = to->lo + to->n - from->lo, all = line->hi[c->region] - line->lo[c->region];

    return c->f->owner[c->first[unit]] != VIEW_FREE && n * OUTSIDE_SHARE >= all;
}

static uint32_t end_of_stretch(const struct cutting *c, uint32_t from, uint32_t end) {
    while (from < end && !stays_out(c, from)) {
        from++;
    }
    return from;
}

// Sections of one stretch, numbered on from *number.
static int cut_stretch(struct cutting *c, struct part part, uint32_t n, uint32_t *number,
                       uint32_t of, struct error *err) {
    uint32_t end = part.first + part.n, from = part.first, size = part.n / n;
    int rc = 0;

    for (uint32_t k = 1; k <= n && rc == 0; k++) {
        uint32_t left = n - k;
        uint32_t at = part.first + (uint32_t)((uint64_t)part.n * k / n);

        at = left ? cut_near(c, at, size / CUT_SHARE, from + 1, end - left) : end;
        rc = add_section(c, (struct part){from, at - from, part.around}, ++*number, of, err);
        from = at;
    }
    return rc;
}

// Of a stretch; a single unit needs no section around it.
static uint32_t count_sections(uint32_t n, uint32_t size) {
    return n < 2 ? 0 : (n + size - 1) / size;
}

// ---- operators between modules

static uint32_t count_shown(const struct cutting *c, uint32_t from, uint32_t to) {
    uint32_t n = 0;

    for (uint32_t u = from; u < to; u++) {
        n += is_shown(c, u);
    }
    return n;
}

// What is seen when every stretch of more than `most` operators is one section, and how many these
// are.
static uint32_t count_seen(const struct cutting *c, const struct part *part, uint32_t most,
                           uint32_t *sections) {
    uint32_t end = part->first + part->n, seen = 0;

    *sections = 0;
    for (uint32_t u = part->first, to; u < end; u = to + 1) {
        uint32_t shown;

        to = end_of_stretch(c, u, end);
        shown = count_shown(c, u, to);
        *sections += shown > most;
        seen += (to < end) + (shown > most ? 1 : shown);
    }
    return seen;
}

static uint32_t count_named(const struct cutting *c, const struct part *part) {
    uint32_t n = 0;

    for (uint32_t u = part->first; u < part->first + part->n; u++) {
        n += is_named(c, u);
    }
    return n;
}

// Modules, unless they are few, say what a model is: they stay in sight when they leave room for
// what is between them.
// *most is how many operators in a row do, too.
static bool fits_around_named(struct cutting *c, const struct part *part, uint32_t budget,
                              uint32_t *most, uint32_t *sections) {
    if (count_named(c, part) < LEAST_NAMED) {
        return false;
    }
    c->keep_named = true;
    for (*most = budget; *most > 0; *most /= 2) {
        if (count_seen(c, part, *most, sections) <= budget) {
            return true;
        }
    }
    c->keep_named = false;
    return false;
}

static int cut_around_named(struct cutting *c, struct part part, uint32_t most, uint32_t of,
                            struct error *err) {
    uint32_t end = part.first + part.n, number = 0;
    int rc = view_room_for_regions(c->b, of, err);

    for (uint32_t u = part.first, to; u < end && rc == 0; u = to + 1) {
        to = end_of_stretch(c, u, end);
        if (count_shown(c, u, to) > most) {
            rc = add_section(c, (struct part){u, to - u, part.around}, ++number, of, err);
        }
    }
    c->keep_named = false;
    return rc;
}

static int cut_evenly(struct cutting *c, struct part part, uint32_t budget, struct error *err) {
    uint32_t end = part.first + part.n, n_out = 0, of = 0, number = 0, size;
    int rc;

    for (uint32_t u = part.first; u < end; u++) {
        n_out += stays_out(c, u);
    }
    size = section_size(part.n, budget > 2 * n_out ? budget - 2 * n_out : 0);
    for (uint32_t u = part.first, to; u < end; u = to + 1) {
        to = end_of_stretch(c, u, end);
        of += count_sections(to - u, size);
    }
    rc = view_room_for_regions(c->b, of, err);
    for (uint32_t u = part.first, to; u < end && rc == 0; u = to + 1) {
        to = end_of_stretch(c, u, end);
        if (to > u + 1) {
            rc = cut_stretch(c, (struct part){u, to - u, part.around}, count_sections(to - u, size),
                             &number, of, err);
        }
    }
    return rc;
}

static int cut(struct cutting *c, struct part part, uint32_t budget, struct error *err) {
    uint32_t most, sections;

    if (fits_around_named(c, &part, budget, &most, &sections)) {
        return cut_around_named(c, part, most, sections, err);
    }
    return cut_evenly(c, part, budget, err);
}

static int cut_region(struct view_build *b, uint32_t region, uint32_t budget, uint32_t ends,
                      struct error *err) {
    struct cutting c = {.b = b, .f = b->fold, .region = region, .budget = budget};
    const uint32_t *first = &b->fold->line.first_item[region];
    size_t n = first[1] - first[0];
    int rc;

    c.first = arena_array(&b->work, n + 1, sizeof(*c.first));
    c.crossed = arena_array(&b->work, n + 2, sizeof(*c.crossed));
    c.todo = arena_array(&b->work, n + 1, sizeof(*c.todo));
    if (!c.first || !c.crossed || !c.todo) {
        return arena_error(&b->work, "the sections of a view", err);
    }
    find_units(&c);
    note_units(&c);
    count_crossings(&c);
    rc = cut(&c, (struct part){0, c.n_units, region}, budget > ends ? budget - ends : 0, err);
    while (rc == 0 && c.n_todo > 0) {
        rc = cut(&c, c.todo[--c.n_todo], budget, err);
    }
    return rc == 0 ? view_order_regions(b, err) : rc;
}

// ---- the steps

static int nodes_at(struct view_build *b, uint32_t depth, uint64_t *nodes, uint32_t *ends,
                    struct error *err) {
    int rc;

    b->counts = NULL;
    rc = view_count_depths(b, err);
    if (rc == 0) {
        *nodes = b->counts[depth < b->n_counts ? depth : b->n_counts - 1].nodes;
        *ends = (uint32_t)b->counts[0].nodes - 1;
    }
    return rc;
}

int view_squeeze(struct view_build *b, uint32_t budget, struct error *err) {
    uint32_t region = main_region(b), depth = b->regions[region].depth + 1, ends;
    uint64_t nodes;
    int rc = nodes_at(b, depth, &nodes, &ends, err);

    if (rc == 0 && nodes > budget && ends > budget / 2) {
        b->end_budget = budget;
        rc = nodes_at(b, depth, &nodes, &ends, err);
    }
    if (rc == 0 && nodes > budget) {
        rc = close_runs(b, region, nodes - budget, err);
        if (rc == 0) {
            rc = nodes_at(b, depth, &nodes, &ends, err);
        }
    }
    if (rc == 0 && nodes > budget) {
        rc = cut_region(b, region, budget, ends, err);
        if (rc == 0) {
            rc = nodes_at(b, depth, &nodes, &ends, err);
        }
    }
    return rc;
}
