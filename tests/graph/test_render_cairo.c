#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/finish_pdf.h"
#include "graph/render.h"
#include "tests/support/model_builder.h"

static struct graph_render_limits limits;
static struct graph_options options;
static struct graph_result result;
static struct buf skeleton;
static uint32_t dpi;

static void setup(void) {
    graph_render_limits_init(&limits);
    graph_options_init(&options);
    buf_init(&skeleton, 1 << 20);
    dpi = 0;
}

static void teardown(void) {
    graph_result_release(&result);
    graph_options_release(&options);
    buf_release(&skeleton);
}

TestSuite(render_cairo, .init = setup, .fini = teardown);

// x -> one operator -> y; `module` is the module that it belongs to.
static void build(const char *module) {
    struct model_builder *b = mb_new();
    struct buf name;

    buf_init(&name, 256);
    buf_add_char(&name, '/');
    buf_add_z(&name, module);
    buf_add_z(&name, "/Relu");
    buf_add_char(&name, '\0');
    mb_input(b, "x", "float[1,8]");
    mb_node(b, "Relu", (const char *)name.p, "x", "y");
    buf_release(&name);
    mb_output(b, "y", "float[1,8]");
    mb_finish_bytes(b, &skeleton);
}

static int render(enum graph_format format, struct error *err) {
    struct graph_request request = {.skeleton = buf_slice(&skeleton),
                                    .format = format,
                                    .options = &options,
                                    .dpi = dpi,
                                    .limits = &limits};

    graph_result_release(&result);
    return graph_render(&result, &request, err);
}

static void render_ok(enum graph_format format) {
    struct error err = {0};

    cr_assert_eq(render(format, &err), 0, "%s", err.text);
}

static bool warned_of(const char *code) {
    for (size_t i = 0; i < result.list.n; i++) {
        if (strcmp(result.list.items[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

// The result, kept while another one is made; to be freed.
static struct buf keep(void) {
    struct buf kept = result.body;

    result.body = (struct buf){0};
    return kept;
}

static bool same(struct buf kept) {
    bool equal = kept.n == result.body.n && memcmp(kept.p, result.body.p, kept.n) == 0;

    buf_release(&kept);
    return equal;
}

// Width and height out of the first chunk (PNG specification, 11.2.2).
static void size_of_png(uint32_t size[2]) {
    static const uint8_t signature[] = {137, 80, 78, 71, 13, 10, 26, 10,
                                        0,   0,  0,  13, 73, 72, 68, 82};

    cr_assert_gt(result.body.n, 24);
    cr_assert_arr_eq(result.body.p, signature, sizeof(signature));
    for (size_t i = 0; i < 2; i++) {
        const uint8_t *p = result.body.p + 16 + 4 * i;

        size[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    }
}

Test(render_cairo, a_png_has_96_dots_an_inch_and_as_many_as_wanted) {
    uint32_t standard[2], twice[2], point[2];

    build("block");
    render_ok(GRAPH_FORMAT_PNG);
    size_of_png(standard);
    dpi = 192;
    render_ok(GRAPH_FORMAT_PNG);
    size_of_png(twice);
    dpi = 72;
    render_ok(GRAPH_FORMAT_PNG);
    size_of_png(point);
    for (size_t i = 0; i < 2; i++) {
        cr_expect_float_eq(twice[i], 2.0 * standard[i], 2);
        cr_expect_float_eq(standard[i], point[i] * 96.0 / 72.0, 2);
    }
    cr_expect_not(warned_of("png-coarser"));
}

Test(render_cairo, a_png_over_its_limit_comes_with_fewer_dots_and_a_warning) {
    uint32_t size[2];

    build("block");
    limits.max_pixels = 10000;
    render_ok(GRAPH_FORMAT_PNG);
    size_of_png(size);
    cr_expect_leq((uint64_t)size[0] * size[1],
                  limits.max_pixels + 4 * ((uint64_t)size[0] + size[1]));
    cr_expect_geq((uint64_t)size[0] * size[1], limits.max_pixels / 2,
                  "it is as large as it may be");
    cr_expect(warned_of("png-coarser"));
}

Test(render_cairo, text_is_drawn) {
    struct buf first;

    build("block");
    render_ok(GRAPH_FORMAT_PNG);
    first = keep();
    buf_reset(&skeleton);
    build("clock");  // as wide: b and c measure the same
    render_ok(GRAPH_FORMAT_PNG);
    cr_expect_not(same(first));
}

Test(render_cairo, the_same_picture_is_the_same_file) {
    static const enum graph_format formats[] = {GRAPH_FORMAT_PNG, GRAPH_FORMAT_PDF};

    build("block");
    for (size_t i = 0; i < 2; i++) {
        struct buf first;

        render_ok(formats[i]);
        first = keep();
        render_ok(formats[i]);
        cr_expect(same(first));
    }
}

Test(render_cairo, a_warm_process_draws_what_a_cold_one_does) {
    struct error err = {0};
    struct buf png, pdf;

    build("n\xc3\xa4he \xce\xbb \xd0\xb6");
    render_ok(GRAPH_FORMAT_PNG);
    png = keep();
    render_ok(GRAPH_FORMAT_PDF);
    pdf = keep();
    cr_assert_eq(graph_render_warm(&err), 0, "%s", err.text);
    render_ok(GRAPH_FORMAT_PNG);
    cr_expect(same(png));
    cr_expect_not(warned_of("missing-glyphs"));
    render_ok(GRAPH_FORMAT_PDF);
    cr_expect(same(pdf));
}

Test(render_cairo, a_warm_process_replaces_what_needs_another_font) {
    struct error err = {0};

    build("\xe5\xb1\x82 \xf0\x9f\x98\x80");
    cr_assert_eq(graph_render_warm(&err), 0, "%s", err.text);
    render_ok(GRAPH_FORMAT_PNG);
    cr_expect(warned_of("missing-glyphs"));
    render_ok(GRAPH_FORMAT_SVG);
    cr_expect_not(warned_of("missing-glyphs"), "an SVG leaves fonts to its reader");
    cr_expect(str_contains(buf_str(&result.body), STR("\xe5\xb1\x82")));
}

Test(render_cairo, a_pdf_has_one_page_and_no_time) {
    build("block");
    render_ok(GRAPH_FORMAT_PDF);
    cr_expect(str_starts(buf_str(&result.body), STR("%PDF-1.")));
    cr_expect(str_contains(buf_str(&result.body), STR("/Count 1")));
    cr_expect(str_contains(buf_str(&result.body), STR("/CreationDate (D:20000101000000")));
    cr_expect(str_contains(buf_str(&result.body), STR("/BaseFont")), "text stays text");
}

Test(render_cairo, only_the_date_of_a_pdf_is_replaced) {
    struct buf pdf;

    buf_init(&pdf, 256);
    buf_add_z(&pdf, "stream (/CreationDate (D:x) <</CreationDate (D:20261201005812+02'00)>> end");
    graph_finish_pdf(&pdf);
    cr_expect(str_eq(buf_str(&pdf), STR("stream (/CreationDate (D:x) <</CreationDate "
                                        "(D:20000101000000+00'00)>> end")));
    buf_reset(&pdf);
    buf_add_z(&pdf, "/CreationDate (D:20261201005812Z)");
    graph_finish_pdf(&pdf);
    cr_expect(str_eq(buf_str(&pdf), STR("/CreationDate (D:20000101000000Z)")));
    buf_reset(&pdf);
    buf_add_z(&pdf, "/CreationDate (D:2026");
    graph_finish_pdf(&pdf);
    cr_expect(str_eq(buf_str(&pdf), STR("/CreationDate (D:2000")), "cut short");
    buf_reset(&pdf);
    graph_finish_pdf(&pdf);
    cr_expect_eq(pdf.n, 0);
    buf_release(&pdf);
}

Test(render_cairo, a_machine_without_fonts_says_so) {
    char path[] = "/tmp/onnxscope-fonts-XXXXXX";
    int fd = mkstemp(path);
    FILE *config = fd < 0 ? NULL : fdopen(fd, "w");
    struct error err = {0};
    int rc;

    cr_assert(config);
    fputs("<fontconfig/>", config);
    fclose(config);
    setenv("FONTCONFIG_FILE", path, 1);
    build("block");
    rc = render(GRAPH_FORMAT_PNG, &err);
    unlink(path);
    cr_expect_eq(rc, ERR_UNSUPPORTED);
    cr_expect(strstr(err.text, "fonts-liberation"));
    cr_expect_eq(render(GRAPH_FORMAT_PDF, NULL), ERR_UNSUPPORTED);
    render_ok(GRAPH_FORMAT_SVG);
    cr_expect_eq(graph_render_warm(&err), 0, "%s", err.text);
}

Test(render_cairo, a_resolution_is_a_number_within_bounds) {
    static const char *const wrong[] = {
        "", "7", "1201", "96dpi", "-96", "1e2", "99999999999999999999"};
    struct error err = {0};
    uint32_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        cr_expect_eq(graph_dpi_parse(&n, str_from(wrong[i]), &err), ERR_USAGE, "%s", wrong[i]);
        cr_expect(strstr(err.text, "8 to 1200"));
    }
    cr_expect_eq(graph_dpi_parse(&n, STR("1200"), NULL), 0);
    cr_expect_eq(n, 1200);
}
