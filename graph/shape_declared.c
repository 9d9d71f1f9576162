// What the file says outright: declared types, and the tensors it holds.
#include "graph/shape_internal.h"

int shape_of_declared(struct shape_job *job, struct graph_tensor_type *type,
                      const struct onnx_type *declared, struct error *err) {
    type->dtype = declared->dtype;
    if (!declared->has_shape) {
        return 0;
    }
    struct graph_dim *dims = arena_array(&job->shapes->arena, declared->n_dims, sizeof(*dims));
    if (!dims) {
        return arena_error(&job->shapes->arena, "shapes", err);
    }
    for (size_t i = 0; i < declared->n_dims; i++) {
        bool known = declared->dims[i].known && declared->dims[i].value >= 0;
        dims[i].value = known ? declared->dims[i].value : -1;
        if (!known) {
            dims[i].symbol = declared->dims[i].param;
        }
    }
    type->has_rank = true;
    type->rank = (uint32_t)declared->n_dims;
    type->dims = dims;
    return 0;
}

// A sequence or optional has no shape of its own, but its elements have a type.
static bool is_tensor(const struct onnx_type *type) {
    return type->kind == ONNX_TYPE_TENSOR || type->kind == ONNX_TYPE_SPARSE;
}

int shape_declare(struct shape_job *job, uint32_t value, struct error *err) {
    struct graph_tensor_type *type = &job->shapes->values[value];
    const struct onnx_type *declared = job->net->values[value].declared;
    *type = (struct graph_tensor_type){0};
    if (!declared || declared->kind == ONNX_TYPE_NONE) {
        return 0;
    }
    type->source = GRAPH_SHAPE_DECLARED;
    type->dtype = declared->dtype;
    return is_tensor(declared) ? shape_of_declared(job, type, declared, err) : 0;
}

int shape_declared(struct shape_job *job, struct error *err) {
    int result = 0;
    for (uint32_t v = 0; v < job->net->n_values && result == 0; v++) {
        if (job->net->values[v].declared) {
            result = shape_declare(job, v, err);
        }
    }
    return result;
}

int shape_of_tensor(struct shape_job *job, struct graph_tensor_type *type,
                    const struct onnx_tensor *tensor, struct error *err) {
    struct graph_dim *dims = arena_array(&job->shapes->arena, tensor->n_dims, sizeof(*dims));
    if (!dims) {
        return arena_error(&job->shapes->arena, "shapes", err);
    }
    for (size_t i = 0; i < tensor->n_dims; i++) {
        dims[i].value = tensor->dims[i] >= 0 ? tensor->dims[i] : -1;
    }
    type->dtype = tensor->dtype;
    type->has_rank = true;
    type->rank = (uint32_t)tensor->n_dims;
    type->dims = dims;
    return 0;
}

int shape_initializers(struct shape_job *job, struct error *err) {
    int result = 0;
    for (size_t v = 0; v < job->net->n_values && result == 0; v++) {
        const struct graph_value *value = &job->net->values[v];
        struct graph_tensor_type *type = &job->shapes->values[v];
        bool is_weight = value->kind == GRAPH_VALUE_INITIALIZER;
        if (!value->tensor || (!is_weight && type->source != GRAPH_SHAPE_NONE)) {
            continue;
        }
        type->source = GRAPH_SHAPE_INITIALIZER;
        result = shape_of_tensor(job, type, value->tensor, err);
    }
    return result;
}
