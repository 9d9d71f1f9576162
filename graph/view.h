// A view: the boxes, edges and clusters of one picture, before any position is known.
//
// Nodes are in execution order (inputs and missing values first, outputs last), clusters parents
// before children, edges sorted by (from, to). Ids in documents and in the picture are "n" / "m" /
// "e" plus the index. A call is a node when its depth is the limit, or within it when it has no
// child modules and hide_module_functions is on; deeper ones are inside it. An operator is one
// deeper than its module. Values made inside a shown module leave it as edges to whoever reads
// them; hidden plumbing carries no edge, but what a closed box reads for it counts. Shape
// arithmetic that ends in an output of the model is not hidden.
//
// A body of If, Loop or Scan lies one level below its holder's surroundings. Open, it is a box
// beside the holder: values go to their readers inside, and its results go to the holder, which
// stays an operator with the edges that nobody inside takes over (the condition of an If). Closed,
// it is part of the holder.
//
// `expand` and `collapse` decide for the calls they match and do not open what lies around them.
// The automatic depth does not look at them: opening one box leaves the rest as it was. A root
// without child modules is one node at every depth that was asked for, as in torchview, unless the
// file names no modules at all; the automatic depth draws it in full.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/model.h"
#include "graph/options.h"

enum graph_view_kind {
    GRAPH_VIEW_INPUT,
    GRAPH_VIEW_OUTPUT,
    GRAPH_VIEW_TENSOR,
    GRAPH_VIEW_MODULE,
    GRAPH_VIEW_OPERATOR,
    GRAPH_VIEW_CONSTANT,
    GRAPH_VIEW_PARAMETER,
    GRAPH_VIEW_FOLD,
    GRAPH_VIEW_SECTION,
    GRAPH_VIEW_MISSING,
    GRAPH_VIEW_KINDS,
};

enum graph_cluster_kind {
    GRAPH_CLUSTER_MODULE,
    GRAPH_CLUSTER_FOLD,
    GRAPH_CLUSTER_BRANCH,  // body of an If, Loop or Scan
    GRAPH_CLUSTER_FUNCTION,
    GRAPH_CLUSTER_SECTION,
    GRAPH_CLUSTER_KINDS,
};

struct graph_view_node {
    enum graph_view_kind kind;
    uint32_t call;   // module: the call shown; else the call that owns it
    uint32_t node;   // operator: net node; parameter, constant: the one that reads it first; else
                     // ONNX_NONE
    uint32_t value;  // input, output, tensor, constant, parameter, missing: net value, else
                     // ONNX_NONE
    uint32_t depth;  // as torchview counts: modules their own, operators one more than their module
    // How many things it stands for, 1 = itself. Inputs or outputs that would fill the view alone
    // share one node but for the first of them; its `value` is ONNX_NONE then.
    uint32_t count;
    const uint32_t *calls;  // rolled: the calls it stands for, in order; else NULL
    uint32_t n_calls;
    bool highlight;          // picked by option `highlight`
    const uint32_t *own;     // for options `attrs` and `params=list`: the net nodes it is, those of
    uint32_t n_own;          // child modules left out; of what is rolled the first call's
    uint32_t cluster;        // innermost box around it, ONNX_NONE = none
    const uint32_t *inputs;  // values that enter it, first reading first, fixed ones left out
    uint32_t n_inputs;
    const uint32_t *outputs;  // values that leave it (read outside or graph outputs); of an
                              // operator that nobody reads, what it makes
    uint32_t n_outputs;
};

struct graph_view_edge {
    uint32_t from, to;  // view nodes
    uint32_t count;     // readings: distinct values, rolled each call for itself (strict); drawn
                        // as "xN" when > 1
    const uint32_t *values;
    uint32_t n_values;
};

struct graph_view_cluster {
    enum graph_cluster_kind kind;
    uint32_t call;    // module: the call; branch: the call that owns the holder
    uint32_t graph;   // branch: onnx graph, else ONNX_NONE
    uint32_t parent;  // cluster, ONNX_NONE = none
    uint32_t depth;
    const uint32_t *calls;  // rolled: the calls it stands for, in order; else NULL
    uint32_t n_calls;
    bool highlight;
};

struct graph_view {
    struct arena arena;
    const struct graph_model *model;      // borrowed
    const struct graph_options *options;  // borrowed
    uint32_t depth;  // the depth that was used (auto resolved); GRAPH_DEPTH_INF = all
    const struct graph_view_node *nodes;
    size_t n_nodes;
    const struct graph_view_edge *edges;
    size_t n_edges;
    const struct graph_view_cluster *clusters;
    size_t n_clusters;
    struct warnings warnings;  // of the view alone: came back coarser, a pattern that matches
                               // nothing, ...
};

#define GRAPH_VIEW_NESTING_MAX 100  // boxes in boxes; a deeper view comes back coarser

struct graph_view_limits {
    uint32_t max_drawn;  // nodes of a view; a larger one comes back coarser (design: 10,000)
};

int graph_view_init(struct graph_view *out, const struct graph_model *model,
                    const struct graph_options *options, const struct graph_view_limits *limits,
                    struct error *err) WARN_UNUSED;
void graph_view_release(struct graph_view *view);

const char *graph_view_kind_name(enum graph_view_kind kind);        // "input", "output", ...
const char *graph_cluster_kind_name(enum graph_cluster_kind kind);  // "module", "fold", "branch",
                                                                    // ...

// Plain text captions: what the JSON calls label, and what the picture shows in bold. By option
// `names`: "Bottleneck", "layer1.0", "layer1.0: Bottleneck", full path. An operator's is its op
// type, an input's its name. Foreign text: the caller escapes.
void graph_view_caption(struct buf *out, const struct graph_view *view, uint32_t node);
void graph_view_cluster_caption(struct buf *out, const struct graph_view *view, uint32_t cluster);
