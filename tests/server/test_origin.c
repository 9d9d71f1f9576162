#include "server/origin.h"

#include <criterion/criterion.h>

#include "base/attr.h"

static bool host(const char *text, const char *names) {
    return srv_host_allowed(str_from(text), str_from(names));
}

static bool origin(const char *from, const char *site, const char *to, const char *names) {
    return srv_origin_allowed(str_from(from), str_from(site), str_from(to), str_from(names));
}

Test(origin, allows_names_of_this_machine_and_addresses) {
    static const char *const good[] = {"localhost",    "LOCALHOST:80",  "a.localhost:1",
                                       "127.0.0.1",    "10.0.0.1:8080", "[::1]",
                                       "[fe80::1]:80", " localhost "};
    static const char *const bad[] = {
        "",    "example", "localhost.example", ".localhost", "127.0.0.1.evil", "127.0.0",   "[::1",
        "::1", "[]",      "[127.0.0.1]",       "1.2.3.4.5",  "[::1]evil",      "local host"};
    size_t i;

    for (i = 0; i < ARRAY_LEN(good); i++) {
        cr_expect(host(good[i], ""), "%s", good[i]);
    }
    for (i = 0; i < ARRAY_LEN(bad); i++) {
        cr_expect_not(host(bad[i], ""), "%s", bad[i]);
    }
}

Test(origin, allows_configured_names) {
    cr_expect(host("a.example:80", "a.example"));
    cr_expect(host("B.example", "a.example, b.example"));
    cr_expect_not(host("c.a.example", "a.example"));
    cr_expect_not(host("", ","));
}

Test(origin, lets_programs_write) {
    cr_expect(origin("", "", "localhost", ""));
}

Test(origin, lets_own_pages_write) {
    cr_expect(origin("http://localhost:8080", "same-origin", "localhost:8080", ""));
    cr_expect(origin("https://a.example", "", "a.example", ""));
    cr_expect(origin("https://a.example", "", "a.example:443", ""));
    cr_expect(origin("http://A.example:80", "", "a.example", ""));
    cr_expect(origin("http://[::1]:8080", "", "[::1]:8080", ""));
    cr_expect(origin("", "none", "localhost", ""));
}

Test(origin, lets_no_foreign_page_write) {
    cr_expect_not(origin("http://evil.example", "", "localhost", ""));
    cr_expect_not(origin("http://localhost:1", "", "localhost:2", ""), "another port");
    cr_expect_not(origin("http://localhost", "", "localhost:8080", ""));
    cr_expect_not(origin("http://localhost.evil", "", "localhost", ""));
    cr_expect_not(origin("null", "", "localhost", ""));
    cr_expect_not(origin("null", "", "null", ""));
    cr_expect_not(origin("://localhost", "", "", ""));
    cr_expect_not(origin("", "cross-site", "localhost", ""));
    cr_expect_not(origin("", "same-site", "localhost", ""));
    cr_expect_not(origin("", "nonsense", "localhost", ""));
    cr_expect_not(origin("http://localhost", "cross-site", "localhost", ""));
}

Test(origin, lets_configured_names_write_through_a_proxy) {
    cr_expect(origin("https://a.example", "cross-site", "127.0.0.1:8080", "a.example"));
    cr_expect_not(origin("https://b.example", "", "127.0.0.1:8080", "a.example"));
}
