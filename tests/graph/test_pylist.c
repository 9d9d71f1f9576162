#include "graph/pylist.h"

#include <criterion/criterion.h>

// Expected values: what Python's ast.literal_eval() gives for the same text.
static void expect(const char *text, size_t n, const char *const *items) {
    struct graph_pylist l;
    bool ok;

    graph_pylist_init(&l);
    cr_assert_eq(graph_pylist_parse(&l, str_from(text), &ok, NULL), 0);
    cr_assert(ok, "%s is a list", text);
    cr_assert_eq(l.n, n, "%s has %zu items, not %zu", text, l.n, n);
    for (size_t i = 0; i < n; i++) {
        cr_expect(str_eq_z(l.items[i], items[i]), "%s: item %zu is \"%.*s\"", text, i,
                  STR_ARG(l.items[i]));
    }
    graph_pylist_release(&l);
}

#define EXPECT(text, ...)                                                             \
    expect((text), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), \
           (const char *const[]){__VA_ARGS__})

static void expect_none(const char *text) {
    struct graph_pylist l;
    bool ok = true;

    graph_pylist_init(&l);
    cr_assert_eq(graph_pylist_parse(&l, str_from(text), &ok, NULL), 0);
    cr_expect(!ok, "%s is no list", text);
    graph_pylist_release(&l);
}

Test(pylist, reads_names_as_the_exporter_prints_them) {
    EXPECT("['', 'layers', 'layers.fc0', 'linear']", "", "layers", "layers.fc0", "linear");
    EXPECT("['']", "");
    expect("[]", 0, NULL);
}

Test(pylist, reads_both_kinds_of_quotes) {
    EXPECT("['', \"it's\", 'say \"x\"']", "", "it's", "say \"x\"");
}

Test(pylist, undoes_escapes) {
    EXPECT("['q\\'uo\"te', 'back\\\\slash', 'a\\nb\\tc\\rd']", "q'uo\"te", "back\\slash",
           "a\nb\tc\rd");
    EXPECT("['\\xe9', '\\u5c42', '\\U0001f600']", "\xc3\xa9", "\xe5\xb1\x82", "\xf0\x9f\x98\x80");
}

Test(pylist, keeps_items_apart_when_several_have_escapes) {
    EXPECT("['\\x41b', 'c', '\\x44e']", "Ab", "c", "De");
}

Test(pylist, takes_utf8_as_it_is) {
    EXPECT("['', 'é层', 'relu']", "", "é层", "relu");
}

Test(pylist, refuses_what_is_no_list_of_strings) {
    static const char *const texts[] = {
        "",       "[",           "['a'",    "['a",      "'a'",         "['a']x", "['a' 'b']",
        "[1, 2]", "['a',, 'b']", "['\\q']", "['\\x4']", "['\\u12g4']", "['a\\"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        expect_none(texts[i]);
    }
}

Test(pylist, tells_where_the_last_item_begins) {
    struct graph_pylist l;
    bool ok;

    graph_pylist_init(&l);
    cr_assert_eq(graph_pylist_parse(&l, STR("['', 'conv']"), &ok, NULL), 0);
    cr_expect_eq(l.last, 5);
    cr_assert_eq(graph_pylist_parse(&l, STR("['a']"), &ok, NULL), 0);
    cr_expect_eq(l.last, 1);
    cr_expect_eq(l.n, 1);
    graph_pylist_release(&l);
}
