// The few operators of ai.onnx.ml whose outputs the attributes settle.
#include "graph/infer_rules.h"

// Keys are of one type, values of another: an attribute per type.
void infer_label_encoder(struct infer *c) {
    static const struct {
        const char *name;
        int32_t dtype;
    } values[] = {
        {"values_strings", ONNX_STRING},
        {"values_int64s", ONNX_INT64},
        {"values_floats", ONNX_FLOAT},
    };
    int32_t dtype = infer_in(c, 0)->dtype == ONNX_STRING ? ONNX_INT64 : ONNX_STRING;
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        if (infer_has_attr(c, values[i].name)) {
            dtype = values[i].dtype;
        }
    }
    const struct onnx_attr *tensor = infer_attr(c, "values_tensor");
    if (tensor && tensor->type == ONNX_ATTR_TENSOR && tensor->n) {
        dtype = tensor->tensors[0].dtype;
    }
    infer_out_shape(c, 0, dtype, infer_in(c, 0));
}

static uint32_t n_classes(const struct infer *c, int32_t *dtype) {
    static const char *const names[] = {"classlabels_strings", "classlabels_int64s",
                                        "classlabels_ints"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct onnx_attr *attr = infer_attr(c, names[i]);
        if (!attr || attr->n == 0) {
            continue;
        }
        *dtype = attr->type == ONNX_ATTR_STRINGS ? ONNX_STRING : ONNX_INT64;
        return attr->n < UINT32_MAX ? (uint32_t)attr->n : 0;
    }
    *dtype = ONNX_INT64;
    return 0;
}

static struct graph_dim n_rows(const struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    if (in->has_rank && in->rank == 1) {
        return infer_known_dim(1);
    }
    return dim_to(infer_dim_in(c, 0, 0));
}

// Labels (N) and scores (N, classes).
void infer_classifier(struct infer *c) {
    int32_t dtype;
    uint32_t n = n_classes(c, &dtype);
    struct graph_dim dims[2] = {n_rows(c), infer_known_dim(n ? (int64_t)n : -1)};
    infer_out(c, 0, dtype, 1, dims);
    infer_out(c, 1, ONNX_FLOAT, 2, dims);
}

void infer_regressor(struct infer *c) {
    int64_t targets = infer_attr_int(c, "n_targets", infer_attr_int(c, "targets", 1));
    struct graph_dim dims[2] = {n_rows(c), infer_known_dim(targets)};
    infer_out(c, 0, ONNX_FLOAT, 2, dims);
}

void infer_feature_vectorizer(struct infer *c) {
    struct infer_ints sizes;
    struct dim_num sum = {.kind = DIM_UNKNOWN};
    if (infer_attr_ints(c, "inputdimensions", &sizes)) {
        sum = dim_int(0);
        for (uint32_t i = 0; i < sizes.n; i++) {
            sum = dim_add(c->job->dims, sum, dim_int(sizes.items[i]));
        }
    }
    struct graph_dim dims[2] = {n_rows(c), dim_to(sum)};
    infer_out(c, 0, ONNX_FLOAT, 2, dims);
}
