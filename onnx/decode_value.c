#include "onnx.pb-c.h"

#include "onnx/decode_internal.h"

struct type_parts {
    Onnx__TypeProto *const *items;
    size_t n;
};

// A oneof in onnx.proto; files that set two of them are wrong, and which one wins does not matter.
static enum onnx_type_kind part_kind(const Onnx__TypeProto *type) {
    if (type->n_tensor_type) {
        return ONNX_TYPE_TENSOR;
    }
    if (type->n_sequence_type) {
        return ONNX_TYPE_SEQUENCE;
    }
    if (type->n_optional_type) {
        return ONNX_TYPE_OPTIONAL;
    }
    if (type->n_sparse_tensor_type) {
        return ONNX_TYPE_SPARSE;
    }
    if (type->n_map_type) {
        return ONNX_TYPE_MAP;
    }
    return type->n_opaque_type ? ONNX_TYPE_OPAQUE : ONNX_TYPE_NONE;
}

static enum onnx_type_kind kind_of(struct type_parts parts) {
    enum onnx_type_kind kind = ONNX_TYPE_NONE;
    for (size_t i = 0; i < parts.n; i++) {
        enum onnx_type_kind k = part_kind(parts.items[i]);
        if (k != ONNX_TYPE_NONE) {
            kind = k;
        }
    }
    return kind;
}

// ---- sequences and optionals

struct elements {
    Onnx__TypeProto__Element *const *items;
    size_t n;
};

static struct elements elements_of(const Onnx__TypeProto *type, enum onnx_type_kind kind) {
    if (kind == ONNX_TYPE_SEQUENCE) {
        return (struct elements){type->sequence_type, type->n_sequence_type};
    }
    return (struct elements){type->optional_type, type->n_optional_type};
}

static size_t count_inner(struct type_parts parts, enum onnx_type_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < parts.n; i++) {
        struct elements e = elements_of(parts.items[i], kind);
        for (size_t k = 0; k < e.n; k++) {
            n += e.items[k]->n_elem_type;
        }
    }
    return n;
}

static struct type_parts gather(struct decode *d, struct type_parts parts,
                                enum onnx_type_kind kind) {
    struct type_parts inner = {NULL, 0};
    Onnx__TypeProto **all =
        onnx_memory_array(d->memory, count_inner(parts, kind), sizeof(Onnx__TypeProto *));
    if (!all) {
        return inner;
    }
    for (size_t i = 0; i < parts.n; i++) {
        struct elements e = elements_of(parts.items[i], kind);
        for (size_t k = 0; k < e.n; k++) {
            for (size_t j = 0; j < e.items[k]->n_elem_type; j++) {
                all[inner.n++] = e.items[k]->elem_type[j];
            }
        }
    }
    inner.items = all;
    return inner;
}

// ---- tensors

struct tensors {
    Onnx__TypeProto__Tensor *const *items;
    size_t n;
};

static struct tensors tensors_of(const Onnx__TypeProto *type, enum onnx_type_kind kind) {
    if (kind == ONNX_TYPE_TENSOR) {
        return (struct tensors){type->tensor_type, type->n_tensor_type};
    }
    return (struct tensors){type->sparse_tensor_type, type->n_sparse_tensor_type};
}

static struct onnx_dim read_dim(struct decode *d, const Onnx__TensorShapeProto__Dimension *dim) {
    struct onnx_dim out = {0};
    if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE) {
        out.known = true;
        out.value = dim->dim_value;
    } else if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM) {
        out.param = decode_text(d, &dim->dim_param);
    }
    return out;
}

static size_t count_dims(struct onnx_type *out, struct tensors tensors) {
    size_t n = 0;
    for (size_t i = 0; i < tensors.n; i++) {
        const Onnx__TypeProto__Tensor *t = tensors.items[i];
        if (t->has_elem_type) {
            out->dtype = t->elem_type;
        }
        out->has_shape |= t->n_shape > 0;
        for (size_t k = 0; k < t->n_shape; k++) {
            n += t->shape[k]->n_dim;
        }
    }
    return n;
}

static void add_dims(struct decode *d, struct onnx_dim *dims, size_t *n, struct tensors tensors) {
    for (size_t i = 0; i < tensors.n; i++) {
        const Onnx__TypeProto__Tensor *t = tensors.items[i];
        for (size_t k = 0; k < t->n_shape; k++) {
            for (size_t j = 0; j < t->shape[k]->n_dim; j++) {
                dims[(*n)++] = read_dim(d, t->shape[k]->dim[j]);
            }
        }
    }
}

static void fill_tensor(struct decode *d, struct onnx_type *out, struct type_parts parts,
                        enum onnx_type_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < parts.n; i++) {
        n += count_dims(out, tensors_of(parts.items[i], kind));
    }
    struct onnx_dim *dims = onnx_memory_array(d->memory, n, sizeof(*dims));
    if (!dims) {
        return;
    }
    for (size_t i = 0; i < parts.n; i++) {
        add_dims(d, dims, &out->n_dims, tensors_of(parts.items[i], kind));
    }
    out->dims = dims;
}

void decode_type(struct decode *d, struct onnx_type *out, struct Onnx__TypeProto *const *parts,
                 size_t n) {
    struct type_parts at = {parts, n};
    enum onnx_type_kind kind = kind_of(at);
    out->kind = kind;
    for (; kind == ONNX_TYPE_SEQUENCE || kind == ONNX_TYPE_OPTIONAL; kind = kind_of(at)) {
        at = gather(d, at, kind);
        out->nesting++;
    }
    if (kind == ONNX_TYPE_TENSOR || kind == ONNX_TYPE_SPARSE) {
        fill_tensor(d, out, at, kind);
    }
}
