#include "onnx/limits.h"

#include "base/attr.h"
#include "onnx/nesting.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

#define FIELD(name) offsetof(struct onnx_limits, name)

// 100 messages is where libprotobuf stops, too; a graph in a graph takes three of them.
const struct onnx_limit onnx_limit_table[] = {
    {"max-model", FIELD(max_model), 16 * GIB, 1, KIB *KIB *GIB, 1,
     "largest model that is read, in bytes"},
    {"max-skeleton", FIELD(max_skeleton), 256 * MIB, 1, 64 * GIB, 1,
     "largest model without its weights"},
    {"max-tensor", FIELD(max_tensor), KIB, 1, GIB, 1, "largest tensor whose values are kept"},
    {"max-messages", FIELD(max_messages), MIB * 16, 1, GIB, 0, "most protobuf messages of a model"},
    {"max-nodes", FIELD(max_nodes), MIB * 2, 1, GIB, 0,
     "most nodes, over all graphs and functions"},
    {"max-depth", FIELD(max_depth), 100, 1, ONNX_NESTING_MAX, 0,
     "deepest nesting of protobuf messages"},
    {"max-graph-depth", FIELD(max_graph_depth), 32, 1, ONNX_NESTING_MAX / 3, 0,
     "deepest nesting of graphs in graphs"},
    {"max-memory", FIELD(max_memory), 2 * GIB, 1, KIB *GIB, 1, "most memory for a decoded model"},
};

const size_t onnx_limit_count = ARRAY_LEN(onnx_limit_table);

void onnx_limits_init(struct onnx_limits *limits) {
    for (size_t i = 0; i < onnx_limit_count; i++) {
        uint8_t *at = (uint8_t *)limits + onnx_limit_table[i].offset;
        *(uint64_t *)(void *)at = onnx_limit_table[i].standard;
    }
}
