#include "graph/write_dot.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "graph/label.h"
#include "graph/label_lines.h"
#include "graph/legend.h"
#include "graph/theme.h"

#define TEXT_BYTES ((size_t)1 << 20)
#define TEXT_CHARS 200u  // of one line of a label

static const char *const rank_dirs[] = {"TB", "LR", "BT", "RL"};

struct writer {
    struct buf *out;
    const struct graph_view *view;
    const struct graph_theme *theme;
    struct buf text, shown;
    struct graph_lines lines;
    struct graph_labels labels;        // of a theme of tables
    uint32_t *first_node, *next_node;  // per cluster + 1 (the last: outside all), per node
    uint32_t *first_box, *next_box;
    uint32_t *open;  // clusters whose brace is open
};

// What is in w->text, as one line of a quoted label. Graphviz reads backslashes and character
// references in labels; a quote would end the string.
static void flush_text(struct writer *w) {
    struct str s;

    utf8_add_shown(&w->shown, buf_str(&w->text), TEXT_CHARS, TEXT_BYTES);
    s = buf_str(&w->shown);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '&') {
            buf_add_z(w->out, "&amp;");
            continue;
        }
        if (s.p[i] == '"' || s.p[i] == '\\') {
            buf_add_char(w->out, '\\');
        }
        buf_add_char(w->out, s.p[i]);
    }
    buf_reset(&w->text);
    buf_reset(&w->shown);
}

static void add_lines(struct writer *w, uint32_t node) {
    graph_lines_of_node(&w->lines, w->view, node);
    for (size_t i = 0; i < w->lines.n; i++) {
        buf_add_z(w->out, "\\n");
        buf_add_str(&w->text, graph_lines_at(&w->lines, i));
        flush_text(w);
    }
}

static void add_paint(struct writer *w, const char *fill, const struct graph_paint *paint) {
    buf_printf(w->out, ", fillcolor=\"%s\", color=\"%s\", fontcolor=\"%s\"", fill, paint->stroke,
               paint->text);
}

static void add_emphasis(struct writer *w) {
    buf_printf(w->out, ", color=\"%s\", penwidth=%s", w->theme->highlight, w->theme->emphasis);
}

static void add_trouble(struct writer *w) {
    buf_printf(w->out, ", color=\"%s\", penwidth=%s", w->theme->nodes[GRAPH_VIEW_MISSING].stroke,
               w->theme->emphasis);
}

static void add_text(struct writer *w, uint32_t index) {
    buf_add_char(w->out, '"');
    graph_view_caption(&w->text, w->view, index);
    flush_text(w);
    add_lines(w, index);
    buf_add_char(w->out, '"');
}

static void add_table(struct writer *w, uint32_t index) {
    buf_add_char(w->out, '<');
    buf_add_z(w->out, w->labels.nodes[index].html);
    buf_add_char(w->out, '>');
}

static void add_node(struct writer *w, uint32_t index) {
    const struct graph_view_node *node = &w->view->nodes[index];
    const struct graph_paint *paint = &w->theme->nodes[node->kind];

    buf_printf(w->out, "  n%u [label=", index);
    if (w->theme->tables) {
        add_table(w, index);
    } else {
        add_text(w, index);
    }
    add_paint(w, paint->fill, paint);
    if (node->conflict) {
        add_trouble(w);
    } else if (node->highlight) {
        add_emphasis(w);
    }
    buf_add_z(w->out, "];\n");
}

static void open_box(struct writer *w, uint32_t index) {
    const struct graph_view_cluster *cluster = &w->view->clusters[index];

    buf_printf(w->out, "  subgraph cluster_m%u {\n  graph [label=\"", index);
    graph_view_cluster_caption(&w->text, w->view, index);
    flush_text(w);
    graph_cluster_numbers(&w->text, w->view, index);
    if (w->text.n) {
        buf_add_z(w->out, "\\n");
    }
    flush_text(w);
    buf_printf(w->out, "\", style=\"%s%s\", labeljust=l",
               w->theme->cluster_corner > 0 ? "rounded,filled" : "filled",
               w->theme->dashed ? ",dashed" : "");
    add_paint(w, graph_theme_cluster_fill(w->theme, cluster), &w->theme->clusters[cluster->kind]);
    if (cluster->highlight) {
        add_emphasis(w);
    }
    buf_add_z(w->out, "];\n");
}

static void add_nodes_of(struct writer *w, uint32_t box) {
    for (uint32_t n = w->first_node[box]; n != ONNX_NONE; n = w->next_node[n]) {
        add_node(w, n);
    }
}

// Boxes in boxes, with a stack of our own: their depth comes out of the file.
static void add_boxes(struct writer *w) {
    uint32_t outside = (uint32_t)w->view->n_clusters, n = 1;

    w->open[0] = outside;
    add_nodes_of(w, outside);
    while (n > 0) {
        uint32_t box = w->open[n - 1], child = w->first_box[box];

        if (child == ONNX_NONE) {
            if (box != outside) {
                buf_add_z(w->out, "  }\n");
            }
            n--;
            continue;
        }
        w->first_box[box] = w->next_box[child];
        open_box(w, child);
        add_nodes_of(w, child);
        w->open[n++] = child;
    }
}

static void add_edges(struct writer *w) {
    for (size_t i = 0; i < w->view->n_edges; i++) {
        const struct graph_view_edge *edge = &w->view->edges[i];

        buf_printf(w->out, "  n%u -> n%u", edge->from, edge->to);
        graph_edge_text(&w->text, w->view, (uint32_t)i);
        if (w->text.n) {
            buf_add_z(w->out, " [label=\"");
            flush_text(w);
            buf_add_z(w->out, "\"]");
        }
        buf_add_z(w->out, ";\n");
    }
}

static void add_legend(struct writer *w) {
    struct graph_legend legend;

    graph_legend_kinds(&legend, w->view);
    if (!legend.n) {
        return;
    }
    buf_add_z(w->out, "  subgraph cluster_legend {\n  graph [label=\"\", style=invis];\n");
    for (uint32_t i = 0; i < legend.n; i++) {
        buf_printf(w->out, "  l%u [label=\"%s\"", i, legend.items[i].text);
        add_paint(w, graph_legend_fill(w->theme, &legend.items[i]),
                  graph_legend_paint(w->theme, &legend.items[i]));
        buf_add_z(w->out, "];\n");
    }
    buf_add_z(w->out, "  }\n");
}

static uint32_t box_index(const struct writer *w, uint32_t cluster) {
    return cluster == ONNX_NONE ? (uint32_t)w->view->n_clusters : cluster;
}

// Lists per box, filled from the back so that they run in order.
static void sort_into_boxes(struct writer *w) {
    for (size_t i = 0; i <= w->view->n_clusters; i++) {
        w->first_node[i] = w->first_box[i] = ONNX_NONE;
    }
    for (uint32_t i = (uint32_t)w->view->n_nodes; i-- > 0;) {
        uint32_t box = box_index(w, w->view->nodes[i].cluster);

        w->next_node[i] = w->first_node[box];
        w->first_node[box] = i;
    }
    for (uint32_t i = (uint32_t)w->view->n_clusters; i-- > 0;) {
        uint32_t box = box_index(w, w->view->clusters[i].parent);

        w->next_box[i] = w->first_box[box];
        w->first_box[box] = i;
    }
}

static void add_head(struct writer *w) {
    const struct graph_theme *t = w->theme;

    buf_printf(w->out,
               "digraph model {\n"
               "  graph [rankdir=%s, bgcolor=\"%s\", fontname=\"Helvetica\", fontsize=10];\n"
               "  node [shape=%s, style=\"%s\", fontname=\"Helvetica\", fontsize=10];\n"
               "  edge [color=\"%s\", fontcolor=\"%s\", fontname=\"Helvetica\", fontsize=8];\n",
               rank_dirs[w->view->options->graph_dir], t->background,
               t->tables ? "plaintext" : "box", t->corner > 0 ? "rounded,filled" : "filled",
               t->edge, t->edge_text);
}

static int allocate(struct writer *w, struct arena *arena, struct error *err) {
    size_t boxes = w->view->n_clusters + 1;

    w->first_node = arena_array(arena, boxes, sizeof(*w->first_node));
    w->next_node = arena_array(arena, w->view->n_nodes, sizeof(*w->next_node));
    w->first_box = arena_array(arena, boxes, sizeof(*w->first_box));
    w->next_box = arena_array(arena, boxes, sizeof(*w->next_box));
    w->open = arena_array(arena, boxes, sizeof(*w->open));
    if (!w->first_node || !w->next_node || !w->first_box || !w->next_box || !w->open) {
        return arena_error(arena, "the boxes of a DOT text", err);
    }
    return 0;
}

int graph_write_dot(struct buf *out, const struct graph_view *view, struct error *err) {
    struct writer w = {.out = out, .view = view, .theme = graph_theme_get(view->options->theme)};
    struct arena arena;
    int rc;

    arena_init(&arena, (view->n_nodes + 4 * (view->n_clusters + 1)) * 4 + 4096);
    buf_init(&w.text, TEXT_BYTES);
    buf_init(&w.shown, TEXT_BYTES);
    graph_lines_init(&w.lines);
    rc = allocate(&w, &arena, err);
    if (rc == 0 && w.theme->tables) {
        rc = graph_labels_init(&w.labels, view, w.theme, err);
    }
    if (rc == 0) {
        sort_into_boxes(&w);
        add_head(&w);
        add_boxes(&w);
        add_edges(&w);
        add_legend(&w);
        buf_add_z(out, "}\n");
        rc = buf_check(out, "graph.dot", "max-output", err);
    }
    buf_release(&w.text);
    buf_release(&w.shown);
    graph_lines_release(&w.lines);
    graph_labels_release(&w.labels);
    arena_release(&arena);
    return rc;
}
