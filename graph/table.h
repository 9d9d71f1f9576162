// A table of plain text with aligned columns, for people at a terminal. Cells are collected first,
// then written. Foreign text becomes fit for display when it comes in: no control characters, no
// line breaks, nothing that a terminal would obey.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

#define GRAPH_TABLE_COLUMNS 8
#define GRAPH_TABLE_CHARS 80  // of one cell; longer text is cut in the middle

struct graph_table_cell;

struct graph_table {
    unsigned columns;
    bool right[GRAPH_TABLE_COLUMNS];  // column is aligned to the right
    struct buf text;                  // of all cells
    struct graph_table_cell *cells;
    size_t n, cap;
    int failed;  // sticks: 0, ERR_NOMEM or ERR_LIMIT
};

// The letters of `columns` are the columns: 'l' left, 'r' right. At most GRAPH_TABLE_COLUMNS.
void graph_table_init(struct graph_table *t, const char *columns);
void graph_table_release(struct graph_table *t);

// The next cell, row by row. Failures stick.
void graph_table_add_z(struct graph_table *t, const char *z);  // a constant
void graph_table_add_str(struct graph_table *t, struct str s, size_t indent);
void graph_table_add_u64(struct graph_table *t, uint64_t v);
void graph_table_add_grouped(struct graph_table *t, uint64_t v);  // "25,557,032"

// Appends all rows, each cell padded to its column, without spaces at line ends.
int graph_table_write(const struct graph_table *t, struct buf *out, struct error *err) WARN_UNUSED;
