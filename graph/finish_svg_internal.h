// Shared by graph/finish_svg*.c alone.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "graph/theme.h"
#include "graph/view.h"

// ---- reading (finish_svg_read.c)

enum svg_token_kind { SVG_OPEN, SVG_CLOSE, SVG_EMPTY, SVG_TEXT };

struct svg_token {
    enum svg_token_kind kind;
    struct str name;   // of a tag
    struct str attrs;  // what follows the name
    struct str text;   // as in the file, entities and all
};

// Next tag or text; prolog, DOCTYPE and comments are passed over. 1, 0 at the end, -1 for a tag
// that does not end.
int graph_svg_next(struct str raw, size_t *pos, struct svg_token *token);

// Value of an attribute as in the file; {NULL, 0} when it is not there.
struct str graph_svg_attr(const struct svg_token *token, const char *name);

// Takes the next number of a list off *rest, whatever separates it; false when there is none.
bool graph_svg_number(struct str *rest, double *out);

// Appends text with its entities decoded.
void graph_svg_decode(struct buf *out, struct str text);

// ---- writing (finish_svg_write.c)

void graph_svg_escape(struct buf *out, struct str text);

// A number in tenths: "12.5", "-3".
void graph_svg_tenths(struct buf *out, int64_t tenths);
int64_t graph_svg_to_tenths(double v);

// ` name="12.5"`
void graph_svg_add(struct buf *out, const char *name, int64_t tenths);

// ---- lines of text (finish_svg_text.c)

#define SVG_RUNS 8  // of one line; a caption has two

struct svg_run {
    size_t from, n;  // in the line's text
    bool small, italic;
    double x, y, width;
};

struct svg_line {
    struct buf text;  // decoded
    struct svg_run runs[SVG_RUNS];
    size_t n;
};

// Runs of one height become one line. Adds a run; true when the line must be written first.
bool graph_svg_line_is_other(const struct svg_line *line, double y);
void graph_svg_line_add(struct svg_line *line, const struct svg_token *tag, struct str text,
                        double x, double y);

double graph_svg_line_width(const struct svg_line *line);

// Writes the line as one <text> at x, which the style sheet takes for its middle or its start, and
// empties it.
void graph_svg_line_write(struct svg_line *line, double x, struct buf *out);

// Writes the <rect> that covers what is below the line.
void graph_svg_line_patch(const struct svg_line *line, struct buf *out);

// ---- style sheet (finish_svg_style.c)

// Classes of the root, without the theme's name: ".onnxscope-light".
#define SVG_ROOT_CLASS "onnxscope-"

void graph_svg_style(struct buf *out, const struct graph_view *view,
                     const struct graph_theme *theme);
