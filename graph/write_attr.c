#include "graph/write_attr.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/num.h"
#include "graph/tensor_values.h"
#include "onnx/dtype.h"

double graph_shortest(double value) {
    float narrow = (float)value;
    char text[32];
    if ((double)narrow != value) {
        return value;
    }
    for (int digits = 6; digits < 9; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtof(text, NULL) == narrow) {
            return strtod(text, NULL);
        }
    }
    return value;
}

static void add_text(struct json_write *w, struct str text) {
    if (text.n <= GRAPH_ATTR_BYTES) {
        json_add_str(w, text);
        return;
    }
    json_open_object(w);
    json_member_u64(w, "bytes", text.n);
    json_member_str(w, "start", str_sub(text, 0, GRAPH_ATTR_START));
    json_close_object(w);
}

// ---- tensors

static void add_tensor_values(struct json_write *w, const struct onnx_tensor *tensor) {
    struct graph_tensor_reader reader;
    size_t n;
    if (!graph_tensor_open(&reader, tensor, &n) || n > GRAPH_ATTR_TENSOR_VALUES) {
        return;
    }
    json_key(w, "values");
    json_open_array(w);
    for (size_t i = 0; i < n; i++) {
        struct graph_tensor_value value = graph_tensor_at(&reader, i);
        if (value.kind == GRAPH_TENSOR_INT) {
            json_add_i64(w, value.i);
        } else if (value.kind == GRAPH_TENSOR_UINT) {
            json_add_u64(w, (uint64_t)value.i);
        } else if (value.kind == GRAPH_TENSOR_REAL) {
            json_add_double(w, graph_shortest(value.real));
        } else {
            add_text(w, value.text);
        }
    }
    json_close_array(w);
}

static void add_tensor(struct json_write *w, const struct onnx_tensor *tensor) {
    json_open_object(w);
    json_member_z(w, "dtype", onnx_dtype_name(tensor->dtype));
    json_key(w, "shape");
    json_open_array(w);
    for (size_t i = 0; i < tensor->n_dims; i++) {
        json_add_i64(w, tensor->dims[i]);
    }
    json_close_array(w);
    add_tensor_values(w, tensor);
    json_close_object(w);
}

// ---- one element of each kind

struct attr_job {
    struct json_write *w;
    const struct graph_net *net;
    const struct onnx_attr *attr;
};

static void add_int_item(const struct attr_job *job, size_t i) {
    json_add_i64(job->w, job->attr->ints[i]);
}

static void add_float_item(const struct attr_job *job, size_t i) {
    json_add_double(job->w, graph_shortest(job->attr->floats[i]));
}

static void add_string_item(const struct attr_job *job, size_t i) {
    add_text(job->w, job->attr->strings[i]);
}

static void add_tensor_item(const struct attr_job *job, size_t i) {
    add_tensor(job->w, &job->attr->tensors[i]);
}

static void add_graph_item(const struct attr_job *job, size_t i) {
    json_add_str(job->w, graph_net_graph_path(job->net, job->attr->graphs[i]));
}

static const struct {
    void (*add)(const struct attr_job *job, size_t i);
    bool is_list;
} kinds[] = {
    [ONNX_ATTR_TENSOR] = {add_tensor_item, false},
    [ONNX_ATTR_GRAPH] = {add_graph_item, false},
    [ONNX_ATTR_SPARSE_TENSOR] = {add_tensor_item, false},
    [ONNX_ATTR_FLOATS] = {add_float_item, true},
    [ONNX_ATTR_INTS] = {add_int_item, true},
    [ONNX_ATTR_STRINGS] = {add_string_item, true},
    [ONNX_ATTR_TENSORS] = {add_tensor_item, true},
    [ONNX_ATTR_GRAPHS] = {add_graph_item, true},
    [ONNX_ATTR_SPARSE_TENSORS] = {add_tensor_item, true},
};

static void add_list(const struct attr_job *job, void (*add)(const struct attr_job *, size_t)) {
    size_t n = job->attr->n;
    bool is_long = n > GRAPH_ATTR_ITEMS;
    if (is_long) {
        json_open_object(job->w);
        json_member_u64(job->w, "count", n);
        json_key(job->w, "first");
        n = GRAPH_ATTR_FIRST;
    }
    json_open_array(job->w);
    for (size_t i = 0; i < n; i++) {
        add(job, i);
    }
    json_close_array(job->w);
    if (is_long) {
        json_close_object(job->w);
    }
}

static void add_value(const struct attr_job *job) {
    const struct onnx_attr *attr = job->attr;
    if (attr->ref.n) {
        json_open_object(job->w);
        json_member_str(job->w, "ref", attr->ref);
        json_close_object(job->w);
    } else if (attr->type == ONNX_ATTR_INT) {
        json_add_i64(job->w, attr->i);
    } else if (attr->type == ONNX_ATTR_FLOAT) {
        json_add_double(job->w, graph_shortest(attr->f));
    } else if (attr->type == ONNX_ATTR_STRING) {
        add_text(job->w, attr->s);
    } else if (attr->type < 0 || (size_t)attr->type >= ARRAY_LEN(kinds) || !kinds[attr->type].add) {
        json_add_null(job->w);
    } else if (kinds[attr->type].is_list) {
        add_list(job, kinds[attr->type].add);
    } else if (attr->n) {
        kinds[attr->type].add(job, 0);
    } else {
        json_add_null(job->w);
    }
}

int graph_write_attributes(struct json_write *w, const struct graph_net *net,
                           const struct onnx_node *node, struct error *err) {
    struct map seen;
    int result = 0;
    map_init(&seen);
    json_key(w, "attributes");
    json_open_object(w);
    for (uint32_t i = 0; i < node->n_attrs && result == 0; i++) {
        const struct onnx_attr *attr = &node->attrs[i];
        uint32_t first = i;
        if (node->n_attrs > 1) {
            result = map_put_new(&seen, attr->name, i, &first, err);
        }
        if (result < 0 || first != i) {
            continue;
        }
        json_key_str(w, attr->name);
        add_value(&(struct attr_job){w, net, attr});
    }
    json_close_object(w);
    map_release(&seen);
    return result;
}
