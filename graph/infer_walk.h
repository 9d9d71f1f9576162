// The driver of inference and its two kinds of detours, bodies and functions: private to
// graph/infer.c, infer_control.c and infer_call.c.
#pragma once

#include "graph/infer.h"

#define INFER_ROUNDS_MAX 4  // of a Loop before its carried values give up their shapes
// Runs of nodes in all, per node of the net: past it a Loop gives up in the first round.
#define INFER_VISITS_PER_NODE 8
#define INFER_CALL_DEPTH_MAX 64         // calls of functions within calls
#define INFER_CALL_VISITS_MAX 1000000u  // nodes of functions run in all

// The body of a local function with names resolved.
struct infer_program {
    bool ready;                          // resolved, else it is unknown so far
    const struct graph_net_node *nodes;  // values are numbered from 0: inputs, then outputs
    uint32_t n_nodes;
    uint32_t n_inputs;
    uint32_t n_values;
    const uint32_t *outputs;  // ONNX_NONE = made by nobody
};

struct infer_walk {
    struct map index;  // of the table of rules
    int64_t standard_opset;
    // Per onnx graph:
    uint8_t *entered;                // its inputs are stated
    uint32_t *first;                 // place in the order where it was entered
    uint8_t *rounds;                 // of a Loop's body
    struct infer_program *programs;  // per local function
    uint32_t again;  // the body of the Loop just seen, when it has to run once more, else 0
    bool repeating;  // nodes have been run before: their outputs are set back first
    uint64_t visits;
    uint64_t visits_max;
    uint64_t call_visits;
};

// Runs the rule of one operator, if there is one; `macs` gets its multiply-accumulates.
void infer_run_node(struct infer *c, struct dim_num *macs);

// States the inputs of a body of the node.
void infer_enter_body(struct infer *holder, uint32_t graph);

// Runs the body of a local function and states the outputs of the call.
void infer_call(struct infer *c, const struct onnx_function *function, struct dim_num *macs);
