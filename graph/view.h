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
//
// A run is a chain of equal instances among the siblings of one module: operators, attributes,
// weights' shapes and dtypes, topology and classes are equal, names and the values of weights are
// not looked at (those of integers and of single constants are: they are axes and sizes). Each
// instance reads the one before through the same ports; whatever else it reads is the same for all
// or one per instance of equal kind. Only the first instance is drawn, for all of them: as one node
// of kind fold when it is one node, else inside a cluster of kind fold. Values that go into a run
// from outside end at what reads them in the first instance, values that leave it begin at what
// makes them there, "xN" when there is one per instance; what goes from one instance to the next is
// not drawn, the box says it. Results of an instance that somebody outside reads, and of the others
// not, end a run there. Inputs and outputs that a run has one of per instance are one node. A
// pattern for a member of a run decides for the first instance; `unfold` draws every instance.
//
// The automatic depth takes the deepest one that fits max_boxes, but never shows a single box where
// there is more to see: it opens what lies alone in what lies alone, and draws a run out that would
// be all there is. Where that is too much, inputs and outputs share nodes; then runs of several
// siblings are closed, each one node; then the siblings are cut into sections, one behind the other
// in execution order, at most max_boxes at a time, sections in sections if need be; modules lie in
// none as long as they leave room: then what is between them is one section each. Patterns open
// both: a section is "PATH.~2", or "PATH.~2.~1" in another one, where PATH is the module it is cut
// from ("~2" in the root); a run of several siblings or of operators is "PATH.~x5" when it begins
// with the fifth of the module's siblings, and opens by any of its modules too. A run of one module
// in each instance is called by the path of the first.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/dim.h"
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
    GRAPH_CLUSTER_BRANCH,    // body of an If, Loop or Scan
    GRAPH_CLUSTER_FUNCTION,  // call of a function that is no module with a name
    GRAPH_CLUSTER_SECTION,
    GRAPH_CLUSTER_KINDS,
};

static inline bool graph_cluster_is_call(enum graph_cluster_kind kind) {
    return kind == GRAPH_CLUSTER_MODULE || kind == GRAPH_CLUSTER_FUNCTION;
}

// One thing among those that a run or a section stands for.
struct graph_view_member {
    uint32_t call;
    uint32_t node;  // net node of an operator; ONNX_NONE: the call itself
};

// Several siblings drawn as one: a run of equal instances, or a section of what would be too much
// to show at once.
struct graph_view_group {
    enum graph_cluster_kind kind;  // GRAPH_CLUSTER_FOLD, GRAPH_CLUSTER_SECTION
    uint32_t call;                 // around it
    struct str path;               // what patterns call it, see above
    uint32_t count;                // run: instances; section: sections that there are beside it
    uint32_t part;                 // section: which of them, from 1
    uint32_t n_shown;              // section: siblings in it that a picture shows
    const struct graph_view_member *members;  // instance by instance
    uint32_t n_members;
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
    bool highlight;       // picked by option `highlight`
    bool conflict;        // the shapes of an operator in it contradict each other
    const uint32_t *own;  // for options `attrs` and `params=list`: the net nodes it is, those of
    uint32_t n_own;       // child modules left out; of what is rolled the first call's
    const struct graph_view_group *group;  // fold, section: what it is, else NULL
    const uint32_t *merged;  // input, output: the values, one per instance of a run; else NULL
    uint32_t n_merged;
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
    uint32_t call;    // module, function: the call; branch: the call that owns the holder
    uint32_t graph;   // branch: onnx graph, else ONNX_NONE
    uint32_t parent;  // cluster, ONNX_NONE = none
    uint32_t depth;
    const uint32_t *calls;  // rolled: the calls it stands for, in order; else NULL
    uint32_t n_calls;
    bool highlight;
    const struct graph_view_group *group;  // fold, section: what it is, else NULL
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
    const bool *repeats;       // per module: several of its calls are drawn, each on its own
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

// What a node or a cluster costs: modules, runs of them, operators. Without `has_parameters`
// nothing is known of weights; macs are unknown where a part of them is.
struct graph_view_costs {
    bool has_parameters;
    uint64_t parameters;  // of the distinct modules among the calls
    struct dim_num macs;  // of all calls together
};

struct graph_view_costs graph_view_node_costs(const struct graph_view *view, uint32_t node);
struct graph_view_costs graph_view_cluster_costs(const struct graph_view *view, uint32_t cluster);

// Plain text captions: what the JSON calls label, and what the picture shows in bold. By option
// `names`: "Bottleneck", "layer1.0", "layer1.0: Bottleneck", full path. Where one module is drawn
// several times its name has the call, "enc@1", as patterns write it. An operator's is its op type,
// an input's its name. Foreign text: the caller escapes.
void graph_view_caption(struct buf *out, const struct graph_view *view, uint32_t node);
void graph_view_cluster_caption(struct buf *out, const struct graph_view *view, uint32_t cluster);
