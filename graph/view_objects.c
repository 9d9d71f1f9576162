#include <stdlib.h>

#include "graph/view_internal.h"
#include "graph/weights.h"

// Which calls are calls of one object. A path may stand for several modules; what tells them apart
// are the weights they read. A call that reads some of the weights of another is one of the same
// object all the same: what it computes may depend on its input.

// Weights noted per call; a model with more is hostile, and its calls stay apart.
#define NOTES_MAX ((size_t)1 << 22)
// Weights compared.
#define COMPARISONS_MAX ((size_t)1 << 24)

struct note {
    uint32_t call, weight;
};

struct set {
    uint32_t call;
    uint32_t n;
    const uint32_t *weights;  // sorted
};

struct objects {
    struct view_build *b;
    const struct graph_hierarchy *h;
    uint32_t *last;      // per call: weight noted last, plus 1
    struct note *notes;  // by weight
    size_t n_notes, max_notes;
    struct set *sets;  // per call, later sorted by module and size
    const struct set **largest;
    uint32_t *weights;  // of all sets
    size_t comparisons;
};

// Weights that come through plumbing are read where the plumbing is read.
static uint32_t weight_read(const struct view_build *b, uint32_t node, uint32_t slot) {
    uint32_t value = b->model->net.nodes[node].inputs[slot];

    if (value == ONNX_NONE || b->model->plumbing.nodes[node] != GRAPH_PLUMBING_NONE) {
        return ONNX_NONE;
    }
    return graph_weight_root(&b->model->net, &b->model->plumbing, value);
}

static bool note(struct objects *o, uint32_t call, uint32_t weight) {
    for (; call != ONNX_NONE && o->last[call] != weight + 1; call = o->h->calls[call].parent) {
        uint32_t module = o->h->calls[call].module;

        o->last[call] = weight + 1;
        o->b->stateful[module] = true;
        if (o->h->modules[module].n_calls < 2) {
            continue;
        }
        if (o->n_notes == o->max_notes) {
            return false;
        }
        o->notes[o->n_notes++] = (struct note){call, weight};
    }
    return true;
}

// By weight, so that `last` sees each pair of call and weight once and the sets come out sorted.
static bool take_notes(struct objects *o, const uint32_t *first, const uint32_t *readers) {
    for (uint32_t v = 0; v < o->b->model->net.n_values; v++) {
        for (uint32_t i = first[v]; i < first[v + 1]; i++) {
            if (!note(o, o->h->node_call[readers[i]], v)) {
                return false;
            }
        }
    }
    return true;
}

static size_t count_readings(const struct view_build *b, uint32_t *first) {
    const struct graph_net *net = &b->model->net;
    size_t n = 0;

    for (uint32_t i = 0; i < net->n_nodes; i++) {
        for (uint32_t s = 0; s < net->nodes[i].n_inputs; s++) {
            uint32_t weight = weight_read(b, i, s);

            if (weight == ONNX_NONE) {
                continue;
            }
            first[weight + 1]++;
            n++;
        }
    }
    for (size_t v = 0; v < net->n_values; v++) {
        first[v + 1] += first[v];
    }
    return n;
}

static void sort_readings(const struct view_build *b, uint32_t *first, uint32_t *readers,
                          size_t n) {
    const struct graph_net *net = &b->model->net;

    for (uint32_t i = (uint32_t)net->n_nodes; i-- > 0;) {
        for (uint32_t s = 0; s < net->nodes[i].n_inputs; s++) {
            uint32_t weight = weight_read(b, i, s);

            if (weight != ONNX_NONE) {
                readers[--first[weight + 1]] = i;
            }
        }
    }
    for (size_t v = 0; v < net->n_values; v++) {
        first[v] = first[v + 1];
    }
    first[net->n_values] = (uint32_t)n;
}

static bool make_sets(struct objects *o) {
    uint32_t *at;

    o->weights = arena_array(&o->b->work, o->n_notes, sizeof(*o->weights));
    o->sets = arena_array(&o->b->work, o->h->n_calls, sizeof(*o->sets));
    at = arena_array(&o->b->work, o->h->n_calls + 1, sizeof(*at));
    if (!o->weights || !o->sets || !at) {
        return false;
    }
    for (size_t i = 0; i < o->n_notes; i++) {
        at[o->notes[i].call + 1]++;
    }
    for (uint32_t c = 0; c < o->h->n_calls; c++) {
        at[c + 1] += at[c];
        o->sets[c] = (struct set){.call = c, .weights = o->weights + at[c]};
    }
    for (size_t i = 0; i < o->n_notes; i++) {
        uint32_t c = o->notes[i].call;

        o->weights[at[c] + o->sets[c].n++] = o->notes[i].weight;
    }
    return true;
}

static bool holds(struct objects *o, const struct set *outer, const struct set *inner) {
    uint32_t at = 0;

    for (uint32_t i = 0; i < inner->n; i++, at++) {
        while (at < outer->n && outer->weights[at] < inner->weights[i] && o->comparisons) {
            at++;
            o->comparisons--;
        }
        if (at == outer->n || outer->weights[at] != inner->weights[i] || !o->comparisons) {
            return false;
        }
        o->comparisons--;
    }
    return true;
}

static int by_module_and_size(const void *a, const void *b, void *calls) {
    const struct graph_call *all = calls;
    const struct set *x = a, *y = b;
    uint32_t mx = all[x->call].module, my = all[y->call].module;

    if (mx != my) {
        return mx < my ? -1 : 1;
    }
    if (x->n != y->n) {
        return x->n > y->n ? -1 : 1;
    }
    return x->call < y->call ? -1 : 1;
}

// The largest set of an object stands for it; `largest` lists them for the module at hand.
static void find_objects(struct objects *o, const struct set *sets, size_t n) {
    const struct set **largest = o->largest;
    size_t n_objects = 0;

    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < n_objects && o->comparisons && !holds(o, largest[k], &sets[i])) {
            k++;
        }
        if (k == n_objects || !o->comparisons) {
            k = n_objects++;
            largest[k] = &sets[i];
        }
        o->b->object[sets[i].call] = largest[k]->call;
    }
}

static int sort_sets(struct objects *o, struct error *err) {
    size_t n = o->h->n_calls;
    struct graph_call *calls = arena_array(&o->b->work, n, sizeof(*calls));

    o->largest = arena_array(&o->b->work, n, sizeof(*o->largest));
    if (!calls || !o->largest || !make_sets(o)) {
        return arena_error(&o->b->work, "the calls of a view", err);
    }
    memcpy(calls, o->h->calls, n * sizeof(*calls));
    qsort_r(o->sets, n, sizeof(*o->sets), by_module_and_size, calls);
    for (size_t i = 0, end; i < n; i = end) {
        uint32_t module = calls[o->sets[i].call].module;

        for (end = i + 1; end < n && calls[o->sets[end].call].module == module; end++) {
            ;
        }
        find_objects(o, &o->sets[i], end - i);
    }
    return 0;
}

static int read_weights(struct objects *o, bool *complete, struct error *err) {
    struct view_build *b = o->b;
    uint32_t *first = arena_array(&b->work, b->model->net.n_values + 1, sizeof(*first));
    size_t n = first ? count_readings(b, first) : 0, most = n * ((size_t)o->h->depth + 1);
    uint32_t *readers = arena_array(&b->work, n, sizeof(*readers));

    o->max_notes = most < NOTES_MAX ? most : NOTES_MAX;
    o->last = arena_array(&b->work, o->h->n_calls, sizeof(*o->last));
    o->notes = arena_array(&b->work, o->max_notes, sizeof(*o->notes));
    if (!first || !readers || !o->last || !o->notes) {
        return arena_error(&b->work, "the calls of a view", err);
    }
    sort_readings(b, first, readers, n);
    *complete = take_notes(o, first, readers);
    return 0;
}

int view_objects(struct view_build *b, struct error *err) {
    struct objects o = {.b = b, .h = &b->model->hierarchy, .comparisons = COMPARISONS_MAX};
    bool complete = false;
    int rc;

    b->object = arena_array(&b->work, o.h->n_calls, sizeof(*b->object));
    b->stateful = arena_array(&b->work, o.h->n_modules, sizeof(*b->stateful));
    if (!b->object || !b->stateful) {
        return arena_error(&b->work, "the calls of a view", err);
    }
    rc = read_weights(&o, &complete, err);
    if (rc < 0) {
        return rc;
    }
    if (complete) {
        return sort_sets(&o, err);
    }
    for (uint32_t c = 0; c < o.h->n_calls; c++) {
        b->object[c] = c;
    }
    warnings_add(&b->view->warnings, "roll-incomplete", "roll",
                 "the calls of the model's modules read too many weights to be told apart");
    return 0;
}
