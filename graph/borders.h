// What goes into a module call and what comes out: the values that cross its border.
//
// A value goes in when a node of the call reads it and nothing in the call makes it; it comes out
// when the call makes it and something outside reads it, the model's user included. Weights and
// constants cross no border, and plumbing neither makes nor reads anything here. The root takes and
// gives what the model does. A body of an operator gives its outputs to that operator.
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "graph/model.h"

struct graph_border {
    const uint32_t *inputs;  // net values, by first reading
    uint32_t n_inputs;
    const uint32_t *outputs;  // net values, in the order they are made
    uint32_t n_outputs;
};

struct graph_borders {
    struct arena arena;
    struct graph_border *calls;  // by call of the hierarchy
};

// *out is a zeroed struct of the caller's (graph_borders_release, also on failure). Errors:
// ERR_NOMEM, ERR_LIMIT.
int graph_borders_init(struct graph_borders *out, const struct graph_model *model,
                       struct error *err) WARN_UNUSED;
void graph_borders_release(struct graph_borders *borders);
