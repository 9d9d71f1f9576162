#include "server/problem.h"

#include <criterion/criterion.h>

#include "base/attr.h"
#include "base/json.h"

static struct buf out;

static void begin(void) {
    buf_init(&out, 1 << 16);
}

static void end(void) {
    buf_release(&out);
}

TestSuite(problem, .init = begin, .fini = end);

static struct json *write(const struct srv_problem *p) {
    struct json *doc = NULL;

    srv_problem_write_json(&out, p);
    cr_assert_eq(json_parse(&doc, buf_str(&out), NULL), 0, "%.*s", STR_ARG(buf_str(&out)));
    return doc;
}

Test(problem, has_the_members_of_the_standard) {
    struct srv_problem p = {.status = 404};
    struct json *doc;

    error_set(&p.error, ERR_NOT_FOUND, "no such \"model\"");
    doc = write(&p);
    cr_expect(str_eq_z(json_str(json_get(doc, "type")), "urn:onnxscope:problem:not-found"));
    cr_expect_gt(json_str(json_get(doc, "title")).n, 0);
    cr_expect_eq((int)json_num(json_get(doc, "status"), 0), 404);
    cr_expect(str_eq_z(json_str(json_get(doc, "detail")), "no such \"model\""));
    cr_expect_null(json_get(doc, "limit"));
    cr_expect_null(json_get(doc, "offset"));
    cr_expect_null(json_get(doc, "field"));
    cr_expect_null(json_get(doc, "request_id"));
    json_free(doc);
}

Test(problem, names_limit_setting_place_and_way_out) {
    struct srv_problem p = {.status = 413,
                            .request_id = "r1",
                            .retry_after = 5,
                            .alternative = STR("/v1/x?depth=1&a=<")};
    struct json *doc;

    error_set_at(&p.error, ERR_LIMIT, 0, "graph.node[3]", "too large");
    memcpy(p.error.limit, "max-model", 10);
    doc = write(&p);
    cr_expect(str_eq_z(json_str(json_get(doc, "limit")), "max-model"));
    cr_expect(str_eq_z(json_str(json_get(doc, "setting")), "--max-model"));
    cr_expect_eq((int)json_num(json_get(doc, "offset"), -1), 0, "an offset of 0 is one");
    cr_expect(str_eq_z(json_str(json_get(doc, "field")), "graph.node[3]"));
    cr_expect(str_eq_z(json_str(json_get(doc, "request_id")), "r1"));
    cr_expect_eq((int)json_num(json_get(doc, "retry_after"), 0), 5);
    cr_expect(str_eq_z(json_str(json_get(doc, "alternative")), "/v1/x?depth=1&a=<"));
    json_free(doc);
}

Test(problem, gives_every_code_a_status) {
    static const struct {
        int code;
        unsigned status;
    } table[] = {
        {ERR_USAGE, 400},     {ERR_NOT_FOUND, 404}, {ERR_LIMIT, 413}, {ERR_FORMAT, 422},
        {ERR_TRUNCATED, 422}, {ERR_BUSY, 503},      {ERR_FULL, 507},  {ERR_NOMEM, 503},
        {ERR_TIMEOUT, 504},   {ERR_CRASH, 500},     {ERR_BUG, 500},   {ERR_IO, 500},
        {-99, 500},
    };
    size_t i;

    for (i = 0; i < ARRAY_LEN(table); i++) {
        cr_expect_eq(srv_problem_status(table[i].code), table[i].status, "%s",
                     error_name(table[i].code));
        cr_expect_str_neq(srv_problem_slug(table[i].status), "error");
    }
}

static size_t count(const char *part) {
    struct str rest = buf_str(&out);
    size_t n = 0, i, len = strlen(part);

    for (i = 0; i + len <= rest.n; i++) {
        n += memcmp(rest.p + i, part, len) == 0;
    }
    return n;
}

Test(problem, draws_a_card_with_everything_escaped) {
    struct srv_problem p = {.status = 400};

    error_set(&p.error, ERR_USAGE, "'</text><script>alert(\"1\")</script>' & \xe2\x80\xae]]>");
    srv_problem_write_svg(&out, &p);
    cr_expect_eq(count("<script"), 0);
    cr_expect_eq(count("]]>"), 0);
    cr_expect_eq(count("& "), 0);
    cr_expect_eq(count("\xe2\x80\xae"), 0, "a bidi control is shown, not obeyed");
    cr_expect_eq(count("&lt;script&gt;alert"), 2, "in the description and in the picture");
    cr_expect_eq(count("<text"), count("</text>"));
    cr_expect_eq(count("viewBox=\"0 0 480 "), 1);
    cr_expect_eq(count("<title>"), 1);
}

Test(problem, breaks_lines_of_a_card) {
    struct srv_problem p = {.status = 400};
    char text[400];

    memset(text, 'a', sizeof(text));
    text[50] = ' ';
    text[sizeof(text) - 1] = '\0';
    error_set(&p.error, ERR_USAGE, "%s", text);
    srv_problem_write_svg(&out, &p);
    // 50 letters, then 348 in lines of 62.
    cr_expect_eq(count("<text"), 1 + 1 + 6);
}
