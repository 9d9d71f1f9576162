// The modules of a hierarchy as a tree: what the documents say about a module, all its calls taken
// together.
#pragma once

#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "graph/hierarchy.h"

struct graph_module_facts {
    uint32_t first_call;
    uint32_t parent;   // module that called it first, ONNX_NONE for the root
    uint32_t depth;    // of that first call
    uint64_t n_nodes;  // operators in any of its calls, modules below and plumbing included
};

struct graph_module_tree {
    struct graph_module_facts *modules;  // by module
    uint32_t *order;  // all modules, each before those below it, siblings by first call
};

// *out is a zeroed struct of the caller's (graph_module_tree_release). Errors: ERR_NOMEM.
int graph_module_tree_init(struct graph_module_tree *out, const struct graph_hierarchy *hierarchy,
                           const struct graph_net *net, struct error *err) WARN_UNUSED;
void graph_module_tree_release(struct graph_module_tree *tree);
