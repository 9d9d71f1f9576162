// Calls of local functions: the body is run once per call, with an explicit stack.
#include "graph/infer_walk.h"

// One call that is running.
struct activation {
    struct infer_frame frame;
    const struct infer_program *program;
    const struct graph_net_node *node;  // the call, in the frame below
    uint32_t next;                      // node of the program
    struct dim_num macs;                // so far
};

// ---- resolving

struct resolve {
    struct infer_job *job;
    struct map names;
    uint32_t n_values;
};

static int name_value(struct resolve *r, struct str name, uint32_t *value) {
    *value = ONNX_NONE;
    if (name.n == 0) {
        return 0;
    }
    *value = r->n_values++;
    return map_put(&r->names, name, *value, NULL);
}

static uint32_t *new_slots(struct resolve *r, size_t n) {
    return arena_array(r->job->arena, n, sizeof(uint32_t));
}

// A name that nobody makes reads as left out.
static int resolve_node(struct resolve *r, struct graph_net_node *out,
                        const struct onnx_node *node) {
    uint32_t *inputs = new_slots(r, node->n_inputs), *outputs = new_slots(r, node->n_outputs);
    int result = inputs && outputs ? 0 : ERR_NOMEM;
    *out = (struct graph_net_node){.proto = node, .graph = node->graph};
    for (size_t i = 0; i < node->n_inputs && result == 0; i++) {
        inputs[i] = map_get(&r->names, node->inputs[i]);
    }
    for (size_t i = 0; i < node->n_outputs && result == 0; i++) {
        result = name_value(r, node->outputs[i], &outputs[i]);
    }
    out->inputs = inputs;
    out->n_inputs = (uint32_t)node->n_inputs;
    out->outputs = outputs;
    out->n_outputs = (uint32_t)node->n_outputs;
    return result;
}

static int resolve_body(struct resolve *r, struct infer_program *program,
                        const struct onnx_function *function) {
    const struct onnx_graph *graph = &r->job->model->graphs[function->graph];
    struct graph_net_node *nodes = arena_array(r->job->arena, graph->n_nodes, sizeof(*nodes));
    uint32_t *outputs = new_slots(r, function->n_outputs);
    int result = nodes && outputs ? 0 : ERR_NOMEM;
    for (size_t i = 0; i < function->n_inputs && result == 0; i++) {
        uint32_t value = r->n_values++;
        if (function->inputs[i].n) {
            result = map_put(&r->names, function->inputs[i], value, NULL);
        }
    }
    for (uint32_t i = 0; i < graph->n_nodes && result == 0; i++) {
        result = resolve_node(r, &nodes[i], &r->job->model->nodes[graph->first_node + i]);
    }
    for (size_t i = 0; i < function->n_outputs && result == 0; i++) {
        outputs[i] = map_get(&r->names, function->outputs[i]);
    }
    program->nodes = nodes;
    program->n_nodes = graph->n_nodes;
    program->n_inputs = (uint32_t)function->n_inputs;
    program->n_values = r->n_values;
    program->outputs = outputs;
    return result;
}

static const struct infer_program *program_of(struct infer_job *job,
                                              const struct onnx_function *function) {
    struct infer_program *program = &job->walk->programs[function - job->model->functions];
    struct resolve r = {.job = job};
    if (program->ready) {
        return program;
    }
    int result = resolve_body(&r, program, function);
    map_release(&r.names);
    program->ready = result == 0;
    job->no_memory |= result < 0;
    return result == 0 ? program : NULL;
}

// ---- running

struct stack {
    struct activation *items[INFER_CALL_DEPTH_MAX];
    uint32_t depth;
};

// Hands what is known of a value from frame to frame.
static void hand_on(struct infer_frame *to, uint32_t into, const struct infer_frame *from,
                    uint32_t value) {
    to->types[into] = from->types[value];
    to->data[into] = from->data[value];
    to->sequences[into] = from->sequences[value];
}

static bool init_frame(struct infer *c, struct infer_frame *frame,
                       const struct infer_program *program) {
    struct arena *arena = c->job->arena;
    frame->types = arena_array(arena, program->n_values, sizeof(*frame->types));
    frame->data = arena_array(arena, program->n_values, sizeof(*frame->data));
    frame->sequences = arena_array(arena, program->n_values, sizeof(*frame->sequences));
    c->job->no_memory |= !frame->types || !frame->data || !frame->sequences;
    return !c->job->no_memory;
}

// false when the call is too deep, too much, or out of memory: its outputs are unknown then.
static bool push(struct infer *c, struct stack *stack, const struct onnx_function *function) {
    const struct infer_program *program = program_of(c->job, function);
    struct infer_walk *walk = c->job->walk;
    if (!program || stack->depth == INFER_CALL_DEPTH_MAX) {
        return false;
    }
    walk->call_visits += (uint64_t)program->n_values + program->n_nodes + 1;
    if (walk->call_visits > INFER_CALL_VISITS_MAX) {
        return false;
    }
    struct activation *new = arena_alloc(c->job->arena, sizeof(*new));
    c->job->no_memory |= !new;
    if (!new || !init_frame(c, &new->frame, program)) {
        return false;
    }
    new->frame.caller = c->frame;
    new->frame.function = function;
    new->frame.call = c->node->proto;
    new->program = program;
    new->node = c->node;
    new->macs = dim_int(0);
    for (uint32_t i = 0; i < program->n_inputs && i < c->node->n_inputs; i++) {
        if (!infer_has(c, i)) {
            continue;
        }
        (void)infer_data_in(c, i);
        (void)infer_sequence_in(c, i);
        hand_on(&new->frame, i, c->frame, c->node->inputs[i]);
    }
    stack->items[stack->depth++] = new;
    return true;
}

static void state_outputs(struct infer_job *job, const struct activation *done,
                          struct infer_frame *below) {
    struct infer caller = {.job = job, .frame = below, .node = done->node};
    const struct infer_frame *frame = &done->frame;
    for (uint32_t i = 0; i < done->node->n_outputs && i < frame->function->n_outputs; i++) {
        uint32_t value = done->program->outputs[i];
        uint32_t into = done->node->outputs[i];
        if (value == ONNX_NONE || into == ONNX_NONE) {
            continue;
        }
        infer_state(&caller, into, &frame->types[value]);
        below->data[into] = frame->data[value];
        below->sequences[into] = frame->sequences[value];
    }
}

// Runs the next node of the topmost call; a call among them goes onto the stack.
static void step(struct infer_job *job, struct stack *stack) {
    struct activation *top = stack->items[stack->depth - 1];
    struct infer c = {.job = job, .frame = &top->frame, .node = &top->program->nodes[top->next++]};
    const struct onnx_function *function = onnx_model_function(job->model, c.node->proto);
    struct dim_num macs = {.kind = DIM_UNKNOWN};
    if (function && push(&c, stack, function)) {
        return;
    }
    if (!function) {
        infer_run_node(&c, &macs);
    }
    top->macs = dim_add(job->dims, top->macs, macs);
}

void infer_call(struct infer *c, const struct onnx_function *function, struct dim_num *macs) {
    struct stack stack = {.depth = 0};
    *macs = (struct dim_num){.kind = DIM_UNKNOWN};
    if (!push(c, &stack, function)) {
        return;
    }
    while (stack.depth && !c->job->no_memory) {
        struct activation *top = stack.items[stack.depth - 1];
        if (top->next < top->program->n_nodes) {
            step(c->job, &stack);
            continue;
        }
        struct activation *below = --stack.depth ? stack.items[stack.depth - 1] : NULL;
        state_outputs(c->job, top, below ? &below->frame : c->frame);
        if (below) {
            below->macs = dim_add(c->job->dims, below->macs, top->macs);
        } else {
            *macs = top->macs;
        }
    }
}
