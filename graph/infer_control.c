// If, Loop and Scan: what goes into their bodies, and what comes out.
#include "graph/infer_rules.h"
#include "graph/infer_walk.h"

enum { LOOP_STATE = 2 };  // inputs of Loop and of its body before the carried values

static bool is_op(const struct infer *c, const char *op) {
    return str_eq_z(c->node->proto->op, op) && onnx_domain_is_standard(c->node->proto->domain);
}

// The body in an attribute, or NULL; *graph is its index.
static const struct graph_net_graph *body_of(const struct infer *c, const char *name,
                                             uint32_t *graph) {
    const struct onnx_attr *attr = onnx_node_attr(c->node->proto, name);
    if (!c->frame->net || !attr || attr->type != ONNX_ATTR_GRAPH || attr->n != 1) {
        return NULL;
    }
    *graph = attr->graphs[0];
    return &c->frame->net->graphs[*graph];
}

// ---- into bodies

static void state_input(struct infer *c, uint32_t value, const struct graph_tensor_type *type,
                        const struct infer_sequence *sequence) {
    if (value == ONNX_NONE) {
        return;
    }
    if (shape_declare(c->job->shape, value, NULL) < 0) {
        c->job->no_memory = true;
    }
    c->frame->data[value] = NULL;
    c->frame->sequences[value] = sequence;
    infer_state(c, value, type);
}

// The first input counts the rounds; the second is the condition, which holds whenever a round
// starts.
static void enter_loop(struct infer *c, const struct graph_net_graph *body) {
    static const int32_t dtypes[LOOP_STATE] = {ONNX_INT64, ONNX_BOOL};
    for (uint32_t i = 0; i < body->n_inputs && i < LOOP_STATE; i++) {
        struct graph_tensor_type scalar = {.dtype = dtypes[i],
                                           .has_rank = true,
                                           .source = GRAPH_SHAPE_INFERRED};
        state_input(c, body->inputs[i], &scalar, NULL);
    }
    if (body->n_inputs > 1 && body->inputs[1] != ONNX_NONE) {
        struct infer_data *holds = infer_new_data(c, 1);
        if (holds) {
            holds->nums[0] = dim_int(1);
        }
        c->frame->data[body->inputs[1]] = holds;
    }
    for (uint32_t i = LOOP_STATE; i < body->n_inputs && i < c->node->n_inputs; i++) {
        state_input(c, body->inputs[i], infer_in(c, i), infer_sequence_in(c, i));
    }
}

static int64_t item(const struct infer *c, const char *name, uint32_t at) {
    struct infer_ints list;
    return infer_attr_ints(c, name, &list) && at < list.n ? list.items[at] : 0;
}

// Number of inputs that are scanned; those before them are state. UINT32_MAX when it is none.
static uint32_t scanned(const struct infer *c) {
    int64_t n = infer_attr_int(c, "num_scan_inputs", 0);
    return n > 0 && n <= (int64_t)c->node->n_inputs ? (uint32_t)n : UINT32_MAX;
}

static void enter_scan(struct infer *c, const struct graph_net_graph *body) {
    uint32_t n = scanned(c);
    if (n == UINT32_MAX || c->job->walk->standard_opset < 9) {
        return;
    }
    uint32_t n_state = c->node->n_inputs - n;
    for (uint32_t i = 0; i < body->n_inputs && i < c->node->n_inputs; i++) {
        struct graph_tensor_type type = *infer_in(c, i);
        struct graph_dim dims[INFER_RANK_MAX];
        uint32_t axis;
        if (i >= n_state && type.has_rank) {
            if (!infer_axis(item(c, "scan_input_axes", i - n_state), type.rank, &axis)) {
                continue;
            }
            infer_remove_dim(dims, &type, axis);
            infer_keep_dims(c, &type, dims, type.rank - 1);
        }
        state_input(c, body->inputs[i], &type, NULL);
    }
}

void infer_enter_body(struct infer *c, uint32_t graph) {
    const struct graph_net_graph *body = &c->frame->net->graphs[graph];
    if (is_op(c, "Loop")) {
        enter_loop(c, body);
    } else if (is_op(c, "Scan")) {
        enter_scan(c, body);
    }
}

// ---- out of bodies

static const struct infer_sequence *common_sequence(struct infer *c, const struct infer_sequence *a,
                                                    const struct infer_sequence *b) {
    if (!a || !b || a == b) {
        return a == b ? a : NULL;
    }
    struct infer_sequence *both = arena_alloc(c->job->arena, sizeof(*both));
    if (!both) {
        c->job->no_memory = true;
        return NULL;
    }
    both->element = a->element;
    infer_common(c, &both->element, &b->element);
    both->known_length = a->known_length && b->known_length && a->n == b->n;
    both->n = both->known_length ? a->n : 0;
    bool is_a = both->element.dims == a->element.dims &&
                both->element.has_rank == a->element.has_rank &&
                both->element.dtype == a->element.dtype && both->known_length == a->known_length &&
                !a->items;
    return is_a ? a : both;
}

// States an output that is the one or the other value.
static void state_common(struct infer *c, uint32_t slot, uint32_t a, uint32_t b) {
    const struct infer_frame *frame = c->frame;
    if (a == ONNX_NONE || b == ONNX_NONE || slot >= c->node->n_outputs) {
        return;
    }
    struct graph_tensor_type type = frame->types[a];
    infer_common(c, &type, &frame->types[b]);
    const struct infer_sequence *sequence =
        common_sequence(c, frame->sequences[a], frame->sequences[b]);
    if (sequence) {
        infer_out_sequence(c, slot, sequence);
    } else {
        infer_out_shape(c, slot, type.dtype, &type);
    }
    if (a == b && frame->data[a]) {
        infer_out_data(c, slot, frame->data[a]->n, frame->data[a]->nums);
    }
}

void infer_if(struct infer *c) {
    uint32_t graphs[2] = {0, 0};
    int64_t condition;
    const struct graph_net_graph *yes = body_of(c, "then_branch", &graphs[0]);
    const struct graph_net_graph *no = body_of(c, "else_branch", &graphs[1]);
    if (!yes || !no) {
        return;
    }
    if (infer_int_in(c, 0, &condition)) {
        c->job->shape->shapes->repeats[graphs[0]] = dim_int(condition != 0);
        c->job->shape->shapes->repeats[graphs[1]] = dim_int(condition == 0);
        yes = no = condition ? yes : no;
    }
    for (uint32_t i = 0; i < c->node->n_outputs && i < yes->n_outputs && i < no->n_outputs; i++) {
        state_common(c, i, yes->outputs[i], no->outputs[i]);
    }
}

// ---- Loop

// Widens a carried value to what holds in every round; true when that changed it. `forget` gives
// its shape up, for good.
static bool widen(struct infer *c, uint32_t in, uint32_t out, bool forget) {
    struct infer_frame *frame = c->frame;
    struct graph_tensor_type *type = &frame->types[in], before = *type;
    const struct infer_sequence *sequence =
        common_sequence(c, frame->sequences[in], frame->sequences[out]);
    infer_common(c, type, &frame->types[out]);
    if (forget) {
        type->has_rank = false;
        type->rank = 0;
        sequence = NULL;
    }
    bool changed = type->dtype != before.dtype || type->has_rank != before.has_rank ||
                   type->dims != before.dims || sequence != frame->sequences[in];
    frame->sequences[in] = sequence;
    return changed;
}

static bool widen_all(struct infer *c, const struct graph_net_graph *body, bool forget) {
    bool changed = false;
    for (uint32_t i = LOOP_STATE; i < body->n_inputs && i - 1 < body->n_outputs; i++) {
        if (body->inputs[i] != ONNX_NONE && body->outputs[i - 1] != ONNX_NONE) {
            changed |= widen(c, body->inputs[i], body->outputs[i - 1], forget);
        }
    }
    return changed;
}

// Known when nothing ends the loop early: the body hands on a condition that holds.
static struct dim_num trips(struct infer *c, const struct graph_net_graph *body) {
    const struct infer_data *limit = infer_data_in(c, 0);
    const struct infer_data *goes_on =
        body->n_outputs && body->outputs[0] != ONNX_NONE ? c->frame->data[body->outputs[0]] : NULL;
    int64_t starts = 1;
    if ((infer_has(c, 1) && !infer_int_in(c, 1, &starts)) || !limit || limit->n != 1 || !goes_on ||
        goes_on->n != 1 || !dim_is_int(goes_on->nums[0], 1)) {
        return (struct dim_num){.kind = DIM_UNKNOWN};
    }
    if (limit->nums[0].kind == DIM_INT && limit->nums[0].i < 0) {
        return dim_int(0);
    }
    return starts ? limit->nums[0] : dim_int(0);
}

static void state_stacked(struct infer *c, uint32_t slot, const struct graph_tensor_type *round,
                          struct dim_num n, int64_t axis) {
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t at;
    if (!round->has_rank || round->rank >= INFER_RANK_MAX ||
        !infer_axis(axis, round->rank + 1, &at)) {
        infer_out_unranked(c, slot, round->dtype);
        return;
    }
    infer_insert_dim(dims, round, at, dim_to(n));
    infer_out(c, slot, round->dtype, round->rank + 1, dims);
}

static void state_loop(struct infer *c, const struct graph_net_graph *body, struct dim_num n) {
    bool runs = n.kind == DIM_INT && n.i > 0;
    uint32_t n_carried = c->node->n_inputs > LOOP_STATE ? c->node->n_inputs - LOOP_STATE : 0;
    for (uint32_t i = 0; i < c->node->n_outputs && i + 1 < body->n_outputs; i++) {
        uint32_t out = body->outputs[i + 1];
        if (out == ONNX_NONE) {
            continue;
        }
        if (i >= n_carried) {
            state_stacked(c, i, &c->frame->types[out], n, 0);
        } else {
            state_common(c, i, out, runs ? out : c->node->inputs[i + LOOP_STATE]);
        }
        if (i < n_carried && c->node->outputs[i] != ONNX_NONE) {
            c->frame->data[c->node->outputs[i]] = NULL;
        }
    }
}

void infer_loop(struct infer *c) {
    uint32_t graph;
    struct infer_walk *walk = c->job->walk;
    const struct graph_net_graph *body = body_of(c, "body", &graph);
    if (!body) {
        return;
    }
    bool late = walk->rounds[graph] >= INFER_ROUNDS_MAX || walk->visits >= walk->visits_max;
    if (widen_all(c, body, late) && walk->rounds[graph] <= INFER_ROUNDS_MAX) {
        walk->rounds[graph]++;
        walk->again = graph;
        return;
    }
    struct dim_num n = trips(c, body);
    c->job->shape->shapes->repeats[graph] = n;
    state_loop(c, body, n);
}

// ---- Scan

static struct dim_num scan_length(struct infer *c, uint32_t n_state) {
    struct dim_num n = {.kind = DIM_UNKNOWN};
    for (uint32_t i = n_state; i < c->node->n_inputs && n.kind == DIM_UNKNOWN; i++) {
        n = infer_dim_in(c, i, item(c, "scan_input_axes", i - n_state));
    }
    return n;
}

void infer_scan(struct infer *c) {
    uint32_t graph, n = scanned(c);
    const struct graph_net_graph *body = body_of(c, "body", &graph);
    if (!body || n == UINT32_MAX || c->opset < 9) {
        return;
    }
    uint32_t n_state = c->node->n_inputs - n;
    struct dim_num length = scan_length(c, n_state);
    c->job->shape->shapes->repeats[graph] = length;
    for (uint32_t i = 0; i < c->node->n_outputs && i < body->n_outputs; i++) {
        if (body->outputs[i] == ONNX_NONE) {
            continue;
        }
        if (i < n_state) {
            state_common(c, i, body->outputs[i], c->node->inputs[i]);
        } else {
            state_stacked(c, i, &c->frame->types[body->outputs[i]], length,
                          item(c, "scan_output_axes", i - n_state));
        }
    }
}
