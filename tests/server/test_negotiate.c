#include "server/negotiate.h"

#include <criterion/criterion.h>

#include "base/attr.h"

static const char *const offers[] = {"image/svg+xml; charset=utf-8", "text/vnd.graphviz",
                                     "application/json"};

static int best(const char *accept) {
    return srv_negotiate_type(str_from(accept), offers, ARRAY_LEN(offers));
}

Test(negotiate, gives_the_first_when_everything_is_accepted) {
    cr_expect_eq(best(""), 0);
    cr_expect_eq(best("*/*"), 0);
    cr_expect_eq(best("  */* ; q=0.1"), 0);
    cr_expect_eq(best("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), 0);
}

Test(negotiate, weighs) {
    cr_expect_eq(best("application/json"), 2);
    cr_expect_eq(best("APPLICATION/JSON"), 2);
    cr_expect_eq(best("image/svg+xml;q=0.2, application/json;q=0.9"), 2);
    cr_expect_eq(best("text/vnd.graphviz;q=0.5, application/json;q=0.499"), 1);
    cr_expect_eq(best("image/svg+xml;q=0.001"), 0);
    cr_expect_eq(best("application/json;q=1, image/svg+xml;q=1.000"), 0, "the first wins a tie");
}

Test(negotiate, lets_the_more_exact_range_decide) {
    cr_expect_eq(best("*/*, image/svg+xml;q=0"), 1);
    cr_expect_eq(best("image/*;q=0.3, application/json;q=0.2, */*;q=0.1"), 0);
    cr_expect_eq(best("image/*;q=0, */*"), 1);
    cr_expect_eq(best("text/*"), 1);
}

Test(negotiate, has_nothing_for_others) {
    cr_expect_eq(best("audio/ogg"), -1);
    cr_expect_eq(best("image/svg"), -1);
    cr_expect_eq(best("image/svg+xml2"), -1);
    cr_expect_eq(best("*/*;q=0"), -1);
    cr_expect_eq(best("*/*;q=0.000"), -1);
    cr_expect_eq(best("i/*"), -1);
    cr_expect_eq(best(";;,,;q=1"), -1);
    cr_expect_eq(srv_negotiate_type(STR("*/*"), offers, 0), -1);
}

Test(negotiate, looks_at_a_bounded_number_of_ranges) {
    char text[4096];
    size_t i, n = 0;

    for (i = 0; i < SRV_ACCEPT_RANGES; i++) {
        memcpy(text + n, "audio/ogg,", 10);
        n += 10;
    }
    memcpy(text + n, "*/*", 3);
    cr_expect_eq(srv_negotiate_type((struct str){text, n + 3}, offers, ARRAY_LEN(offers)), -1);
}

Test(negotiate, takes_gzip_when_the_client_does) {
    static const struct {
        const char *field;
        bool gzip;
    } table[] = {
        {"gzip", true},
        {"x-gzip", true},
        {"GZip;q=0.5", true},
        {"br, gzip", true},
        {"*", true},
        {"deflate", false},
        {"", false},
        {"gzip;q=0", false},
        {"gzip;q=0.0", false},
        {"identity", false},
        {"*;q=0", false},
        {"identity;q=1, gzip;q=0.5", false},
        {"gzip, *;q=0", true},
        {"identity;q=0.5, *;q=0", false},
        {"gzip;q=0.5, identity;q=0.5", true},
    };
    size_t i;

    for (i = 0; i < ARRAY_LEN(table); i++) {
        cr_expect_eq(srv_negotiate_gzip(str_from(table[i].field)), table[i].gzip, "\"%s\"",
                     table[i].field);
    }
}

Test(negotiate, finds_a_tag_in_a_list) {
    struct str tag = STR("\"ab\"");

    cr_expect(srv_etag_listed(STR("\"ab\""), tag));
    cr_expect(srv_etag_listed(STR(" \"x\" ,W/\"ab\""), tag));
    cr_expect(srv_etag_listed(STR("\"with, comma\", \"ab\""), tag));
    cr_expect(srv_etag_listed(STR(" * "), tag));
    cr_expect_not(srv_etag_listed(STR(""), tag));
    cr_expect_not(srv_etag_listed(STR("ab"), tag));
    cr_expect_not(srv_etag_listed(STR("\"abc\", \"a\""), tag));
    cr_expect_not(srv_etag_listed(STR("w/\"ab\""), tag));
}
