// Every budget that reading a model is held to, in one place: name, default, meaning.
//
// The names are those of the command line (`--max-skeleton`) and of error messages. server/config.c
// makes its settings from this table; reaching a limit is ERR_LIMIT with the name in it.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct onnx_limits {
    uint64_t max_model;        // bytes of a posted model, after any Content-Encoding is undone
    uint64_t max_skeleton;     // bytes of the skeleton
    uint64_t max_tensor;       // bytes of payload that a tensor may keep in the skeleton
    uint64_t max_messages;     // protobuf messages of a model that are kept
    uint64_t max_nodes;        // nodes over all graphs and functions
    uint64_t max_depth;        // nesting of protobuf messages
    uint64_t max_graph_depth;  // nesting of graphs in graphs
    uint64_t max_memory;       // bytes of the decoded model
};

struct onnx_limit {
    const char *name;   // "max-skeleton"
    size_t offset;      // of the uint64_t in struct onnx_limits
    uint64_t standard;  // default
    uint64_t min, max;  // what it may be set to
    int is_size;        // 1: bytes, shown and read with units; 0: a plain number
    const char *help;   // one line
};

extern const struct onnx_limit onnx_limit_table[];
extern const size_t onnx_limit_count;

void onnx_limits_init(struct onnx_limits *limits);  // every field its default
