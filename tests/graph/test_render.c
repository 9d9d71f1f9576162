#include "graph/render.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/model_builder.h"

static struct graph_render_limits limits;
static struct graph_options options;
static struct graph_result result;
static struct buf skeleton;

static void setup(void) {
    graph_render_limits_init(&limits);
    graph_options_init(&options);
    buf_init(&skeleton, 64 << 20);
}

static void teardown(void) {
    graph_result_release(&result);
    graph_options_release(&options);
    buf_release(&skeleton);
}

TestSuite(render, .init = setup, .fini = teardown);

// A chain of n operators, in modules block.0, block.1, ... of `per` operators each.
static void build_chain(unsigned n, unsigned per) {
    struct model_builder *b = mb_new();
    char name[64], in[32], to[32];

    mb_input(b, "t0", "float[1,8]");
    for (unsigned i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "/block.%u/Relu_%u", i / per, i);
        snprintf(in, sizeof(in), "t%u", i);
        snprintf(to, sizeof(to), "t%u", i + 1);
        mb_node(b, "Relu", name, in, to);
    }
    snprintf(to, sizeof(to), "t%u", n);
    mb_output(b, to, "float[1,8]");
    mb_finish_bytes(b, &skeleton);
}

static int render(enum graph_format format, struct error *err) {
    struct graph_request request = {.skeleton = buf_slice(&skeleton),
                                    .format = format,
                                    .options = &options,
                                    .page =
                                        STR("<title>%POLICY%%TITLE%%PICTURE%<script>1</script>"),
                                    .limits = &limits};

    graph_result_release(&result);
    return graph_render(&result, &request, err);
}

static void render_ok(enum graph_format format) {
    struct error err = {0};

    cr_assert_eq(render(format, &err), 0, "%s", err.text);
}

static bool body_has(const char *part) {
    return str_contains(buf_str(&result.body), str_from(part));
}

static bool warned_of(const char *code) {
    for (size_t i = 0; i < result.list.n; i++) {
        if (strcmp(result.list.items[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

static size_t count(const char *part) {
    const char *p = (const char *)result.body.p, *end = p + result.body.n;
    size_t n = 0;

    while ((p = memmem(p, (size_t)(end - p), part, strlen(part)))) {
        p++;
        n++;
    }
    return n;
}

Test(render, writes_every_format) {
    static const char *const begin[GRAPH_FORMATS] = {
        [GRAPH_FORMAT_SVG] = "<svg ",   [GRAPH_FORMAT_PNG] = "PNG",
        [GRAPH_FORMAT_PDF] = "%PDF-",   [GRAPH_FORMAT_HTML] = "<title>",
        [GRAPH_FORMAT_DOT] = "digraph", [GRAPH_FORMAT_JSON] = "{",
        [GRAPH_FORMAT_LAYOUT] = "{",    [GRAPH_FORMAT_SUMMARY] = "{",
        [GRAPH_FORMAT_NODES] = "{",     [GRAPH_FORMAT_MODULES] = "{",
    };

    build_chain(3, 3);
    for (int format = 0; format < GRAPH_FORMATS; format++) {
        render_ok((enum graph_format)format);
        cr_assert(str_contains(str_sub(buf_str(&result.body), 0, 80), str_from(begin[format])),
                  "%s", graph_formats[format].name);
    }
}

Test(render, uses_defaults_without_options) {
    struct graph_request request = {.format = GRAPH_FORMAT_SVG, .limits = &limits};
    struct error err = {0};

    build_chain(3, 3);
    request.skeleton = buf_slice(&skeleton);
    cr_assert_eq(graph_render(&result, &request, &err), 0, "%s", err.text);
    cr_assert(body_has("class=\"node input\""));
    cr_assert(body_has("class=\"node output\""));
}

Test(render, draws_one_group_for_each_thing_of_the_view) {
    build_chain(6, 3);
    options.depth = GRAPH_DEPTH_INF;
    options.hide_module_functions = false;
    options.fold = 0;
    render_ok(GRAPH_FORMAT_SVG);
    cr_assert_eq(count("class=\"node operator\""), 6);
    cr_assert_eq(count("class=\"cluster module"), 2);
    cr_assert_eq(count("class=\"edge\""), 7);
    cr_assert_eq(result.warnings, 0);
}

Test(render, gives_the_same_bytes_again) {
    struct buf first;

    build_chain(6, 3);
    render_ok(GRAPH_FORMAT_SVG);
    buf_init(&first, 1 << 20);
    buf_add_str(&first, buf_str(&result.body));
    render_ok(GRAPH_FORMAT_SVG);
    cr_assert(str_eq(buf_str(&first), buf_str(&result.body)));
    buf_release(&first);
}

Test(render, comes_back_coarser_when_dot_could_not_lay_it_out) {
    build_chain(4000, 500);
    options.depth = GRAPH_DEPTH_INF;
    options.hide_module_functions = false;
    options.fold = 0;
    options.engine = GRAPH_ENGINE_DOT;
    render_ok(GRAPH_FORMAT_SVG);
    cr_assert(warned_of("view-coarser"));
    cr_assert_eq(count("class=\"node module\""), 8);
    // A document describes the same view as the picture.
    render_ok(GRAPH_FORMAT_JSON);
    cr_assert(warned_of("view-coarser"));
    cr_assert_eq(count("\"kind\":\"module\""), 8);
    // Our own engine has no such limits.
    options.engine = GRAPH_ENGINE_ONNXSCOPE;
    render_ok(GRAPH_FORMAT_SVG);
    cr_assert_not(warned_of("view-coarser"));
    cr_assert_eq(count("class=\"node operator\""), 4000);
    render_ok(GRAPH_FORMAT_JSON);
    cr_assert_not(warned_of("view-coarser"));
}

// Every pair of 120 operators joined: few nodes, but no layout in sight.
Test(render, comes_back_coarser_when_edges_are_too_many) {
    struct model_builder *b = mb_new();
    char inputs[2048] = "x", name[16];

    mb_input(b, "x", "float[1]");
    for (unsigned i = 0; i < 120; i++) {
        snprintf(name, sizeof(name), "t%u", i);
        mb_node(b, "Sum", "", inputs, name);
        snprintf(inputs + strlen(inputs), sizeof(inputs) - strlen(inputs), ",t%u", i);
    }
    mb_output(b, name, "float[1]");
    mb_finish_bytes(b, &skeleton);
    options.depth = GRAPH_DEPTH_INF;
    options.engine = GRAPH_ENGINE_DOT;
    render_ok(GRAPH_FORMAT_SVG);
    cr_assert(warned_of("view-coarser"));
    cr_assert_leq(count("class=\"node "), 16);
    options.engine = GRAPH_ENGINE_ONNXSCOPE;
    render_ok(GRAPH_FORMAT_SVG);
    cr_assert_not(warned_of("view-coarser"));
    cr_assert_eq(count("class=\"node operator"), 120);
}

Test(render, warns_of_ports_that_were_merged) {
    struct model_builder *b = mb_new();
    char name[32], all[2048] = "";

    for (unsigned i = 0; i < 80; i++) {
        snprintf(name, sizeof(name), "x%u", i);
        mb_input(b, name, "float[1]");
        snprintf(all + strlen(all), sizeof(all) - strlen(all), ",x%u", i);
    }
    mb_node(b, "Sum", "/block/Sum", all + 1, "s");
    mb_node(b, "Relu", "/block/act/Relu", "s", "y");
    mb_output(b, "y", "float[1]");
    mb_finish_bytes(b, &skeleton);
    options.depth = GRAPH_DEPTH_INF;
    render_ok(GRAPH_FORMAT_LAYOUT);
    cr_assert(warned_of("layout-ports"));
}

Test(render, writes_places_of_everything) {
    build_chain(8, 4);
    options.depth = GRAPH_DEPTH_INF;
    options.hide_module_functions = false;
    options.fold = 0;
    render_ok(GRAPH_FORMAT_LAYOUT);
    cr_assert(body_has("{\"schema\":\"onnxscope/layout/1\",\"size\":["));
    // 8 operators, an input, an output, 2 boxes; 9 edges between them.
    cr_assert_eq(count("\"box\":["), 12);
    cr_assert_eq(count("\"routes\":[[["), 9);
}

Test(render, warns_of_a_damaged_file) {
    struct onnx_strip_facts facts = {.complete = false};
    struct graph_request request = {
        .strip = &facts, .format = GRAPH_FORMAT_SVG, .options = &options, .limits = &limits};
    struct error err = {0};

    (void)!error_set_at(&facts.damage, ERR_TRUNCATED, 4711, "graph.node[3]", "the file ends");
    build_chain(3, 3);
    request.skeleton = buf_slice(&skeleton);
    cr_assert_eq(graph_render(&result, &request, &err), 0, "%s", err.text);
    cr_assert_eq(result.warnings, 1);
    cr_assert(warned_of("truncated"));
    cr_assert(strstr(result.list.items[0].where, "4711"));
}

Test(render, keeps_to_the_maximum_of_its_output) {
    for (int format = 0; format < GRAPH_FORMATS; format++) {
        struct error err = {0};

        buf_reset(&skeleton);
        build_chain(50, 3);
        limits.max_output = 100;
        cr_assert_eq(render((enum graph_format)format, &err), ERR_LIMIT, "%s",
                     graph_formats[format].name);
    }
}

Test(render, refuses_a_bad_pattern_as_usage) {
    struct error err = {0};

    build_chain(3, 3);
    options.expand = strdup("a..b");
    cr_assert_eq(render(GRAPH_FORMAT_SVG, &err), ERR_USAGE);
}

Test(render, refuses_bytes_that_are_no_model) {
    struct error err = {0};

    buf_add_z(&skeleton, "\xFF\xFF\xFF");
    cr_assert_lt(render(GRAPH_FORMAT_SVG, &err), 0);
    cr_assert_eq(result.body.n, 0);
}

Test(render, tells_where_the_time_went) {
    build_chain(300, 3);
    options.depth = GRAPH_DEPTH_INF;
    render_ok(GRAPH_FORMAT_SVG);
    cr_assert_eq(result.cpu_ms[GRAPH_STAGE_STRIP], 0);
    cr_assert_gt(result.cpu_ms[GRAPH_STAGE_LAYOUT], 0);
    cr_assert_gt(result.cpu_ms[GRAPH_STAGE_LIBGVC], 0);
}

Test(render, names_formats_and_stages) {
    cr_assert_str_eq(graph_formats[GRAPH_FORMAT_SVG].name, "svg");
    cr_assert_str_eq(graph_formats[GRAPH_FORMAT_SVG].content_type, "image/svg+xml; charset=utf-8");
    cr_assert_not(graph_formats[GRAPH_FORMAT_SUMMARY].is_picture);
    cr_assert_not(graph_formats[GRAPH_FORMAT_LAYOUT].is_picture);
    cr_assert(graph_formats[GRAPH_FORMAT_LAYOUT].takes_view);
    cr_assert_str_eq(graph_stage_names[GRAPH_STAGE_LIBGVC], "libgvc");
}

// The number behind ` NAME="` in a tag.
static double number_of(const char *tag, const char *name) {
    const char *at = strstr(tag, name);

    cr_assert_not_null(at, "%s in %.60s", name, tag);
    return strtod(at + strlen(name), NULL);
}

// Graphviz measures the cells, we the box: each cell has to lie in its box.
Test(render, tables_of_the_torchview_theme_fit_their_boxes) {
    const char *at, *outer = NULL;
    size_t cells = 0;

    build_chain(4, 2);
    options.theme = GRAPH_THEME_TORCHVIEW;
    options.depth = GRAPH_DEPTH_INF;
    options.fold = 0;
    options.hide_module_functions = false;
    options.fold = 0;
    render_ok(GRAPH_FORMAT_SVG);
    buf_add_char(&result.body, '\0');
    for (at = (const char *)result.body.p; (at = strstr(at, "<rect ")) != NULL; at++) {
        if (strncmp(at, "<rect class=\"c\"", 15) != 0) {
            outer = at;
            continue;
        }
        cells++;
        cr_assert_geq(number_of(at, " x=\""), number_of(outer, " x=\""));
        cr_assert_geq(number_of(at, " y=\""), number_of(outer, " y=\""));
        cr_assert_leq(number_of(at, " x=\"") + number_of(at, " width=\""),
                      number_of(outer, " x=\"") + number_of(outer, " width=\""));
        cr_assert_leq(number_of(at, " y=\"") + number_of(at, " height=\""),
                      number_of(outer, " y=\"") + number_of(outer, " height=\""));
    }
    cr_assert_eq(cells, 4 * 5 + 2 * 2);
}

Test(render, what_stands_out_is_marked) {
    build_chain(4, 2);
    cr_assert_eq(graph_options_set(&options, STR("highlight"), STR("path:block.1"), NULL), 0);
    render_ok(GRAPH_FORMAT_SVG);
    cr_expect(body_has("class=\"node module hl\""));
    cr_expect(body_has(" .hl.hl rect{stroke:#d9480f;stroke-width:2.4;}"));
    cr_expect_eq(count("class=\"node module\""), 1);
}

Test(render, legend_explains_the_kinds_that_are_there) {
    build_chain(4, 2);
    options.legend = true;
    render_ok(GRAPH_FORMAT_SVG);
    cr_expect_eq(count("class=\"legend l"), 3);
    cr_expect(body_has(">module</text>"));
    cr_expect_not(body_has(">operator</text>"));
    options.legend = false;
    render_ok(GRAPH_FORMAT_SVG);
    cr_expect_eq(count("legend"), 0);
}

Test(render, two_spellings_of_a_list_are_one_document) {
    struct buf first;
    struct error err;

    build_chain(6, 3);
    cr_assert_eq(graph_options_set(&options, STR("expand"), STR("aaa,zzz"), &err), 0);
    render_ok(GRAPH_FORMAT_JSON);
    cr_expect(body_has("pattern-unmatched"));
    first = result.body;
    result.body = (struct buf){0};
    cr_assert_eq(graph_options_set(&options, STR("expand"), STR("zzz, aaa,aaa"), &err), 0);
    render_ok(GRAPH_FORMAT_JSON);
    cr_expect(str_eq(buf_str(&first), buf_str(&result.body)));
    buf_release(&first);
}
