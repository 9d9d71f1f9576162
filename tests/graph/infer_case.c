#include "tests/graph/infer_case.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "onnx/dtype.h"

#define LIST_BYTES 256

static void add_input(struct model_builder *b, const char *name, const char *type) {
    if (*type == '=') {
        mb_init_ints(b, name, type + 1);
    } else if (*type == '#') {
        mb_node(b, "Constant", "", "", name);
        mb_attr_int(b, "value_int", strtoll(type + 1, NULL, 10));
    } else if (*type == '~') {
        mb_node(b, "Constant", "", "", name);
        mb_attr_floats(b, "value_floats", type + 1);
    } else {
        mb_input(b, name, type);
    }
}

static struct model_builder *build(const char *domain, int64_t opset, const char *op,
                                   va_list args) {
    struct model_builder *b = mb_new();
    struct buf inputs;
    char name[16];
    const char *type;

    buf_init(&inputs, LIST_BYTES);
    if (opset) {
        mb_opset(b, domain, opset);
    }
    for (unsigned i = 0; (type = va_arg(args, const char *)); i++) {
        (void)snprintf(name, sizeof(name), "i%u", i);
        if (*type) {
            add_input(b, name, type);
        }
        if (i) {
            buf_add_char(&inputs, ',');
        }
        buf_add_z(&inputs, *type ? name : "");
    }
    buf_add_char(&inputs, '\0');
    cr_assert_eq(inputs.failed, 0);
    mb_node(b, op, "node", (const char *)inputs.p, "y0,y1,y2,y3");
    buf_release(&inputs);
    if (*domain) {
        mb_domain(b, domain);
    }
    return b;
}

struct model_builder *infer_op(const char *op, ...) {
    va_list args;
    va_start(args, op);
    struct model_builder *b = build("", 0, op, args);
    va_end(args);
    return b;
}

struct model_builder *infer_op_of(const char *domain, int64_t opset, const char *op, ...) {
    va_list args;
    va_start(args, op);
    struct model_builder *b = build(domain, opset, op, args);
    va_end(args);
    return b;
}

void infer_case_init(struct infer_case *c, struct model_builder *b) {
    *c = (struct infer_case){.model = mb_finish(b)};
    cr_assert_eq(graph_net_init(&c->net, c->model, &c->warnings, NULL), 0);
    cr_assert_eq(graph_shapes_init(&c->shapes, &c->net, &c->warnings, NULL), 0);
}

void infer_case_release(struct infer_case *c) {
    graph_shapes_release(&c->shapes);
    graph_net_release(&c->net);
    warnings_release(&c->warnings);
    onnx_model_free(c->model);
}

static const struct graph_tensor_type *type_of(const struct infer_case *c, const char *name) {
    for (size_t v = c->net.n_values; v-- > 0;) {
        if (str_eq_z(c->net.values[v].name, name)) {
            return &c->shapes.values[v];
        }
    }
    cr_assert_fail("no value %s", name);
    return NULL;
}

void infer_case_expect(const struct infer_case *c, const char *name, const char *text) {
    const struct graph_tensor_type *type = type_of(c, name);
    const char *dtype = onnx_dtype_name(type->dtype);
    struct buf out;
    buf_init(&out, LIST_BYTES);
    buf_add_z(&out, dtype ? dtype : "?");
    buf_add_char(&out, ' ');
    graph_shape_text(&out, type);
    cr_expect(str_eq_z(buf_str(&out), text), "%s is %.*s, expected %s", name,
              STR_ARG(buf_str(&out)), text);
    buf_release(&out);
}

bool infer_case_warned(const struct infer_case *c, const char *code) {
    for (size_t i = 0; i < c->warnings.n; i++) {
        if (strcmp(c->warnings.items[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

void infer_expect(struct model_builder *b, ...) {
    struct infer_case c;
    char name[16];
    const char *type;
    va_list args;
    infer_case_init(&c, b);
    va_start(args, b);
    for (unsigned i = 0; (type = va_arg(args, const char *)); i++) {
        (void)snprintf(name, sizeof(name), "y%u", i);
        infer_case_expect(&c, name, type);
    }
    va_end(args);
    cr_expect_eq(c.warnings.total, 0, "%s", c.warnings.n ? c.warnings.items[0].message : "");
    infer_case_release(&c);
}

void infer_count_text(struct buf *out, struct dim_num count) {
    if (count.kind == DIM_INT) {
        buf_add_i64(out, count.i);
    } else if (count.kind == DIM_SYMBOL) {
        buf_add_str(out, count.symbol);
    } else {
        buf_add_char(out, '?');
    }
}

void infer_expect_macs(struct model_builder *b, const char *macs) {
    struct infer_case c;
    struct buf out;
    infer_case_init(&c, b);
    buf_init(&out, LIST_BYTES);
    infer_count_text(&out, c.shapes.macs[c.net.n_nodes - 1]);
    cr_expect(str_eq_z(buf_str(&out), macs), "%.*s multiply-accumulates, expected %s",
              STR_ARG(buf_str(&out)), macs);
    buf_release(&out);
    infer_case_release(&c);
}
