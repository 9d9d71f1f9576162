#include "graph/write_parts.h"

#include "onnx/dtype.h"

static void add_dim(struct json_write *w, const struct graph_dim *dim) {
    if (dim->value >= 0) {
        json_add_i64(w, dim->value);
    } else if (dim->symbol.n) {
        json_add_str(w, dim->symbol);
    } else {
        json_add_null(w);
    }
}

void graph_write_type(struct json_write *w, const struct graph_tensor_type *type) {
    json_member_z(w, "dtype", onnx_dtype_name(type->dtype));
    json_key(w, "shape");
    if (!type->has_rank) {
        json_add_null(w);
        return;
    }
    json_open_array(w);
    for (uint32_t i = 0; i < type->rank; i++) {
        add_dim(w, &type->dims[i]);
    }
    json_close_array(w);
}

void graph_write_declared(struct json_write *w, const struct onnx_type *type) {
    json_member_z(w, "dtype", onnx_dtype_name(type->dtype));
    json_key(w, "shape");
    if (!type->has_shape) {
        json_add_null(w);
        return;
    }
    json_open_array(w);
    for (size_t i = 0; i < type->n_dims; i++) {
        const struct onnx_dim *dim = &type->dims[i];
        bool known = dim->known && dim->value >= 0;
        add_dim(w, &(struct graph_dim){known ? dim->value : -1,
                                       known ? (struct str){NULL, 0} : dim->param});
    }
    json_close_array(w);
}

void graph_write_count(struct json_write *w, const char *name, struct dim_num count) {
    if (count.kind == DIM_INT) {
        json_member_i64(w, name, count.i);
    } else if (count.kind == DIM_SYMBOL) {
        json_member_str(w, name, count.symbol);
    } else {
        json_member_null(w, name);
    }
}

static void add_warning(struct json_write *w, const char *code, struct str message,
                        const char *where) {
    json_open_object(w);
    json_member_z(w, "code", code);
    json_member_str(w, "message", message);
    json_member_z(w, "where", where);
    json_close_object(w);
}

void graph_write_warning_items(struct json_write *w, const struct warnings *warnings) {
    for (size_t i = 0; i < warnings->n; i++) {
        const struct warning *item = &warnings->items[i];
        add_warning(w, item->code, str_from(item->message), item->where);
    }
    if (warnings->total > warnings->n) {
        struct buf text;
        buf_init(&text, sizeof(warnings->items[0].message));
        buf_printf(&text, "%zu more warnings", warnings->total - warnings->n);
        add_warning(w, "more", buf_str(&text), "");
        buf_release(&text);
    }
}

void graph_write_warnings(struct json_write *w, const struct warnings *warnings) {
    json_key(w, "warnings");
    json_open_array(w);
    graph_write_warning_items(w, warnings);
    json_close_array(w);
}
