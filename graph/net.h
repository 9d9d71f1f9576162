// The dataflow of a model: names resolved to values, values to producers and readers. Ids are
// indexes, never names.
//
// Covers the main graph and the bodies of If/Loop/Scan below it; bodies of local functions are not
// part of it (a call is one node). Node i < main-graph size is node i of the file's main graph;
// bodies follow in the order of their graphs. Scoping: a body sees the values of the graphs around
// it; an inner name hides an outer one. A name written twice makes two values: a reader gets the
// last writer before it in the file, else the first writer after it (files need not be sorted). A
// name nobody makes is a value of kind MISSING, with a warning.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "onnx/model.h"

enum graph_value_kind {
    GRAPH_VALUE_INPUT,        // graph input; an initializer of its name is its default (`tensor`)
    GRAPH_VALUE_INITIALIZER,  // weight; so is an input of the main graph with an initializer, in IR
                              // < 4 or when the file lists all of its many weights as inputs
    GRAPH_VALUE_NODE,         // output of a node
    GRAPH_VALUE_MISSING,      // read, but made by nobody
};

struct graph_value {
    struct str name;  // as in the file
    enum graph_value_kind kind;
    uint32_t graph;                    // onnx graph it belongs to (MISSING: the main graph)
    uint32_t producer;                 // net node, or ONNX_NONE
    uint32_t slot;                     // output slot of the producer, or position among the inputs
    const struct onnx_tensor *tensor;  // initializer or default, else NULL
    const struct onnx_type *declared;  // from inputs, outputs or value_info, else NULL
};

struct graph_use {
    uint32_t node;  // reader
    uint32_t slot;  // input slot; >= n_inputs of the node: a capture of one of its bodies
};

struct graph_net_node {
    const struct onnx_node *proto;
    uint32_t graph;          // onnx graph it is in
    const uint32_t *inputs;  // value per slot, ONNX_NONE = left out; n = n_inputs
    uint32_t n_inputs;
    const uint32_t *outputs;   // value per slot, ONNX_NONE = unnamed
    uint32_t n_outputs;        // of a call that is written out 0
    const uint32_t *captured;  // outer values that its bodies read, at any depth below, in order of
                               // first reading
    uint32_t n_captured;
};

struct graph_net_graph {
    uint32_t first_node, n_nodes;  // net nodes
    const uint32_t *inputs;        // values; main graph: each once, weights left out
    uint32_t n_inputs;
    const uint32_t *outputs;  // values (may be inputs, outer values or MISSING); main graph: each
                              // once; bodies: by position, ONNX_NONE = unnamed
    uint32_t n_outputs;
};

struct graph_net {
    struct arena arena;
    bool cut;  // set by the caller before init: the file breaks off, so what makes a value may be
               // missing; such values are one warning together
    const struct onnx_model *model;
    const struct graph_net_node *nodes;
    size_t n_nodes;
    const struct graph_value *values;
    size_t n_values;
    const struct graph_net_graph *graphs;  // by onnx graph index; function bodies are empty
    const uint32_t *holder;  // by onnx graph index: net node that holds the body, ONNX_NONE for
                             // graph 0 and functions
    const uint32_t *order;   // all nodes in execution order: topological, ties by index; a body's
                             // nodes come directly before their holder. Cycles are broken, with a
                             // warning
    const uint32_t *first_use;     // n_values + 1 offsets into uses
    const struct graph_use *uses;  // readers of a value, by node and slot; graph outputs are not in
                                   // it
    const struct str *paths;       // by onnx graph index: graph_net_graph_path()
};

// *out is a zeroed struct of the caller's (graph_net_release). Borrows `model`.
int graph_net_init(struct graph_net *out, const struct onnx_model *model, struct warnings *warnings,
                   struct error *err) WARN_UNUSED;
void graph_net_release(struct graph_net *net);

// Path of operators and body names of an onnx graph: "" for the main graph, "/If_3/then_branch"
// below; no two bodies have the same. An operator without a name is its type and index. Borrowed
// from the net.
struct str graph_net_graph_path(const struct graph_net *net, uint32_t graph);
