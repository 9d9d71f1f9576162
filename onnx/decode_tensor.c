#include "onnx.pb-c.h"

#include "onnx/decode_internal.h"

// TensorProto.DataLocation
#define LOCATION_EXTERNAL 1

struct counts {
    size_t dims, ints, reals, strings;
};

static struct counts count_all(Onnx__TensorProto *const *parts, size_t n) {
    struct counts c = {0};
    for (size_t i = 0; i < n; i++) {
        const Onnx__TensorProto *t = parts[i];
        c.dims += t->n_dims;
        c.ints += t->n_int32_data + t->n_int64_data + t->n_uint64_data;
        c.reals += t->n_float_data + t->n_double_data;
        c.strings += t->n_string_data;
    }
    return c;
}

static void fill_dims(struct decode *d, struct onnx_tensor *out, Onnx__TensorProto *const *parts,
                      size_t n, size_t n_dims) {
    if (n == 1) {
        out->dims = parts[0]->dims;
        out->n_dims = n_dims;
        return;
    }
    int64_t *dims = onnx_memory_array(d->memory, n_dims, sizeof(*dims));
    if (!dims) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < parts[i]->n_dims; k++) {
            dims[out->n_dims++] = parts[i]->dims[k];
        }
    }
    out->dims = dims;
}

static void fill_ints(struct decode *d, struct onnx_tensor *out, Onnx__TensorProto *const *parts,
                      size_t n, size_t n_ints) {
    int64_t *ints = n_ints ? onnx_memory_array(d->memory, n_ints, sizeof(*ints)) : NULL;
    if (!ints) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const Onnx__TensorProto *t = parts[i];
        for (size_t k = 0; k < t->n_int32_data; k++) {
            ints[out->n_ints++] = t->int32_data[k];
        }
        for (size_t k = 0; k < t->n_int64_data; k++) {
            ints[out->n_ints++] = t->int64_data[k];
        }
        for (size_t k = 0; k < t->n_uint64_data; k++) {
            ints[out->n_ints++] = (int64_t)t->uint64_data[k];
        }
    }
    out->ints = ints;
}

static void fill_reals(struct decode *d, struct onnx_tensor *out, Onnx__TensorProto *const *parts,
                       size_t n, size_t n_reals) {
    double *reals = n_reals ? onnx_memory_array(d->memory, n_reals, sizeof(*reals)) : NULL;
    if (!reals) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const Onnx__TensorProto *t = parts[i];
        for (size_t k = 0; k < t->n_float_data; k++) {
            reals[out->n_reals++] = (double)t->float_data[k];
        }
        for (size_t k = 0; k < t->n_double_data; k++) {
            reals[out->n_reals++] = t->double_data[k];
        }
    }
    out->reals = reals;
}

static void fill_strings(struct decode *d, struct onnx_tensor *out, Onnx__TensorProto *const *parts,
                         size_t n, size_t n_strings) {
    struct str *strings =
        n_strings ? onnx_memory_array(d->memory, n_strings, sizeof(*strings)) : NULL;
    if (!strings) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < parts[i]->n_string_data; k++) {
            strings[out->n_strings++] = decode_text(d, &parts[i]->string_data[k]);
        }
    }
    out->strings = strings;
}

static void fill_scalars(struct decode *d, struct onnx_tensor *out, Onnx__TensorProto *const *parts,
                         size_t n) {
    for (size_t i = 0; i < n; i++) {
        const Onnx__TensorProto *t = parts[i];
        if (t->has_name) {
            out->name = decode_text(d, &t->name);
        }
        if (t->has_data_type) {
            out->dtype = t->data_type;
        }
        if (t->has_data_location) {
            out->external = t->data_location == LOCATION_EXTERNAL;
        }
        if (t->has_raw_data) {
            out->raw = (struct slice){t->raw_data.data, t->raw_data.len};
        }
        out->has_data |= t->has_raw_data != 0;
    }
}

void decode_tensor(struct decode *d, struct onnx_tensor *out,
                   struct Onnx__TensorProto *const *parts, size_t n) {
    struct counts c = count_all(parts, n);
    fill_scalars(d, out, parts, n);
    fill_dims(d, out, parts, n, c.dims);
    fill_ints(d, out, parts, n, c.ints);
    fill_reals(d, out, parts, n, c.reals);
    fill_strings(d, out, parts, n, c.strings);
    out->has_data |= c.ints || c.reals || c.strings;
}

static void fill_dense_dims(struct decode *d, struct onnx_tensor *out,
                            Onnx__SparseTensorProto *const *parts, size_t n) {
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        total += parts[i]->n_dims;
    }
    int64_t *dims = onnx_memory_array(d->memory, total, sizeof(*dims));
    if (!dims) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < parts[i]->n_dims; k++) {
            dims[out->n_dims++] = parts[i]->dims[k];
        }
    }
    out->dims = dims;
}

void decode_sparse(struct decode *d, struct onnx_tensor *out,
                   struct Onnx__SparseTensorProto *const *parts, size_t n) {
    struct onnx_tensor values = {0};
    for (size_t i = 0; i < n; i++) {
        fill_scalars(d, &values, parts[i]->values, parts[i]->n_values);
    }
    *out = (struct onnx_tensor){.name = values.name,
                                .dtype = values.dtype,
                                .external = values.external};
    fill_dense_dims(d, out, parts, n);
}
