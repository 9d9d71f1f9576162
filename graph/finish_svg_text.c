#include <math.h>

#include "base/utf8.h"
#include "graph/finish_svg.h"
#include "graph/finish_svg_internal.h"
#include "graph/metrics.h"

#define SAME_LINE 0.05  // points: libgvc rounds to 0.01
#define PATCH_ABOVE 9.0
#define PATCH_HEIGHT 12.0
#define PATCH_MARGIN 2.0

bool graph_svg_line_is_other(const struct svg_line *line, double y) {
    return line->n == SVG_RUNS || (line->n && fabs(line->runs[0].y - y) > SAME_LINE);
}

void graph_svg_line_add(struct svg_line *line, const struct svg_token *tag, struct str text,
                        double x, double y) {
    struct str size_text = graph_svg_attr(tag, "font-size");
    bool bold = str_eq(graph_svg_attr(tag, "font-weight"), STR("bold"));
    struct svg_run *run = &line->runs[line->n];
    double size = GRAPH_CAPTION_SIZE;

    *run = (struct svg_run){.from = line->text.n, .x = x, .y = y};
    graph_svg_decode(&line->text, text);
    run->n = line->text.n - run->from;
    if (!run->n) {
        return;
    }
    (void)graph_svg_number(&size_text, &size);
    run->small = size < GRAPH_CAPTION_SIZE;
    run->italic = str_eq(graph_svg_attr(tag, "font-style"), STR("italic"));
    run->width = graph_text_width(str_sub(buf_str(&line->text), run->from, run->n), size, bold);
    line->n++;
}

static const char *class_of(const struct svg_run *run) {
    return run->small ? "s" : run->italic ? "i" : NULL;
}

static void add_class(struct buf *out, const char *name) {
    if (!name) {
        return;
    }
    buf_add_z(out, " class=\"");
    buf_add_z(out, name);
    buf_add_char(out, '"');
}

static void write_runs(const struct svg_line *line, struct buf *out) {
    for (size_t i = 0; i < line->n; i++) {
        const char *name = line->n > 1 ? class_of(&line->runs[i]) : NULL;

        if (name) {
            buf_add_z(out, "<tspan");
            add_class(out, name);
            buf_add_char(out, '>');
        }
        graph_svg_escape(out, str_sub(buf_str(&line->text), line->runs[i].from, line->runs[i].n));
        if (name) {
            buf_add_z(out, "</tspan>");
        }
    }
}

double graph_svg_line_width(const struct svg_line *line) {
    double width = 0;

    for (size_t i = 0; i < line->n; i++) {
        width += line->runs[i].width;
    }
    return width;
}

void graph_svg_line_patch(const struct svg_line *line, struct buf *out) {
    if (!line->n) {
        return;
    }
    buf_add_z(out, "<rect");
    graph_svg_add(out, "x", graph_svg_to_tenths(line->runs[0].x - PATCH_MARGIN));
    graph_svg_add(out, "y", graph_svg_to_tenths(line->runs[0].y - PATCH_ABOVE));
    graph_svg_add(out, "width", graph_svg_to_tenths(graph_svg_line_width(line) + 2 * PATCH_MARGIN));
    graph_svg_add(out, "height", graph_svg_to_tenths(PATCH_HEIGHT));
    buf_add_z(out, "/>");
}

void graph_svg_line_write(struct svg_line *line, double x, struct buf *out) {
    double width = graph_svg_line_width(line);

    if (!line->n) {
        return;
    }
    buf_add_z(out, "<text");
    if (line->n == 1) {
        add_class(out, class_of(&line->runs[0]));
    }
    graph_svg_add(out, "x", graph_svg_to_tenths(x));
    graph_svg_add(out, "y", graph_svg_to_tenths(line->runs[0].y));
    if (utf8_count(buf_str(&line->text)) > GRAPH_TEXT_LENGTH_CHARS) {
        graph_svg_add(out, "textLength", graph_svg_to_tenths(width));
    }
    buf_add_char(out, '>');
    write_runs(line, out);
    buf_add_z(out, "</text>");
    buf_reset(&line->text);
    line->n = 0;
}
