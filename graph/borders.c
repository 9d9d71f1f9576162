#include "graph/borders.h"

#include <stdlib.h>

#include "base/array.h"

#define CROSSINGS_MAX ((size_t)1 << 25)
#define BORDERS_MEMORY_MAX ((size_t)1 << 29)

// One value over one border.
struct crossing {
    uint32_t call;
    uint32_t value;
    uint64_t rank;  // among the values of its border
};

// Inputs or outputs of all calls.
struct side {
    struct crossing *items;
    size_t n, cap;
    uint32_t *last;  // per call: value that crossed last, plus 1
    size_t *at;      // per call: that crossing
};

// A graph gives a value to whoever holds the graph.
struct exit {
    uint32_t graph;
    uint32_t next;  // of the same value, plus 1; 0 = last
};

struct surveyor {
    const struct graph_model *model;
    uint32_t *position;    // per node: place in execution order
    struct exit *exits;    // of all graphs
    uint32_t *first_exit;  // per value: plus 1; 0 = none
    struct side in, out;
    struct error *err;
};

static int cross(struct surveyor *s, struct side *side, uint32_t call, uint32_t value,
                 uint64_t rank) {
    if (side->last[call] == value + 1) {
        struct crossing *known = &side->items[side->at[call]];

        known->rank = rank < known->rank ? rank : known->rank;
        return 0;
    }
    if (array_grow(&side->items, &side->cap, side->n + 1, sizeof(*side->items), CROSSINGS_MAX,
                   "values at borders of modules", s->err) < 0) {
        return s->err->code;
    }
    side->last[call] = value + 1;
    side->at[call] = side->n;
    side->items[side->n++] = (struct crossing){call, value, rank};
    return 0;
}

// From the call that makes a value up to the one that also holds the reader, and down to him.
static int go(struct surveyor *s, uint32_t value, uint64_t made, uint32_t from, uint64_t read,
              uint32_t to) {
    const struct graph_call *calls = s->model->hierarchy.calls;
    int failed = 0;

    while (from != to && failed == 0) {
        if (calls[from].depth >= calls[to].depth) {
            failed = cross(s, &s->out, from, value, made);
            from = calls[from].parent;
        } else {
            failed = cross(s, &s->in, to, value, read);
            to = calls[to].parent;
        }
    }
    return failed;
}

static bool is_plumbing(const struct surveyor *s, uint32_t node) {
    return s->model->plumbing.nodes[node] != GRAPH_PLUMBING_NONE;
}

static uint64_t rank_of(const struct surveyor *s, uint32_t node, uint32_t slot) {
    return (uint64_t)s->position[node] << 32 | slot;
}

// The call that holds the maker of a value; false when it crosses no border.
static bool origin_of(const struct surveyor *s, uint32_t value, uint32_t *call, uint64_t *made) {
    const struct graph_net *net = &s->model->net;
    const struct graph_value *v = &net->values[value];
    uint32_t holder = net->holder[v->graph];

    *call = 0;
    *made = v->slot;
    if (graph_value_is_fixed(net, &s->model->plumbing, value)) {
        return false;
    }
    if (v->producer != ONNX_NONE) {
        *call = s->model->hierarchy.node_call[v->producer];
        *made = rank_of(s, v->producer, v->slot);
        return !is_plumbing(s, v->producer);
    }
    if (holder != ONNX_NONE) {
        *call = s->model->hierarchy.node_call[holder];
    }
    return true;
}

static int survey_exits(struct surveyor *s, uint32_t value, uint64_t made, uint32_t from) {
    const struct graph_net *net = &s->model->net;
    int failed = 0;

    for (uint32_t e = s->first_exit[value]; e && failed == 0; e = s->exits[e - 1].next) {
        uint32_t holder = net->holder[s->exits[e - 1].graph];

        if (holder == ONNX_NONE) {
            failed = go(s, value, made, from, 0, 0);
        } else {
            failed = go(s, value, made, from, rank_of(s, holder, 0),
                        s->model->hierarchy.node_call[holder]);
        }
    }
    return failed;
}

static int survey_value(struct surveyor *s, uint32_t value) {
    const struct graph_net *net = &s->model->net;
    uint32_t from;
    uint64_t made;
    int failed = 0;

    if (!origin_of(s, value, &from, &made)) {
        return 0;
    }
    for (uint32_t u = net->first_use[value]; u < net->first_use[value + 1] && failed == 0; u++) {
        struct graph_use use = net->uses[u];

        if (!is_plumbing(s, use.node)) {
            failed = go(s, value, made, from, rank_of(s, use.node, use.slot),
                        s->model->hierarchy.node_call[use.node]);
        }
    }
    return failed ? failed : survey_exits(s, value, made, from);
}

static int list_exits(struct surveyor *s, struct arena *scratch) {
    const struct graph_net *net = &s->model->net;
    size_t n_graphs = net->model->n_graphs, n = 0;

    for (size_t g = 0; g < n_graphs; g++) {
        n += net->graphs[g].n_outputs;
    }
    s->exits = arena_array(scratch, n, sizeof(*s->exits));
    s->first_exit = arena_array(scratch, net->n_values, sizeof(*s->first_exit));
    if (!s->exits || !s->first_exit) {
        return arena_error(scratch, "values at borders of modules", s->err);
    }
    n = 0;
    for (uint32_t g = 0; g < n_graphs; g++) {
        for (uint32_t i = 0; i < net->graphs[g].n_outputs; i++) {
            uint32_t value = net->graphs[g].outputs[i];

            if (value == ONNX_NONE) {
                continue;
            }
            s->exits[n] = (struct exit){g, s->first_exit[value]};
            s->first_exit[value] = (uint32_t)++n;
        }
    }
    return 0;
}

static int survey(struct surveyor *s, struct arena *scratch) {
    const struct graph_net *net = &s->model->net;
    int failed = list_exits(s, scratch);

    for (uint32_t i = 0; i < net->n_nodes; i++) {
        s->position[net->order[i]] = i;
    }
    for (uint32_t v = 0; v < net->n_values && failed == 0; v++) {
        failed = survey_value(s, v);
    }
    return failed;
}

// ---- the lists

static int by_border(const void *a, const void *b) {
    const struct crossing *x = a, *y = b;

    if (x->call != y->call) {
        return x->call < y->call ? -1 : 1;
    }
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return (x->value > y->value) - (x->value < y->value);
}

// Sorts a side and copies its values; each call's stand together, each value once.
static uint32_t *sort_side(struct surveyor *s, struct graph_borders *out, struct side *side) {
    uint32_t *values = arena_array(&out->arena, side->n, sizeof(*values));

    if (!values) {
        (void)arena_error(&out->arena, "values at borders of modules", s->err);
        return NULL;
    }
    if (side->n) {
        qsort(side->items, side->n, sizeof(*side->items), by_border);
    }
    for (size_t i = 0; i < side->n; i++) {
        values[i] = side->items[i].value;
    }
    return values;
}

static size_t run_of(const struct side *side, size_t from) {
    size_t end = from;

    while (end < side->n && side->items[end].call == side->items[from].call) {
        end++;
    }
    return end - from;
}

static int list(struct surveyor *s, struct graph_borders *out) {
    const struct graph_net_graph *graph = &s->model->net.graphs[0];
    uint32_t *inputs = sort_side(s, out, &s->in), *outputs = sort_side(s, out, &s->out);

    if (!inputs || !outputs) {
        return s->err->code;
    }
    for (size_t i = 0, n; i < s->in.n; i += n) {
        struct graph_border *border = &out->calls[s->in.items[i].call];

        n = run_of(&s->in, i);
        border->inputs = inputs + i;
        border->n_inputs = (uint32_t)n;
    }
    for (size_t i = 0, n; i < s->out.n; i += n) {
        struct graph_border *border = &out->calls[s->out.items[i].call];

        n = run_of(&s->out, i);
        border->outputs = outputs + i;
        border->n_outputs = (uint32_t)n;
    }
    out->calls[0] =
        (struct graph_border){graph->inputs, graph->n_inputs, graph->outputs, graph->n_outputs};
    return 0;
}

static int run(struct surveyor *s, struct graph_borders *out, struct arena *scratch) {
    size_t n_calls = s->model->hierarchy.n_calls;

    out->calls = arena_array(&out->arena, n_calls, sizeof(*out->calls));
    s->position = arena_array(scratch, s->model->net.n_nodes, sizeof(*s->position));
    s->in.last = arena_array(scratch, n_calls, sizeof(*s->in.last));
    s->in.at = arena_array(scratch, n_calls, sizeof(*s->in.at));
    s->out.last = arena_array(scratch, n_calls, sizeof(*s->out.last));
    s->out.at = arena_array(scratch, n_calls, sizeof(*s->out.at));
    if (!out->calls || !s->position || !s->in.last || !s->in.at || !s->out.last || !s->out.at) {
        return arena_error(scratch, "values at borders of modules", s->err);
    }
    if (survey(s, scratch) < 0) {
        return s->err->code;
    }
    return list(s, out);
}

int graph_borders_init(struct graph_borders *out, const struct graph_model *model,
                       struct error *err) {
    struct error own = {0};
    struct surveyor s = {.model = model, .err = err ? err : &own};
    struct arena scratch;
    int failed;

    arena_init(&out->arena, BORDERS_MEMORY_MAX);
    arena_init(&scratch, BORDERS_MEMORY_MAX);
    failed = run(&s, out, &scratch);
    arena_release(&scratch);
    free(s.in.items);
    free(s.out.items);
    return failed;
}

void graph_borders_release(struct graph_borders *borders) {
    if (!borders) {
        return;
    }
    arena_release(&borders->arena);
    *borders = (struct graph_borders){0};
}
