#include "graph/view_fold_internal.h"

// Inputs and outputs that a run has one of per instance are drawn as one.

#define UNCLAIMED UINT32_MAX
#define DISPUTED (UINT32_MAX - 1)

static bool is_input(const struct view_build *b, uint32_t value) {
    return b->model->net.values[value].kind == GRAPH_VALUE_INPUT &&
           b->model->net.values[value].graph == 0;
}

static void claim(uint32_t *claims, uint32_t value, uint32_t by) {
    if (claims[value] == UNCLAIMED) {
        claims[value] = by;
    } else if (claims[value] != by) {
        claims[value] = DISPUTED;
    }
}

static void find_first_reads(const struct view_build *b, uint32_t *first) {
    memset(first, 0xFF, b->model->net.n_nodes * sizeof(*first));
    for (uint32_t i = b->n_reads; i-- > 0;) {
        first[b->reads[i].node] = i;
    }
}

// Every reader of an input says which input its stand-in reads in its place.
static void claim_inputs(struct view_fold *f, const uint32_t *first_read, uint32_t *claims) {
    const struct view_build *b = f->b;

    for (uint32_t i = 0; i < b->n_reads; i++) {
        const struct view_read *read = &b->reads[i];
        uint32_t stand_in = f->stand_in[read->node];
        uint32_t same = first_read[stand_in] + (i - first_read[read->node]);
        bool found = same < b->n_reads && b->reads[same].node == stand_in;
        uint32_t value = found ? b->reads[same].value : read->value;

        if (is_input(b, read->value) && !b->hidden[read->node]) {
            claim(claims, read->value, is_input(b, value) ? value : read->value);
        }
    }
}

static void settle_inputs(struct view_fold *f, const uint32_t *claims) {
    const struct graph_net_graph *main = &f->b->model->net.graphs[0];

    for (uint32_t v = 0; v < f->b->model->net.n_values; v++) {
        f->input_as[v] = v;
    }
    for (uint32_t i = 0; i < main->n_inputs; i++) {
        uint32_t v = main->inputs[i], by = v == ONNX_NONE ? UNCLAIMED : claims[v];

        if (by < DISPUTED && claims[by] == by) {
            f->input_as[v] = by;
        }
    }
}

// Lists of what is merged, in order, for whatever stands for more than itself.
struct lists {
    uint32_t *items, *first, *n;
};

static void list(struct lists *l, const uint32_t *things, uint32_t n_things, const uint32_t *as) {
    uint32_t at = 0;

    for (uint32_t i = 0; i < n_things; i++) {
        if (things[i] != ONNX_NONE) {
            l->n[as[things[i]]]++;
        }
    }
    for (uint32_t i = 0; i < n_things; i++) {
        if (things[i] == ONNX_NONE || as[things[i]] != things[i]) {
            continue;
        }
        l->first[things[i]] = at;
        at += l->n[things[i]];
        l->n[things[i]] = 0;
    }
    for (uint32_t i = 0; i < n_things; i++) {
        if (things[i] != ONNX_NONE) {
            uint32_t to = as[things[i]];

            l->items[l->first[to] + l->n[to]++] = things[i];
        }
    }
}

static int merge_inputs(struct view_fold *f, struct error *err) {
    struct arena *work = &f->b->work;
    const struct graph_net *net = &f->b->model->net;
    const struct graph_net_graph *main = &net->graphs[0];
    uint32_t *first_read = arena_array(work, net->n_nodes, sizeof(*first_read));
    uint32_t *claims = arena_array(work, net->n_values, sizeof(*claims));
    struct lists l;

    f->input_as = arena_array(work, net->n_values, sizeof(*f->input_as));
    l.items = arena_array(&f->b->view->arena, main->n_inputs, sizeof(*l.items));
    l.first = arena_array(work, net->n_values, sizeof(*l.first));
    l.n = arena_array(work, net->n_values, sizeof(*l.n));
    if (!first_read || !claims || !f->input_as || !l.items || !l.first || !l.n) {
        return arena_error(work, "the inputs of a view", err);
    }
    memset(claims, 0xFF, net->n_values * sizeof(*claims));
    find_first_reads(f->b, first_read);
    claim_inputs(f, first_read, claims);
    settle_inputs(f, claims);
    list(&l, main->inputs, main->n_inputs, f->input_as);
    f->merged = l.items;
    f->first_merged = l.first;
    f->n_merged = l.n;
    return 0;
}

uint32_t view_value_as(const struct view_build *b, uint32_t value) {
    const struct graph_value *v = &b->model->net.values[value];
    uint32_t stand_in;

    if (v->kind != GRAPH_VALUE_NODE) {
        return value;
    }
    stand_in = b->fold->stand_in[v->producer];
    return stand_in == v->producer ? value : b->model->net.nodes[stand_in].outputs[v->slot];
}

static int merge_outputs(struct view_fold *f, struct error *err) {
    struct arena *work = &f->b->work;
    const struct graph_net *net = &f->b->model->net;
    const struct graph_net_graph *main = &net->graphs[0];
    uint32_t *output_of = arena_array(work, net->n_values, sizeof(*output_of));
    uint32_t *all = arena_array(work, main->n_outputs, sizeof(*all));
    struct lists l;

    f->output_as = arena_array(work, main->n_outputs, sizeof(*f->output_as));
    l.items = arena_array(&f->b->view->arena, main->n_outputs, sizeof(*l.items));
    l.first = arena_array(work, main->n_outputs, sizeof(*l.first));
    l.n = arena_array(work, main->n_outputs, sizeof(*l.n));
    if (!output_of || !all || !f->output_as || !l.items || !l.first || !l.n) {
        return arena_error(work, "the outputs of a view", err);
    }
    memset(output_of, 0xFF, net->n_values * sizeof(*output_of));
    for (uint32_t i = 0; i < main->n_outputs; i++) {
        if (main->outputs[i] != ONNX_NONE) {
            output_of[main->outputs[i]] = i;
        }
    }
    for (uint32_t i = 0; i < main->n_outputs; i++) {
        uint32_t v = main->outputs[i];
        uint32_t as = v == ONNX_NONE ? ONNX_NONE : view_value_as(f->b, v);

        all[i] = i;
        f->output_as[i] = as == ONNX_NONE || output_of[as] == ONNX_NONE ? i : output_of[as];
    }
    list(&l, all, main->n_outputs, f->output_as);
    for (uint32_t i = 0; i < main->n_outputs; i++) {
        l.items[i] = main->outputs[l.items[i]];
    }
    f->merged_outputs = l.items;
    f->first_output = l.first;
    f->n_outputs = l.n;
    return 0;
}

int view_merge_ends(struct view_fold *f, struct error *err) {
    int rc = merge_inputs(f, err);

    return rc == 0 ? merge_outputs(f, err) : rc;
}
