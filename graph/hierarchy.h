// The nn.Module call tree of a model: which call of which module every node belongs to.
//
// Call 0 is the root: path "", depth 0. Depth counts called modules above, as torchview does:
// ModuleList and ModuleDict are never called and appear nowhere. A call's parent is the call whose
// code called it. Two modules that one path cannot tell apart share that path and differ by call
// number. Every node has exactly one owner call. No module is invented: each path comes from the
// file's evidence (metadata, names, initializers), by the decision procedure per node, first
// evidence that applies, never by exporter version.
//
// One file a naming style: scope_metadata.c (dynamo), scope_functions.c and scope_bodies.c (calls
// of local functions, and what lies in them), scope_path.c and scope_name.c (TorchScript >= 1.13),
// scope_tf.c (tf2onnx and others), scope_legacy.c (names of results by dynamo_export),
// scope_initializer.c (owners of parameters, for files that tell nothing else; with
// scope_containers.c, scope_layers.c and scope_between.c), scope_place.c and scope_glue.c (nodes
// without evidence of their own). scope.c drives them, calls_suffix.c and calls_order.c cut calls,
// calls.c writes the tables, class_infer.c guesses classes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/net.h"
#include "graph/plumbing.h"

enum graph_scope_source {
    GRAPH_SCOPE_METADATA,
    GRAPH_SCOPE_FUNCTION,
    GRAPH_SCOPE_NAME,
    GRAPH_SCOPE_OUTPUT,
    GRAPH_SCOPE_INITIALIZER,
    GRAPH_SCOPE_NEIGHBOUR,
    GRAPH_SCOPE_NONE,
    GRAPH_SCOPE_SOURCES,
};

enum graph_class_source {
    GRAPH_CLASS_METADATA,
    GRAPH_CLASS_FUNCTION,
    GRAPH_CLASS_INFERRED,
    GRAPH_CLASS_NONE,
};

// Calls of functions are calls of modules here. A function whose module has no name in the file,
// and one that is no module at all, has a made-up path that no module has, "layer1.0.ReLU()";
// documents that list modules leave it out.
enum graph_module_kind {
    GRAPH_MODULE,           // an nn.Module by its name
    GRAPH_MODULE_NAMELESS,  // an nn.Module, or a function that may stand for one
    GRAPH_MODULE_OPERATOR,  // a function that implements one operator
};

struct graph_module {
    enum graph_module_kind kind;
    struct str path;        // qualified name, "" for the root
    struct str class_name;  // "torchvision.models.resnet.Bottleneck", "" when the file does not
                            // know it
    enum graph_class_source class_source;
    uint32_t n_calls;
};

struct graph_call {
    uint32_t module;
    uint32_t number;  // 0-based among the calls of its module
    uint32_t parent;  // call; ONNX_NONE for the root
    uint32_t depth;   // 0 for the root
    bool leaf;        // has no child call that owns a node, functions that are operators left out
    bool owns;        // owns, itself or below, a node that is no Constant: it can be drawn
};

struct graph_hierarchy {
    struct arena arena;
    const struct graph_module *modules;  // 0 = root; parents before children, order of first call
    size_t n_modules;
    const struct graph_call *calls;  // 0 = root; parents before children, execution order
    size_t n_calls;
    size_t n_named, n_named_calls;        // modules and calls of kind GRAPH_MODULE
    const uint32_t *node_call;            // per net node: owner call
    const uint8_t *node_source;           // per net node: enum graph_scope_source
    size_t sources[GRAPH_SCOPE_SOURCES];  // totals over all nodes of the file, those of functions
                                          // left out
    uint32_t depth;                       // of the deepest call
    uint32_t named_depth;                 // of the deepest call of kind GRAPH_MODULE
};

int graph_hierarchy_init(struct graph_hierarchy *out, const struct graph_net *net,
                         const struct graph_plumbing_map *plumbing, struct warnings *warnings,
                         struct error *err) WARN_UNUSED;
void graph_hierarchy_release(struct graph_hierarchy *h);

// "metadata", "function", "name", "output", "initializer", "neighbour", "none".
const char *graph_scope_source_name(enum graph_scope_source source);
// "metadata", "function", "inferred", "none".
const char *graph_class_source_name(enum graph_class_source source);
