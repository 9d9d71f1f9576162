// Rules of shape inference: private to graph/infer*.c and graph/macs.c.
//
// A rule is one short function per way of computing types; graph/infer_table.c says which operator
// uses which. It reads what is known about the inputs of one node and states what it knows about
// the outputs; what it does not state stays unknown. A rule never fails: wrong input gives unknown
// outputs, lack of memory is kept in the job. Facts are those of the ONNX operator documents
// (https://onnx.ai/onnx/operators/); the documents of contributed operators are
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/dim.h"
#include "graph/net.h"
#include "graph/shape.h"
#include "graph/shape_internal.h"
#include "onnx/dtype.h"

#define INFER_RANK_MAX 32   // a tensor of more dims has no rank for the rules
#define INFER_DATA_MAX 128  // elements of a tensor whose values are followed

// Known elements of a small tensor in row-major order; its shape is that of the type.
struct infer_data {
    uint32_t n;
    struct dim_num nums[];
};

// A sequence or optional. Of a short sequence with known length every element is known.
struct infer_sequence {
    struct graph_tensor_type element;  // what all elements have in common
    bool known_length;
    uint32_t n;                             // when known_length
    const struct graph_tensor_type *items;  // n types, or NULL
};

// Where the values of a node live: the net, or one call of a local function.
struct infer_frame {
    struct graph_tensor_type *types;  // per value
    const struct infer_data **data;
    const struct infer_sequence **sequences;
    const struct graph_net *net;  // NULL in a function
    const struct infer_frame *caller;
    const struct onnx_function *function;  // of which this is a call, else NULL
    const struct onnx_node *call;
};

struct infer_row;

struct infer_job {
    struct shape_job *shape;
    struct arena *arena;
    struct dim_pool *dims;
    const struct onnx_model *model;
    bool no_memory;
    uint32_t net_node;  // that is being inferred, also while a function runs for it
    size_t n_conflicts;
    struct infer_walk *walk;  // the driver's
};

// One node under a rule.
struct infer {
    struct infer_job *job;
    struct infer_frame *frame;
    const struct graph_net_node *node;
    const struct infer_row *row;
    int64_t opset;  // of the node's domain; INT64_MAX when the file does not say
};

typedef void infer_rule(struct infer *c);
typedef struct dim_num infer_macs(struct infer *c);

struct infer_row {
    const char *op;
    infer_rule *rule;
    int32_t arg;       // what sets this row apart: a dtype, a slot, a kind; see the rule
    infer_rule *data;  // values of the output, NULL = not followed
    int32_t data_arg;
    infer_macs *macs;  // multiply-accumulates of one execution, NULL = none
};

// Fills an empty map for infer_table_find(), which gives the row of an operator or NULL. Keys are
// in the arena or constant.
int infer_table_index(struct map *index, struct arena *arena, struct error *err) WARN_UNUSED;
const struct infer_row *infer_table_find(const struct map *index, const struct onnx_node *node);

// ---- reading

bool infer_has(const struct infer *c, uint32_t slot);  // the input is there
// Type of an input; unknown when it is left out. Never NULL; its rank is at most INFER_RANK_MAX.
const struct graph_tensor_type *infer_in(const struct infer *c, uint32_t slot);
// Dim of an input, negative positions from the end; unknown when it is not there.
struct dim_num infer_dim_in(const struct infer *c, uint32_t slot, int64_t at);
const struct infer_data *infer_data_in(struct infer *c, uint32_t slot);          // NULL = unknown
const struct infer_sequence *infer_sequence_in(struct infer *c, uint32_t slot);  // NULL = unknown

// Integers of an input or an attribute; room for as many as a shape has dims.
struct infer_ints {
    uint32_t n;
    int64_t items[INFER_DATA_MAX];
};
bool infer_ints_in(struct infer *c, uint32_t slot, struct infer_ints *out);  // all known
bool infer_int_in(struct infer *c, uint32_t slot, int64_t *out);             // the only element

const struct onnx_attr *infer_attr(const struct infer *c, const char *name);  // NULL = not there
bool infer_has_attr(const struct infer *c, const char *name);
int64_t infer_attr_int(const struct infer *c, const char *name, int64_t otherwise);
double infer_attr_float(const struct infer *c, const char *name, double otherwise);
struct str infer_attr_str(const struct infer *c, const char *name, const char *otherwise);
bool infer_attr_ints(const struct infer *c, const char *name, struct infer_ints *out);
// Integers that older opsets have as an attribute and newer ones as an input.
bool infer_attr_or_in(struct infer *c, const char *name, uint32_t slot, struct infer_ints *out);

// ---- stating

// Type of an output. `dims` are copied; a rank over INFER_RANK_MAX is left unknown. Slots that the
// node does not have are ignored.
void infer_out(struct infer *c, uint32_t slot, int32_t dtype, uint32_t rank,
               const struct graph_dim *dims);
void infer_out_unranked(struct infer *c, uint32_t slot, int32_t dtype);
void infer_out_scalar(struct infer *c, uint32_t slot, int32_t dtype);
// The shape of `like` without copying it.
void infer_out_shape(struct infer *c, uint32_t slot, int32_t dtype,
                     const struct graph_tensor_type *like);
struct infer_data *infer_new_data(struct infer *c, uint32_t n);  // NULL without memory
const struct infer_data *infer_data_of_tensor(struct infer *c, const struct onnx_tensor *tensor);
void infer_out_data(struct infer *c, uint32_t slot, uint32_t n, const struct dim_num *nums);
void infer_out_sequence(struct infer *c, uint32_t slot, const struct infer_sequence *sequence);
// The inputs contradict each other: marks the node, and warns.
void infer_conflict(struct infer *c, const struct graph_tensor_type *a,
                    const struct graph_tensor_type *b, const char *what);

// Sums up the conflicts that were only counted.
void infer_conflicts_end(struct infer_job *job);

// States a value directly: body inputs, results of calls.
void infer_state(struct infer *c, uint32_t value, const struct graph_tensor_type *type);

// ---- shapes

static inline struct graph_dim infer_unknown_dim(void) {
    return (struct graph_dim){.value = -1};
}

static inline struct graph_dim infer_known_dim(int64_t value) {
    return (struct graph_dim){.value = value >= 0 ? value : -1};
}

// Position of an axis that may count from the end; false when it is none of `rank`.
bool infer_axis(int64_t axis, uint32_t rank, uint32_t *out);
// Axes as bits; false when one is out of range.
bool infer_axes(const struct infer_ints *axes, uint32_t rank, uint64_t *out);
// Multidirectional broadcasting of two dims; false when they contradict.
bool infer_broadcast_dim(struct graph_dim a, struct graph_dim b, struct graph_dim *out);
// Broadcasts a shape into dims[*rank]; false when they contradict.
bool infer_broadcast(struct graph_dim *dims, uint32_t *rank, const struct graph_tensor_type *with);
// What is known of two dims that must be equal.
struct graph_dim infer_same_dim(struct graph_dim a, struct graph_dim b);
// What two types have in common; `into` keeps its dims when they say no more than that.
void infer_common(struct infer *c, struct graph_tensor_type *into,
                  const struct graph_tensor_type *other);
struct dim_num infer_product(struct infer *c, const struct graph_dim *dims, uint32_t n);
struct dim_num infer_elements(struct infer *c, const struct graph_tensor_type *type);
// Known number of elements, or false; at most `max`.
bool infer_count(const struct graph_tensor_type *type, uint32_t max, uint32_t *out);
