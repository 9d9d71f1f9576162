// Shared by graph/label*.c alone: the escaping builder of HTML-like labels.
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "graph/label.h"
#include "graph/label_lines.h"

#define LABEL_TEXT_MAX_BYTES ((size_t)1 << 20)

// Buffers of one builder, reused from label to label.
struct label_builder {
    const struct graph_view *view;
    const struct graph_theme *theme;
    struct arena *arena;
    struct buf raw;      // text as it came
    struct buf caption;  // cleaned
    struct graph_lines lines;
    struct buf html;
};

// A caption and the part of it that is set in italics: the last `italic` bytes.
struct label_caption {
    struct str text;
    size_t italic;
};

void label_builder_init(struct label_builder *b, const struct graph_view *view,
                        const struct graph_theme *theme, struct arena *arena);
void label_builder_release(struct label_builder *b);

// Constant markup, and text out of a model.
void label_markup(struct label_builder *b, const char *html);
void label_add_caption(struct label_builder *b, const struct label_caption *caption,
                       const char *color);
void label_add_detail(struct label_builder *b, struct str text, const char *color);

// Moves what was built into the arena, as a NUL-terminated string.
int label_take(struct label_builder *b, struct graph_label *label, struct error *err) WARN_UNUSED;

// The caption of a node; valid until the next one.
struct label_caption label_caption_of_node(struct label_builder *b, uint32_t node);
struct label_caption label_caption_of_cluster(struct label_builder *b, uint32_t cluster);
double label_caption_width(const struct label_caption *caption);
double label_detail_width(struct str text);
double label_even(double v);  // up to an even number

// label_table.c: torchview's table.
int label_table(struct label_builder *b, uint32_t node, struct graph_label *label,
                struct error *err) WARN_UNUSED;
