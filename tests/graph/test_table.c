#include "graph/table.h"

#include <criterion/criterion.h>

static void expect_text(struct graph_table *t, const char *text) {
    struct error err = {0};
    struct buf out;

    buf_init(&out, 4096);
    cr_assert_eq(graph_table_write(t, &out, &err), 0, "%s", err.text);
    cr_expect(str_eq_z(buf_str(&out), text), "%.*s", STR_ARG(buf_str(&out)));
    buf_release(&out);
    graph_table_release(t);
}

Test(table, columns_are_as_wide_as_their_widest_cell) {
    struct graph_table t;

    graph_table_init(&t, "lrl");
    graph_table_add_z(&t, "name");
    graph_table_add_z(&t, "n");
    graph_table_add_z(&t, "end");
    graph_table_add_str(&t, STR("a long name"), 2);
    graph_table_add_u64(&t, 12345);
    graph_table_add_z(&t, "x");
    expect_text(&t, "name               n  end\n"
                    "  a long name  12345  x\n");
}

Test(table, lines_do_not_end_in_spaces) {
    struct graph_table t;

    graph_table_init(&t, "ll");
    graph_table_add_z(&t, "a");
    graph_table_add_z(&t, "");
    graph_table_add_z(&t, "bb");
    graph_table_add_z(&t, "c");
    expect_text(&t, "a\nbb  c\n");
}

Test(table, width_is_counted_in_characters) {
    struct graph_table t;

    graph_table_init(&t, "ll");
    graph_table_add_str(&t, STR("\xC3\xA9"), 0);
    graph_table_add_z(&t, "x");
    graph_table_add_z(&t, "ab");
    graph_table_add_z(&t, "y");
    expect_text(&t, "\xC3\xA9   x\nab  y\n");
}

Test(table, foreign_text_cannot_reach_the_terminal) {
    struct graph_table t;

    graph_table_init(&t, "l");
    graph_table_add_str(&t, STR("a\x1B[2J\nb"), 0);
    expect_text(&t, "a\xEF\xBF\xBD[2J b\n");
}

Test(table, long_text_is_cut_in_the_middle) {
    char name[200];
    struct graph_table t;
    struct buf out;

    memset(name, 'a', sizeof(name));
    graph_table_init(&t, "l");
    graph_table_add_str(&t, (struct str){name, sizeof(name)}, 0);
    buf_init(&out, 4096);
    cr_assert_eq(graph_table_write(&t, &out, NULL), 0);
    cr_expect_eq(out.n, GRAPH_TABLE_CHARS - 1 + sizeof("\xE2\x80\xA6") - 1 + 1);
    buf_release(&out);
    graph_table_release(&t);
}

Test(table, a_table_past_its_limit_is_an_error) {
    struct error err = {0};
    struct graph_table t;
    struct buf out;

    graph_table_init(&t, "l");
    graph_table_add_z(&t, "too long");
    buf_init(&out, 4);
    cr_expect_eq(graph_table_write(&t, &out, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-output");
    buf_release(&out);
    graph_table_release(&t);
}
