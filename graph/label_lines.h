// What a label says below its caption, as plain lines: for pictures and for DOT text alike.
//
// In this order, each by its option: shapes, numbers (calls of what is rolled, parameters,
// multiply-accumulates), weights, attributes. Lines are cleaned for display and cut, not escaped.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "graph/view.h"

#define GRAPH_LINE_CHARS 64   // of one line
#define GRAPH_LINE_WEIGHTS 8  // weights that are listed one by one
#define GRAPH_LINE_ATTRS 4    // lines of attributes
#define GRAPH_LINES_MAX 16
#define GRAPH_ATTR_ELEMENTS 8  // of a list that a label shows
#define GRAPH_SIDE_SHAPES 2    // distinct ones on each side of the arrow
#define GRAPH_SIDE_CHARS 40

struct graph_lines {
    struct buf text;  // of all lines
    size_t ends[GRAPH_LINES_MAX];
    size_t n;
    struct buf raw;  // one line as it came
};

void graph_lines_init(struct graph_lines *lines);
void graph_lines_release(struct graph_lines *lines);

struct str graph_lines_at(const struct graph_lines *lines, size_t i);

// Both replace what was there; lines that did not fit are left out.
void graph_lines_of_node(struct graph_lines *lines, const struct graph_view *view, uint32_t node);
// The lines without that of the shapes.
void graph_lines_of_facts(struct graph_lines *lines, const struct graph_view *view, uint32_t node);

// Numbers of a cluster: "215.8 k params"; nothing for those without.
void graph_cluster_numbers(struct buf *out, const struct graph_view *view, uint32_t cluster);

// What an edge says: "x3", "(1, 64)", "(1, 64), 2 x (64)"; nothing for most.
void graph_edge_text(struct buf *out, const struct graph_view *view, uint32_t edge);

// Shapes of some values as torchview writes them, equal ones grouped: "(2, 3), 2 x (2, 2)"; at most
// `most` distinct ones (GRAPH_SHAPES_MAX) and `chars` characters, then "+3".
#define GRAPH_SHAPES_MAX 8
void graph_shapes_text(struct buf *out, const struct graph_view *view, const uint32_t *values,
                       uint32_t n, uint32_t most, size_t chars);
