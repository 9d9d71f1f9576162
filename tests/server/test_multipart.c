#include "server/multipart.h"

#include <criterion/criterion.h>

#include "base/attr.h"
#include "base/buf.h"

static struct buf got;
static struct error err;

static void begin(void) {
    buf_init(&got, 1 << 16);
}

static void end(void) {
    buf_release(&got);
}

TestSuite(multipart, .init = begin, .fini = end);

static int keep(void *arg, struct slice bytes, struct error *e) {
    (void)arg;
    (void)e;
    buf_add(&got, bytes.p, bytes.n);
    return 0;
}

// Feeds `form` in pieces of `step` bytes; the result of the whole.
static int parse(struct str form, size_t step) {
    struct srv_multipart *m = NULL;
    int rc;

    buf_reset(&got);
    rc = srv_multipart_new(&m, STR("EDGE"), "model", keep, NULL, &err);
    while (rc == 0 && form.n) {
        rc = srv_multipart_feed(m, slice_from_str(str_sub(form, 0, step)), &err);
        form = str_skip(form, step);
    }
    if (rc == 0) {
        rc = srv_multipart_finish(m, &err);
    }
    srv_multipart_free(m);
    return rc;
}

// Whatever the pieces, the field is `want`.
static void expect_at_every_cut(struct str form, struct str want) {
    size_t step;

    for (step = 1; step <= form.n; step++) {
        cr_assert_eq(parse(form, step), 0, "step %zu: %s", step, err.text);
        cr_assert(str_eq(buf_str(&got), want), "step %zu: \"%.*s\"", step, STR_ARG(buf_str(&got)));
    }
}

#define HEAD "--EDGE\r\nContent-Disposition: form-data; name=\"model\"; filename=\"a.onnx\"\r\n\r\n"

Test(multipart, takes_one_field) {
    expect_at_every_cut(STR(HEAD "bytes\r\n--EDGE--\r\n"), STR("bytes"));
    expect_at_every_cut(STR(HEAD "\r\n--EDGE--"), STR(""));
}

Test(multipart, does_not_stop_at_what_only_looks_like_a_boundary) {
    expect_at_every_cut(STR(HEAD "\r\n--EDG\r\n\r\r\n--EDGX\r\n-\n--EDGE\r\r\n--EDGE--"),
                        STR("\r\n--EDG\r\n\r\r\n--EDGX\r\n-\n--EDGE\r"));
}

Test(multipart, takes_bytes_of_any_value) {
    expect_at_every_cut(STR(HEAD "\0\r\0\n\xff\r\n--EDGE--\r\n"), STR("\0\r\0\n\xff"));
}

Test(multipart, skips_other_fields_preamble_and_epilogue) {
    expect_at_every_cut(STR("hello\r\n--EDGE\r\nContent-Disposition: form-data; "
                            "name=\"note\"\r\n\r\nname=\"model\"\r\n" HEAD "bytes\r\n" HEAD
                            "second\r\n--EDGE--\r\n--EDGE\r\nbye"),
                        STR("bytes"));
}

Test(multipart, reads_heads_as_clients_write_them) {
    expect_at_every_cut(
        STR("--EDGE  \r\nContent-Type: x\r\ncontent-disposition:form-data;NAME=model"
            "\r\nX: y\r\n\r\nb\r\n--EDGE--"),
        STR("b"));
}

Test(multipart, wants_the_field) {
    cr_expect_eq(parse(STR("--EDGE\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx\r\n"
                           "--EDGE--"),
                       7),
                 ERR_USAGE);
    cr_expect(strstr(err.text, "model"), "%s", err.text);
    cr_expect_eq(parse(STR("--EDGE\r\n\r\nx\r\n--EDGE--"), 7), ERR_USAGE, "a part without a head");
}

Test(multipart, wants_the_end) {
    static const char whole[] = HEAD "bytes\r\n--EDGE--";
    size_t n;

    for (n = 0; n < sizeof(whole) - 1; n++) {
        cr_assert_eq(parse((struct str){whole, n}, 1000), ERR_USAGE, "%zu bytes", n);
    }
    cr_expect_eq(parse(STR("no form at all"), 3), ERR_USAGE);
}

Test(multipart, bounds_what_it_remembers) {
    struct buf form;
    size_t i;

    buf_init(&form, 1 << 16);
    buf_add_z(&form, "--EDGE\r\nX: ");
    for (i = 0; i < 9000; i++) {
        buf_add_char(&form, 'x');
    }
    cr_expect_eq(parse(buf_str(&form), 100), ERR_USAGE);
    buf_reset(&form);
    buf_add_z(&form, "--EDGE");
    for (i = 0; i < 300; i++) {
        buf_add_char(&form, ' ');
    }
    cr_expect_eq(parse(buf_str(&form), 100), ERR_USAGE);
    cr_expect_eq(parse(STR("--EDGEX\r\n\r\n"), 100), ERR_USAGE);
    buf_release(&form);
}

static int refuse(void *arg, struct slice bytes, struct error *e) {
    (void)arg;
    (void)bytes;
    return error_set(e, ERR_LIMIT, "full");
}

Test(multipart, passes_on_what_the_sink_says) {
    struct srv_multipart *m;

    cr_assert_eq(srv_multipart_new(&m, STR("EDGE"), "model", refuse, NULL, &err), 0);
    cr_expect_eq(srv_multipart_feed(m, slice_from_str(STR(HEAD "bytes")), &err), ERR_LIMIT);
    srv_multipart_free(m);
}

Test(multipart, finds_the_boundary_of_a_type) {
    static const struct {
        const char *type, *boundary;
        bool is_form;
    } table[] = {
        {"multipart/form-data; boundary=abc", "abc", true},
        {"Multipart/Form-Data ;charset=x; Boundary=\"a b\"", "a b", true},
        {"multipart/form-data", "", true},
        {"multipart/form-data; boundary=", "", true},
        {"multipart/form-data; boundary=\"\"", "", true},
        {"multipart/mixed; boundary=abc", "abc", false},
        {"application/x-www-form-urlencoded", "", false},
        {"", "", false},
    };
    struct str boundary;
    char text[200];
    size_t i;

    for (i = 0; i < ARRAY_LEN(table); i++) {
        cr_expect_eq(srv_multipart_type(str_from(table[i].type), &boundary), table[i].is_form);
        cr_expect(str_eq_z(boundary, table[i].boundary), "%s: %.*s", table[i].type,
                  STR_ARG(boundary));
    }
    memset(text, 'a', sizeof(text));
    memcpy(text, "multipart/form-data; boundary=", 30);
    cr_expect(srv_multipart_type((struct str){text, 30 + 70}, &boundary));
    cr_expect_eq(boundary.n, 70);
    cr_expect(srv_multipart_type((struct str){text, 30 + 71}, &boundary));
    cr_expect_eq(boundary.n, 0);
}
