#include "graph/label.h"

#include <math.h>
#include <string.h>

#include "graph/label_internal.h"

#define LABELS_MAX_BYTES ((size_t)256 << 20)
#define PAD_X 9.0
#define PAD_Y 4.0
#define NODE_MIN_WIDTH 48.0
// Between a cluster's caption and its numbers: a no-break space, a dot, a space.
#define NUMBERS_GAP "\xC2\xA0\xC2\xB7 "

#define TABLE_OPEN \
    "<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\"><tr><td>"
#define TABLE_ROW "</td></tr><tr><td>"
#define TABLE_CLOSE "</td></tr></table>"
// Lines have more room above their letters than below: two of them look low without it.
#define TABLE_FOOT "</td></tr><tr><td height=\"4\"></td></tr></table>"

static int label_box(struct label_builder *b, uint32_t i, struct graph_label *label,
                     struct error *err) {
    struct label_caption caption = label_caption_of_node(b, i);
    double w = label_caption_width(&caption), h = GRAPH_CAPTION_SIZE * GRAPH_LINE_HEIGHT;

    graph_lines_of_node(&b->lines, b->view, i);
    label_markup(b, TABLE_OPEN);
    label_add_caption(b, &caption, b->theme->nodes[b->view->nodes[i].kind].text);
    for (size_t k = 0; k < b->lines.n; k++) {
        struct str line = graph_lines_at(&b->lines, k);

        label_markup(b, TABLE_ROW);
        label_add_detail(b, line, b->theme->detail);
        w = fmax(w, label_detail_width(line));
        h += GRAPH_DETAIL_SIZE * GRAPH_LINE_HEIGHT;
    }
    label_markup(b, b->lines.n ? TABLE_FOOT : TABLE_CLOSE);
    label->w = fmax(NODE_MIN_WIDTH, label_even(w + 2 * PAD_X));
    label->h = label_even(h + 2 * PAD_Y);
    return label_take(b, label, err);
}

static int label_node(struct label_builder *b, uint32_t i, struct graph_label *label,
                      struct error *err) {
    buf_reset(&b->html);
    return b->theme->tables ? label_table(b, i, label, err) : label_box(b, i, label, err);
}

static int label_cluster(struct label_builder *b, uint32_t i, struct graph_label *label,
                         struct error *err) {
    const struct graph_paint *paint = &b->theme->clusters[b->view->clusters[i].kind];
    struct label_caption caption = label_caption_of_cluster(b, i);
    double w = label_caption_width(&caption);

    buf_reset(&b->html);
    buf_reset(&b->raw);
    label_markup(b, TABLE_OPEN);
    label_add_caption(b, &caption, paint->text);
    buf_add_z(&b->raw, NUMBERS_GAP);
    graph_cluster_numbers(&b->raw, b->view, i);
    if (b->raw.n > strlen(NUMBERS_GAP) && !b->theme->tables) {
        label_add_detail(b, buf_str(&b->raw), b->theme->detail);
        w += label_detail_width(buf_str(&b->raw));
    }
    label_markup(b, TABLE_CLOSE);
    label->w = label_even(w);
    label->h = label_even(GRAPH_CAPTION_SIZE * GRAPH_LINE_HEIGHT);
    return label_take(b, label, err);
}

static int label_edge(struct label_builder *b, uint32_t i, struct graph_label *label,
                      struct error *err) {
    struct str text;

    buf_reset(&b->raw);
    graph_edge_text(&b->raw, b->view, i);
    text = buf_str(&b->raw);
    if (!text.n) {
        return 0;
    }
    buf_reset(&b->html);
    label_markup(b, TABLE_OPEN);
    label_add_detail(b, text, b->theme->edge_text);
    label_markup(b, TABLE_CLOSE);
    label->w = label_even(label_detail_width(text));
    label->h = label_even(GRAPH_DETAIL_SIZE * GRAPH_LINE_HEIGHT);
    return label_take(b, label, err);
}

typedef int label_fn(struct label_builder *b, uint32_t i, struct graph_label *label,
                     struct error *err);

static int label_all(struct label_builder *b, size_t n, label_fn *fn, struct graph_label **out,
                     struct error *err) {
    *out = arena_array(b->arena, n, sizeof(**out));
    if (!*out) {
        return arena_error(b->arena, "labels", err);
    }
    for (uint32_t i = 0; i < n; i++) {
        int rc = fn(b, i, &(*out)[i], err);

        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

int graph_labels_init(struct graph_labels *out, const struct graph_view *view,
                      const struct graph_theme *theme, struct error *err) {
    struct graph_labels labels = {0};
    struct label_builder b;
    int rc;

    arena_init(&labels.arena, LABELS_MAX_BYTES);
    label_builder_init(&b, view, theme, &labels.arena);
    rc = label_all(&b, view->n_nodes, label_node, &labels.nodes, err);
    if (rc == 0) {
        rc = label_all(&b, view->n_clusters, label_cluster, &labels.clusters, err);
    }
    if (rc == 0) {
        rc = label_all(&b, view->n_edges, label_edge, &labels.edges, err);
    }
    label_builder_release(&b);
    if (rc < 0) {
        graph_labels_release(&labels);
    } else {
        *out = labels;
    }
    return rc;
}

void graph_labels_release(struct graph_labels *labels) {
    if (!labels) {
        return;
    }
    arena_release(&labels->arena);
    *labels = (struct graph_labels){0};
}
