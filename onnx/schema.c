#include "onnx/schema.h"

#include <stddef.h>

#include "base/attr.h"

// clang-format off
#define DROP(name) {name, ONNX_FIELD_DROP, ONNX_MESSAGES, false, false}
#define SCALAR(name, kind) {name, kind, ONNX_MESSAGES, false, false}
#define VARINT(name) SCALAR(name, ONNX_FIELD_VARINT)
#define VARINTS(name) SCALAR(name, ONNX_FIELD_VARINTS)
#define BYTES(name) SCALAR(name, ONNX_FIELD_BYTES)
#define PAYLOAD(name, kind) {name, kind, ONNX_MESSAGES, false, true}
#define ONE(name, message) {name, ONNX_FIELD_MESSAGE, message, false, false}
#define MANY(name, message) {name, ONNX_FIELD_MESSAGE, message, true, false}

static const struct onnx_field fields[ONNX_MESSAGES][ONNX_FIELD_MAX + 1] = {
    [ONNX_MODEL] = {
        [1] = VARINT("ir_version"),
        [2] = BYTES("producer_name"),
        [3] = BYTES("producer_version"),
        [4] = BYTES("domain"),
        [5] = VARINT("model_version"),
        [6] = BYTES("doc_string"),
        [7] = ONE("graph", ONNX_GRAPH),
        [8] = MANY("opset_import", ONNX_OPSET),
        [14] = MANY("metadata_props", ONNX_PROPERTY),
        [20] = DROP("training_info"),
        [25] = MANY("functions", ONNX_FUNCTION),
        [26] = DROP("configuration"),
    },
    [ONNX_GRAPH] = {
        [1] = MANY("node", ONNX_NODE),
        [2] = BYTES("name"),
        [5] = MANY("initializer", ONNX_TENSOR),
        [10] = DROP("doc_string"),
        [11] = MANY("input", ONNX_VALUE_INFO),
        [12] = MANY("output", ONNX_VALUE_INFO),
        [13] = MANY("value_info", ONNX_VALUE_INFO),
        [14] = DROP("quantization_annotation"),
        [15] = MANY("sparse_initializer", ONNX_SPARSE_TENSOR),
        [16] = MANY("metadata_props", ONNX_PROPERTY),
    },
    [ONNX_NODE] = {
        [1] = BYTES("input"),
        [2] = BYTES("output"),
        [3] = BYTES("name"),
        [ONNX_NODE_OP_TYPE] = BYTES("op_type"),
        [5] = MANY("attribute", ONNX_ATTRIBUTE),
        [6] = BYTES("doc_string"),
        [7] = BYTES("domain"),
        [8] = BYTES("overload"),
        [9] = MANY("metadata_props", ONNX_PROPERTY),
        [10] = DROP("device_configurations"),
    },
    [ONNX_ATTRIBUTE] = {
        [1] = BYTES("name"),
        [2] = SCALAR("f", ONNX_FIELD_FIXED32),
        [3] = VARINT("i"),
        [4] = BYTES("s"),
        [5] = ONE("t", ONNX_TENSOR),
        [6] = ONE("g", ONNX_GRAPH),
        [7] = SCALAR("floats", ONNX_FIELD_FLOATS),
        [8] = VARINTS("ints"),
        [9] = BYTES("strings"),
        [10] = MANY("tensors", ONNX_TENSOR),
        [11] = MANY("graphs", ONNX_GRAPH),
        [13] = DROP("doc_string"),
        [14] = DROP("tp"),
        [15] = DROP("type_protos"),
        [20] = VARINT("type"),
        [21] = BYTES("ref_attr_name"),
        [22] = ONE("sparse_tensor", ONNX_SPARSE_TENSOR),
        [23] = MANY("sparse_tensors", ONNX_SPARSE_TENSOR),
    },
    [ONNX_TENSOR] = {
        [1] = VARINTS("dims"),
        [2] = VARINT("data_type"),
        [3] = DROP("segment"),
        [4] = PAYLOAD("float_data", ONNX_FIELD_FLOATS),
        [5] = PAYLOAD("int32_data", ONNX_FIELD_VARINTS),
        [6] = PAYLOAD("string_data", ONNX_FIELD_BYTES),
        [7] = PAYLOAD("int64_data", ONNX_FIELD_VARINTS),
        [8] = BYTES("name"),
        [9] = PAYLOAD("raw_data", ONNX_FIELD_BYTES),
        [10] = PAYLOAD("double_data", ONNX_FIELD_DOUBLES),
        [11] = PAYLOAD("uint64_data", ONNX_FIELD_VARINTS),
        [12] = DROP("doc_string"),
        [13] = DROP("external_data"),
        [14] = VARINT("data_location"),
        [16] = DROP("metadata_props"),
    },
    [ONNX_SPARSE_TENSOR] = {
        [1] = ONE("values", ONNX_TENSOR),
        [2] = ONE("indices", ONNX_TENSOR),
        [3] = VARINTS("dims"),
    },
    [ONNX_VALUE_INFO] = {
        [1] = BYTES("name"),
        [2] = ONE("type", ONNX_TYPE),
        [3] = DROP("doc_string"),
        [4] = DROP("metadata_props"),
    },
    [ONNX_TYPE] = {
        [1] = ONE("tensor_type", ONNX_TYPE_TENSOR),
        [4] = ONE("sequence_type", ONNX_TYPE_ELEMENT),
        [5] = ONE("map_type", ONNX_TYPE_MAP),
        [6] = DROP("denotation"),
        [7] = ONE("opaque_type", ONNX_TYPE_OPAQUE),
        [8] = ONE("sparse_tensor_type", ONNX_TYPE_TENSOR),
        [9] = ONE("optional_type", ONNX_TYPE_ELEMENT),
    },
    [ONNX_TYPE_TENSOR] = {
        [1] = VARINT("elem_type"),
        [2] = ONE("shape", ONNX_SHAPE),
    },
    [ONNX_TYPE_ELEMENT] = {
        [1] = ONE("elem_type", ONNX_TYPE),
    },
    [ONNX_TYPE_MAP] = {
        [1] = VARINT("key_type"),
        [2] = ONE("value_type", ONNX_TYPE),
    },
    [ONNX_TYPE_OPAQUE] = {
        [1] = BYTES("domain"),
        [2] = BYTES("name"),
    },
    [ONNX_SHAPE] = {
        [1] = MANY("dim", ONNX_DIMENSION),
    },
    [ONNX_DIMENSION] = {
        [1] = VARINT("dim_value"),
        [2] = BYTES("dim_param"),
        [3] = DROP("denotation"),
    },
    [ONNX_OPSET] = {
        [1] = BYTES("domain"),
        [2] = VARINT("version"),
    },
    [ONNX_FUNCTION] = {
        [1] = BYTES("name"),
        [4] = BYTES("input"),
        [5] = BYTES("output"),
        [6] = BYTES("attribute"),
        [7] = MANY("node", ONNX_NODE),
        [8] = DROP("doc_string"),
        [9] = DROP("opset_import"),
        [10] = BYTES("domain"),
        [11] = MANY("attribute_proto", ONNX_ATTRIBUTE),
        [12] = MANY("value_info", ONNX_VALUE_INFO),
        [13] = BYTES("overload"),
        [14] = MANY("metadata_props", ONNX_PROPERTY),
    },
    [ONNX_PROPERTY] = {
        [1] = BYTES("key"),
        [2] = BYTES("value"),
    },
};

#define MAY(wire) (1u << (wire))

static const struct {
    unsigned wires;    // a set of wire types
    unsigned element;  // bytes of an element of fixed size
} kinds[] = {
    [ONNX_FIELD_DROP] = {~0u, 0},
    [ONNX_FIELD_VARINT] = {MAY(ONNX_WIRE_VARINT), 0},
    [ONNX_FIELD_FIXED32] = {MAY(ONNX_WIRE_FIXED32), 0},
    [ONNX_FIELD_BYTES] = {MAY(ONNX_WIRE_BYTES), 0},
    [ONNX_FIELD_VARINTS] = {MAY(ONNX_WIRE_VARINT) | MAY(ONNX_WIRE_BYTES), 0},
    [ONNX_FIELD_FLOATS] = {MAY(ONNX_WIRE_FIXED32) | MAY(ONNX_WIRE_BYTES), 4},
    [ONNX_FIELD_DOUBLES] = {MAY(ONNX_WIRE_FIXED64) | MAY(ONNX_WIRE_BYTES), 8},
    [ONNX_FIELD_MESSAGE] = {MAY(ONNX_WIRE_BYTES), 0},
};
// clang-format on

const struct onnx_field *onnx_schema_field(enum onnx_message message, uint32_t number) {
    if (number > ONNX_FIELD_MAX) {
        return NULL;
    }
    const struct onnx_field *field = &fields[message][number];
    return field->name ? field : NULL;
}

bool onnx_schema_accepts(const struct onnx_field *field, enum onnx_wire wire) {
    return kinds[field->kind].wires & MAY(wire);
}

unsigned onnx_schema_element(const struct onnx_field *field) {
    return kinds[field->kind].element;
}
