// The finishing pass over libgvc's SVG: what a user embeds.
//
// Drops prolog, DOCTYPE, comments, libgvc's titles and stroke="transparent"; sets role, <title>,
// <desc> and viewBox at the root, hover text as <title> of every node, cluster and edge (by our ids
// n12, m7, e40); shortens what repeats into a style sheet of classes; rounds numbers. The result is
// well-formed XML with elements and attributes of an allow-list only, safe to inline; it holds no
// link, no script and no foreign reference.
#pragma once

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "graph/theme.h"
#include "graph/view.h"

int graph_finish_svg(struct buf *out, struct str raw, const struct graph_view *view,
                     const struct graph_theme *theme, struct error *err) WARN_UNUSED;
