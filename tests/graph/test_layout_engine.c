#include "graph/layout_engine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/layout_label.h"
#include "onnx/decode.h"
#include "onnx/strip.h"
#include "tests/graph/hand_view.h"
#include "tests/graph/layout_oracle.h"

static struct hand_view *h;
static struct graph_labels labels;
static struct graph_layout layout;
static struct layout_work work;
static struct layout_switches switches;

static void setup(void) {
    h = hand_view_new();
}

static void teardown(void) {
    graph_layout_release(&layout);
    graph_labels_release(&labels);
    hand_view_free(h);
}

TestSuite(layout_engine, .init = setup, .fini = teardown);

static int place(const struct graph_view *view, struct error *err) {
    int rc;

    graph_layout_release(&layout);
    graph_labels_release(&labels);
    rc = graph_labels_init(&labels, view, graph_theme_get(GRAPH_THEME_LIGHT), err);
    return rc < 0 ? rc : graph_layout_engine(&layout, view, &labels, &switches, &work, err);
}

static void assert_sound(const struct graph_view *view) {
    struct error err = {0};
    struct buf faults;

    cr_assert_eq(place(view, &err), 0, "%s", err.text);
    cr_assert_eq(graph_layout_check(&layout, view, &err), 0, "%s", err.text);
    buf_init(&faults, 1 << 20);
    layout_oracle(&faults, &layout, view);
    buf_add_char(&faults, '\0');
    cr_assert_str_empty((const char *)faults.p, "%s", (const char *)faults.p);
    buf_release(&faults);
}

// ---- small views

static void add_operators(uint32_t n, uint32_t cluster) {
    for (uint32_t i = 0; i < n; i++) {
        hand_operator(h, cluster, "Op", "");
    }
}

Test(layout_engine, draws_an_empty_view) {
    struct error err = {0};

    cr_assert_eq(place(hand_view(h), &err), 0, "%s", err.text);
    cr_assert_gt(layout.w, 0);
    cr_assert_gt(layout.h, 0);
}

Test(layout_engine, refuses_a_picture_that_no_page_holds) {
    struct error err = {0};
    const struct graph_view *view;

    add_operators(1, ONNX_NONE);
    view = hand_view(h);
    cr_assert_eq(place(view, &err), 0);
    graph_layout_release(&layout);
    labels.nodes[0].w = GRAPH_LAYOUT_EXTENT_MAX;
    cr_assert_eq(graph_layout_engine(&layout, view, &labels, &switches, &work, &err), ERR_LIMIT);
    layout = (struct graph_layout){0};
}

// x -> [block: a -> b] -> y, and x -> b.
static void build_block(void) {
    uint32_t block = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "block", "m.Block");
    uint32_t x = hand_operator(h, ONNX_NONE, "X", ""), a = hand_operator(h, block, "A", "");
    uint32_t b = hand_operator(h, block, "B", ""), y = hand_operator(h, ONNX_NONE, "Y", "");

    hand_edge(h, x, a, 1);
    hand_edge(h, x, b, 1);
    hand_edge(h, a, b, 3);
    hand_edge(h, b, y, 1);
}

Test(layout_engine, draws_every_direction) {
    build_block();
    for (uint32_t dir = GRAPH_DIR_TB; dir <= GRAPH_DIR_RL; dir++) {
        struct graph_box x, y;

        hand_options(h)->graph_dir = dir;
        assert_sound(hand_view(h));
        x = layout.nodes[0];
        y = layout.nodes[3];
        cr_assert_eq(x.w, labels.nodes[0].w);
        cr_assert_eq(x.h, labels.nodes[0].h);
        cr_assert_eq(y.y > x.y + x.h, dir == GRAPH_DIR_TB);
        cr_assert_eq(y.y + y.h < x.y, dir == GRAPH_DIR_BT);
        cr_assert_eq(y.x > x.x + x.w, dir == GRAPH_DIR_LR);
        cr_assert_eq(y.x + y.w < x.x, dir == GRAPH_DIR_RL);
    }
}

static bool is_clear_of(struct graph_point centre, const struct graph_label *label,
                        const struct graph_route *route) {
    for (uint32_t k = 0; k + 3 < route->n; k += 3) {
        for (int i = 0; i <= 20; i++) {
            double t = i / 20.0, s = 1 - t;
            const struct graph_point *p = &route->points[k];
            double x = s * s * s * p[0].x + 3 * s * s * t * p[1].x + 3 * s * t * t * p[2].x +
                       t * t * t * p[3].x;
            double y = s * s * s * p[0].y + 3 * s * s * t * p[1].y + 3 * s * t * t * p[2].y +
                       t * t * t * p[3].y;

            if (fabs(x - centre.x) < label->w / 2 && fabs(y - centre.y) < label->h / 2) {
                return false;
            }
        }
    }
    return true;
}

Test(layout_engine, keeps_edges_off_captions) {
    build_block();
    for (uint32_t dir = GRAPH_DIR_TB; dir <= GRAPH_DIR_RL; dir++) {
        hand_options(h)->graph_dir = dir;
        assert_sound(hand_view(h));
        for (uint32_t i = 0; i < hand_view(h)->n_edges; i++) {
            for (uint32_t k = 0; k < layout.edges[i].n_routes; k++) {
                cr_assert(is_clear_of(layout.cluster_labels[0], &labels.clusters[0],
                                      &layout.edges[i].routes[k]),
                          "direction %u, edge %u", dir, i);
            }
        }
    }
}

Test(layout_engine, keeps_the_count_of_an_edge_off_boxes) {
    struct graph_box box;
    struct graph_point c;

    build_block();
    assert_sound(hand_view(h));
    c = layout.edges[2].label;
    for (uint32_t i = 0; i < 4; i++) {
        box = layout.nodes[i];
        cr_assert(
            c.x + labels.edges[2].w / 2 <= box.x || c.x - labels.edges[2].w / 2 >= box.x + box.w ||
            c.y + labels.edges[2].h / 2 <= box.y || c.y - labels.edges[2].h / 2 >= box.y + box.h);
    }
}

// Two layers of a recurrent cell, step by step: every cell hands two values on.
static void build_cells(uint32_t steps) {
    add_operators(4 * steps, ONNX_NONE);
    for (uint32_t t = 0; t < steps; t++) {
        uint32_t read = 4 * t, low = read + 1, high = read + 2, out = read + 3;

        hand_edge(h, read, low, 1);
        hand_edge(h, low, high, 1);
        if (t + 1 < steps) {
            hand_edge(h, low, low + 4, 2);
        }
        hand_edge(h, high, out, 1);
        if (t + 1 < steps) {
            hand_edge(h, high, high + 4, 2);
        }
    }
}

static void assert_label_is_clear(uint32_t edge) {
    for (uint32_t i = 0; i < hand_view(h)->n_edges; i++) {
        for (uint32_t k = 0; k < layout.edges[i].n_routes; k++) {
            cr_assert(is_clear_of(layout.edges[edge].label, &labels.edges[edge],
                                  &layout.edges[i].routes[k]),
                      "direction %u, label of edge %u, edge %u", hand_view(h)->options->graph_dir,
                      edge, i);
        }
    }
}

Test(layout_engine, keeps_counts_off_edges) {
    build_cells(4);
    for (uint32_t dir = GRAPH_DIR_TB; dir <= GRAPH_DIR_RL; dir++) {
        uint32_t n = 0;

        hand_options(h)->graph_dir = dir;
        assert_sound(hand_view(h));
        for (uint32_t i = 0; i < hand_view(h)->n_edges; i++) {
            if (labels.edges[i].html) {
                assert_label_is_clear(i);
                n++;
            }
        }
        cr_assert_eq(n, 6);
    }
}

Test(layout_engine, draws_an_edge_back_to_its_node) {
    add_operators(2, ONNX_NONE);
    hand_edge(h, 0, 0, 1);
    hand_edge(h, 0, 1, 1);
    for (uint32_t dir = GRAPH_DIR_TB; dir <= GRAPH_DIR_RL; dir++) {
        hand_options(h)->graph_dir = dir;
        assert_sound(hand_view(h));
        cr_assert_eq(layout.edges[0].n_routes, 1);
    }
}

// Boxes that read each other in turn: what closes the cycle runs upwards, and is whole.
Test(layout_engine, draws_boxes_that_read_each_other) {
    uint32_t a = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "a", "A");
    uint32_t b = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "b", "B");

    for (uint32_t i = 0; i < 6; i++) {
        hand_operator(h, i % 2 ? b : a, "Op", "");
    }
    for (uint32_t i = 0; i < 5; i++) {
        hand_edge(h, i, i + 1, 1);
    }
    assert_sound(hand_view(h));
}

Test(layout_engine, draws_a_cycle_of_nodes) {
    add_operators(3, ONNX_NONE);
    hand_edge(h, 0, 1, 1);
    hand_edge(h, 1, 2, 1);
    hand_edge(h, 2, 0, 1);
    assert_sound(hand_view(h));
}

// Four equal boxes in a row are laid out once.
static void build_row(void) {
    uint32_t last = ONNX_NONE;

    for (uint32_t i = 0; i < 4; i++) {
        hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "layer", "Layer");
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t a = hand_operator(h, i, "A", ""), b = hand_operator(h, i, "B", "");

        if (last != ONNX_NONE) {
            hand_edge(h, last, a, 1);
        }
        hand_edge(h, a, b, 1);
        last = b;
    }
}

Test(layout_engine, lays_equal_boxes_out_once) {
    build_row();
    assert_sound(hand_view(h));
    // The picture, the first box (it has no in-port), the last (no out-port), the two between.
    cr_assert_eq(work.containers, 5);
    cr_assert_eq(work.shapes, 4);
}

Test(layout_engine, draws_the_same_with_and_without_its_memory) {
    struct graph_box with[8];

    build_row();
    assert_sound(hand_view(h));
    memcpy(with, layout.nodes, sizeof(with));
    switches.no_memo = true;
    assert_sound(hand_view(h));
    cr_assert_eq(work.shapes, 5);
    cr_assert_eq(memcmp(with, layout.nodes, sizeof(with)), 0);
}

// ---- many views, made by chance from a fixed seed

static uint32_t chance(uint32_t *state, uint32_t n) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % n;
}

static void build_random(uint32_t seed) {
    uint32_t clusters = chance(&seed, 6), nodes = 2 + chance(&seed, 25);

    for (uint32_t i = 0; i < clusters; i++) {
        uint32_t parent = chance(&seed, i + 1);

        hand_cluster(h, GRAPH_CLUSTER_MODULE, parent == i ? ONNX_NONE : parent, "some.box", "Box");
    }
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t cluster = chance(&seed, clusters + 1);

        hand_operator(h, cluster == clusters ? ONNX_NONE : cluster, "Op", "");
    }
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t k = 0; k < nodes; k++) {
            if (chance(&seed, nodes * (k > i ? 1 : 12)) < 2) {
                hand_edge(h, i, k, 1 + chance(&seed, 2));
            }
        }
    }
    hand_options(h)->graph_dir = chance(&seed, 4);
}

Test(layout_engine, is_sound_whatever_it_is_given) {
    for (uint32_t seed = 1; seed <= 300; seed++) {
        build_random(seed);
        assert_sound(hand_view(h));
        graph_layout_release(&layout);
        graph_labels_release(&labels);
        hand_view_free(h);
        h = hand_view_new();
    }
}

// ---- views that meet a limit

Test(layout_engine, wraps_a_star) {
    struct error err = {0};

    add_operators(2001, ONNX_NONE);
    for (uint32_t i = 0; i < 2000; i++) {
        hand_edge(h, i, 2000, 1);
    }
    cr_assert_eq(place(hand_view(h), &err), 0, "%s", err.text);
    cr_assert_eq(graph_layout_check(&layout, hand_view(h), &err), 0, "%s", err.text);
    cr_assert_gt(layout.cuts.wrapped, 1000);
}

// Every label of a fan has all its lines around it.
Test(layout_engine, bounds_the_search_for_places_of_labels) {
    struct error err = {0};

    add_operators(1501, ONNX_NONE);
    for (uint32_t i = 1; i <= 1500; i++) {
        hand_edge(h, 0, i, 2);
    }
    cr_assert_eq(place(hand_view(h), &err), 0, "%s", err.text);
    cr_assert_eq(graph_layout_check(&layout, hand_view(h), &err), 0, "%s", err.text);
    cr_assert_gt(work.labels, 0);
    cr_assert_lt(work.labels, LAYOUT_LABELS_WORK + 100000);
}

// 60 x 60, all joined.
Test(layout_engine, draws_everything_joined_with_everything) {
    struct error err = {0};

    add_operators(120, ONNX_NONE);
    for (uint32_t i = 0; i < 60; i++) {
        for (uint32_t k = 60; k < 120; k++) {
            hand_edge(h, i, k, 1);
        }
    }
    cr_assert_eq(place(hand_view(h), &err), 0, "%s", err.text);
    cr_assert_eq(graph_layout_check(&layout, hand_view(h), &err), 0, "%s", err.text);
}

// A chain of 3,000 in which each also leads 1,000 further: three million places on ranks.
Test(layout_engine, makes_lanes_of_edges_that_are_too_long) {
    struct error err = {0};

    add_operators(2000, ONNX_NONE);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t values[2] = {hand_tensor(h, "a", 0, NULL), hand_tensor(h, "b", 0, NULL)};

        if (i + 1 < 2000) {
            hand_carries(h, hand_edge(h, i, i + 1, 1), values[0]);
        }
        if (i + 900 < 2000) {
            hand_carries(h, hand_edge(h, i, i + 900, 1), values[1]);
        }
    }
    cr_assert_eq(place(hand_view(h), &err), 0, "%s", err.text);
    cr_assert_eq(graph_layout_check(&layout, hand_view(h), &err), 0, "%s", err.text);
    cr_assert_gt(layout.cuts.lanes, 0);
}

// ---- models

static struct onnx_model *load(const char *path) {
    struct onnx_limits limits;
    struct onnx_strip *strip;
    struct onnx_strip_facts facts;
    struct onnx_model *model = NULL;
    struct warnings warnings = {0};
    struct slice skeleton;
    struct error err = {0};
    uint8_t bytes[4096];
    FILE *f = fopen(path, "rb");
    size_t n;

    cr_assert(f, "%s", path);
    onnx_limits_init(&limits);
    cr_assert_eq(onnx_strip_new(&strip, &limits, &err), 0);
    while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0) {
        cr_assert_eq(onnx_strip_feed(strip, (struct slice){bytes, n}, &err), 0);
    }
    fclose(f);
    cr_assert_eq(onnx_strip_finish(strip, &skeleton, &facts, &err), 0, "%s", err.text);
    cr_assert_eq(onnx_decode(&model, skeleton, &limits, &warnings, &err), 0, "%s", err.text);
    warnings_release(&warnings);
    free((void *)(uintptr_t)skeleton.p);
    onnx_strip_free(strip);
    return model;
}

static void draw_model(const struct graph_model *model, const char *depth, bool functions,
                       uint32_t dir) {
    struct graph_view_limits limits = {10000};
    struct graph_options options;
    struct graph_view view;
    struct error err = {0};

    graph_options_init(&options);
    cr_assert_eq(graph_options_set(&options, STR("depth"), str_from(depth), &err), 0);
    options.hide_module_functions = !functions;
    options.graph_dir = dir;
    cr_assert_eq(graph_view_init(&view, model, &options, &limits, &err), 0, "%s", err.text);
    assert_sound(&view);
    graph_layout_release(&layout);
    graph_labels_release(&labels);
    graph_view_release(&view);
    graph_options_release(&options);
}

static void draw_file(const char *path) {
    struct graph_model model = {0};
    struct error err = {0};

    cr_assert_eq(graph_model_init(&model, load(path), NULL, &err), 0, "%s", err.text);
    for (uint32_t dir = GRAPH_DIR_TB; dir <= GRAPH_DIR_RL; dir++) {
        draw_model(&model, "auto", false, dir);
        draw_model(&model, "1", false, dir);
        draw_model(&model, "inf", true, dir);
    }
    graph_model_release(&model);
}

Test(layout_engine, draws_a_residual_network) {
    draw_file(FIXTURES "/resnet18.onnx");
}

Test(layout_engine, draws_a_network_with_long_skips) {
    draw_file(FIXTURES "/unet.onnx");
}

Test(layout_engine, draws_a_transformer, .timeout = 60) {
    draw_file(FIXTURES "/gpt12.onnx");
}

Test(layout_engine, draws_recursive_calls) {
    draw_file(FIXTURES "/recursive_net.onnx");
}
