#include "onnx/model.h"

#include <criterion/criterion.h>

#include "onnx/decode.h"
#include "tests/onnx/bytes.h"

static struct onnx_model *decode(struct bytes *b, size_t n_warnings) {
    struct onnx_limits limits;
    struct onnx_model *model;
    struct warnings warnings = {0};
    struct error err;
    onnx_limits_init(&limits);
    int rc = onnx_decode(&model, bytes_slice(b), &limits, &warnings, &err);
    cr_assert_eq(rc, 0, "%s", err.text);
    cr_expect_eq(warnings.total, n_warnings);
    warnings_release(&warnings);
    bytes_free(b);
    return model;
}

static void put_opset(struct bytes *b, const char *domain, int64_t version) {
    open_field(b, 8);
    put_text(b, 1, domain);
    put_int(b, 2, (uint64_t)version);
    close_field(b);
}

Test(model, the_standard_domain_has_two_names) {
    cr_expect(onnx_domain_is_standard(STR("")));
    cr_expect(onnx_domain_is_standard(STR("ai.onnx")));
    cr_expect(!onnx_domain_is_standard(STR("ai.onnx.ml")));
}

Test(model, an_opset_is_found_by_either_name) {
    struct bytes b = {0};
    put_opset(&b, "ai.onnx", 17);
    put_opset(&b, "custom", 3);
    struct onnx_model *m = decode(&b, 0);
    cr_expect_eq(onnx_model_opset(m, STR("")), 17);
    cr_expect_eq(onnx_model_opset(m, STR("ai.onnx")), 17);
    cr_expect_eq(onnx_model_opset(m, STR("custom")), 3);
    cr_expect_eq(onnx_model_opset(m, STR("other")), 0);
    onnx_model_free(m);
}

static void put_function(struct bytes *b, const char *domain, const char *name,
                         const char *overload) {
    open_field(b, 25);
    put_text(b, 1, name);
    put_text(b, 10, domain);
    put_text(b, 13, overload);
    close_field(b);
}

static void put_call(struct bytes *b, const char *domain, const char *name, const char *overload) {
    open_field(b, 1);
    put_text(b, 4, name);
    put_text(b, 7, domain);
    put_text(b, 8, overload);
    close_field(b);
}

Test(model, a_call_finds_its_function_by_domain_name_and_overload) {
    struct bytes b = {0};
    open_field(&b, 7);
    put_call(&b, "loc", "f", "");
    put_call(&b, "loc", "f", "2");
    put_call(&b, "", "f", "");
    put_call(&b, "loc", "Relu", "");
    put_call(&b, "ai.onnx", "g", "");
    close_field(&b);
    put_function(&b, "loc", "f", "");
    put_function(&b, "loc", "f", "2");
    put_function(&b, "", "g", "");
    struct onnx_model *m = decode(&b, 0);
    cr_expect_eq(onnx_model_function(m, &m->nodes[0]), &m->functions[0]);
    cr_expect_eq(onnx_model_function(m, &m->nodes[1]), &m->functions[1]);
    cr_expect(onnx_model_function(m, &m->nodes[2]) == NULL);
    cr_expect(onnx_model_function(m, &m->nodes[3]) == NULL);
    cr_expect_eq(onnx_model_function(m, &m->nodes[4]), &m->functions[2]);
    onnx_model_free(m);
}

Test(model, of_two_equal_functions_the_first_is_called) {
    struct bytes b = {0};
    open_field(&b, 7);
    put_call(&b, "loc", "f", "");
    close_field(&b);
    put_function(&b, "loc", "f", "");
    put_function(&b, "loc", "f", "");
    struct onnx_model *m = decode(&b, 1);
    cr_expect_eq(onnx_model_function(m, &m->nodes[0]), &m->functions[0]);
    onnx_model_free(m);
}

Test(model, names_that_join_to_the_same_text_are_different) {
    struct bytes b = {0};
    open_field(&b, 7);
    put_call(&b, "a", "bc", "");
    close_field(&b);
    put_function(&b, "ab", "c", "");
    struct onnx_model *m = decode(&b, 0);
    cr_expect(onnx_model_function(m, &m->nodes[0]) == NULL);
    onnx_model_free(m);
}

Test(model, without_functions_nothing_is_a_call) {
    struct bytes b = {0};
    put_chain_model(&b, 1);
    struct onnx_model *m = decode(&b, 0);
    cr_expect(onnx_model_function(m, &m->nodes[0]) == NULL);
    cr_expect(onnx_node_attr(&m->nodes[0], "none") == NULL);
    cr_expect(onnx_props_get(m->metadata, "none").p == NULL);
    onnx_model_free(m);
}

Test(model, freeing_nothing_is_fine) {
    onnx_model_free(NULL);
}
