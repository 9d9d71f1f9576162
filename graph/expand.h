// Calls of local functions written out: the body of the function stands behind each call, with the
// caller's values in place of the function's own names for them. What comes after (values, modules,
// shapes, costs, views) sees plain operators.
//
// The call itself stays, as the node before its body: `expanded` is set, and its outputs are made
// in the body. Nodes of a body have a `caller`. What a body makes for itself is named "CALL/NAME",
// never like anything else in the model; attributes that refer to the function's are replaced by
// the call's, or by their defaults. Bodies of If and Loop inside a function become graphs of their
// own, one for each call, at the end of the table.
//
// A call stays closed, a node like any other, when its function calls itself, when functions lie
// too deep in functions or would be too much altogether (a warning tells), when the function is
// empty, and when a graph is handed in.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "onnx/model.h"

#define EXPAND_WORK_MAX ((uint64_t)1 << 20)  // nodes, their slots and attributes in all bodies
#define EXPAND_DEPTH_MAX 64u                 // functions in functions

struct graph_expansion {
    struct arena arena;
    struct onnx_node *nodes;    // of the model, owned; NULL: those of the original
    struct onnx_graph *graphs;  // of the model, owned; NULL: those of the original
    struct onnx_model model;    // borrows all else from the original
};

// *out is a zeroed struct of the caller's (graph_expansion_release, also on failure). Borrows
// `model`. Errors: ERR_NOMEM, ERR_LIMIT.
int graph_expand(struct graph_expansion *out, const struct onnx_model *model,
                 struct warnings *warnings, struct error *err) WARN_UNUSED;
void graph_expansion_release(struct graph_expansion *expansion);

// Nodes of the main graph and of bodies in it, functions left out.
size_t graph_count_file_nodes(const struct onnx_model *original);

// The call in the file that a node was written out for, through all calls around it; the node
// itself when it stands in the file.
const struct onnx_node *graph_expansion_origin(const struct onnx_model *model,
                                               const struct onnx_node *node);
