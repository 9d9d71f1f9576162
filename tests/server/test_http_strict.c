#include "server/http_strict.h"

#include <criterion/criterion.h>

#include "base/attr.h"

static const struct srv_header host = {{"Host", 4}, {"localhost", 9}};

struct example {
    const char *name, *value;
};

static unsigned status_of(const char *method, const char *target, const char *version,
                          const struct example *extra, size_t n) {
    struct srv_header headers[8];
    struct srv_head head = {str_from(method), str_from(target), str_from(version), headers, n + 1};
    size_t i;

    headers[0] = host;
    for (i = 0; i < n; i++) {
        headers[i + 1] = (struct srv_header){str_from(extra[i].name), str_from(extra[i].value)};
    }
    return srv_strict_check(&head).status;
}

static unsigned with(const char *name, const char *value) {
    struct example one = {name, value};

    return status_of("POST", "/", "HTTP/1.1", &one, 1);
}

static unsigned with_two(const char *a, const char *a_value, const char *b, const char *b_value) {
    struct example two[] = {{a, a_value}, {b, b_value}};

    return status_of("POST", "/", "HTTP/1.1", two, 2);
}

static unsigned target(const char *text) {
    return status_of("GET", text, "HTTP/1.1", NULL, 0);
}

Test(http_strict, accepts_what_clients_send) {
    cr_expect_eq(target("/"), 0);
    cr_expect_eq(target("/v1/models?depth=2&expand=a.%2A"), 0);
    cr_expect_eq(target("/a~b!$&'()*+,;=:@-._"), 0);
    cr_expect_eq(with("Content-Length", "0"), 0);
    cr_expect_eq(with("Content-Length", "18446744073709551615"), 0);
    cr_expect_eq(with("Transfer-Encoding", "Chunked"), 0);
    cr_expect_eq(with("Expect", "100-Continue"), 0);
    cr_expect_eq(with("X", "a\tb \xc3\xa9"), 0, "tabs and bytes beyond ASCII are allowed");
    cr_expect_eq(with("X", ""), 0);
}

Test(http_strict, wants_one_way_to_find_the_end_of_a_body) {
    cr_expect_eq(with_two("Content-Length", "3", "Transfer-Encoding", "chunked"), 400);
    cr_expect_eq(with_two("Content-Length", "3", "content-length", "4"), 400);
    cr_expect_eq(with_two("Content-Length", "3", "Content-Length", "3"), 400);
    cr_expect_eq(with_two("Transfer-Encoding", "chunked", "Transfer-Encoding", "chunked"), 400);
}

Test(http_strict, wants_a_plain_content_length) {
    static const char *const bad[] = {"",    "-1", "+1",  "3,3",
                                      "0x3", " 3", "3 4", "18446744073709551616"};
    size_t i;

    for (i = 0; i < ARRAY_LEN(bad); i++) {
        cr_expect_eq(with("Content-Length", bad[i]), 400, "\"%s\"", bad[i]);
    }
}

Test(http_strict, knows_one_transfer_coding) {
    struct example chunked = {"Transfer-Encoding", "chunked"};

    cr_expect_eq(with("Transfer-Encoding", "identity"), 501);
    cr_expect_eq(with("Transfer-Encoding", "gzip, chunked"), 501);
    cr_expect_eq(with("Transfer-Encoding", ""), 501);
    cr_expect_eq(status_of("POST", "/", "HTTP/1.0", &chunked, 1), 400);
}

Test(http_strict, wants_tokens_as_names) {
    cr_expect_eq(with("Content-Length ", "3"), 400);
    cr_expect_eq(with("", "3"), 400);
    cr_expect_eq(with("foo(bar", "3"), 400);
    cr_expect_eq(with("f\xc3\xb6", "3"), 400);
    cr_expect_eq(status_of("G ET", "/", "HTTP/1.1", NULL, 0), 400);
    cr_expect_eq(status_of("", "/", "HTTP/1.1", NULL, 0), 400);
}

Test(http_strict, refuses_control_characters_in_values) {
    struct srv_header headers[] = {host, {STR("X"), {"a\0b", 3}}};
    struct srv_head head = {STR("GET"), STR("/"), STR("HTTP/1.1"), headers, 2};

    cr_expect_eq(srv_strict_check(&head).status, 400, "NUL");
    cr_expect_eq(with("X", "a\rb"), 400);
    cr_expect_eq(with("X", "a\nb"), 400);
    cr_expect_eq(with("X", "a\x7f"), 400);
}

Test(http_strict, wants_a_path_whose_escapes_are_whole) {
    static const char *const bad[] = {"",      "*",      "http://x/", "x:80", "a/b",
                                      "/a\\b", "/a b",   "/%",        "/%4",  "/%zz",
                                      "/%4g",  "/a%00b", "/%0d",      "/%1F", "/%7f",
                                      "/\xff", "/?%",    "/?a=%0a",   "/\x7f"};
    size_t i;

    for (i = 0; i < ARRAY_LEN(bad); i++) {
        cr_expect_eq(target(bad[i]), 400, "\"%s\"", bad[i]);
    }
    cr_expect_eq(target("/%20%7e%2F%80%ff"), 0);
}

Test(http_strict, wants_one_host) {
    struct srv_header two[] = {host, host};
    struct srv_head none = {STR("GET"), STR("/"), STR("HTTP/1.1"), two, 0};
    struct srv_head both = {STR("GET"), STR("/"), STR("HTTP/1.1"), two, 2};

    cr_expect_eq(srv_strict_check(&none).status, 400);
    cr_expect_eq(srv_strict_check(&both).status, 400);
}

Test(http_strict, refuses_expectations) {
    cr_expect_eq(with("Expect", "tea"), 417);
    cr_expect_eq(with("Expect", "100-continue, tea"), 417);
}

Test(http_strict, finds_fields_without_case) {
    struct srv_header headers[] = {{STR("accept"), STR("a")}, {STR("ACCEPT"), STR("b")}};
    struct srv_head head = {.headers = headers, .n = 2};

    cr_expect(str_eq_z(srv_head_find(&head, "Accept"), "a"));
    cr_expect_eq(srv_head_count(&head, "Accept"), 2);
    cr_expect_null(srv_head_find(&head, "Accep").p);
}
