#include <gvc.h>

#include "graph/render_gv.h"
#include "graph/render_gv_internal.h"
#include "graph/theme.h"

#define SAMPLES_MAX_BYTES 4096

static char cluster_name[] = "cluster_m0", node_name[] = "n0";
static char label_attribute[] = "label", engine[] = "dot";
static char font_attribute[] = "fontname", font[] = "Helvetica";

static char label_of_svg[] = "<table border=\"0\"><tr><td><b>n</b></td></tr></table>";

// By script a character that every font has and one that none has, for which pango loads one more:
// Latin, Greek, Cyrillic; numbers alone, which are of no script; and what is nowhere.
static const char *const samples[] = {"n&#x10780;", "&#x3bd;&#x10140;", "&#x43d;&#x1c80;",
                                      "1&#x1d2e0;", "&#x10fffd;"};

// As labels set them.
static const char *const faces[][2] = {
    {"", ""}, {"<b>", "</b>"}, {"<i>", "</i>"}, {"<b><i>", "</i></b>"}};
static const double sizes[] = {GRAPH_CAPTION_SIZE, GRAPH_DETAIL_SIZE};

static bool is_warm;

// What a first render would otherwise do under the limits of a job: the context, libgvc's tables,
// the parser of labels, the engine, the writer, the fonts.
static int draw_tiny(GVC_t *gvc, char *format, char *text, struct error *err) {
    Agraph_t *g = gvc ? graph_gv_open() : NULL;
    char *data = NULL;
    unsigned n = 0;

    if (!g) {
        return error_set(err, ERR_NOMEM, "no memory for libgvc");
    }
    graph_gv_messages_reset();
    (void)agattr(g, AGNODE, font_attribute, font);  // as every picture has it
    (void)agattr(g, AGNODE, label_attribute, agstrdup_html(g, text));
    (void)agnode(agsubg(g, cluster_name, 1), node_name, 1);
    if (gvLayout(gvc, g, engine) == 0) {
        if (gvRenderData(gvc, g, format, &data, &n) == 0) {
            gvFreeRenderData(data);
        }
        (void)gvFreeLayout(gvc, g);
    }
    (void)agclose(g);
    return graph_gv_messages_check(engine, err);
}

static void add_row(struct buf *html, double size, const char *const face[2], const char *text) {
    buf_printf(html, "<tr><td><font point-size=\"%d\">", (int)size);
    buf_add_z(html, face[0]);
    buf_add_z(html, text);
    buf_add_z(html, face[1]);
    buf_add_z(html, "</font></td></tr>");
}

static void add_rows(struct buf *html, double size, const char *const face[2]) {
    for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
        add_row(html, size, face, samples[i]);
    }
}

// Every text that a job may set, by size, face and script.
static void write_samples(struct buf *html) {
    buf_add_z(html, "<table border=\"0\">");
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        for (size_t k = 0; k < ARRAY_LEN(faces); k++) {
            add_rows(html, sizes[i], faces[k]);
        }
    }
    buf_add_z(html, "</table>");
}

static int draw_samples(GVC_t *gvc, struct error *err) {
    char png[] = "png", pdf[] = "pdf";
    struct buf html;
    int rc;

    buf_init(&html, SAMPLES_MAX_BYTES);
    write_samples(&html);
    buf_add_char(&html, '\0');
    rc = buf_check(&html, "the samples of text", NULL, err);
    if (rc == 0) {
        rc = draw_tiny(gvc, png, (char *)html.p, err);
    }
    if (rc == 0) {
        rc = draw_tiny(gvc, pdf, (char *)html.p, err);
    }
    buf_release(&html);
    return rc;
}

static int warm_text(GVC_t *gvc, struct error *err) {
    int rc;

    if (!graph_gv_pango_has_fonts()) {
        return 0;
    }
    graph_gv_pango_alone();
    graph_gv_pango_start();
    rc = draw_samples(gvc, err);
    (void)graph_gv_pango_stop();
    graph_gv_pango_seal();
    return rc;
}

int graph_render_gv_warm(struct error *err) {
    GVC_t *gvc = graph_gv_context();
    char svg[] = "svg";
    int rc;

    if (is_warm) {
        return 0;
    }
    rc = draw_tiny(gvc, svg, label_of_svg, err);
    is_warm = rc == 0;
    return rc == 0 ? warm_text(gvc, err) : rc;
}
