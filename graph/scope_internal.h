// What the files of the hierarchy share while it is being built. Nobody else includes this.
//
// Words. A *text* is an interned string. A *site* is a static place in the code: a component below
// another site; it may be called many times. A *mark* is what one node says about its own place. A
// *call* is one call of the module at a site; call 0 and site 0 are the root. A *position* is a
// place in execution order (index into net->order). Order of work: marks (scope_metadata,
// scope_path, scope_initializer), calls (calls_suffix for names, calls_order for the rest), names
// of the calls (scope_name), nodes without evidence (scope_place, scope_numbers, scope_between,
// scope_glue), the final tables (calls).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "base/map.h"
#include "base/warnings.h"
#include "graph/hierarchy.h"
#include "graph/net.h"
#include "graph/pairs.h"
#include "graph/plumbing.h"
#include "graph/pylist.h"

#define SCOPE_MAX_LEVELS 256  // modules in modules; deeper ones are cut, with a warning
#define SCOPE_MAX_NAME 4096   // bytes of a qualified name; longer ones are cut, with a warning
#define SCOPE_MAX_SITES ((size_t)1 << 19)
#define SCOPE_MAX_CALLS ((size_t)1 << 20)
#define SCOPE_MAX_NAME_BYTES \
    ((size_t)1 << 26)                       // of all qualified names together; then names are cut
#define SCOPE_MAX_MEMORY ((size_t)1 << 28)  // bytes of each arena of one hierarchy

struct scope_text {
    struct str s;
    struct str class_name;  // of the module with this qualified name, "" when nothing tells
    uint8_t class_source;   // enum graph_class_source, while class_name is not ""
    uint8_t kind;           // enum graph_module_kind
};

struct scope_site {
    uint32_t parent;  // site
    uint32_t text;
    uint32_t level;  // 0 = root
    bool exact;      // text is a qualified name; else it is one component of a node's name
    bool has_child;
};

struct scope_mark {
    uint32_t site;    // ONNX_NONE = the node tells nothing
    uint32_t suffix;  // by name: number of the call that the exporter printed
    struct str key;   // exact: what the module did there (aten target, operator)
    struct str step;  // exact: equal in all nodes that were made from one step of the traced
                      // program
    bool literal;     // by name: a number at the end of a component is part of it
    bool owned;       // by owner: the order of nodes tells calls apart
    bool layer;       // by owner: it is all of a well-known layer, or part of one
    bool closes;      // by owner: it makes what a MultiheadAttention returns
    uint8_t source;   // enum graph_scope_source
};

struct scope_call {
    uint32_t site, parent;
    uint32_t suffix;
    uint32_t start;        // position where it begins
    uint32_t first, last;  // positions of its own nodes that are no Constant, ONNX_NONE when it has
                           // none
    uint32_t path;         // text, ONNX_NONE until it is named
};

struct scope_work {
    const struct graph_net *net;
    const struct graph_plumbing_map *plumbing;
    struct warnings *warnings;
    struct error *err;
    struct arena *arena;  // of the finished hierarchy
    struct arena scratch;
    struct scope_text *texts;
    size_t n_texts, cap_texts;
    struct map text_ids;
    struct scope_site *sites;
    size_t n_sites, cap_sites;
    struct graph_pairs site_ids;  // (parent * 2 + exact, text) -> site
    struct scope_call *calls;
    size_t n_calls, cap_calls;
    struct scope_mark *marks;  // per net node
    uint32_t *position;        // per net node
    uint32_t *node_call;       // per net node: call, ONNX_NONE until placed
    struct str *owners;  // per net value: module that owns the parameter, "" when it is none or has
                         // no name
    struct str *called;  // per net node: path of the module whose function it calls, "" when it
                         // calls none, or one without a name
    size_t n_operators;  // nodes of the main graph that are no plumbing, functions not opened
    bool relative_names;         // nodes are named "scope/operator"
    bool unscoped;               // only owners of parameters told anything
    bool cut_levels, cut_names;  // warned already
};

// scope.c: the tables. Ids, or ONNX_NONE with *work->err set.
uint32_t graph_scope_text(struct scope_work *work, struct str s);  // `s` must outlive the work
uint32_t graph_scope_site(struct scope_work *work, uint32_t parent, uint32_t text,
                          bool exact);  // past the limits: `parent`
uint32_t graph_scope_find_site(const struct scope_work *work, uint32_t parent, uint32_t text,
                               bool exact);
uint32_t graph_scope_call_new(struct scope_work *work, uint32_t site, uint32_t parent,
                              uint32_t start);
struct str graph_scope_site_text(const struct scope_work *work, uint32_t site);

// true when no more text may be made up for names; warns.
bool graph_scope_names_full(struct scope_work *work);

// true when a node is there for the file's sake; a call that is written out is not.
static inline bool scope_is_plumbing(const struct scope_work *work, uint32_t node) {
    return graph_plumbing_is_listed((enum graph_plumbing)work->plumbing->nodes[node]);
}

// true when the operator of a node is Constant: it can be in a wrong module, because equal
// constants are merged.
bool graph_scope_is_constant(const struct scope_work *work, uint32_t node);

// Whether the calls of a mark are those that its node's name prints.
static inline bool scope_mark_is_printed(const struct scope_mark *mark) {
    return !mark->owned && (mark->source == GRAPH_SCOPE_NAME || mark->source == GRAPH_SCOPE_OUTPUT);
}

// The styles. 1 = the node is marked now, 0 = it has no such evidence, <0 = error.
struct scope_metadata {
    struct graph_pylist scopes, classes;
    struct str previous;  // names of the last node that had some, without the last of them
    uint32_t previous_site;
};
void graph_scope_metadata_init(struct scope_metadata *m);
void graph_scope_metadata_release(struct scope_metadata *m);
int graph_scope_metadata_mark(struct scope_work *work, struct scope_metadata *m,
                              uint32_t node) WARN_UNUSED;
int graph_scope_metadata_correct(struct scope_work *work) WARN_UNUSED;  // once all nodes are marked

int graph_scope_function_mark(struct scope_work *work, uint32_t node) WARN_UNUSED;
// Module that a node calls by its function: what the owners of all parameters handed in have in
// common, "" = the model itself, or none that has a name.
struct str graph_scope_function_path(const struct scope_work *work, uint32_t node);
bool graph_scope_stands_for_module(const struct onnx_function *f);
// Full class of the module that a function stands for; {NULL, 0} with work->err set.
struct str graph_scope_function_class(struct scope_work *work, const struct onnx_function *f,
                                      const struct onnx_node *node);
// work->called, once owners are known; then the calls inside functions, once all else is placed.
int graph_scope_called(struct scope_work *work) WARN_UNUSED;
int graph_scope_bodies(struct scope_work *work) WARN_UNUSED;
// Whether a node stands in a function that is written out.
static inline bool scope_is_inner(const struct scope_work *work, uint32_t node) {
    return work->net->nodes[node].proto->caller != 0;
}
// Net node of the call that an inner node was written out for.
uint32_t graph_scope_caller(const struct scope_work *work, uint32_t node);

struct scope_path;
int graph_scope_path_new(struct scope_path **out, struct scope_work *work) WARN_UNUSED;
void graph_scope_path_free(struct scope_path *p);
int graph_scope_path_mark(struct scope_work *work, struct scope_path *p, uint32_t node) WARN_UNUSED;
int graph_scope_path_resolve(struct scope_work *work, struct scope_path *p) WARN_UNUSED;  // once
                                                                                          // all
                                                                                          // nodes
                                                                                          // are
                                                                                          // marked

int graph_scope_tf_init(struct scope_work *work) WARN_UNUSED;
int graph_scope_tf_mark(struct scope_work *work, uint32_t node) WARN_UNUSED;

// Module whose result the node makes, by the name of that; "" = not known.
struct scope_legacy;
int graph_scope_legacy_new(struct scope_legacy **out, struct scope_work *work) WARN_UNUSED;
void graph_scope_legacy_free(struct scope_legacy *l);
struct str graph_scope_legacy_module(const struct scope_work *work, const struct scope_legacy *l,
                                     uint32_t node);

// Owners of parameters: the module whose parameters a node mostly reads, "" = none, and the first
// of these. A node is open when nothing else tells where it belongs.
int graph_scope_owners_init(struct scope_work *work) WARN_UNUSED;
struct str graph_scope_owner_of_node(const struct scope_work *work, uint32_t node,
                                     uint32_t *parameter);
bool graph_scope_is_open(const struct scope_work *work, uint32_t node);

// Files without any other evidence: sites are all prefixes of owners at first; `called` becomes,
// per site, the site of the same module without the containers that nobody calls.
struct scope_owned {
    uint32_t site;   // ONNX_NONE = the node reads no parameter with a name
    struct str key;  // as in the mark
    bool layer;      // as in the mark
    bool composite;  // its module does more than what reads parameters
    bool closes;     // as in the mark
    uint8_t source;  // as in the mark
};
int graph_scope_initializer_mark(struct scope_work *work) WARN_UNUSED;
int graph_scope_containers(struct scope_work *work, const struct scope_owned *owned,
                           uint32_t *called) WARN_UNUSED;
void graph_scope_layers(struct scope_work *work, struct scope_owned *owned);
// Modules that have lost their names, by the numbers of those around them; then what is left.
int graph_scope_numbers(struct scope_work *work) WARN_UNUSED;
int graph_scope_between(struct scope_work *work) WARN_UNUSED;
// true when a node reads the weight of a layer, and that has no name.
bool graph_scope_is_unknown_layer(const struct scope_work *work, uint32_t node);
// true when a node may be part of an activation that is several operators.
bool graph_scope_is_activation_piece(const struct scope_work *work, uint32_t node);

// Calls of functions, and readers of parameters beside named calls.
int graph_scope_place(struct scope_work *work) WARN_UNUSED;

// Cutting marked nodes into calls, and naming those that came from node names.
int graph_calls_by_suffix(struct scope_work *work) WARN_UNUSED;
int graph_calls_by_order(struct scope_work *work) WARN_UNUSED;
int graph_scope_name_calls(struct scope_work *work) WARN_UNUSED;

int graph_scope_glue(struct scope_work *work) WARN_UNUSED;

// The final tables out of work->calls and work->node_call.
int graph_calls_finish(struct graph_hierarchy *out, struct scope_work *work) WARN_UNUSED;
