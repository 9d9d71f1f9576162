#include "graph/render_gv.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/graph/hand_view.h"

static const int64_t image[] = {1, 3, 224, 224};

static struct hand_view *h;
static struct graph_labels labels;
static struct graph_layout layout;
static struct buf out;
static const struct graph_theme *theme;

static void setup(void) {
    h = hand_view_new();
    theme = graph_theme_get(GRAPH_THEME_LIGHT);
    buf_init(&out, 1 << 24);
}

static void teardown(void) {
    graph_layout_release(&layout);
    graph_labels_release(&labels);
    buf_release(&out);
    hand_view_free(h);
}

TestSuite(render_gv, .init = setup, .fini = teardown);
TestSuite(render_gv_dot, .init = setup, .fini = teardown);

// x -> [block: a -> b] -> y, and x -> b.
static void build_block(void) {
    uint32_t block = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "block", "m.Block");
    uint32_t x = hand_value(h, GRAPH_VIEW_INPUT, ONNX_NONE, "x", 4, image);
    uint32_t a = hand_module(h, block, "block.a", "m.A");
    uint32_t b = hand_operator(h, block, "Add", "");
    uint32_t y = hand_value(h, GRAPH_VIEW_OUTPUT, ONNX_NONE, "y", 2, image);

    hand_edge(h, x, a, 1);
    hand_edge(h, x, b, 1);
    hand_edge(h, a, b, 3);
    hand_edge(h, b, y, 1);
}

static void place(void) {
    struct error err = {0};
    int rc = graph_labels_init(&labels, hand_view(h), theme, &err);

    if (rc == 0) {
        rc = graph_layout_dot(&layout, hand_view(h), &labels, &err);
    }
    cr_assert_eq(rc, 0, "%s", err.text);
}

static int draw(struct error *err) {
    const struct graph_drawing drawing = {hand_view(h), &layout, &labels, theme};

    return graph_render_gv_svg(&out, &drawing, err);
}

static bool drawn_has(const char *part) {
    return str_contains(buf_str(&out), str_from(part));
}

static bool touches(struct graph_box b, struct graph_point p) {
    bool inside = p.x > b.x - 1 && p.x < b.x + b.w + 1 && p.y > b.y - 1 && p.y < b.y + b.h + 1;
    bool deep = p.x > b.x + 1 && p.x < b.x + b.w - 1 && p.y > b.y + 1 && p.y < b.y + b.h - 1;

    return inside && !deep;
}

Test(render_gv_dot, gives_every_node_the_size_of_its_label) {
    build_block();
    place();
    for (size_t i = 0; i < hand_view(h)->n_nodes; i++) {
        cr_assert_eq(layout.nodes[i].w, labels.nodes[i].w);
        cr_assert_eq(layout.nodes[i].h, labels.nodes[i].h);
    }
}

Test(render_gv_dot, passes_the_check_and_goes_down) {
    struct error err = {0};

    build_block();
    place();
    cr_assert_eq(graph_layout_check(&layout, hand_view(h), &err), 0, "%s", err.text);
    for (size_t i = 1; i < hand_view(h)->n_nodes; i++) {
        cr_assert_gt(layout.nodes[i].y, layout.nodes[i - 1].y + layout.nodes[i - 1].h);
    }
}

Test(render_gv_dot, runs_edges_from_border_to_border) {
    build_block();
    place();
    for (size_t i = 0; i < hand_view(h)->n_edges; i++) {
        const struct graph_view_edge *e = &hand_view(h)->edges[i];
        const struct graph_route *r = layout.edges[i].routes;

        cr_assert_eq(layout.edges[i].n_routes, 1);
        cr_assert(r->arrow);
        cr_assert(touches(layout.nodes[e->from], r->points[0]), "edge %zu begins elsewhere", i);
        cr_assert(touches(layout.nodes[e->to], r->points[r->n - 1]), "edge %zu ends elsewhere", i);
    }
}

Test(render_gv_dot, keeps_to_the_grid) {
    build_block();
    place();
    for (size_t i = 0; i < hand_view(h)->n_nodes; i++) {
        cr_assert_eq(layout.nodes[i].x, graph_layout_round(layout.nodes[i].x));
        cr_assert_eq(layout.nodes[i].y, graph_layout_round(layout.nodes[i].y));
    }
}

Test(render_gv_dot, goes_where_the_options_say) {
    build_block();
    hand_options(h)->graph_dir = GRAPH_DIR_LR;
    place();
    cr_assert_gt(layout.nodes[3].x, layout.nodes[0].x + layout.nodes[0].w);
    graph_layout_release(&layout);
    graph_labels_release(&labels);
    hand_options(h)->graph_dir = GRAPH_DIR_BT;
    place();
    cr_assert_lt(layout.nodes[3].y, layout.nodes[0].y);
}

Test(render_gv_dot, takes_loops_and_cycles) {
    struct error err = {0};

    hand_operator(h, ONNX_NONE, "A", "");
    hand_operator(h, ONNX_NONE, "B", "");
    hand_edge(h, 0, 0, 1);
    hand_edge(h, 0, 1, 1);
    hand_edge(h, 1, 0, 1);
    place();
    cr_assert_eq(graph_layout_check(&layout, hand_view(h), &err), 0, "%s", err.text);
}

Test(render_gv_dot, refuses_too_many_nodes) {
    struct error err = {0};
    bool fits = true;

    for (int i = 0; i <= GRAPH_LAYOUT_DOT_MAX; i++) {
        hand_operator(h, ONNX_NONE, "A", "");
    }
    cr_assert_eq(graph_layout_dot_fits(hand_view(h), &fits, &err), 0);
    cr_assert_not(fits);
    cr_assert_eq(graph_layout_dot(&layout, hand_view(h), &labels, &err), ERR_LIMIT);
}

Test(render_gv_dot, refuses_edges_that_would_keep_it_busy) {
    struct error err = {0};
    bool fits = true;

    for (uint32_t i = 0; i < 80; i++) {
        hand_operator(h, ONNX_NONE, "A", "");
    }
    for (uint32_t i = 0; i < 80; i++) {
        for (uint32_t k = i + 1; k < 80; k++) {
            hand_edge(h, i, k, 1);
        }
    }
    cr_assert_eq(graph_layout_dot_fits(hand_view(h), &fits, &err), 0);
    cr_assert_not(fits);
}

Test(render_gv, keeps_the_positions_it_is_given) {
    struct error err = {0};

    build_block();
    place();
    cr_assert_eq(draw(&err), 0, "%s", err.text);
    for (size_t i = 0; i < hand_view(h)->n_nodes; i++) {
        // The path of a rounded box starts where its upper edge ends: right end, less the corner.
        char top[64];

        snprintf(top, sizeof(top), ",%g", layout.nodes[i].y - layout.h);
        cr_assert(drawn_has(top), "no box of node %zu at %s", i, top);
    }
}

Test(render_gv, draws_as_large_as_the_layout_says) {
    struct error err = {0};
    char size[96];

    build_block();
    place();
    layout.w += 31;
    layout.h += 17;
    cr_assert_eq(draw(&err), 0, "%s", err.text);
    snprintf(size, sizeof(size), "viewBox=\"0.00 0.00 %.2f %.2f\"", layout.w, layout.h);
    cr_assert(drawn_has(size), "%s", size);
}

// Ten times 944 thousandths of 10 points in Helvetica-Bold. libgvc places text on whole points.
Test(render_gv, measures_text_by_our_table) {
    static const char start[] = "<text text-anchor=\"start\" x=\"";
    struct error err = {0};
    double expected;
    const char *x;

    hand_operator(h, ONNX_NONE, "WWWWWWWWWW", "");
    place();
    cr_assert_eq(draw(&err), 0, "%s", err.text);
    buf_add_char(&out, '\0');
    x = strstr((const char *)out.p, start);
    cr_assert_not_null(x);
    expected = layout.nodes[0].x + layout.nodes[0].w / 2 - 94.4 / 2;
    cr_assert(fabs(strtod(x + sizeof(start) - 1, NULL) - expected) <= 1, "%.60s, not %f", x,
              expected);
}

Test(render_gv, draws_hostile_text_as_text) {
    struct error err = {0};

    hand_operator(h, ONNX_NONE, "\"]; x [label=<<b>boo</b>>] \\N &amp; ]]> --", "");
    place();
    cr_assert_eq(draw(&err), 0, "%s", err.text);
    cr_assert(drawn_has("&lt;&lt;b&gt;boo"));
    cr_assert(drawn_has("\\N &amp;amp;"));
    cr_assert_not(drawn_has("<b>"));
}

Test(render_gv, draws_the_same_twice) {
    struct error err = {0};
    size_t n;

    build_block();
    place();
    cr_assert_eq(draw(&err), 0);
    n = out.n;
    cr_assert_eq(draw(&err), 0);
    cr_assert_eq(out.n, 2 * n);
    cr_assert_eq(memcmp(out.p, out.p + n, n), 0);
}

Test(render_gv, refuses_a_layout_that_is_not_finite) {
    struct error err = {0};

    build_block();
    place();
    layout.nodes[1].x = NAN;
    cr_assert_eq(draw(&err), ERR_BUG);
    cr_assert_eq(out.n, 0);
}

Test(render_gv, keeps_to_the_maximum) {
    struct error err = {0};

    build_block();
    place();
    out.max = 200;
    cr_assert_eq(draw(&err), ERR_LIMIT);
    cr_assert_str_eq(err.limit, "max-output");
}

Test(render_gv, leaves_out_an_edge_without_route) {
    struct error err = {0};

    build_block();
    place();
    layout.edges[2].n_routes = 0;
    cr_assert_eq(draw(&err), 0, "%s", err.text);
    cr_assert_not(drawn_has("id=\"e2\""));
    cr_assert(drawn_has("id=\"e3\""));
}

Test(render_gv, can_be_warmed_more_than_once) {
    struct error err = {0};

    cr_assert_eq(graph_render_gv_warm(&err), 0, "%s", err.text);
    cr_assert_eq(graph_render_gv_warm(&err), 0);
    build_block();
    place();
    cr_assert_eq(draw(&err), 0, "%s", err.text);
}
