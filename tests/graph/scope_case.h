// A hierarchy built from a hand-made model, and its places as text that a test can read.
#pragma once

#include "graph/expand.h"
#include "graph/hierarchy.h"
#include "tests/support/model_builder.h"

struct scope_case {
    struct onnx_model *model;
    struct graph_expansion expansion;
    struct graph_net net;
    struct graph_plumbing_map plumbing;
    struct warnings warnings;
    struct graph_hierarchy hierarchy;
};

// Takes the builder. Aborts the test when anything fails.
void scope_case_init(struct scope_case *c, struct model_builder *b);
// The same with calls of functions written out.
void scope_case_init_expanded(struct scope_case *c, struct model_builder *b);
void scope_case_release(struct scope_case *c);

// Node by its first output.
uint32_t scope_case_node(const struct scope_case *c, const char *output);

// The node's calls from below the root, each as path@number: "layer1@0 layer1.0@0"; "" = root.
void scope_expect_place(const struct scope_case *c, const char *output, const char *place);
void scope_expect_source(const struct scope_case *c, const char *output,
                         enum graph_scope_source source);

// A dynamo node: names and classes are Python lists, trace may be NULL.
void scope_dynamo_node(struct model_builder *b, const char *op, const char *inputs,
                       const char *output, const char *names, const char *classes,
                       const char *trace);
