// A read-only ONNX model in plain C structs: what the rest of the program reads instead of
// protobuf.
//
// All memory belongs to the model (onnx_model_free); every pointer and view below is borrowed from
// it. Text is valid UTF-8 (ill-formed bytes have become U+FFFD) and may hold any character, control
// characters included. Nothing is resolved here: names may clash, dangle or be empty; graph/net.h
// sorts that out. Enum values out of a file may be anything: they are kept as integers.
//
// Graphs and nodes are flat tables, so that nothing downstream recurses: graph 0 is the main graph;
// bodies of If/Loop/Scan and functions follow, a graph always after the graph of the node that
// holds it. Nodes of one graph are contiguous and in file order; the nodes of graph 0 come first.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define ONNX_NONE UINT32_MAX

// AttributeProto.AttributeType; the numbers are those of onnx.proto.
enum onnx_attr_type {
    ONNX_ATTR_UNDEFINED = 0,
    ONNX_ATTR_FLOAT = 1,
    ONNX_ATTR_INT = 2,
    ONNX_ATTR_STRING = 3,
    ONNX_ATTR_TENSOR = 4,
    ONNX_ATTR_GRAPH = 5,
    ONNX_ATTR_FLOATS = 6,
    ONNX_ATTR_INTS = 7,
    ONNX_ATTR_STRINGS = 8,
    ONNX_ATTR_TENSORS = 9,
    ONNX_ATTR_GRAPHS = 10,
    ONNX_ATTR_SPARSE_TENSOR = 11,
    ONNX_ATTR_SPARSE_TENSORS = 12,
    ONNX_ATTR_TYPE_PROTO = 13,
    ONNX_ATTR_TYPE_PROTOS = 14,
};

struct onnx_prop {
    struct str key, value;
};

struct onnx_props {
    const struct onnx_prop *items;
    size_t n;
};

// A tensor without its big payload. `dims` are as in the file: they may be negative or overflow
// when multiplied.
struct onnx_tensor {
    struct str name;
    int32_t dtype;  // TensorProto.DataType number, see onnx/dtype.h
    const int64_t *dims;
    size_t n_dims;
    bool external;        // data_location says EXTERNAL; the location is text and is never opened
    bool has_data;        // the payload is here (small tensors only)
    struct slice raw;     // raw_data, little endian; empty when the typed fields were used
    const int64_t *ints;  // int32_data, int64_data or uint64_data (two's complement), in whichever
                          // the file used
    size_t n_ints;
    const double *reals;  // float_data or double_data
    size_t n_reals;
    const struct str *strings;
    size_t n_strings;
};

struct onnx_dim {
    bool known;  // value holds a number (may be negative in a bad file)
    int64_t value;
    struct str param;  // symbolic name, "" when none
};

enum onnx_type_kind {
    ONNX_TYPE_NONE,
    ONNX_TYPE_TENSOR,
    ONNX_TYPE_SPARSE,
    ONNX_TYPE_SEQUENCE,
    ONNX_TYPE_OPTIONAL,
    ONNX_TYPE_MAP,
    ONNX_TYPE_OPAQUE,
};

// The innermost element of sequences and optionals is flattened into the tensor fields; `nesting`
// says how many wrappers lie around it.
struct onnx_type {
    enum onnx_type_kind kind;  // outermost
    unsigned nesting;
    int32_t dtype;  // of the innermost tensor, 0 = unknown
    bool has_shape;
    const struct onnx_dim *dims;
    size_t n_dims;
};

struct onnx_value {
    struct str name;
    struct onnx_type type;
};

struct onnx_attr {
    struct str name;
    int32_t type;    // enum onnx_attr_type; filled from the field present when the file has none or
                     // lies
    struct str ref;  // ref_attr_name: an attribute of the function around it, "" when none
    int64_t i;
    double f;
    struct str s;
    const int64_t *ints;  // also of long lists: all of them
    const double *floats;
    const struct str *strings;
    const struct onnx_tensor *tensors;  // t, or tensors
    const uint32_t *graphs;             // indexes of g, or graphs
    size_t n;  // how many ints, floats, strings, tensors or graphs, by type
};

struct onnx_node {
    struct str name, op, domain, overload, doc;
    const struct str *inputs;  // "" = left out
    size_t n_inputs;
    const struct str *outputs;
    size_t n_outputs;
    const struct onnx_attr *attrs;
    size_t n_attrs;
    struct onnx_props metadata;
    uint32_t graph;   // index of the graph it is in
    uint32_t callee;  // index of the function it calls plus 1; 0 = an operator
    uint32_t caller;  // graph/expand.h: index of the call plus 1 that it was written out for; 0 =
                      // it stands in the file
    bool expanded;    // graph/expand.h: the body of its function stands behind it
    const struct onnx_node *source;  // with a caller: the node of the function, NULL = made up
};

struct onnx_graph {
    struct str name;
    uint32_t first_node;  // index into model->nodes
    uint32_t n_nodes;
    const struct onnx_value *inputs;
    size_t n_inputs;
    const struct onnx_value *outputs;
    size_t n_outputs;
    const struct onnx_value *value_info;
    size_t n_value_info;
    const struct onnx_tensor *initializers;  // sparse ones too, with the dense dims
    size_t n_initializers;
    struct onnx_props metadata;
    uint32_t holder;         // node whose attribute it is, ONNX_NONE for graph 0 and functions
    struct str holder_attr;  // "then_branch"; with several graphs in one attribute "branches[1]"
    uint32_t function;       // index into model->functions when it is (in) a function's body, else
                             // ONNX_NONE
    unsigned depth;  // 0 for graph 0 and functions, bodies one more than their holder's graph
};

struct onnx_function {
    struct str name, domain, overload;
    const struct str *inputs;
    size_t n_inputs;
    const struct str *outputs;
    size_t n_outputs;
    const struct str *attributes;  // names without default
    size_t n_attributes;
    const struct onnx_attr *defaults;  // attribute_proto: with default
    size_t n_defaults;
    struct onnx_props metadata;
    uint32_t graph;  // its body: nodes and value_info only
};

struct onnx_opset {
    struct str domain;  // "" for ai.onnx
    int64_t version;
};

struct onnx_model {
    int64_t ir_version;  // 0 when the file has none
    bool has_ir_version;
    struct str producer, producer_version, domain, doc;
    int64_t model_version;
    const struct onnx_opset *opsets;
    size_t n_opsets;
    struct onnx_props metadata;
    const struct onnx_graph *graphs;
    size_t n_graphs;  // at least 1: graph 0 exists, if need be empty
    const struct onnx_node *nodes;
    size_t n_nodes;  // over all graphs, functions included
    const struct onnx_function *functions;
    size_t n_functions;
};

void onnx_model_free(struct onnx_model *model);  // NULL is fine

// Attribute by name, or NULL.
const struct onnx_attr *onnx_node_attr(const struct onnx_node *node, const char *name);

// Value of a metadata property, {NULL, 0} when it is not there.
struct str onnx_props_get(struct onnx_props props, const char *key);

// Version of the opset that a node of this domain ("" or "ai.onnx" for the standard) is read with;
// 0 when not imported.
int64_t onnx_model_opset(const struct onnx_model *model, struct str domain);

// true for the standard domain: "" and "ai.onnx" are the same.
bool onnx_domain_is_standard(struct str domain);

// The function that a node calls (domain, name, overload), or NULL when it is an operator. Of
// several functions with one name the first.
const struct onnx_function *onnx_model_function(const struct onnx_model *model,
                                                const struct onnx_node *node);
