#include "graph/value_text.h"

#include <math.h>

#include "graph/tensor_values.h"
#include "graph/write_attr.h"

#define CHAIN_MAX 16u     // nodes between a constant and its elements
#define LIST_BYTES 40u    // of a list; what has no room is left out
#define STRING_BYTES 32u  // of a text
#define DTYPE_BOOL 9      // TensorProto.DataType

static void add_real(struct buf *out, double value) {
    double shown = graph_shortest(value);
    size_t before = out->n;

    if (!isfinite(value)) {
        buf_add_z(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    buf_printf(out, "%.9g", shown);
    if (str_find(str_skip(buf_str(out), before), '.') == STR_NPOS &&
        str_find(str_skip(buf_str(out), before), 'e') == STR_NPOS) {
        buf_add_z(out, ".0");
    }
}

// The largest integers stand for "to the end" in slices.
static void add_int(struct buf *out, int64_t value) {
    if (value >= INT64_MAX - 1 || value == INT32_MAX) {
        buf_add_z(out, "max");
    } else if (value <= INT64_MIN + 1 || value == INT32_MIN || value == -INT32_MAX) {
        buf_add_z(out, "min");
    } else {
        buf_add_i64(out, value);
    }
}

static void add_string(struct buf *out, struct str text) {
    buf_add_char(out, '"');
    buf_add_str(out, str_sub(text, 0, STRING_BYTES));
    buf_add_char(out, '"');
}

static void add_element(struct buf *out, const struct graph_tensor_value *value, bool is_bool) {
    if (is_bool && value->kind == GRAPH_TENSOR_INT) {
        buf_add_z(out, value->i ? "true" : "false");
    } else if (value->kind == GRAPH_TENSOR_REAL) {
        add_real(out, value->real);
    } else if (value->kind == GRAPH_TENSOR_TEXT) {
        add_string(out, value->text);
    } else if (value->kind == GRAPH_TENSOR_UINT) {
        buf_add_u64(out, (uint64_t)value->i);
    } else {
        add_int(out, value->i);
    }
}

// Half a number is another number: the element behind `before` goes as a whole where the list from
// `from` on gets too long, and the list ends.
static bool keep_in_room(struct buf *out, size_t from, size_t before) {
    if (out->n - from <= LIST_BYTES) {
        return true;
    }
    buf_truncate(out, before);
    buf_add_z(out, before - from > 1 ? ", \xE2\x80\xA6" : "\xE2\x80\xA6");
    return false;
}

static bool add_tensor(struct buf *out, const struct onnx_tensor *tensor, size_t most) {
    struct graph_tensor_reader reader;
    size_t n, from = out->n;
    bool has_room = true;

    if (!graph_tensor_open(&reader, tensor, &n) || n > most) {
        return false;
    }
    if (n != 1) {
        buf_add_char(out, '(');
    }
    for (size_t i = 0; i < n && has_room; i++) {
        struct graph_tensor_value value = graph_tensor_at(&reader, i);
        size_t before = out->n;

        buf_add_z(out, i ? ", " : "");
        add_element(out, &value, tensor->dtype == DTYPE_BOOL);
        has_room = keep_in_room(out, from, before);
    }
    if (n != 1) {
        buf_add_char(out, ')');
    }
    return true;
}

static bool add_list(struct buf *out, const struct onnx_attr *attr, size_t most) {
    size_t from = out->n;
    bool has_room = true;

    if (attr->n > most) {
        return false;
    }
    if (attr->n != 1) {
        buf_add_char(out, '(');
    }
    for (size_t i = 0; i < attr->n && has_room; i++) {
        size_t before = out->n;

        buf_add_z(out, i ? ", " : "");
        if (attr->type == ONNX_ATTR_INTS) {
            add_int(out, attr->ints[i]);
        } else {
            add_real(out, attr->floats[i]);
        }
        has_room = keep_in_room(out, from, before);
    }
    if (attr->n != 1) {
        buf_add_char(out, ')');
    }
    return true;
}

bool graph_attr_text(struct buf *out, const struct onnx_attr *attr, size_t most) {
    switch (attr->type) {
    case ONNX_ATTR_TENSOR:
        return attr->n == 1 && add_tensor(out, &attr->tensors[0], most);
    case ONNX_ATTR_INTS:
    case ONNX_ATTR_FLOATS:
        return add_list(out, attr, most);
    case ONNX_ATTR_INT:
        add_int(out, attr->i);
        return true;
    case ONNX_ATTR_FLOAT:
        add_real(out, attr->f);
        return true;
    case ONNX_ATTR_STRING:
        buf_add_str(out, str_sub(attr->s, 0, STRING_BYTES));
        return true;
    default:
        return false;
    }
}

// Follows what hands its elements on unchanged.
static const struct onnx_node *maker_of(const struct graph_net *net,
                                        const struct graph_plumbing_map *plumbing,
                                        uint32_t *value) {
    static const char *const passing[] = {"Identity", "Cast",    "CastLike", "Unsqueeze",
                                          "Squeeze",  "Reshape", "Flatten"};

    for (unsigned step = 0; step < CHAIN_MAX; step++) {
        const struct graph_value *v;
        const struct graph_net_node *node;
        bool passes = false;

        *value = plumbing->root[*value];
        v = &net->values[*value];
        if (v->kind != GRAPH_VALUE_NODE) {
            return NULL;
        }
        node = &net->nodes[v->producer];
        for (size_t i = 0; i < ARRAY_LEN(passing); i++) {
            passes |= str_eq_z(node->proto->op, passing[i]);
        }
        if (!passes || !node->n_inputs || node->inputs[0] == ONNX_NONE) {
            return node->proto;
        }
        *value = node->inputs[0];
    }
    return NULL;
}

// The tensor that holds them, or the attribute.
static const struct onnx_tensor *tensor_behind(const struct graph_net *net,
                                               const struct graph_plumbing_map *plumbing,
                                               uint32_t value, const struct onnx_attr **attr) {
    const struct onnx_node *maker = maker_of(net, plumbing, &value);
    const struct graph_value *v = &net->values[value];

    *attr = NULL;
    if (v->kind == GRAPH_VALUE_INITIALIZER) {
        return v->tensor;
    }
    if (!maker || !str_eq_z(maker->op, "Constant") || maker->n_attrs == 0) {
        return NULL;
    }
    *attr = &maker->attrs[0];
    return (*attr)->type == ONNX_ATTR_TENSOR && (*attr)->n == 1 ? &(*attr)->tensors[0] : NULL;
}

bool graph_constant_text(struct buf *out, const struct graph_net *net,
                         const struct graph_plumbing_map *plumbing, uint32_t value, size_t most) {
    const struct onnx_attr *attr;
    const struct onnx_tensor *tensor = tensor_behind(net, plumbing, value, &attr);

    if (attr) {
        return graph_attr_text(out, attr, most);
    }
    return tensor && add_tensor(out, tensor, most);
}

static bool read_tensor(int64_t *out, size_t *n, const struct onnx_tensor *tensor, size_t most) {
    struct graph_tensor_reader reader;

    if (!graph_tensor_open(&reader, tensor, n) || *n > most) {
        return false;
    }
    for (size_t i = 0; i < *n; i++) {
        struct graph_tensor_value value = graph_tensor_at(&reader, i);

        if (value.kind != GRAPH_TENSOR_INT) {
            return false;
        }
        out[i] = value.i;
    }
    return true;
}

bool graph_constant_ints(int64_t *out, size_t *n, const struct graph_net *net,
                         const struct graph_plumbing_map *plumbing, uint32_t value, size_t most) {
    const struct onnx_attr *attr;
    const struct onnx_tensor *tensor = tensor_behind(net, plumbing, value, &attr);

    if (tensor) {
        return read_tensor(out, n, tensor, most);
    }
    if (!attr || attr->n > most || (attr->type != ONNX_ATTR_INTS && attr->type != ONNX_ATTR_INT)) {
        return false;
    }
    *n = attr->type == ONNX_ATTR_INT ? 1 : attr->n;
    for (size_t i = 0; i < *n; i++) {
        out[i] = attr->type == ONNX_ATTR_INT ? attr->i : attr->ints[i];
    }
    return true;
}
