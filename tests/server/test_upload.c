#include "server/upload.h"

#include <criterion/criterion.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "tests/support/model_builder.h"

static struct buf model;
static struct onnx_limits limits;
static struct error err;

static void begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,8]");
    mb_node(b, "Relu", "/act/Relu", "x", "y");
    mb_output(b, "y", "float[1,8]");
    buf_init(&model, 1 << 20);
    mb_finish_bytes(b, &model);
    onnx_limits_init(&limits);
}

static void end(void) {
    buf_release(&model);
}

TestSuite(upload, .init = begin, .fini = end);

static int send_body(struct slice body, struct srv_upload_plan plan, struct srv_record **out) {
    struct srv_upload *u = NULL;
    size_t i;
    int rc;

    plan.limits = &limits;
    plan.max_ratio = 100;
    rc = srv_upload_new(&u, &plan, &err);
    for (i = 0; rc == 0 && i < body.n; i++) {
        srv_upload_feed(u, (struct slice){body.p + i, 1});
    }
    if (rc == 0) {
        rc = srv_upload_finish(u, out, &err);
    }
    srv_upload_free(u);
    return rc;
}

static void expect_model(struct slice body, struct srv_upload_plan plan) {
    struct srv_record *r = NULL;
    uint8_t digest[SHA256_BYTES];
    char hex[SHA256_HEX + 1];
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, buf_slice(&model));
    sha256_done(&s, digest);
    sha256_hex(digest, hex);
    cr_assert_eq(send_body(body, plan, &r), 0, "%s", err.text);
    cr_expect_str_eq(r->id, hex);
    cr_expect_eq(r->size, model.n);
    cr_expect_eq(r->strip.nodes, 1);
    cr_expect(r->strip.complete);
    cr_expect_gt(r->created, 0);
    // The model has no weights, so it is its own skeleton.
    cr_expect_eq(r->skeleton.n, model.n);
    cr_expect_arr_eq(r->skeleton_digest, digest, SHA256_BYTES);
    srv_record_unref(r);
}

Test(upload, digests_and_strips_a_plain_body) {
    expect_model(buf_slice(&model), (struct srv_upload_plan){0});
}

Test(upload, undoes_a_coding_around_a_form) {
    struct srv_upload_plan plan = {.coding = SRV_CODING_GZIP,
                                   .is_form = true,
                                   .boundary = STR("EDGE")};
    uint8_t *packed = NULL;
    size_t n = 0;
    struct buf form;

    buf_init(&form, 1 << 20);
    buf_add_z(&form, "--EDGE\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\n");
    buf_add(&form, model.p, model.n);
    buf_add_z(&form, "\r\n--EDGE--\r\n");
    cr_assert_eq(srv_gzip(&packed, &n, buf_slice(&form), NULL), 0);
    expect_model((struct slice){packed, n}, plan);
    free(packed);
    buf_release(&form);
}

Test(upload, says_at_the_end_what_went_wrong_before) {
    struct srv_record *r = NULL;
    struct srv_upload_plan gzip = {.coding = SRV_CODING_GZIP};

    cr_expect_eq(send_body(slice_from_str(STR("no model, only text")), (struct srv_upload_plan){0},
                           &r),
                 ERR_FORMAT);
    cr_expect(strstr(err.text, "text"), "%s", err.text);
    cr_expect_eq(send_body(slice_from_str(STR("no gzip at all, but a long text")), gzip, &r),
                 ERR_USAGE);
    cr_expect(strstr(err.text, "gzip"), "%s", err.text);
    limits.max_model = 3;
    cr_expect_eq(send_body(buf_slice(&model), (struct srv_upload_plan){0}, &r), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-model");
    cr_expect_null(r);
}

Test(upload, needs_a_boundary_for_a_form) {
    struct srv_record *r = NULL;

    cr_expect_eq(send_body(buf_slice(&model), (struct srv_upload_plan){.is_form = true}, &r),
                 ERR_USAGE);
}
