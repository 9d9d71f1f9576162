// The view as Graphviz text, for people who want to go on with it: our own writer with one quoting
// function, no libcgraph.
//
// `dot -Tsvg` of the result shows the same nodes, edges and boxes. Labels are plain quoted strings.
#pragma once

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "graph/view.h"

int graph_write_dot(struct buf *out, const struct graph_view *view, struct error *err) WARN_UNUSED;
