#include "tests/support/model_builder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/num.h"
#include "onnx/decode.h"

#define DEPTH_MAX 32
#define BYTES_MAX (64u << 20)

// One open graph or function. Its last node stays apart until the next one starts, so that
// attributes can be added.
struct frame {
    struct buf graph;
    struct buf node;
    bool has_node;
    bool is_function;
    const char *attribute;  // of the node around it
};

struct model_builder {
    struct buf model;
    struct frame frames[DEPTH_MAX];
    unsigned depth;  // open frames; 0 is the main graph
    int64_t ir_version;
    const char *producer, *producer_version;
    bool has_opset;
};

static const struct {
    const char *name;
    unsigned number;
} dtypes[] = {
    {"float", 1},  {"uint8", 2},         {"int8", 3},        {"int32", 6},   {"int64", 7},
    {"string", 8}, {"bool", 9},          {"float16", 10},    {"double", 11}, {"bfloat16", 16},
    {"int4", 22},  {"float8e4m3fn", 17}, {"float8e5m2", 19}, {"uint4", 21},  {"complex64", 14},
};

static _Noreturn void die(const char *what, const char *text) {
    (void)fprintf(stderr, "model_builder: %s: %s\n", what, text);
    abort();
}

// ---- protobuf

static void add_varint(struct buf *out, uint64_t v) {
    for (; v >= 0x80; v >>= 7) {
        buf_add_char(out, (char)(v | 0x80));
    }
    buf_add_char(out, (char)v);
}

static void add_uint(struct buf *out, unsigned field, uint64_t v) {
    add_varint(out, (uint64_t)field << 3);
    add_varint(out, v);
}

static void add_bytes(struct buf *out, unsigned field, struct str s) {
    add_varint(out, (uint64_t)field << 3 | 2);
    add_varint(out, s.n);
    buf_add_str(out, s);
}

static void add_text(struct buf *out, unsigned field, const char *z) {
    add_bytes(out, field, str_from(z));
}

static void add_message(struct buf *out, unsigned field, struct buf *message) {
    add_bytes(out, field, buf_str(message));
    buf_release(message);
}

static struct buf new_buf(void) {
    struct buf b;
    buf_init(&b, BYTES_MAX);
    return b;
}

static void add_list(struct buf *out, unsigned field, const char *list) {
    struct str rest = str_from(list);
    struct str part;
    while (str_next(&rest, ',', &part)) {
        add_bytes(out, field, part);
    }
}

static void add_prop(struct buf *out, unsigned field, const char *key, const char *value) {
    struct buf prop = new_buf();
    add_text(&prop, 1, key);
    add_text(&prop, 2, value);
    add_message(out, field, &prop);
}

static uint64_t add_ints(struct buf *out, unsigned field, const char *values) {
    struct str rest = str_from(values);
    struct str part;
    uint64_t n = 0;
    for (; str_next(&rest, ',', &part); n++) {
        int64_t v;
        if (!num_parse_i64(part, &v)) {
            die("no list of numbers", values);
        }
        add_uint(out, field, (uint64_t)v);
    }
    return n;
}

// ---- types and tensors

// Splits "float[1,2]" and returns the dtype's number; *has_shape says whether there were brackets.
static unsigned parse_type(const char *type, struct str *dims, bool *has_shape) {
    struct str text = str_from(type);
    size_t open = str_find(text, '[');
    *has_shape = open != STR_NPOS;
    *dims = *has_shape ? str_sub(text, open + 1, text.n - open - 2) : (struct str){NULL, 0};
    struct str name = str_sub(text, 0, open);
    for (size_t i = 0; i < ARRAY_LEN(dtypes); i++) {
        if (str_eq_z(name, dtypes[i].name)) {
            return dtypes[i].number;
        }
    }
    die("unknown dtype", type);
}

static void add_dim(struct buf *shape, struct str text) {
    struct buf dim = new_buf();
    int64_t v;
    if (num_parse_i64(text, &v)) {
        add_uint(&dim, 1, (uint64_t)v);
    } else if (!str_eq_z(text, "?")) {
        add_bytes(&dim, 2, text);
    }
    add_message(shape, 1, &dim);
}

static void add_type(struct buf *value, const char *type) {
    struct str dims, part;
    bool has_shape;
    struct buf tensor = new_buf();
    add_uint(&tensor, 1, parse_type(type, &dims, &has_shape));
    if (has_shape) {
        struct buf shape = new_buf();
        while (str_next(&dims, ',', &part)) {
            add_dim(&shape, part);
        }
        add_message(&tensor, 2, &shape);
    }
    struct buf proto = new_buf();
    add_message(&proto, 1, &tensor);
    add_message(value, 2, &proto);
}

static void add_value(struct buf *out, unsigned field, const char *name, const char *type) {
    struct buf value = new_buf();
    add_text(&value, 1, name);
    if (*type) {
        add_type(&value, type);
    }
    add_message(out, field, &value);
}

static void add_tensor(struct buf *out, unsigned field, const char *name, const char *type) {
    struct str dims, part;
    bool has_shape;
    struct buf tensor = new_buf();
    unsigned dtype = parse_type(type, &dims, &has_shape);
    while (str_next(&dims, ',', &part)) {
        int64_t v;
        if (!num_parse_i64(part, &v)) {
            die("a tensor needs numbers", type);
        }
        add_uint(&tensor, 1, (uint64_t)v);
    }
    add_uint(&tensor, 2, dtype);
    add_text(&tensor, 8, name);
    add_message(out, field, &tensor);
}

static void add_tensor_ints(struct buf *out, unsigned field, const char *name, const char *values) {
    struct buf tensor = new_buf(), data = new_buf();
    uint64_t n = add_ints(&data, 7, values);
    add_uint(&tensor, 1, n);
    add_uint(&tensor, 2, 7);
    buf_add_str(&tensor, buf_str(&data));
    buf_release(&data);
    add_text(&tensor, 8, name);
    add_message(out, field, &tensor);
}

// ---- frames

static struct frame *top(struct model_builder *b) {
    return &b->frames[b->depth];
}

static struct buf *last_node(struct model_builder *b) {
    if (!top(b)->has_node) {
        die("no node yet", "call mb_node first");
    }
    return &top(b)->node;
}

static void flush_node(struct frame *f) {
    if (!f->has_node) {
        return;
    }
    add_message(&f->graph, f->is_function ? 7 : 1, &f->node);
    f->has_node = false;
}

static void push(struct model_builder *b, bool is_function, const char *attribute) {
    if (b->depth + 1 >= DEPTH_MAX) {
        die("too deep", attribute);
    }
    b->depth++;
    *top(b) =
        (struct frame){.graph = new_buf(), .is_function = is_function, .attribute = attribute};
}

static struct buf pop(struct model_builder *b, bool is_function) {
    struct frame *f = top(b);
    if (b->depth == 0 || f->is_function != is_function) {
        die("nothing of that kind is open", is_function ? "function" : "body");
    }
    flush_node(f);
    b->depth--;
    return f->graph;
}

static void add_attr(struct model_builder *b, const char *name, unsigned type,
                     struct buf *content) {
    struct buf attr = new_buf();
    add_text(&attr, 1, name);
    buf_add_str(&attr, buf_str(content));
    buf_release(content);
    add_uint(&attr, 20, type);
    add_message(last_node(b), 5, &attr);
}

struct model_builder *mb_new(void) {
    struct model_builder *b = calloc(1, sizeof(*b));
    if (!b) {
        die("out of memory", "");
    }
    b->model = new_buf();
    b->frames[0].graph = new_buf();
    b->ir_version = 8;
    b->producer = "pytorch";
    b->producer_version = "2.1.0";
    return b;
}

void mb_finish_bytes(struct model_builder *b, struct buf *out) {
    if (b->depth) {
        die("something is still open", b->frames[b->depth].attribute);
    }
    flush_node(&b->frames[0]);
    add_uint(out, 1, (uint64_t)b->ir_version);
    add_text(out, 2, b->producer);
    add_text(out, 3, b->producer_version);
    add_message(out, 7, &b->frames[0].graph);
    if (!b->has_opset) {
        mb_opset(b, "", 17);
    }
    buf_add_str(out, buf_str(&b->model));
    buf_release(&b->model);
    free(b);
}

struct onnx_model *mb_finish(struct model_builder *b) {
    struct buf bytes = new_buf();
    mb_finish_bytes(b, &bytes);
    struct onnx_limits limits;
    onnx_limits_init(&limits);
    struct warnings warnings = {0};
    struct error err;
    struct onnx_model *model;
    if (onnx_decode(&model, buf_slice(&bytes), &limits, &warnings, &err) < 0) {
        die("the model does not decode", err.text);
    }
    warnings_release(&warnings);
    buf_release(&bytes);
    return model;
}

void mb_ir_version(struct model_builder *b, int64_t version) {
    b->ir_version = version;
}

void mb_producer(struct model_builder *b, const char *name, const char *version) {
    b->producer = name;
    b->producer_version = version;
}

void mb_opset(struct model_builder *b, const char *domain, int64_t version) {
    struct buf opset = new_buf();
    add_text(&opset, 1, domain);
    add_uint(&opset, 2, (uint64_t)version);
    add_message(&b->model, 8, &opset);
    b->has_opset = true;
}

void mb_model_meta(struct model_builder *b, const char *key, const char *value) {
    add_prop(&b->model, 14, key, value);
}

void mb_graph_name(struct model_builder *b, const char *name) {
    add_text(&top(b)->graph, 2, name);
}

void mb_input(struct model_builder *b, const char *name, const char *type) {
    add_value(&top(b)->graph, 11, name, type);
}

void mb_output(struct model_builder *b, const char *name, const char *type) {
    add_value(&top(b)->graph, 12, name, type);
}

void mb_value(struct model_builder *b, const char *name, const char *type) {
    add_value(&top(b)->graph, top(b)->is_function ? 12 : 13, name, type);
}

void mb_init(struct model_builder *b, const char *name, const char *type) {
    add_tensor(&top(b)->graph, 5, name, type);
}

void mb_init_ints(struct model_builder *b, const char *name, const char *values) {
    add_tensor_ints(&top(b)->graph, 5, name, values);
}

void mb_node(struct model_builder *b, const char *op, const char *name, const char *inputs,
             const char *outputs) {
    struct frame *f = top(b);
    flush_node(f);
    f->node = new_buf();
    f->has_node = true;
    add_list(&f->node, 1, inputs);
    add_list(&f->node, 2, outputs);
    if (*name) {
        add_text(&f->node, 3, name);
    }
    add_text(&f->node, 4, op);
}

void mb_domain(struct model_builder *b, const char *domain) {
    add_text(last_node(b), 7, domain);
}

void mb_meta(struct model_builder *b, const char *key, const char *value) {
    add_prop(last_node(b), 9, key, value);
}

void mb_attr_int(struct model_builder *b, const char *name, int64_t value) {
    struct buf content = new_buf();
    add_uint(&content, 3, (uint64_t)value);
    add_attr(b, name, ONNX_ATTR_INT, &content);
}

static void add_float(struct buf *out, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    for (unsigned i = 0; i < 4; i++) {
        buf_add_char(out, (char)(bits >> 8 * i));
    }
}

void mb_attr_float(struct model_builder *b, const char *name, float value) {
    struct buf content = new_buf();
    add_varint(&content, 2u << 3 | 5);
    add_float(&content, value);
    add_attr(b, name, ONNX_ATTR_FLOAT, &content);
}

void mb_attr_str(struct model_builder *b, const char *name, const char *value) {
    struct buf content = new_buf();
    add_text(&content, 4, value);
    add_attr(b, name, ONNX_ATTR_STRING, &content);
}

void mb_attr_ints(struct model_builder *b, const char *name, const char *values) {
    struct buf content = new_buf();
    (void)add_ints(&content, 8, values);
    add_attr(b, name, ONNX_ATTR_INTS, &content);
}

void mb_attr_floats(struct model_builder *b, const char *name, const char *values) {
    struct buf content = new_buf();
    char *end = NULL;
    for (const char *at = values; *at; at = *end == ',' ? end + 1 : end) {
        float value = strtof(at, &end);
        if (end == at || (*end && *end != ',')) {
            die("no list of numbers", values);
        }
        add_varint(&content, 7u << 3 | 5);
        add_float(&content, value);
    }
    add_attr(b, name, ONNX_ATTR_FLOATS, &content);
}

void mb_attr_tensor(struct model_builder *b, const char *name, const char *type) {
    struct buf content = new_buf();
    add_tensor(&content, 5, "", type);
    add_attr(b, name, ONNX_ATTR_TENSOR, &content);
}

void mb_attr_tensor_ints(struct model_builder *b, const char *name, const char *values) {
    struct buf content = new_buf();
    add_tensor_ints(&content, 5, "", values);
    add_attr(b, name, ONNX_ATTR_TENSOR, &content);
}

void mb_attr_ref(struct model_builder *b, const char *name, const char *ref) {
    struct buf content = new_buf();
    add_text(&content, 21, ref);
    add_attr(b, name, ONNX_ATTR_INT, &content);
}

void mb_open_body(struct model_builder *b, const char *attribute, const char *graph_name) {
    (void)last_node(b);
    push(b, false, attribute);
    mb_graph_name(b, graph_name);
}

void mb_close_body(struct model_builder *b) {
    const char *attribute = top(b)->attribute;
    struct buf graph = pop(b, false), content = new_buf();
    add_message(&content, 6, &graph);
    add_attr(b, attribute, ONNX_ATTR_GRAPH, &content);
}

void mb_open_function(struct model_builder *b, const char *domain, const char *name,
                      const char *inputs, const char *outputs) {
    if (b->depth) {
        die("a function stands in no body", name);
    }
    push(b, true, name);
    struct buf *function = &top(b)->graph;
    add_text(function, 1, name);
    add_text(function, 10, domain);
    add_list(function, 4, inputs);
    add_list(function, 5, outputs);
}

void mb_close_function(struct model_builder *b) {
    struct buf function = pop(b, true);
    add_message(&b->model, 25, &function);
}
