// The finishing pass over libgvc's SVG: what a user embeds.
//
// Drops prolog, DOCTYPE, comments, libgvc's titles and stroke="transparent"; sets role, <title>,
// <desc> and viewBox at the root, hover text as <title> of every node, cluster and edge (by our ids
// n12, m7, e40); boxes become <rect>, the runs of a line one <text>; what repeats becomes a style
// sheet of classes, below a class of the theme so that pictures can share a page; numbers are
// rounded to 0.1 and there is no transform. Captions of clusters come after the edges, on a patch
// of their cluster's colour, so that no edge runs through them. The result is well-formed XML with
// elements and attributes of an allow-list only, safe to inline; it holds no link, no script, no
// foreign reference.
#pragma once

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "graph/theme.h"
#include "graph/view.h"

// A text of more characters gets a textLength, so that other fonts keep it inside its box.
#define GRAPH_TEXT_LENGTH_CHARS 20

// Appends to `out`. Errors: ERR_BUG (raw is not what libgvc writes; nothing of it is copied then),
// ERR_LIMIT (the maximum of `out`), ERR_NOMEM.
int graph_finish_svg(struct buf *out, struct str raw, const struct graph_view *view,
                     const struct graph_theme *theme, struct error *err) WARN_UNUSED;
