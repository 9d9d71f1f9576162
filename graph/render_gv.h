// Drawing a placed view with libgvc: assembles a cgraph with positions and runs the engine `nop2`,
// which keeps them. The files graph/render_gv*.c are the only ones that see Graphviz headers.
//
// libgvc is not thread-safe, leaks, and can crash on bad input: call this from one thread only; the
// daemon calls it in a disposable child. Plug-ins are linked in: no config file, no dlopen, no
// fonts needed for SVG; text is measured by graph/metrics.h through a textlayout plug-in.
#pragma once

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "graph/label.h"
#include "graph/layout.h"
#include "graph/theme.h"
#include "graph/view.h"

// Makes the process-wide Graphviz context and draws one tiny graph, so that later renders are quick
// and open no files. Repeated calls do nothing.
int graph_render_gv_warm(struct error *err) WARN_UNUSED;

// Appends libgvc's raw SVG (for graph/finish_svg.h). Checks the layout first. Errors: ERR_BUG with
// libgvc's message or the fault of the layout, ERR_NOMEM, ERR_LIMIT (the maximum of `out`).
int graph_render_gv_svg(struct buf *out, const struct graph_view *view,
                        const struct graph_layout *layout, const struct graph_labels *labels,
                        const struct graph_theme *theme, struct error *err) WARN_UNUSED;
