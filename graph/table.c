#include "graph/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/num.h"
#include "base/utf8.h"

#define CELLS_MAX ((size_t)1 << 24)
#define TEXT_MAX ((size_t)1 << 28)
#define INDENT_MAX 64
#define CHAR_BYTES ((size_t)4)

struct graph_table_cell {
    size_t start, n;  // bytes of the text
    size_t width;     // characters
};

void graph_table_init(struct graph_table *t, const char *columns) {
    *t = (struct graph_table){.columns = 0};
    buf_init(&t->text, TEXT_MAX);
    for (; *columns && t->columns < GRAPH_TABLE_COLUMNS; columns++) {
        t->right[t->columns++] = *columns == 'r';
    }
}

void graph_table_release(struct graph_table *t) {
    if (!t) {
        return;
    }
    buf_release(&t->text);
    free(t->cells);
    *t = (struct graph_table){0};
}

// Takes what was appended to the text since `start` as a cell.
static void end_cell(struct graph_table *t, size_t start) {
    struct str text = str_skip(buf_str(&t->text), start);

    if (!t->failed) {
        t->failed = t->text.failed;
    }
    if (!t->failed) {
        t->failed =
            array_grow(&t->cells, &t->cap, t->n + 1, sizeof(*t->cells), CELLS_MAX, "cells", NULL);
    }
    if (!t->failed) {
        t->cells[t->n++] = (struct graph_table_cell){start, text.n, utf8_count(text)};
    }
}

void graph_table_add_z(struct graph_table *t, const char *z) {
    size_t start = t->text.n;

    buf_add_z(&t->text, z);
    end_cell(t, start);
}

void graph_table_add_str(struct graph_table *t, struct str s, size_t indent) {
    size_t start = t->text.n;

    for (size_t i = 0; i < indent && i < INDENT_MAX; i++) {
        buf_add_char(&t->text, ' ');
    }
    utf8_add_shown(&t->text, s, GRAPH_TABLE_CHARS, GRAPH_TABLE_CHARS * CHAR_BYTES);
    end_cell(t, start);
}

void graph_table_add_u64(struct graph_table *t, uint64_t v) {
    size_t start = t->text.n;

    buf_add_u64(&t->text, v);
    end_cell(t, start);
}

void graph_table_add_grouped(struct graph_table *t, uint64_t v) {
    size_t start = t->text.n;

    num_add_grouped(&t->text, v);
    end_cell(t, start);
}

static void pad(struct buf *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        buf_add_char(out, ' ');
    }
}

static void write_row(const struct graph_table *t, struct buf *out, size_t row,
                      const size_t *widths) {
    size_t owed = 0;  // spaces, written once something follows

    for (unsigned c = 0; c < t->columns; c++) {
        const struct graph_table_cell *cell = &t->cells[row * t->columns + c];
        size_t room = widths[c] - cell->width;

        owed += c ? 2 : 0;
        if (cell->n) {
            pad(out, owed + (t->right[c] ? room : 0));
            buf_add(out, t->text.p + cell->start, cell->n);
            owed = t->right[c] ? 0 : room;
        } else {
            owed += room;
        }
    }
    buf_add_char(out, '\n');
}

int graph_table_write(const struct graph_table *t, struct buf *out, struct error *err) {
    size_t widths[GRAPH_TABLE_COLUMNS] = {0};
    size_t rows = t->columns ? t->n / t->columns : 0;

    if (t->failed) {
        return error_set(err, (enum err_code)t->failed, "the table is too long");
    }
    for (size_t i = 0; i < rows * t->columns; i++) {
        if (t->cells[i].width > widths[i % t->columns]) {
            widths[i % t->columns] = t->cells[i].width;
        }
    }
    for (size_t row = 0; row < rows && !out->failed; row++) {
        write_row(t, out, row, widths);
    }
    return buf_check(out, "the table", "max-output", err);
}
