#include "graph/view_fold_internal.h"

// Where a value comes from, when it is made on the line: a node's output, or what a body gets from
// its holder.
struct source {
    uint32_t place;  // ONNX_NONE: it comes from outside
    uint32_t slot;
    uint32_t body;  // of the holder's bodies; ONNX_NONE: an output of the node
};

// Nodes, or values, at one place of the first instance, instance k - 2 (the one before when there
// is none), k - 1 and k.
struct four {
    uint32_t first, older, before, now;
};

struct step {
    const struct view_fold *f;
    const struct view_run *run;
    uint32_t k;
    uint32_t at;      // first place of instance k
    bool is_chained;  // it reads something of the one before
};

// ---- types

// Exporters make up names, other ones in each layer ("/layers.1/Add_output_0_dim_1"): they say
// nothing. Something computed does.
static bool is_computed(struct str symbol) {
    for (size_t i = 0; i < symbol.n; i++) {
        if (symbol.p[i] && strchr(" +*()", symbol.p[i])) {
            return true;
        }
    }
    return str_contains(symbol, STR("//"));
}

static bool dims_agree(const struct graph_dim *a, const struct graph_dim *b) {
    bool a_known = a->value >= 0, b_known = b->value >= 0;

    if (a_known && b_known) {
        return a->value == b->value;
    }
    if (a_known != b_known) {
        return (a_known ? b : a)->symbol.n == 0;
    }
    return str_eq(a->symbol, b->symbol) || !is_computed(a->symbol) || !is_computed(b->symbol);
}

// What is unknown agrees with everything.
static bool types_agree(const struct view_fold *f, uint32_t a, uint32_t b) {
    const struct graph_tensor_type *types = f->b->model->shapes.values;
    const struct graph_tensor_type *x = &types[a], *y = &types[b];

    if (a == b) {
        return true;
    }
    if (x->dtype && y->dtype && x->dtype != y->dtype) {
        return false;
    }
    if (!x->has_rank || !y->has_rank) {
        return true;
    }
    if (x->rank != y->rank) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        if (!dims_agree(&x->dims[i], &y->dims[i])) {
            return false;
        }
    }
    return true;
}

// ---- where values come from

static struct source source_of(const struct view_fold *f, uint32_t value) {
    const struct graph_net *net = &f->b->model->net;
    const struct graph_value *v = &net->values[value];
    struct source s = {ONNX_NONE, v->slot, ONNX_NONE};

    if (v->kind == GRAPH_VALUE_NODE) {
        s.place = f->line.place[v->producer];
    } else if (v->kind == GRAPH_VALUE_INPUT && v->graph != 0 &&
               net->holder[v->graph] != ONNX_NONE) {
        s.place = f->line.place[net->holder[v->graph]];
        s.body = v->graph - f->b->first_body[net->holder[v->graph]];
    }
    return s;
}

static bool is_in(const struct source *s, uint32_t lo, uint32_t n) {
    return s->place != ONNX_NONE && s->place - lo < n;
}

static bool same_port(const struct source *a, const struct source *b, uint32_t apart) {
    return b->place - a->place == apart && a->slot == b->slot && a->body == b->body;
}

// One per instance of equal kind: inputs of the model, or results of equal operators.
static bool equal_kind(const struct view_fold *f, uint32_t a, uint32_t b) {
    const struct graph_value *values = f->b->model->net.values;
    const struct graph_value *x = &values[a], *y = &values[b];

    if (x->kind != y->kind) {
        return false;
    }
    if (x->kind != GRAPH_VALUE_NODE || x->producer == y->producer) {
        return true;
    }
    return f->line.place[x->producer] != ONNX_NONE && f->line.place[y->producer] != ONNX_NONE &&
           f->alike[f->line.place[x->producer]] == f->alike[f->line.place[y->producer]];
}

// ---- one read

// Same for all stays the same, one per instance stays so.
static bool outer_reads_agree(const struct step *s, const struct four *values) {
    if (values->now != values->before && !equal_kind(s->f, values->before, values->now)) {
        return false;
    }
    return s->k < 2 || (values->older == values->before) == (values->before == values->now);
}

static bool chain_agrees(struct step *s, const struct source *before, const struct source *now) {
    uint32_t n = s->run->n;

    s->is_chained = true;
    if (s->k < 2) {
        return !is_in(before, s->run->lo, s->k * n);
    }
    return is_in(before, s->at - 2 * n, n) && same_port(before, now, n);
}

// A type that is unknown in between must not join two that differ.
static bool four_types_agree(const struct view_fold *f, const struct four *values) {
    return types_agree(f, values->before, values->now) &&
           types_agree(f, values->first, values->now);
}

// The numbers of `alike` already say that all are empty, fixed or carried alike.
static bool read_agrees(struct step *s, const struct four *values) {
    const struct view_fold *f = s->f;
    uint32_t n = s->run->n, lo = s->run->lo;
    struct source was, now;

    if (values->now == ONNX_NONE ||
        graph_value_is_fixed(&f->b->model->net, &f->b->model->plumbing, values->now)) {
        return true;
    }
    if (!four_types_agree(f, values)) {
        return false;
    }
    was = source_of(f, values->before);
    now = source_of(f, values->now);
    if (is_in(&now, s->at, n) || is_in(&was, s->at - n, n)) {
        return is_in(&now, s->at, n) && is_in(&was, s->at - n, n) && same_port(&was, &now, n);
    }
    if (!view_carries(f->b, values->now)) {
        return true;
    }
    if (is_in(&now, s->at - n, n)) {
        return chain_agrees(s, &was, &now);
    }
    if (is_in(&now, lo, s->at - lo) || is_in(&was, lo, s->at - lo)) {
        return false;
    }
    return outer_reads_agree(s, values);
}

static struct four next_bodies(const struct view_build *b, struct four graphs) {
    return (struct four){b->next_body[graphs.first], b->next_body[graphs.older],
                         b->next_body[graphs.before], b->next_body[graphs.now]};
}

// What bodies hand to their holders.
static bool bodies_agree(struct step *s, const struct four *nodes) {
    const struct view_build *b = s->f->b;
    const struct graph_net_graph *graphs = b->model->net.graphs;
    struct four g = {b->first_body[nodes->first], b->first_body[nodes->older],
                     b->first_body[nodes->before], b->first_body[nodes->now]};

    for (; g.now != ONNX_NONE; g = next_bodies(b, g)) {
        for (uint32_t i = 0; i < graphs[g.now].n_outputs; i++) {
            struct four values = {graphs[g.first].outputs[i], graphs[g.older].outputs[i],
                                  graphs[g.before].outputs[i], graphs[g.now].outputs[i]};

            if (!read_agrees(s, &values)) {
                return false;
            }
        }
    }
    return true;
}

static bool outputs_agree(const struct view_fold *f, const struct four *nodes) {
    const struct graph_net_node *all = f->b->model->net.nodes;

    for (uint32_t i = 0; i < all[nodes->now].n_outputs; i++) {
        struct four values = {all[nodes->first].outputs[i], all[nodes->older].outputs[i],
                              all[nodes->before].outputs[i], all[nodes->now].outputs[i]};

        if (values.now != ONNX_NONE && !four_types_agree(f, &values)) {
            return false;
        }
    }
    return true;
}

static bool inputs_agree(struct step *s, const struct four *nodes) {
    const struct graph_net_node *all = s->f->b->model->net.nodes;

    for (uint32_t i = 0; i < all[nodes->now].n_inputs; i++) {
        struct four values = {all[nodes->first].inputs[i], all[nodes->older].inputs[i],
                              all[nodes->before].inputs[i], all[nodes->now].inputs[i]};

        if (!read_agrees(s, &values)) {
            return false;
        }
    }
    return true;
}

static bool node_agrees(struct step *s, uint32_t offset) {
    const uint32_t *nodes = s->f->line.nodes + s->run->lo + offset, n = s->run->n;
    const uint32_t *alike = s->f->alike + s->run->lo + offset;
    size_t now = (size_t)s->k * n, before = now - n, older = s->k < 2 ? before : before - n;
    struct four four = {nodes[0], nodes[older], nodes[before], nodes[now]};

    return alike[now] == alike[0] && inputs_agree(s, &four) && bodies_agree(s, &four) &&
           outputs_agree(s->f, &four);
}

// ---- regions and results

static bool regions_agree(const struct step *s) {
    const struct view_build *b = s->f->b;
    const struct view_line *line = &s->f->line;
    uint32_t n = s->run->n_regions;
    const uint32_t *now = line->regions + s->run->rank + (size_t)s->k * n, *before = now - n;

    for (uint32_t i = 0; i < n; i++) {
        const struct view_region *x = &b->regions[before[i]], *y = &b->regions[now[i]];
        const struct graph_hierarchy *h = &b->model->hierarchy;

        // Calls of one module are for option `roll` to merge.
        if (b->options->roll != GRAPH_ROLL_NONE && !x->is_body &&
            h->calls[x->call].module == h->calls[y->call].module) {
            return false;
        }
        if (line->lo[now[i]] - line->lo[before[i]] != s->run->n ||
            line->hi[now[i]] - line->hi[before[i]] != s->run->n || x->depth != y->depth ||
            x->is_body != y->is_body || x->leaf != y->leaf ||
            !str_eq(h->modules[h->calls[x->call].module].class_name,
                    h->modules[h->calls[y->call].module].class_name)) {
            return false;
        }
    }
    return true;
}

// Whether a result of an instance goes further than the next one.
static bool goes_out(const struct view_fold *f, uint32_t value, uint32_t lo, uint32_t n) {
    const struct graph_net *net = &f->b->model->net;

    if (f->leaves[value]) {
        return true;
    }
    for (uint32_t u = net->first_use[value]; u < net->first_use[value + 1]; u++) {
        uint32_t reader = net->uses[u].node;

        if (!f->b->hidden[reader] && f->line.place[reader] - lo >= 2 * n) {
            return true;
        }
    }
    return false;
}

// All instances but the last must be read alike from outside: one whose result is tapped is not
// equal to those whose results are not.
static bool results_agree(const struct view_fold *f, uint32_t at, uint32_t n) {
    const struct graph_net *net = &f->b->model->net;

    for (uint32_t i = 0; i < n; i++) {
        const struct graph_net_node *x = &net->nodes[f->line.nodes[at - n + i]];
        const struct graph_net_node *y = &net->nodes[f->line.nodes[at + i]];

        for (uint32_t k = 0; k < y->n_outputs; k++) {
            if (y->outputs[k] != ONNX_NONE && view_carries(f->b, y->outputs[k]) &&
                goes_out(f, x->outputs[k], at - n, n) != goes_out(f, y->outputs[k], at, n)) {
                return false;
            }
        }
    }
    return true;
}

bool view_continues(const struct view_fold *f, const struct view_run *run, uint32_t k) {
    struct step s = {.f = f, .run = run, .k = k, .at = run->lo + k * run->n};

    if (!regions_agree(&s)) {
        return false;
    }
    for (uint32_t i = 0; i < run->n; i++) {
        if (!node_agrees(&s, i)) {
            return false;
        }
    }
    return s.is_chained && (k < 2 || results_agree(f, s.at - run->n, run->n));
}
