#include "graph/theme.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

static void assert_color(const char *color) {
    cr_assert_not_null(color);
    cr_assert_eq(strlen(color), 7, "%s", color);
    cr_assert_eq(color[0], '#');
    cr_assert_eq(strspn(color + 1, "0123456789abcdef"), 6, "%s", color);
}

// A colour that libgvc cannot read crashes it.
Test(theme, has_a_plain_colour_for_everything) {
    for (uint32_t name = GRAPH_THEME_LIGHT; name <= GRAPH_THEME_PRINT; name++) {
        const struct graph_theme *t = graph_theme_get(name);

        assert_color(t->background);
        assert_color(t->detail);
        assert_color(t->edge);
        assert_color(t->edge_text);
        assert_color(t->highlight);
        cr_assert_eq(strspn(t->border, "0123456789."), strlen(t->border));
        cr_assert_eq(strspn(t->emphasis, "0123456789."), strlen(t->emphasis));
        for (int i = 0; i < GRAPH_THEME_TINTS; i++) {
            assert_color(t->tints[i]);
        }
        for (int i = 0; i < GRAPH_VIEW_KINDS; i++) {
            assert_color(t->nodes[i].fill);
            assert_color(t->nodes[i].stroke);
            assert_color(t->nodes[i].text);
        }
        for (int i = 0; i < GRAPH_CLUSTER_KINDS; i++) {
            assert_color(t->clusters[i].stroke);
            assert_color(t->clusters[i].text);
        }
    }
}

Test(theme, tints_module_clusters_by_depth) {
    const struct graph_theme *t = graph_theme_get(GRAPH_THEME_LIGHT);
    struct graph_view_cluster cluster = {.kind = GRAPH_CLUSTER_MODULE, .depth = 1};

    cr_assert_str_eq(graph_theme_cluster_fill(t, &cluster), t->tints[0]);
    cluster.depth = 2;
    cr_assert_str_eq(graph_theme_cluster_fill(t, &cluster), t->tints[1]);
    cluster.depth = 1000;
    cr_assert_str_eq(graph_theme_cluster_fill(t, &cluster), t->tints[GRAPH_THEME_TINTS - 1]);
}

Test(theme, gives_folds_their_own_fill) {
    const struct graph_theme *t = graph_theme_get(GRAPH_THEME_DARK);
    struct graph_view_cluster cluster = {.kind = GRAPH_CLUSTER_FOLD, .depth = 3};

    cr_assert_str_eq(graph_theme_cluster_fill(t, &cluster), t->clusters[GRAPH_CLUSTER_FOLD].fill);
}

// https://graphviz.org/doc/info/colors.html: lightyellow, darkseagreen1, aliceblue.
Test(theme, torchview_has_its_three_colours) {
    const struct graph_theme *t = graph_theme_get(GRAPH_THEME_TORCHVIEW);

    cr_assert_str_eq(t->nodes[GRAPH_VIEW_INPUT].fill, "#ffffe0");
    cr_assert_str_eq(t->nodes[GRAPH_VIEW_TENSOR].fill, "#ffffe0");
    cr_assert_str_eq(t->nodes[GRAPH_VIEW_MODULE].fill, "#c1ffc1");
    cr_assert_str_eq(t->nodes[GRAPH_VIEW_OPERATOR].fill, "#f0f8ff");
    cr_assert(t->tables && t->dashed);
}

Test(theme, print_is_black_on_white_and_light_grey) {
    const struct graph_theme *t = graph_theme_get(GRAPH_THEME_PRINT);

    for (int i = 0; i < GRAPH_VIEW_KINDS; i++) {
        const char *fill = t->nodes[i].fill;

        cr_assert_str_eq(t->nodes[i].stroke, "#000000");
        cr_assert_str_eq(t->nodes[i].text, "#000000");
        cr_assert(strncmp(fill + 1, fill + 3, 2) == 0 && strncmp(fill + 3, fill + 5, 2) == 0);
        cr_assert_geq(fill[1], 'c');  // no darker than c8
    }
}

Test(theme, is_light_for_a_number_that_is_none) {
    cr_assert_eq(graph_theme_get(99), graph_theme_get(GRAPH_THEME_LIGHT));
}
