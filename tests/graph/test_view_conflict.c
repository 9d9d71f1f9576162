#include <criterion/criterion.h>
#include <string.h>

#include "graph/finish_svg_internal.h"
#include "graph/theme.h"
#include "graph/write_dot.h"
#include "graph/write_json.h"
#include "tests/graph/view_fixture.h"

static struct view_fixture f;

// x -> a:[ relu, sum (does not fit), neg ] -> out:abs (declared wrongly) -> y
static void setup(void) {
    static const struct fixture_call calls[] = {{"a", "", 0, 0}, {"a.b", "", 1, 0}};
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_init(b, "w", "float[2,4]");
    mb_node(b, "Relu", "1:relu", "x", "p");
    mb_node(b, "Add", "2:sum", "p,w", "q");
    mb_node(b, "Neg", "1:neg", "q", "r");
    mb_node(b, "Flatten", "abs", "p", "y");
    mb_node(b, "Abs", "last", "r", "z");
    mb_output(b, "y", "float[7,7]");
    mb_output(b, "z", "");
    view_fixture_init(&f, b, calls, 2);
}

static void teardown(void) {
    view_fixture_release(&f);
}

TestSuite(view_conflict, .init = setup, .fini = teardown);

// Captions of the boxes that are marked.
static const char *marked(const char *depth) {
    static char text[256];
    struct buf out;
    view_fixture_set(&f, "depth", depth);
    view_fixture_draw(&f);
    buf_init(&out, sizeof(text));
    for (uint32_t i = 0; i < f.view.n_nodes; i++) {
        if (f.view.nodes[i].conflict) {
            graph_view_caption(&out, &f.view, i);
            buf_add_char(&out, ' ');
        }
    }
    buf_add_char(&out, '\0');
    memcpy(text, out.p, out.n);
    buf_release(&out);
    return text;
}

Test(view_conflict, the_operator_is_marked_or_what_it_is_in) {
    cr_expect_str_eq(marked("inf"), "b Flatten ");
    cr_expect_str_eq(marked("1"), "a Flatten ");
    cr_expect_str_eq(marked("0"), "model ");
}

Test(view_conflict, pictures_and_documents_show_it) {
    struct buf out;
    struct error err = {0};
    marked("1");
    buf_init(&out, 1 << 20);
    cr_assert_eq(graph_write_graph(&out, &f.view, &err), 0);
    cr_expect(str_contains(buf_str(&out), STR("\"conflict\":true")));
    buf_reset(&out);
    cr_assert_eq(graph_write_dot(&out, &f.view, &err), 0);
    cr_expect(str_contains(buf_str(&out), STR("color=\"#c0392b\", penwidth=2.4")));
    buf_reset(&out);
    graph_svg_style(&out, &f.view, graph_theme_get(GRAPH_THEME_LIGHT));
    cr_expect(str_contains(buf_str(&out), STR(".bad.bad rect{stroke:#c0392b;stroke-width:2.4")));
    buf_release(&out);
}

Test(view_conflict, both_shapes_and_the_node_are_named) {
    const struct warnings *w = &f.model.warnings;
    cr_assert_eq(w->n, 2);
    cr_expect_str_eq(w->items[0].code, "shape-conflict");
    cr_expect_str_eq(w->items[0].where, "2:sum");
    cr_expect(str_contains(str_from(w->items[0].message), STR("float (2, 3) and float (2, 4)")));
    cr_expect_str_eq(w->items[1].where, "abs");
    cr_expect(str_contains(str_from(w->items[1].message),
                           STR("declared float (7, 7), but its inputs make it float (2, 3)")));
}
