// What the files of the view share: the model's boxes in boxes before a depth is chosen, and the
// state of one attempt to draw it.
//
// Regions are the tree that depth cuts: the calls of modules, and the bodies of If/Loop/Scan, which
// lie one level below their holder's surroundings as a called module would. A call whose nodes lie
// in several graphs is one region in each. An operator is one deeper than its region. Whatever lies
// in a closed region is drawn as one thing: a call as its module node, a body as its holder.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "graph/pairs.h"
#include "graph/pattern.h"
#include "graph/view.h"

enum view_state {
    VIEW_OPEN,
    VIEW_CLOSED,  // drawn as one node
    VIEW_HIDDEN,  // inside a closed one
};

enum view_override {
    VIEW_AS_DEPTH_SAYS,
    VIEW_EXPAND,
    VIEW_COLLAPSE,
};

enum view_head_kind {
    VIEW_HEAD_NONE,    // nobody reads it
    VIEW_HEAD_OBJECT,  // a call of an object; `id` is the call that stands for the object
    VIEW_HEAD_NODE,
};

// Who reads what leaves a call or an operator first.
struct view_head {
    enum view_head_kind kind;
    uint32_t id;
};

struct view_region {
    uint32_t parent;  // region; ONNX_NONE for the root, region 0
    uint32_t call;    // the call; of a body or a group: the call around it
    uint32_t graph;   // onnx graph that it lies in; of a body: the body
    uint32_t depth;
    bool is_body;
    bool is_group;      // box around several siblings, as deep as what is around it: view_groups.c
    bool shut;          // a group: closed unless a pattern opens it
    bool leaf;          // a call of a module without child modules; never a body
    bool owns;          // holds, itself or below, a node that is no Constant
    uint8_t override;   // enum view_override
    uint8_t state;      // enum view_state
    uint32_t limit;     // of an open one: the depth that its content is held to
    uint32_t closer;    // outermost closed region around it or itself, ONNX_NONE when it is open
    uint32_t node;      // view node when it is a closed call
    bool inhabited;     // rolling: something drawn lies in it
    uint32_t same;      // the region it is drawn with: itself, or the first it is rolled into
    uint32_t cluster;   // view cluster when it is open and drawn as a box
    uint32_t stand_in;  // region of the first instance of a run that is drawn for it, or itself
    uint32_t n_around;  // boxes around it
    const struct graph_view_group *group;  // of a group; of a call: the run it stands for, or NULL
    struct view_head head;
};

// A value is read by a node, or handed by a body to its holder.
struct view_read {
    uint32_t value;  // after view_build.resolved
    uint32_t own;    // as the node reads it
    uint32_t node;   // net node
    uint32_t inner;  // input of the reader's body that stands for the value, or ONNX_NONE
};

enum view_link_key { VIEW_LINK_FROM, VIEW_LINK_TO, VIEW_LINK_VALUE, VIEW_LINK_READER };

// One value on its way from view node to view node, for one reader: a node as drawn, or beyond
// those, a tensor between them.
struct view_link {
    uint32_t key[4];  // by enum view_link_key
    uint32_t own;  // the value as the reader has it: of an input of a body that is open, that one
    bool is_copy;  // read by a later instance of a run
};

struct view_links {
    struct view_link *items, *spare;
    uint32_t *counts;  // room to sort by any key
    size_t n;
    uint32_t n_readers;
};

struct view_counts {
    uint64_t nodes;
    uint64_t clusters;
};

struct keyed;

struct view_build {
    const struct graph_model *model;
    const struct graph_options *options;
    uint32_t max_nodes;
    struct graph_pattern_list expand, collapse;
    struct arena work;
    struct graph_view *view;

    // What the model holds, whatever the depth.
    struct view_region *regions;
    uint32_t n_regions, cap_regions;
    uint32_t *order;        // all regions, those around others first; NULL: by index
    uint32_t *node_region;  // per net node
    uint32_t *body_region;  // per onnx graph, ONNX_NONE unless it is a body
    uint32_t *first_body;   // per net node: its first body, a graph, or ONNX_NONE
    uint32_t *next_body;    // per onnx graph: the next body of the same holder
    bool *hidden;           // per net node: plumbing that is not drawn
    uint32_t *resolved;     // per value; a body's input: the outer value it stands for or ONNX_NONE
    struct view_read *reads;  // in execution order
    uint32_t n_reads;
    struct view_counts *counts;  // per uniform depth, overrides left out; deeper ones show no more
    uint32_t n_counts;
    bool *holds_bodies;  // per net node
    bool *in_library;    // per module; NULL: libraries are open
    // For rolling only:
    uint32_t *object;             // per call: the call that stands for its object
    bool *stateful;               // per module: its calls read weights
    struct view_head *node_head;  // per net node
    struct keyed *roll_keyed;     // room of view_roll.c
    uint32_t *roll_same, *roll_nodes;
    uint32_t roll_room;  // things that fit into it
    struct view_fold *fold;
    uint32_t open_leaf;   // region that is opened although it is a leaf, or ONNX_NONE
    uint32_t end_budget;  // inputs, outputs and missing values share nodes above it; 0: never

    // One attempt.
    uint32_t depth;
    bool use_overrides;
    uint32_t *op_node;   // per net node: its own view node, or ONNX_NONE
    uint32_t *end_node;  // per value: view node of an input or a missing value, or ONNX_NONE
    uint32_t *out_node;  // per graph output: its view node
    uint32_t *home;      // per view node: the region around it, ONNX_NONE for inputs and outputs
    struct graph_view_node *nodes;
    uint32_t n_nodes, cap_nodes;
    struct graph_view_cluster *clusters;
    uint32_t n_clusters;
    // What op_node, end_node, out_node and regions hold are nodes as they were drawn; rolling makes
    // one of several.
    uint32_t n_drawn;
    uint32_t *as;            // per drawn node: view node; NULL: the same
    uint32_t *first, *last;  // per view node: the first and the last drawn one it stands for
};

// view_regions.c: regions, node_region, body_region.
int view_regions(struct view_build *b, struct error *err) WARN_UNUSED;

// view_reads.c: hidden, resolved, reads.
int view_reads(struct view_build *b, struct error *err) WARN_UNUSED;

// Whether edges carry this value: no weight, no constant, no hidden plumbing. `value` is resolved.
bool view_carries(const struct view_build *b, uint32_t value);

// Whether a value is an input of a body that an input of its holder gives, as those of Loop and
// Scan are; and which value that is, ONNX_NONE where the holder has none.
bool view_is_given(const struct view_build *b, uint32_t value);
uint32_t view_given(const struct view_build *b, uint32_t value);

// Whether a reading counts under the present states: hidden plumbing reads only on behalf of a
// closed box around it, and an open Loop takes its inputs inside.
bool view_read_counts(const struct view_build *b, const struct view_read *read);

// view_depth.c: counts, made once; nothing of a view is built for them. The automatic depth does
// not look at expand and collapse, so that opening one box leaves the rest as it was.
int view_count_depths(struct view_build *b, struct error *err) WARN_UNUSED;
int view_depth_auto(struct view_build *b, uint32_t *depth, struct error *err) WARN_UNUSED;

// Lowers *depth to the deepest that shows at most max_nodes nodes and boxes; 0 when none does.
int view_depth_coarser(struct view_build *b, uint32_t *depth, struct error *err) WARN_UNUSED;

// view_override.c: region.override from the patterns; and warnings about those without effect.
int view_overrides(struct view_build *b, struct error *err) WARN_UNUSED;
void view_warn_patterns(struct view_build *b);
void view_warn_unfold(struct view_build *b, const struct graph_pattern_list *unfold);

// view_visible.c: states for b->depth; then the nodes. *fits is false when the view is over
// max_nodes.
void view_open(struct view_build *b);
int view_nodes(struct view_build *b, bool *fits, struct error *err) WARN_UNUSED;

// Whether depth closes a call although it is within the limit: a module without child modules, or
// one of a library.
bool view_is_closed_leaf(const struct view_build *b, const struct view_region *region);

// The view node that a net node is drawn as or in, or ONNX_NONE.
uint32_t view_carrier(const struct view_build *b, uint32_t node);

// view_ends.c: nodes of inputs and missing values, then (at the end of the view) of outputs.
void view_first_ends(struct view_build *b);
void view_last_ends(struct view_build *b);

// How many nodes they are, when so many missing values are read.
uint32_t view_count_ends(const struct view_build *b, uint32_t n_missing);

// Adds a node to the attempt and returns its index; ONNX_NONE when there is no room.
uint32_t view_add(struct view_build *b, struct graph_view_node node, uint32_t home);

// view_objects.c: object, stateful. view_heads.c: node_head and the heads of regions.
int view_objects(struct view_build *b, struct error *err) WARN_UNUSED;
int view_heads(struct view_build *b, struct error *err) WARN_UNUSED;

// view_library.c: in_library.
int view_library(struct view_build *b, struct error *err) WARN_UNUSED;

// view_own.c: graph_view_node.own.
int view_own(struct view_build *b, struct error *err) WARN_UNUSED;

// view_repeats.c: graph_view.repeats, of the finished view.
int view_repeats(struct view_build *b, struct error *err) WARN_UNUSED;

// view_highlight.c: what stands out in the finished view.
int view_highlight(struct view_build *b, struct error *err) WARN_UNUSED;

// Marks what holds a contradiction of shapes (graph_shapes.conflicts).
void view_conflicts(struct view_build *b);

// view_roll.c: makes one node of the calls that option `roll` merges, and one box of their boxes.
int view_roll(struct view_build *b, struct error *err) WARN_UNUSED;
// view_fold.c: equal instances in a chain; fills b->fold and what stands for what. Comes after
// depth has said what lies in what, and before anything is drawn.
int view_fold(struct view_build *b, struct error *err) WARN_UNUSED;

// What is drawn for a net node: that of the first instance of a run, or itself.
uint32_t view_stand_in(const struct view_build *b, uint32_t node);

// view_merge.c: what is drawn for a value: that of the first instance of a run, or itself.
uint32_t view_value_as(const struct view_build *b, uint32_t value);

// view_groups.c: room for more regions at the end of the table; then their order.
int view_room_for_regions(struct view_build *b, uint32_t more, struct error *err) WARN_UNUSED;
int view_order_regions(struct view_build *b, struct error *err) WARN_UNUSED;

// view_sections.c: the least depth at which the model is more than one box; a module without child
// modules that is all the model has is open there.
uint32_t view_depth_least(struct view_build *b);

// Makes what depth `view_depth_least` shows fit a budget of nodes: first inputs and outputs share
// nodes, then runs of several siblings are closed, then siblings are cut into sections.
int view_squeeze(struct view_build *b, uint32_t budget, struct error *err) WARN_UNUSED;

// view_clusters.c, view_edges.c: what surrounds the nodes and joins them.
int view_clusters(struct view_build *b, struct error *err) WARN_UNUSED;
int view_edges(struct view_build *b, struct error *err) WARN_UNUSED;

// view_extras.c: nodes of tensors, weights and constants, and the links that go through them.
int view_extras(struct view_build *b, struct view_links *links, struct error *err) WARN_UNUSED;
size_t view_links_most(const struct view_build *b);  // with those of the extras
