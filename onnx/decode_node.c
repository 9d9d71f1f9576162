#include "onnx.pb-c.h"

#include "onnx/decode_internal.h"

static size_t present(const Onnx__AttributeProto *a, int32_t type) {
    switch (type) {
    case ONNX_ATTR_FLOAT:
        return a->has_f != 0;
    case ONNX_ATTR_INT:
        return a->has_i != 0;
    case ONNX_ATTR_STRING:
        return a->has_s != 0;
    case ONNX_ATTR_TENSOR:
        return a->n_t;
    case ONNX_ATTR_GRAPH:
        return a->n_g;
    case ONNX_ATTR_FLOATS:
        return a->n_floats;
    case ONNX_ATTR_INTS:
        return a->n_ints;
    case ONNX_ATTR_STRINGS:
        return a->n_strings;
    case ONNX_ATTR_TENSORS:
        return a->n_tensors;
    case ONNX_ATTR_GRAPHS:
        return a->n_graphs;
    case ONNX_ATTR_SPARSE_TENSOR:
        return a->n_sparse_tensor;
    case ONNX_ATTR_SPARSE_TENSORS:
        return a->n_sparse_tensors;
    default:
        return 0;
    }
}

int32_t decode_attr_type(const struct Onnx__AttributeProto *attr) {
    int32_t declared = attr->has_type ? attr->type : ONNX_ATTR_UNDEFINED;
    if (present(attr, declared)) {
        return declared;
    }
    for (int32_t type = ONNX_ATTR_FLOAT; type <= ONNX_ATTR_SPARSE_TENSORS; type++) {
        if (present(attr, type)) {
            return type;
        }
    }
    return declared >= ONNX_ATTR_FLOAT && declared <= ONNX_ATTR_TYPE_PROTOS ? declared
                                                                            : ONNX_ATTR_UNDEFINED;
}

static void fill_floats(struct decode *d, struct onnx_attr *out, const Onnx__AttributeProto *a) {
    double *floats = onnx_memory_array(d->memory, a->n_floats, sizeof(*floats));
    if (!floats) {
        return;
    }
    for (size_t i = 0; i < a->n_floats; i++) {
        floats[i] = (double)a->floats[i];
    }
    out->floats = floats;
    out->n = a->n_floats;
}

static struct onnx_tensor *new_tensors(struct decode *d, struct onnx_attr *out, size_t n) {
    struct onnx_tensor *tensors = onnx_memory_array(d->memory, n, sizeof(*tensors));
    out->tensors = tensors;
    out->n = tensors ? n : 0;
    return tensors;
}

static void fill_tensors(struct decode *d, struct onnx_attr *out, const Onnx__AttributeProto *a) {
    if (out->type == ONNX_ATTR_TENSOR) {
        struct onnx_tensor *one = a->n_t ? new_tensors(d, out, 1) : NULL;
        if (one) {
            decode_tensor(d, one, a->t, a->n_t);
        }
        return;
    }
    struct onnx_tensor *all = new_tensors(d, out, a->n_tensors);
    for (size_t i = 0; i < out->n; i++) {
        decode_tensor(d, &all[i], &a->tensors[i], 1);
    }
}

static void fill_sparse(struct decode *d, struct onnx_attr *out, const Onnx__AttributeProto *a) {
    if (out->type == ONNX_ATTR_SPARSE_TENSOR) {
        struct onnx_tensor *one = a->n_sparse_tensor ? new_tensors(d, out, 1) : NULL;
        if (one) {
            decode_sparse(d, one, a->sparse_tensor, a->n_sparse_tensor);
        }
        return;
    }
    struct onnx_tensor *all = new_tensors(d, out, a->n_sparse_tensors);
    for (size_t i = 0; i < out->n; i++) {
        decode_sparse(d, &all[i], &a->sparse_tensors[i], 1);
    }
}

static void fill_graphs(struct decode *d, struct onnx_attr *out, const Onnx__AttributeProto *a) {
    if (d->in_defaults) {
        return;
    }
    size_t n = out->type == ONNX_ATTR_GRAPHS ? a->n_graphs : a->n_g > 0;
    uint32_t *graphs = onnx_memory_array(d->memory, n, sizeof(*graphs));
    if (!graphs) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        graphs[i] = d->next_graph++;
    }
    out->graphs = graphs;
    out->n = n;
}

static void fill_content(struct decode *d, struct onnx_attr *out, const Onnx__AttributeProto *a) {
    switch (out->type) {
    case ONNX_ATTR_FLOATS:
        fill_floats(d, out, a);
        break;
    case ONNX_ATTR_INTS:
        out->ints = a->ints;
        out->n = a->n_ints;
        break;
    case ONNX_ATTR_STRINGS:
        out->strings = decode_texts(d, a->strings, a->n_strings, &out->n);
        break;
    case ONNX_ATTR_TENSOR:
    case ONNX_ATTR_TENSORS:
        fill_tensors(d, out, a);
        break;
    case ONNX_ATTR_SPARSE_TENSOR:
    case ONNX_ATTR_SPARSE_TENSORS:
        fill_sparse(d, out, a);
        break;
    case ONNX_ATTR_GRAPH:
    case ONNX_ATTR_GRAPHS:
        fill_graphs(d, out, a);
        break;
    default:
        break;
    }
}

static void fill_attr(struct decode *d, struct onnx_attr *out, const Onnx__AttributeProto *a) {
    out->name = decode_text(d, &a->name);
    out->ref = decode_text(d, &a->ref_attr_name);
    out->type = decode_attr_type(a);
    out->i = a->i;
    out->f = (double)a->f;
    out->s = decode_text(d, &a->s);
    fill_content(d, out, a);
}

const struct onnx_attr *decode_attrs(struct decode *d, struct Onnx__AttributeProto *const *items,
                                     size_t n, size_t *out_n) {
    struct onnx_attr *attrs = onnx_memory_array(d->memory, n, sizeof(*attrs));
    if (!attrs) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        fill_attr(d, &attrs[i], items[i]);
    }
    *out_n = n;
    return attrs;
}

void decode_node(struct decode *d, struct onnx_node *out, const struct Onnx__NodeProto *node,
                 uint32_t graph) {
    out->graph = graph;
    out->name = decode_text(d, &node->name);
    out->op = decode_text(d, &node->op_type);
    out->domain = decode_text(d, &node->domain);
    out->overload = decode_text(d, &node->overload);
    out->doc = decode_text(d, &node->doc_string);
    out->inputs = decode_texts(d, node->input, node->n_input, &out->n_inputs);
    out->outputs = decode_texts(d, node->output, node->n_output, &out->n_outputs);
    out->attrs = decode_attrs(d, node->attribute, node->n_attribute, &out->n_attrs);
    out->metadata = decode_props(d, node->metadata_props, node->n_metadata_props);
}
