// Drawing a placed view with libgvc: assembles a cgraph with positions and runs the engine `nop2`,
// which keeps them. The files graph/render_gv*.c are the only ones that see Graphviz headers.
//
// libgvc is not thread-safe, leaks, and can crash on bad input: call this from one thread only; the
// daemon calls it in a disposable child. Plug-ins are linked in: no config file, no dlopen, no
// fonts needed for SVG; text is measured by graph/metrics.h through a textlayout plug-in. PNG and
// PDF come from cairo and pango with the fonts that fontconfig finds; places and sizes stay ours.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "graph/label.h"
#include "graph/layout.h"
#include "graph/theme.h"
#include "graph/view.h"

// Makes the process-wide Graphviz context and draws one tiny graph in every format, so that later
// renders are quick and open no files: from then on text uses the fonts that are open. Repeated
// calls do nothing. A machine without fonts is no error.
int graph_render_gv_warm(struct error *err) WARN_UNUSED;

// What is drawn, all borrowed.
struct graph_drawing {
    const struct graph_view *view;
    const struct graph_layout *layout;
    const struct graph_labels *labels;
    const struct graph_theme *theme;
};

// Appends libgvc's raw SVG (for graph/finish_svg.h). Checks the layout first. Errors: ERR_BUG with
// libgvc's message or the fault of the layout, ERR_NOMEM, ERR_LIMIT (the maximum of `out`).
int graph_render_gv_svg(struct buf *out, const struct graph_drawing *drawing,
                        struct error *err) WARN_UNUSED;

// What cairo was asked for and what it made.
struct graph_cairo {
    uint32_t dpi;         // of a PNG; 72 is one pixel a point
    uint64_t max_pixels;  // of a PNG; a larger one gets fewer dots an inch
    double used_dpi;      // out
    size_t missing;       // out: characters that no font has
};

// Appends a PNG, or a PDF of one page (for graph/finish_pdf.h). Errors: as above, and
// ERR_UNSUPPORTED on a machine without fonts.
int graph_render_gv_png(struct buf *out, const struct graph_drawing *drawing,
                        struct graph_cairo *cairo, struct error *err) WARN_UNUSED;
int graph_render_gv_pdf(struct buf *out, const struct graph_drawing *drawing,
                        struct graph_cairo *cairo, struct error *err) WARN_UNUSED;
