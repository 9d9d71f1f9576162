// The labels of a view: the one builder of HTML-like Graphviz tables, and the only door through
// which text out of a model enters a picture.
//
// Text is cleaned (base/utf8.h), cut in the middle (the full text is in the hover text and in the
// JSON), escaped for markup and has its backslashes doubled (Graphviz expands \N and \G even here).
// Every label is of the HTML kind, so that no plain string of the graph can equal one.
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "graph/theme.h"
#include "graph/view.h"

#define GRAPH_LABEL_CHARS 64  // of one line
#define GRAPH_LABEL_BYTES 512
#define GRAPH_HOVER_CHARS 240  // of one line of hover text
#define GRAPH_HOVER_VALUES 6   // values that hover text lists one by one

struct graph_label {
    const char *html;  // NUL-terminated content of an HTML-like label, without the outer <>
    double w, h;       // points, even integers: what the label needs, margins included
};

struct graph_labels {
    struct arena arena;
    struct graph_label *nodes;     // per view node
    struct graph_label *clusters;  // per view cluster: its caption
    struct graph_label *edges;     // per view edge: "x3", or html NULL when it has none
};

// *out is filled on success only (graph_labels_release). Errors: ERR_NOMEM, ERR_LIMIT.
int graph_labels_init(struct graph_labels *out, const struct graph_view *view,
                      const struct graph_theme *theme, struct error *err) WARN_UNUSED;
void graph_labels_release(struct graph_labels *labels);

// Hover text: full names, shapes, call, operator; plain text, cleaned for display, not escaped.
// `out` gets one or more lines, without a line feed at the end.
void graph_hover_node(struct buf *out, const struct graph_view *view, uint32_t node);
void graph_hover_cluster(struct buf *out, const struct graph_view *view, uint32_t cluster);
void graph_hover_edge(struct buf *out, const struct graph_view *view, uint32_t edge);

// What the picture is called: class of the root module, else the graph's name, else "ONNX graph".
void graph_hover_title(struct buf *out, const struct graph_view *view);
