#include "server/query.h"

#include <criterion/criterion.h>

#include "base/attr.h"
#include "server/version.h"

#define PICTURE (SRV_PARAM_VIEW | SRV_PARAM_DOWNLOAD | SRV_PARAM_VERSION)

static struct srv_params params;
static struct error err;

static void begin(void) {
    srv_params_init(&params);
}

static void end(void) {
    srv_params_release(&params);
}

TestSuite(query, .init = begin, .fini = end);

static int parse(const char *query, unsigned allowed) {
    return srv_params_parse(&params, str_from(query), allowed, &err);
}

static void expect_decoded(const char *from, bool plus, const char *to) {
    struct buf out;

    buf_init(&out, 256);
    srv_percent_decode(&out, str_from(from), plus);
    cr_expect(str_eq_z(buf_str(&out), to), "%s -> %.*s", from, STR_ARG(buf_str(&out)));
    buf_release(&out);
}

Test(query, decodes_percent) {
    expect_decoded("a%20b%2Fc%2f", false, "a b/c/");
    expect_decoded("%41%7e", false, "A~");
    expect_decoded("%2541", false, "%41");
    expect_decoded("a+b", false, "a+b");
    expect_decoded("a+b%2B", true, "a b+");
    expect_decoded("%zz%4%", false, "%zz%4%");
    expect_decoded("", false, "");
}

Test(query, sets_view_options) {
    cr_assert_eq(parse("depth=2&graph_dir=LR&expand=layers.0%2Clayers.*.attn&&fold=0", PICTURE), 0);
    cr_expect_eq(params.options.depth, 2);
    cr_expect_eq(params.options.graph_dir, GRAPH_DIR_LR);
    cr_expect_str_eq(params.options.expand, "layers.*.attn,layers.0");
}

Test(query, takes_names_of_the_command_line) {
    cr_assert_eq(parse("graph-dir=BT", PICTURE), 0);
    cr_expect_eq(params.options.graph_dir, GRAPH_DIR_BT);
}

Test(query, decodes_names_and_values_once) {
    cr_assert_eq(parse("%64epth=%31&expand=a%252Cb", PICTURE), 0);
    cr_expect_eq(params.options.depth, 1);
    cr_expect_str_eq(params.options.expand, "a%2Cb");
}

Test(query, lets_the_last_of_two_win) {
    cr_assert_eq(parse("depth=1&depth=3", PICTURE), 0);
    cr_expect_eq(params.options.depth, 3);
}

Test(query, sets_parameters) {
    cr_assert_eq(parse("download=1&errors=image&v=" ONNXSCOPE_VERSION, PICTURE), 0);
    cr_expect(params.download);
    cr_expect(params.errors_image);
    cr_expect(params.pinned);
    cr_assert_eq(parse("format=dot", SRV_PARAM_FORMAT), 0);
    cr_expect(params.has_format);
    cr_expect_eq(params.format, GRAPH_FORMAT_DOT);
    cr_assert_eq(parse("limit=7&cursor=abc", SRV_PARAM_LIST), 0);
    cr_expect_eq(params.limit, 7);
    cr_expect_str_eq(params.cursor, "abc");
}

Test(query, does_not_pin_another_version) {
    cr_assert_eq(parse("v=0.0.0-none", PICTURE), 0);
    cr_expect_not(params.pinned);
}

Test(query, names_what_is_unknown_and_what_exists) {
    cr_expect_eq(parse("dept=2", PICTURE), ERR_USAGE);
    cr_expect(strstr(err.text, "'dept'") && strstr(err.text, "max_boxes") &&
                  strstr(err.text, "download, v, errors"),
              "%s", err.text);
    cr_expect_eq(parse("limit=2", PICTURE), ERR_USAGE);
    cr_expect_eq(parse("depth=2", SRV_PARAM_LIST), ERR_USAGE);
    cr_expect(strstr(err.text, "'depth'") && strstr(err.text, "limit, cursor, errors"), "%s",
              err.text);
    cr_expect_eq(parse("format=svg", PICTURE), ERR_USAGE, "the ending of the address says it");
}

Test(query, names_a_bad_value) {
    static const struct {
        const char *query, *has;
    } table[] = {
        {"download=yes", "'yes'"},
        {"download=", "download"},
        {"errors=html", "json, image"},
        {"format=gif", "svg, png, pdf, html, dot, json"},
        {"format=summary", "'summary'"},
        {"limit=0", "1..1000"},
        {"limit=1001", "1..1000"},
        {"limit=-1", "'-1'"},
        {"depth=x", "depth"},
    };
    unsigned all = PICTURE | SRV_PARAM_FORMAT | SRV_PARAM_LIST;
    size_t i;

    for (i = 0; i < ARRAY_LEN(table); i++) {
        cr_expect_eq(parse(table[i].query, all), ERR_USAGE, "%s", table[i].query);
        cr_expect(strstr(err.text, table[i].has), "%s: %s", table[i].query, err.text);
    }
}

Test(query, refuses_a_cursor_that_has_no_room) {
    char text[200];

    memset(text, 'a', sizeof(text));
    memcpy(text, "cursor=", 7);
    text[sizeof(text) - 1] = '\0';
    cr_expect_eq(parse(text, SRV_PARAM_LIST), ERR_USAGE);
    cr_expect_eq(parse("cursor=a%00b", SRV_PARAM_LIST), ERR_USAGE);
}

Test(query, refuses_values_without_bound) {
    size_t n = SRV_QUERY_BYTES + 16;
    char *text = malloc(n);

    memset(text, 'a', n);
    memcpy(text, "expand=", 7);
    cr_expect_lt(srv_params_parse(&params, (struct str){text, n}, PICTURE, &err), 0);
    free(text);
}

Test(query, leaves_a_page_its_own) {
    cr_expect_eq(parse("depth=x&whatever=1&zoom", SRV_PARAM_ANY), 0);
}

Test(query, sees_a_wish_for_error_images_in_a_broken_query) {
    cr_expect(srv_query_wants_error_image(STR("dept=2&errors=image")));
    cr_expect(srv_query_wants_error_image(STR("errors=image")));
    cr_expect_not(srv_query_wants_error_image(STR("errors=images")));
    cr_expect_not(srv_query_wants_error_image(STR("")));
}
