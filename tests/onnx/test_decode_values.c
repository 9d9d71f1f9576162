// Attributes, tensors and types out of a decoded model.
#include <criterion/criterion.h>
#include <math.h>

#include "onnx/decode.h"
#include "tests/onnx/bytes.h"

static struct onnx_model *decode(struct bytes *b) {
    struct onnx_limits limits;
    struct onnx_model *model;
    struct warnings warnings = {0};
    struct error err;
    onnx_limits_init(&limits);
    int rc = onnx_decode(&model, bytes_slice(b), &limits, &warnings, &err);
    cr_assert_eq(rc, 0, "%s", err.text);
    warnings_release(&warnings);
    bytes_free(b);
    return model;
}

#define EXPECT_STR(got, want) \
    cr_expect(str_eq_z(got, want), "'%.*s' instead of '%s'", STR_ARG(got), want)

// ---- attributes: one node, whose attribute holds `content`

static struct onnx_model *decode_attr(struct bytes *content) {
    struct bytes b = {0};
    open_field(&b, 7);
    open_field(&b, 1);
    put_text(&b, 4, "Op");
    open_field(&b, 5);
    put_text(&b, 1, "a");
    put_raw(&b, content->out.p, content->out.n);
    close_field(&b);
    close_field(&b);
    close_field(&b);
    bytes_free(content);
    return decode(&b);
}

static const struct onnx_attr *attr_of(const struct onnx_model *m) {
    return &m->nodes[0].attrs[0];
}

Test(decode_values, reads_single_attributes) {
    struct bytes content = {0};
    put_int(&content, 20, ONNX_ATTR_INT);
    put_int(&content, 3, (uint64_t)-5);
    put_text(&content, 21, "outer");
    struct onnx_model *m = decode_attr(&content);
    cr_expect_eq(attr_of(m)->type, ONNX_ATTR_INT);
    cr_expect_eq(attr_of(m)->i, -5);
    EXPECT_STR(attr_of(m)->ref, "outer");
    onnx_model_free(m);

    put_int(&content, 20, ONNX_ATTR_FLOAT);
    put_float(&content, 2, 0.5F);
    m = decode_attr(&content);
    cr_expect_eq(attr_of(m)->f, 0.5);
    onnx_model_free(m);

    put_int(&content, 20, ONNX_ATTR_STRING);
    put_text(&content, 4, "SAME_UPPER");
    m = decode_attr(&content);
    EXPECT_STR(attr_of(m)->s, "SAME_UPPER");
    onnx_model_free(m);
}

Test(decode_values, reads_lists_packed_or_not) {
    struct bytes content = {0};
    put_int(&content, 8, 1);
    put_data(&content, 8, "\x02\x03", 2);
    put_int(&content, 8, 4);
    put_int(&content, 20, ONNX_ATTR_INTS);
    struct onnx_model *m = decode_attr(&content);
    cr_assert_eq(attr_of(m)->n, 4);
    for (int i = 0; i < 4; i++) {
        cr_expect_eq(attr_of(m)->ints[i], i + 1);
    }
    onnx_model_free(m);

    put_float(&content, 7, 1.5F);
    put_float(&content, 7, INFINITY);
    put_int(&content, 20, ONNX_ATTR_FLOATS);
    m = decode_attr(&content);
    cr_assert_eq(attr_of(m)->n, 2);
    cr_expect_eq(attr_of(m)->floats[0], 1.5);
    cr_expect(isinf(attr_of(m)->floats[1]));
    onnx_model_free(m);

    put_text(&content, 9, "a");
    put_text(&content, 9, "b");
    put_int(&content, 20, ONNX_ATTR_STRINGS);
    m = decode_attr(&content);
    cr_assert_eq(attr_of(m)->n, 2);
    EXPECT_STR(attr_of(m)->strings[1], "b");
    onnx_model_free(m);
}

Test(decode_values, the_content_tells_the_type_when_the_file_does_not) {
    struct bytes content = {0};
    put_int(&content, 3, 1);
    struct onnx_model *m = decode_attr(&content);
    cr_expect_eq(attr_of(m)->type, ONNX_ATTR_INT, "no type, as old files have it");
    onnx_model_free(m);

    put_text(&content, 4, "text");
    put_int(&content, 20, ONNX_ATTR_INTS);
    m = decode_attr(&content);
    cr_expect_eq(attr_of(m)->type, ONNX_ATTR_STRING, "a type that lies");
    onnx_model_free(m);

    put_int(&content, 20, ONNX_ATTR_INTS);
    m = decode_attr(&content);
    cr_expect_eq(attr_of(m)->type, ONNX_ATTR_INTS, "an empty list");
    cr_expect_eq(attr_of(m)->n, 0);
    onnx_model_free(m);

    put_int(&content, 20, (uint64_t)-1);
    m = decode_attr(&content);
    cr_expect_eq(attr_of(m)->type, ONNX_ATTR_UNDEFINED);
    onnx_model_free(m);
}

Test(decode_values, a_tensor_that_comes_twice_is_merged) {
    struct bytes content = {0};
    open_field(&content, 5);
    put_int(&content, 1, 2);
    put_int(&content, 2, 1);
    close_field(&content);
    open_field(&content, 5);
    put_int(&content, 1, 3);
    put_text(&content, 8, "v");
    close_field(&content);
    struct onnx_model *m = decode_attr(&content);
    cr_expect_eq(attr_of(m)->type, ONNX_ATTR_TENSOR);
    cr_assert_eq(attr_of(m)->n, 1);
    const struct onnx_tensor *t = attr_of(m)->tensors;
    cr_assert_eq(t->n_dims, 2);
    cr_expect(t->dims[0] == 2 && t->dims[1] == 3);
    cr_expect_eq(t->dtype, 1);
    EXPECT_STR(t->name, "v");
    onnx_model_free(m);
}

static void put_sparse(struct bytes *b, uint32_t number) {
    open_field(b, number);
    open_field(b, 1);
    put_int(b, 1, 2);
    put_int(b, 2, 7);
    put_text(b, 8, "sparse");
    put_data(b, 9, "0123456789abcdef", 16);
    close_field(b);
    put_int(b, 3, 100);
    put_int(b, 3, 200);
    close_field(b);
}

static void expect_sparse(const struct onnx_tensor *t) {
    EXPECT_STR(t->name, "sparse");
    cr_expect_eq(t->dtype, 7);
    cr_assert_eq(t->n_dims, 2);
    cr_expect(t->dims[0] == 100 && t->dims[1] == 200);
    cr_expect(!t->has_data && t->raw.n == 0);
}

Test(decode_values, sparse_tensors_show_their_dense_dims) {
    struct bytes content = {0}, b = {0};
    put_sparse(&content, 22);
    struct onnx_model *m = decode_attr(&content);
    cr_expect_eq(attr_of(m)->type, ONNX_ATTR_SPARSE_TENSOR);
    expect_sparse(attr_of(m)->tensors);
    onnx_model_free(m);

    open_field(&b, 7);
    put_sparse(&b, 15);
    close_field(&b);
    m = decode(&b);
    cr_assert_eq(m->graphs[0].n_initializers, 1);
    expect_sparse(m->graphs[0].initializers);
    onnx_model_free(m);
}

// ---- tensors: one initializer with `content`

static struct onnx_model *decode_tensor(struct bytes *content) {
    struct bytes b = {0};
    open_field(&b, 7);
    put_message(&b, 5, content);
    close_field(&b);
    bytes_free(content);
    return decode(&b);
}

static const struct onnx_tensor *tensor_of(const struct onnx_model *m) {
    return m->graphs[0].initializers;
}

Test(decode_values, reads_raw_data) {
    struct bytes content = {0};
    put_data(&content, 9, "abcd", 4);
    struct onnx_model *m = decode_tensor(&content);
    cr_expect(tensor_of(m)->has_data);
    cr_expect(str_eq_z(str_from_slice(tensor_of(m)->raw), "abcd"));
    onnx_model_free(m);

    put_data(&content, 1, "\x02\x03", 2);
    m = decode_tensor(&content);
    cr_expect(!tensor_of(m)->has_data);
    cr_expect_eq(tensor_of(m)->n_dims, 2);
    onnx_model_free(m);
}

Test(decode_values, reads_typed_integers) {
    static const uint32_t fields[] = {5, 7, 11};  // int32_data, int64_data, uint64_data
    for (size_t i = 0; i < 3; i++) {
        struct bytes content = {0};
        put_int(&content, fields[i], (uint64_t)-3);
        put_data(&content, fields[i], "\x07", 1);
        struct onnx_model *m = decode_tensor(&content);
        cr_expect(tensor_of(m)->has_data);
        cr_assert_eq(tensor_of(m)->n_ints, 2);
        cr_expect_eq(tensor_of(m)->ints[0], -3);
        cr_expect_eq(tensor_of(m)->ints[1], 7);
        onnx_model_free(m);
    }
}

Test(decode_values, reads_typed_reals_and_strings) {
    struct bytes content = {0};
    double d = 0.25;
    put_float(&content, 4, 1.5F);
    put_data(&content, 10, &d, sizeof(d));
    put_text(&content, 6, "s");
    struct onnx_model *m = decode_tensor(&content);
    cr_assert_eq(tensor_of(m)->n_reals, 2);
    cr_expect_eq(tensor_of(m)->reals[0], 1.5);
    cr_expect_eq(tensor_of(m)->reals[1], 0.25);
    cr_assert_eq(tensor_of(m)->n_strings, 1);
    EXPECT_STR(tensor_of(m)->strings[0], "s");
    onnx_model_free(m);
}

Test(decode_values, keeps_strange_dims_and_dtypes_as_they_are) {
    struct bytes content = {0};
    put_int(&content, 1, (uint64_t)-1);
    put_int(&content, 1, INT64_MAX);
    put_int(&content, 2, (uint64_t)-1);
    put_int(&content, 14, 1);
    struct onnx_model *m = decode_tensor(&content);
    cr_expect(tensor_of(m)->dims[0] == -1 && tensor_of(m)->dims[1] == INT64_MAX);
    cr_expect_eq(tensor_of(m)->dtype, -1);
    cr_expect(tensor_of(m)->external);
    onnx_model_free(m);
}

// ---- types: one input whose type is `content`

static struct onnx_model *decode_type(struct bytes *content) {
    struct bytes b = {0};
    open_field(&b, 7);
    open_field(&b, 11);
    put_text(&b, 1, "x");
    put_message(&b, 2, content);
    close_field(&b);
    close_field(&b);
    bytes_free(content);
    return decode(&b);
}

static const struct onnx_type *type_of(const struct onnx_model *m) {
    return &m->graphs[0].inputs[0].type;
}

static void put_tensor_type(struct bytes *b, uint32_t number) {
    open_field(b, number);
    put_int(b, 1, 10);
    open_field(b, 2);
    open_field(b, 1);
    put_int(b, 1, 3);
    close_field(b);
    open_field(b, 1);
    put_text(b, 2, "batch");
    close_field(b);
    open_field(b, 1);
    close_field(b);
    close_field(b);
    close_field(b);
}

static void expect_tensor_type(const struct onnx_type *t) {
    cr_expect_eq(t->dtype, 10);
    cr_expect(t->has_shape);
    cr_assert_eq(t->n_dims, 3);
    cr_expect(t->dims[0].known && t->dims[0].value == 3);
    cr_expect(!t->dims[1].known && str_eq_z(t->dims[1].param, "batch"));
    cr_expect(!t->dims[2].known && t->dims[2].param.n == 0);
}

Test(decode_values, reads_tensor_types) {
    struct bytes content = {0};
    put_tensor_type(&content, 1);
    struct onnx_model *m = decode_type(&content);
    cr_expect_eq(type_of(m)->kind, ONNX_TYPE_TENSOR);
    cr_expect_eq(type_of(m)->nesting, 0);
    expect_tensor_type(type_of(m));
    onnx_model_free(m);

    put_tensor_type(&content, 8);
    m = decode_type(&content);
    cr_expect_eq(type_of(m)->kind, ONNX_TYPE_SPARSE);
    expect_tensor_type(type_of(m));
    onnx_model_free(m);
}

Test(decode_values, a_scalar_has_a_shape_and_an_unknown_rank_has_none) {
    struct bytes content = {0};
    open_field(&content, 1);
    put_int(&content, 1, 1);
    open_field(&content, 2);
    close_field(&content);
    close_field(&content);
    struct onnx_model *m = decode_type(&content);
    cr_expect(type_of(m)->has_shape && type_of(m)->n_dims == 0);
    onnx_model_free(m);

    open_field(&content, 1);
    put_int(&content, 1, 1);
    close_field(&content);
    m = decode_type(&content);
    cr_expect(!type_of(m)->has_shape);
    onnx_model_free(m);
}

Test(decode_values, sequences_and_optionals_are_flattened) {
    struct bytes content = {0};
    open_field(&content, 9);  // optional
    open_field(&content, 1);
    open_field(&content, 4);  // sequence
    open_field(&content, 1);
    put_tensor_type(&content, 1);
    for (int i = 0; i < 4; i++) {
        close_field(&content);
    }
    struct onnx_model *m = decode_type(&content);
    cr_expect_eq(type_of(m)->kind, ONNX_TYPE_OPTIONAL);
    cr_expect_eq(type_of(m)->nesting, 2);
    expect_tensor_type(type_of(m));
    onnx_model_free(m);
}

Test(decode_values, maps_and_opaque_types_have_only_a_kind) {
    struct bytes content = {0};
    open_field(&content, 5);
    put_int(&content, 1, 8);
    open_field(&content, 2);
    put_tensor_type(&content, 1);
    close_field(&content);
    close_field(&content);
    struct onnx_model *m = decode_type(&content);
    cr_expect_eq(type_of(m)->kind, ONNX_TYPE_MAP);
    cr_expect(!type_of(m)->has_shape);
    onnx_model_free(m);

    open_field(&content, 7);
    close_field(&content);
    m = decode_type(&content);
    cr_expect_eq(type_of(m)->kind, ONNX_TYPE_OPAQUE);
    onnx_model_free(m);
}

Test(decode_values, the_last_of_value_and_symbol_is_the_dim) {
    struct bytes content = {0};
    open_field(&content, 1);
    open_field(&content, 2);
    open_field(&content, 1);
    put_int(&content, 1, 7);
    put_text(&content, 2, "N");
    close_field(&content);
    close_field(&content);
    close_field(&content);
    struct onnx_model *m = decode_type(&content);
    cr_assert_eq(type_of(m)->n_dims, 1);
    cr_expect(!type_of(m)->dims[0].known);
    EXPECT_STR(type_of(m)->dims[0].param, "N");
    onnx_model_free(m);
}

Test(decode_values, a_type_in_two_parts_is_merged) {
    struct bytes b = {0};
    open_field(&b, 7);
    open_field(&b, 11);
    open_field(&b, 2);
    open_field(&b, 1);
    put_int(&b, 1, 1);
    close_field(&b);
    close_field(&b);
    open_field(&b, 2);
    open_field(&b, 1);
    open_field(&b, 2);
    open_field(&b, 1);
    put_int(&b, 1, 2);
    for (int i = 0; i < 6; i++) {
        close_field(&b);
    }
    struct onnx_model *m = decode(&b);
    cr_expect_eq(type_of(m)->dtype, 1);
    cr_assert_eq(type_of(m)->n_dims, 1);
    cr_expect_eq(type_of(m)->dims[0].value, 2);
    onnx_model_free(m);
}
