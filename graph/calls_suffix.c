#include <stdlib.h>

#include "base/array.h"
#include "graph/scope_internal.h"

// Calls of sites that come from node names. There the exporter numbers the calls of a scope by
// itself, for those scopes that own nodes, and prints ancestors without their number. So the calls
// of one site are known; which call of the parent made each of them is what has to be found.

struct list {
    uint32_t first, n;  // into `calls`
};

struct cutter {
    struct scope_work *work;
    struct graph_pairs numbered;  // (site, suffix) -> call
    struct list *own;             // per site: its calls, by number
    uint32_t *calls;              // the lists
    size_t n_calls, cap_calls;
    uint32_t *first_child;   // per site
    uint32_t *next_sibling;  // per site
    uint32_t *counts;        // room to sort the numbers of calls of one site's children
};

static void widen(struct scope_call *call, uint32_t position) {
    if (call->first == ONNX_NONE || position < call->first) {
        call->first = position;
    }
    if (call->last == ONNX_NONE || position > call->last) {
        call->last = position;
    }
}

// One call for every (site, number) that owns a node.
static int collect(struct cutter *c) {
    struct scope_work *work = c->work;

    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t node = work->net->order[i], call;
        const struct scope_mark *mark = &work->marks[node];

        if (!scope_mark_is_printed(mark)) {
            continue;
        }
        call = mark->site == 0 ? 0 : graph_pairs_get(&c->numbered, mark->site, mark->suffix);
        if (call == GRAPH_PAIRS_NONE) {
            call = graph_scope_call_new(work, mark->site, 0, i);
            if (call == ONNX_NONE ||
                graph_pairs_put(&c->numbered, mark->site, mark->suffix, call, work->err) < 0) {
                return work->err->code;
            }
            work->calls[call].suffix = mark->suffix;
        }
        work->node_call[node] = call;
        if (!graph_scope_is_constant(work, node)) {
            widen(&work->calls[call], i);
        }
    }
    return 0;
}

static int by_suffix(const void *a, const void *b, void *calls) {
    const struct scope_call *all = calls;
    const struct scope_call *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];

    return (x->suffix > y->suffix) - (x->suffix < y->suffix);
}

static int list_own_calls(struct cutter *c) {
    const struct scope_work *work = c->work;

    if (array_grow(&c->calls, &c->cap_calls, work->n_calls, sizeof(*c->calls), SCOPE_MAX_CALLS,
                   "module calls", work->err) < 0) {
        return work->err->code;
    }
    for (uint32_t i = 1; i < work->n_calls; i++) {
        c->own[work->calls[i].site].n++;
    }
    for (size_t s = 1; s < work->n_sites; s++) {
        c->own[s].first = (uint32_t)c->n_calls;
        c->n_calls += c->own[s].n;
        c->own[s].n = 0;
    }
    for (uint32_t i = 1; i < work->n_calls; i++) {
        struct list *l = &c->own[work->calls[i].site];

        c->calls[l->first + l->n++] = i;
    }
    for (size_t s = 1; s < work->n_sites; s++) {
        qsort_r(c->calls + c->own[s].first, c->own[s].n, sizeof(*c->calls), by_suffix, work->calls);
    }
    return 0;
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

// How often a module without own nodes was called: as often as most of its children. A child can be
// called more often (a shared activation) or less often (a call that was folded away); the smaller
// of equally frequent numbers.
static uint32_t count_of_container(struct cutter *c, uint32_t site) {
    uint32_t n = 0, best = 0, best_votes = 0;

    for (uint32_t child = c->first_child[site]; child; child = c->next_sibling[child]) {
        // Sites whose number turned out to be that of a call have no calls left.
        if (c->own[child].n) {
            c->counts[n++] = c->own[child].n;
        }
    }
    qsort(c->counts, n, sizeof(*c->counts), by_value);
    for (uint32_t i = 0, run = 0; i < n; i++) {
        run = i > 0 && c->counts[i] == c->counts[i - 1] ? run + 1 : 1;
        if (run > best_votes) {
            best_votes = run;
            best = c->counts[i];
        }
    }
    return best;
}

// Call k begins where the k-th calls of those children begin that are called as often.
static int make_container(struct cutter *c, uint32_t site, uint32_t n) {
    struct scope_work *work = c->work;
    uint32_t first = (uint32_t)c->n_calls;

    if (array_grow(&c->calls, &c->cap_calls, c->n_calls + n, sizeof(*c->calls), SCOPE_MAX_CALLS,
                   "module calls", work->err) < 0) {
        return work->err->code;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t call = graph_scope_call_new(work, site, 0, UINT32_MAX);

        if (call == ONNX_NONE) {
            return work->err->code;
        }
        c->calls[c->n_calls++] = call;
    }
    for (uint32_t child = c->first_child[site]; child; child = c->next_sibling[child]) {
        for (uint32_t k = 0; k < n && c->own[child].n == n; k++) {
            struct scope_call *call = &work->calls[c->calls[first + k]];
            uint32_t start = work->calls[c->calls[c->own[child].first + k]].start;

            if (start < call->start) {
                call->start = start;
            }
        }
    }
    c->own[site] = (struct list){first, n};
    return 0;
}

static int make_containers(struct cutter *c) {
    // Children come after their parents in the table of sites, so going backwards meets them first.
    for (size_t s = c->work->n_sites; s-- > 1;) {
        uint32_t site = (uint32_t)s;

        if (c->own[s].n == 0 && c->first_child[s] &&
            make_container(c, site, count_of_container(c, site)) < 0) {
            return c->work->err->code;
        }
    }
    return 0;
}

// ---- which call of the parent

static uint32_t begin_of(const struct scope_call *call) {
    return call->first != ONNX_NONE ? call->first : call->start;
}

// Calls of one module do not overlap: a child of call k lies behind what call k - 1 owns and before
// what call k + 1 owns.
static bool lies_in(const struct cutter *c, struct list parents, uint32_t k, uint32_t position) {
    const struct scope_call *calls = c->work->calls;

    if (k > 0) {
        const struct scope_call *before = &calls[c->calls[parents.first + k - 1]];

        if (before->last != ONNX_NONE && before->last > position) {
            return false;
        }
    }
    if (k + 1 < parents.n) {
        const struct scope_call *after = &calls[c->calls[parents.first + k + 1]];

        if (after->first != ONNX_NONE && after->first < position) {
            return false;
        }
    }
    return true;
}

// Code without branches calls its children equally often every time.
static bool share_evenly(const struct cutter *c, struct list children, struct list parents) {
    uint32_t each;

    if (parents.n == 0 || children.n % parents.n != 0) {
        return false;
    }
    each = children.n / parents.n;
    for (uint32_t j = 0; j < children.n; j++) {
        const struct scope_call *child = &c->work->calls[c->calls[children.first + j]];

        if (!lies_in(c, parents, j / each, begin_of(child))) {
            return false;
        }
    }
    return true;
}

// The call of the parent that is nearest: the last one that begins before, or the next one when
// that is closer than the end of the former, since a module's first own node often comes after its
// children's.
static uint32_t nearest(const struct cutter *c, struct list parents, uint32_t position) {
    const struct scope_call *calls = c->work->calls;
    uint32_t low = 0, high = parents.n, end;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (begin_of(&calls[c->calls[parents.first + middle]]) <= position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || low == parents.n) {
        return low == 0 ? 0 : low - 1;
    }
    end = calls[c->calls[parents.first + low - 1]].last;
    if (end == ONNX_NONE || end >= position) {
        return low - 1;
    }
    high = begin_of(&calls[c->calls[parents.first + low]]);
    return high - position < position - end ? low : low - 1;
}

static void find_parents(struct cutter *c, uint32_t site) {
    struct list children = c->own[site], parents = c->own[c->work->sites[site].parent];
    bool even = share_evenly(c, children, parents);

    for (uint32_t j = 0; j < children.n && parents.n; j++) {
        struct scope_call *child = &c->work->calls[c->calls[children.first + j]];
        uint32_t k = even ? j / (children.n / parents.n) : nearest(c, parents, begin_of(child));

        child->parent = c->calls[parents.first + k];
    }
}

static int cut(struct cutter *c) {
    struct scope_work *work = c->work;

    if (collect(c) < 0) {
        return work->err->code;
    }
    c->own = arena_array(&work->scratch, work->n_sites, sizeof(*c->own));
    c->first_child = arena_array(&work->scratch, work->n_sites, sizeof(*c->first_child));
    c->next_sibling = arena_array(&work->scratch, work->n_sites, sizeof(*c->next_sibling));
    c->counts = arena_array(&work->scratch, work->n_sites, sizeof(*c->counts));
    if (!c->own || !c->first_child || !c->next_sibling || !c->counts) {
        return arena_error(&work->scratch, "module calls", work->err);
    }
    for (size_t s = work->n_sites; s-- > 1;) {
        uint32_t parent = work->sites[s].parent;

        if (work->sites[s].exact) {
            continue;
        }
        c->next_sibling[s] = c->first_child[parent];
        c->first_child[parent] = (uint32_t)s;
    }
    if (list_own_calls(c) < 0 || make_containers(c) < 0) {
        return work->err->code;
    }
    for (uint32_t s = 1; s < work->n_sites; s++) {
        if (work->sites[s].parent != 0) {
            find_parents(c, s);
        }
    }
    return 0;
}

int graph_calls_by_suffix(struct scope_work *work) {
    struct cutter c = {.work = work};
    int failed = cut(&c);

    graph_pairs_release(&c.numbered);
    free(c.calls);
    return failed;
}
