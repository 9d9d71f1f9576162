// A list of texts in a label, equal ones grouped: "(2, 3), 2 x (2, 2), +1". Shared by
// graph/label*.c alone.
//
// What has no room is left out as a whole and counted. Only a name is ever cut: half a shape is
// another shape.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "graph/label_lines.h"

#define LABEL_SHAPE_CHARS 56u  // of a shape that stands alone, whatever room there is

struct label_group {
    size_t from, n;  // in the buffer of texts
    uint32_t count;
};

struct label_groups {
    struct label_group items[GRAPH_SHAPES_MAX];
    struct buf texts;
    uint32_t n, most, left_out;
    bool are_shapes;
};

// At most `most` distinct texts (GRAPH_SHAPES_MAX).
void label_groups_init(struct label_groups *g, uint32_t most, bool are_shapes);
void label_groups_release(struct label_groups *g);

// What was appended to g->texts behind `from` joins its group or begins one.
void label_groups_add(struct label_groups *g, size_t from);

// Appends the list, made fit for display, in `chars` characters; the first text has more room where
// it is a shape.
void label_groups_write(const struct label_groups *g, struct buf *out, size_t chars);

// Appends a shape, made fit for display, in `chars` characters: dimensions that are too long for
// that are U+2026 each, "(1, 64, ..., ...)", and so is all between the parentheses where nothing
// else fits.
void label_add_shape(struct buf *out, struct str shape, size_t chars);
