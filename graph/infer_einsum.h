// The dims behind the letters of an einsum equation: private to graph/infer*.c and macs.c.
#pragma once

#include "graph/infer.h"

#define EINSUM_LETTERS 128

struct infer_einsum {
    struct graph_dim dims[EINSUM_LETTERS];  // by letter
    bool used[EINSUM_LETTERS];              // occurs in an input
    uint32_t n_terms[EINSUM_LETTERS];       // how often, over all inputs
    struct graph_dim rest[INFER_RANK_MAX];  // what "..." stands for, broadcast
    uint32_t n_rest;
    struct str output;  // the right side, "" when there is none
    bool has_output;
};

// false when the equation does not fit the inputs.
bool infer_einsum_read(struct infer *c, struct infer_einsum *out);
