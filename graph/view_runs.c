#include <stdlib.h>

#include "graph/view_fold_internal.h"

// Siblings are compared as words; a period shows as a context of some words that comes again.
#define CONTEXT_MAX 256u
#define WORK_PER_ITEM 64u  // comparisons that a region's search may make for each of its siblings
#define WORK_LEAST 4096u
#define FOLD_LEAST 2u
#define PLACE_FACTOR 0xD6E8FEB86659FD93u

struct slot {
    uint64_t context;
    uint32_t last;  // where it was met last, plus 1; 0 = free
};

// A stretch of siblings that look periodic, or instances that are proven to follow each other.
struct stretch {
    uint32_t first, period, count;
    uint32_t n;  // places on the line
};

struct search {
    struct view_fold *f;
    uint32_t region, first, n;  // its siblings: items[first] on
    uint32_t least;             // instances
    uint64_t *words;            // per sibling
    uint64_t *sums;             // over words, n + 1
    struct slot *slots;
    size_t n_slots;          // a power of two
    uint32_t *covered;       // per period: siblings before this are done
    struct stretch *proven;  // at most one per sibling
    uint32_t n_proven;
    uint32_t *open;  // per boundary: values that cross it, as differences
    uint64_t work;
};

static const struct view_item *item(const struct search *s, uint32_t i) {
    return &s->f->line.items[s->first + i];
}

// ---- proving

static struct view_run run_at(const struct search *s, uint32_t first, uint32_t period) {
    struct view_run run = {.region = s->region,
                           .first = s->first + first,
                           .period = period,
                           .lo = item(s, first)->lo,
                           .rank = ONNX_NONE,
                           .box = ONNX_NONE};

    for (uint32_t i = 0; i < period; i++) {
        const struct view_item *part = item(s, first + i);

        run.n += part->n;
        run.n_regions += part->n_regions;
        if (run.rank == ONNX_NONE && part->n_regions) {
            run.rank = part->rank;
        }
    }
    return run;
}

static void add_proven(struct search *s, uint32_t first, uint32_t period, uint32_t count,
                       uint32_t n) {
    if (count >= s->least && s->n_proven < s->n) {
        s->proven[s->n_proven++] = (struct stretch){first, period, count, n};
    }
}

// Where an instance does not continue the one before, another run may begin with it.
static void prove(struct search *s, uint32_t first, uint32_t period, uint32_t count) {
    while (count >= 2) {
        struct view_run run = run_at(s, first, period);
        uint32_t k = 1;

        while (k < count && view_continues(s->f, &run, k)) {
            k++;
        }
        add_proven(s, first, period, k, run.n);
        first += k * period;
        count -= k;
    }
}

// ---- where instances begin

// The last sibling of first .. end that reads the value; who reads it elsewhere counts as the end.
static uint32_t last_reader(const struct search *s, uint32_t value, uint32_t first, uint32_t end) {
    const struct view_fold *f = s->f;
    const struct graph_net *net = &f->b->model->net;
    uint32_t lo = item(s, first)->lo, last = 0;

    for (uint32_t u = net->first_use[value]; u < net->first_use[value + 1]; u++) {
        uint32_t reader = net->uses[u].node, place = f->line.place[reader];

        if (f->b->hidden[reader]) {
            continue;
        }
        if (place - lo >= item(s, end)->lo - lo) {
            return end;
        }
        last = f->item_at[place] > last ? f->item_at[place] : last;
    }
    return last;
}

struct window {
    uint32_t first, period, rest;
    uint32_t end;  // last sibling of two instances, wherever they begin
};

// A value made at sibling `from` and last read at `to` crosses the boundaries before from + 1 ..
// to; boundary 0 lies behind the first instance when it begins at once.
static void count_crossing(struct search *s, const struct window *w, uint32_t from,
                           uint32_t value) {
    uint32_t boundary = w->first + w->period, lowest, highest;
    uint32_t to = last_reader(s, value, w->first, w->end);

    if (to < boundary || to <= from) {
        return;
    }
    lowest = from + 1 > boundary ? from + 1 - boundary : 0;
    highest = to - boundary > w->rest ? w->rest : to - boundary;
    if (lowest > highest) {
        return;
    }
    s->open[lowest]++;
    s->open[highest + 1]--;
}

static void count_crossings(struct search *s, const struct window *w) {
    const struct view_fold *f = s->f;
    const struct graph_net *net = &f->b->model->net;

    for (uint32_t i = w->first; i <= w->end; i++) {
        for (uint32_t p = 0; p < item(s, i)->n; p++) {
            f->item_at[item(s, i)->lo + p] = i;
        }
    }
    memset(s->open, 0, (w->rest + 2) * sizeof(*s->open));
    for (uint32_t from = w->first; from < w->first + w->period + w->rest; from++) {
        for (uint32_t p = 0; p < item(s, from)->n; p++) {
            const struct graph_net_node *node = &net->nodes[f->line.nodes[item(s, from)->lo + p]];

            for (uint32_t k = 0; k < node->n_outputs; k++) {
                if (node->outputs[k] != ONNX_NONE && view_carries(f->b, node->outputs[k])) {
                    count_crossing(s, w, from, node->outputs[k]);
                }
            }
        }
    }
}

// Periodic siblings begin anywhere; the fewest values cross where a layer ends.
static uint32_t best_phase(struct search *s, uint32_t first, uint32_t period, uint32_t rest) {
    struct window w = {first, period, rest, first + 2 * period + rest - 1};
    uint32_t best = 0, least = UINT32_MAX, now = 0;

    count_crossings(s, &w);
    for (uint32_t phase = 0; phase <= rest; phase++) {
        now += s->open[phase];
        if (now < least) {
            least = now;
            best = phase;
        }
    }
    return best;
}

// ---- finding periods

// Siblings from `at` on that equal the ones a period further.
static uint32_t repeats(struct search *s, uint32_t at, uint32_t period) {
    uint32_t n = 0;

    while (at + period + n < s->n && s->words[at + n] == s->words[at + period + n]) {
        n++;
    }
    s->work = n < s->work ? s->work - n : 0;
    return n;
}

static void try_period(struct search *s, uint32_t at, uint32_t period) {
    uint32_t same, rest;

    if (period == 0 || at < s->covered[period]) {
        return;
    }
    same = repeats(s, at, period);
    s->covered[period] = at + same + 1;
    if (same < period) {
        return;
    }
    rest = (same + period) % period;
    if (rest > 0) {
        at += best_phase(s, at, period, rest);
    }
    prove(s, at, period, (same + period) / period);
}

static struct slot *slot_of(struct search *s, uint64_t context) {
    size_t i = (size_t)(context * PLACE_FACTOR >> 20) & (s->n_slots - 1);

    while (s->slots[i].last && s->slots[i].context != context) {
        i = (i + 1) & (s->n_slots - 1);
    }
    return &s->slots[i];
}

static void try_contexts(struct search *s, uint32_t size) {
    memset(s->slots, 0, s->n_slots * sizeof(*s->slots));
    for (uint32_t i = 0; i + size <= s->n && s->work > 0; i++) {
        uint64_t context = s->sums[i + size] - s->sums[i] * s->f->powers[size];
        struct slot *slot = slot_of(s, context);

        if (slot->last) {
            try_period(s, slot->last - 1, i - (slot->last - 1));
        }
        *slot = (struct slot){context, i + 1};
    }
}

static void find_periods(struct search *s) {
    uint32_t n_nodes = (uint32_t)s->f->b->model->net.n_nodes;

    for (uint32_t i = 0; i < s->n; i++) {
        const struct view_item *it = item(s, i);

        s->words[i] = view_sum(s->f, it->lo, it->n) * PLACE_FACTOR + 2 * (uint64_t)it->n +
                      (it->id >= n_nodes);
        s->sums[i + 1] = s->sums[i] * s->f->powers[1] + s->words[i];
    }
    for (uint32_t size = 1; size <= CONTEXT_MAX && size <= s->n / 2; size *= 4) {
        try_contexts(s, size);
    }
}

// ---- choosing

static int by_size(const void *a, const void *b) {
    const struct stretch *x = a, *y = b;
    uint64_t m = (uint64_t)x->n * x->count, n = (uint64_t)y->n * y->count;

    if (m != n) {
        return m > n ? -1 : 1;
    }
    if (x->period != y->period) {
        return x->period < y->period ? -1 : 1;
    }
    return x->first < y->first ? -1 : x->first > y->first;
}

static uint32_t *owner_of(struct search *s, uint32_t i) {
    return &s->f->owner[s->first + i];
}

// Who holds all the siblings of an instance, or VIEW_DROPPED.
static uint32_t holder_of(struct search *s, uint32_t first, uint32_t period) {
    uint32_t owner = *owner_of(s, first);

    for (uint32_t i = 1; i < period; i++) {
        if (*owner_of(s, first + i) != owner) {
            return VIEW_DROPPED;
        }
    }
    return owner;
}

// The longest part of a stretch that one owner still holds.
static struct stretch still_free(struct search *s, const struct stretch *all) {
    struct stretch best = {all->first, all->period, 0, all->n}, now = best;
    uint32_t before = VIEW_DROPPED;

    for (uint32_t k = 0; k < all->count; k++) {
        uint32_t first = all->first + k * all->period;
        uint32_t owner = holder_of(s, first, all->period);

        if (owner != before || owner == VIEW_DROPPED) {
            now = (struct stretch){first, all->period, 0, all->n};
        }
        now.count += owner != VIEW_DROPPED;
        best = now.count > best.count ? now : best;
        before = owner;
    }
    return best;
}

static void own(struct search *s, uint32_t first, uint32_t n, uint32_t owner) {
    for (uint32_t i = 0; i < n; i++) {
        *owner_of(s, first + i) = owner;
    }
}

static bool is_unfolded_item(const struct search *s, uint32_t i) {
    const struct view_build *b = s->f->b;
    const struct graph_hierarchy *h = &b->model->hierarchy;
    uint32_t id = item(s, i)->id, n_nodes = (uint32_t)b->model->net.n_nodes;
    const struct graph_call *call;

    if (id < n_nodes) {
        return false;
    }
    call = &h->calls[b->regions[id - n_nodes].call];
    return graph_patterns_match(&s->f->unfold, h->modules[call->module].path,
                                h->modules[call->module].class_name, call->number) > 0;
}

static bool is_unfolded(const struct search *s, const struct stretch *run) {
    const struct graph_hierarchy *h = &s->f->b->model->hierarchy;
    struct str path;
    struct buf text;
    bool found;

    if (s->f->drawn_out == s->first + run->first) {
        return true;
    }
    if (s->f->unfold.n == 0) {
        return false;
    }
    for (uint32_t i = 0; i < run->period * run->count; i++) {
        if (is_unfolded_item(s, run->first + i)) {
            return true;
        }
    }
    buf_init(&text, VIEW_PATH_BYTES);
    path = view_run_path(s->f, s->region, run->first, &text);
    found = graph_patterns_match(&s->f->unfold, path, STR(""),
                                 h->calls[s->f->b->regions[s->region].call].number) > 0;
    buf_release(&text);
    return found;
}

// Drawn out, each instance is still searched for runs of its own.
static void take(struct search *s, const struct stretch *run) {
    struct view_fold *f = s->f;

    if (is_unfolded(s, run)) {
        for (uint32_t k = 0; k < run->count; k++) {
            own(s, run->first + k * run->period, run->period, ++f->n_owners);
        }
        return;
    }
    f->runs[f->n_runs] = run_at(s, run->first, run->period);
    f->runs[f->n_runs++].count = run->count;
    own(s, run->first, run->period, ++f->n_owners);
    own(s, run->first + run->period, (run->count - 1) * run->period, VIEW_DROPPED);
}

static void choose(struct search *s) {
    struct view_fold *f = s->f;

    if (s->n_proven) {
        qsort(s->proven, s->n_proven, sizeof(*s->proven), by_size);
    }
    for (uint32_t i = 0; i < s->n_proven; i++) {
        struct stretch run = still_free(s, &s->proven[i]);

        if (run.count >= s->least && f->n_runs < f->cap_runs) {
            take(s, &run);
        }
    }
}

static int allocate(struct search *s, struct error *err) {
    struct arena *work = &s->f->b->work;

    s->n_slots = 4;
    while (s->n_slots < 2 * (size_t)s->n) {
        s->n_slots *= 2;
    }
    s->words = arena_array(work, s->n, sizeof(*s->words));
    s->sums = arena_array(work, s->n + (size_t)1, sizeof(*s->sums));
    s->slots = arena_array(work, s->n_slots, sizeof(*s->slots));
    s->covered = arena_array(work, s->n, sizeof(*s->covered));
    s->proven = arena_array(work, s->n, sizeof(*s->proven));
    s->open = arena_array(work, s->n + (size_t)2, sizeof(*s->open));
    if (!s->words || !s->sums || !s->slots || !s->covered || !s->proven || !s->open) {
        return arena_error(work, "the runs of a view", err);
    }
    return 0;
}

int view_runs(struct view_fold *f, uint32_t region, struct error *err) {
    const uint32_t *first = &f->line.first_item[region];
    struct search s = {.f = f, .region = region, .first = first[0], .n = first[1] - first[0]};
    int rc;

    s.least = f->b->options->fold < FOLD_LEAST ? FOLD_LEAST : f->b->options->fold;
    if (s.n < s.least) {
        return 0;
    }
    rc = allocate(&s, err);
    if (rc < 0) {
        return rc;
    }
    s.work = WORK_LEAST + (uint64_t)WORK_PER_ITEM * s.n;
    find_periods(&s);
    choose(&s);
    return 0;
}
