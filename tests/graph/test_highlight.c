#include "graph/highlight.h"

#include <criterion/criterion.h>

static struct graph_highlight list;

static void read_list(const char *text) {
    struct error err;

    cr_assert_eq(graph_highlight_init(&list, str_from(text), &err), 0, "%s", err.text);
}

static void teardown(void) {
    graph_highlight_release(&list);
}

TestSuite(highlight, .fini = teardown);

Test(highlight, items_answer_only_for_their_kind) {
    read_list(" op:Conv , path:a.* ,name:Con");
    cr_assert_eq(list.n, 3);
    cr_expect(graph_highlight_op(&list, 0, STR("Conv")));
    cr_expect_not(graph_highlight_op(&list, 0, STR("ConvTranspose")));
    cr_expect_not(graph_highlight_op(&list, 2, STR("Conv")));
    cr_expect(graph_highlight_path(&list, 1, STR("a.b"), STR(""), 0));
    cr_expect_not(graph_highlight_path(&list, 0, STR("Conv"), STR(""), 0));
    cr_expect(graph_highlight_name(&list, 2, STR("/x/conv_1")));
    cr_expect_not(graph_highlight_name(&list, 2, STR("co")));
    cr_expect(str_eq_z(graph_highlight_text(&list, 1), "path:a.*"));
}

Test(highlight, names_are_percent_decoded) {
    read_list("name:a%2Cb%25");
    cr_expect(graph_highlight_name(&list, 0, STR("xA,b%y")));
    cr_expect_not(graph_highlight_name(&list, 0, STR("a%2Cb%25")));
}

Test(highlight, an_empty_list_picks_nothing) {
    read_list("");
    cr_expect_eq(list.n, 0);
}

Test(highlight, bad_items_are_quoted) {
    static const char *const bad[][2] = {{"Conv", "'Conv'"},
                                         {"op:", "'op:'"},
                                         {"op:a,", "''"},
                                         {"name:%g0", "%"},
                                         {"path:a..b", "'a..b'"}};
    struct error err;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        cr_expect_eq(graph_highlight_init(&list, str_from(bad[i][0]), &err), ERR_USAGE, "%s",
                     bad[i][0]);
        cr_expect(str_contains(str_from(err.text), str_from(bad[i][1])), "%s: %s", bad[i][0],
                  err.text);
    }
}
