#include "graph/write_dot.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "graph/shape.h"
#include "graph/theme.h"

#define TEXT_BYTES ((size_t)1 << 20)
#define TEXT_CHARS 200u  // of one line of a label
#define SHAPES_SHOWN 4u  // of one side of a label

static const char *const rank_dirs[] = {"TB", "LR", "BT", "RL"};

struct writer {
    struct buf *out;
    const struct graph_view *view;
    const struct graph_theme *theme;
    struct buf text, shown;
    uint32_t *first_node, *next_node;  // per cluster + 1 (the last: outside all), per node
    uint32_t *first_box, *next_box;
    uint32_t *open;  // clusters whose brace is open
};

// What is in w->text, as one line of a quoted label. Graphviz reads backslashes and character
// references in labels; a quote would end the string.
static void flush_text(struct writer *w)
{
    struct str s;

    utf8_add_shown(&w->shown, buf_str(&w->text), TEXT_CHARS, TEXT_BYTES);
    s = buf_str(&w->shown);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '&') {
            buf_add_z(w->out, "&amp;");
            continue;
        }
        if (s.p[i] == '"' || s.p[i] == '\\')
            buf_add_char(w->out, '\\');
        buf_add_char(w->out, s.p[i]);
    }
    buf_reset(&w->text);
    buf_reset(&w->shown);
}

static void add_shapes(struct writer *w, const uint32_t *values, uint32_t n)
{
    uint32_t shown = n > SHAPES_SHOWN ? SHAPES_SHOWN : n;

    for (uint32_t i = 0; i < shown; i++) {
        if (i)
            buf_add_z(&w->text, ", ");
        graph_shape_text(&w->text, &w->view->model->shapes.values[values[i]]);
    }
    if (n > shown)
        buf_printf(&w->text, ", +%u", n - shown);
}

static bool any_known(const struct writer *w, const uint32_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (w->view->model->shapes.values[values[i]].has_rank)
            return true;
    return false;
}

static void add_shape_line(struct writer *w, const struct graph_view_node *node)
{
    if (!w->view->options->show_shapes || (!any_known(w, node->inputs, node->n_inputs) &&
                                           !any_known(w, node->outputs, node->n_outputs)))
        return;
    if (node->kind == GRAPH_VIEW_MODULE || node->kind == GRAPH_VIEW_OPERATOR) {
        add_shapes(w, node->inputs, node->n_inputs);
        buf_add_z(&w->text, " -> ");
        add_shapes(w, node->outputs, node->n_outputs);
    } else if (node->n_outputs) {
        add_shapes(w, node->outputs, node->n_outputs);
    } else {
        add_shapes(w, node->inputs, node->n_inputs);
    }
    buf_add_z(w->out, "\\n");
    flush_text(w);
}

static void add_paint(struct writer *w, const char *fill, const struct graph_paint *paint)
{
    buf_printf(w->out, ", fillcolor=\"%s\", color=\"%s\", fontcolor=\"%s\"", fill, paint->stroke,
               paint->text);
}

static void add_node(struct writer *w, uint32_t index)
{
    const struct graph_view_node *node = &w->view->nodes[index];
    const struct graph_paint *paint = &w->theme->nodes[node->kind];

    buf_printf(w->out, "  n%u [label=\"", index);
    graph_view_caption(&w->text, w->view, index);
    flush_text(w);
    add_shape_line(w, node);
    buf_add_char(w->out, '"');
    add_paint(w, paint->fill, paint);
    buf_add_z(w->out, "];\n");
}

static void open_box(struct writer *w, uint32_t index)
{
    const struct graph_view_cluster *cluster = &w->view->clusters[index];

    buf_printf(w->out, "  subgraph cluster_m%u {\n  graph [label=\"", index);
    graph_view_cluster_caption(&w->text, w->view, index);
    flush_text(w);
    buf_add_z(w->out, "\", style=\"rounded,filled\", labeljust=l");
    add_paint(w, graph_theme_cluster_fill(w->theme, cluster), &w->theme->clusters[cluster->kind]);
    buf_add_z(w->out, "];\n");
}

static void add_nodes_of(struct writer *w, uint32_t box)
{
    for (uint32_t n = w->first_node[box]; n != ONNX_NONE; n = w->next_node[n])
        add_node(w, n);
}

// Boxes in boxes, with a stack of our own: their depth comes out of the file.
static void add_boxes(struct writer *w)
{
    uint32_t outside = (uint32_t)w->view->n_clusters, n = 1;

    w->open[0] = outside;
    add_nodes_of(w, outside);
    while (n > 0) {
        uint32_t box = w->open[n - 1], child = w->first_box[box];

        if (child == ONNX_NONE) {
            if (box != outside)
                buf_add_z(w->out, "  }\n");
            n--;
            continue;
        }
        w->first_box[box] = w->next_box[child];
        open_box(w, child);
        add_nodes_of(w, child);
        w->open[n++] = child;
    }
}

static void add_edges(struct writer *w)
{
    for (size_t i = 0; i < w->view->n_edges; i++) {
        const struct graph_view_edge *edge = &w->view->edges[i];

        buf_printf(w->out, "  n%u -> n%u", edge->from, edge->to);
        if (edge->count > 1)
            buf_printf(w->out, " [label=\"x%u\"]", edge->count);
        buf_add_z(w->out, ";\n");
    }
}

static uint32_t box_index(const struct writer *w, uint32_t cluster)
{
    return cluster == ONNX_NONE ? (uint32_t)w->view->n_clusters : cluster;
}

// Lists per box, filled from the back so that they run in order.
static void sort_into_boxes(struct writer *w)
{
    for (size_t i = 0; i <= w->view->n_clusters; i++)
        w->first_node[i] = w->first_box[i] = ONNX_NONE;
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

static void add_head(struct writer *w)
{
    const struct graph_theme *t = w->theme;

    buf_printf(
        w->out,
        "digraph model {\n"
        "  graph [rankdir=%s, bgcolor=\"%s\", fontname=\"Helvetica\", fontsize=10];\n"
        "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=10];\n"
        "  edge [color=\"%s\", fontcolor=\"%s\", fontname=\"Helvetica\", fontsize=8];\n",
        rank_dirs[w->view->options->graph_dir], t->background, t->edge, t->edge_text);
}

static int allocate(struct writer *w, struct arena *arena, struct error *err)
{
    size_t boxes = w->view->n_clusters + 1;

    w->first_node = arena_array(arena, boxes, sizeof(*w->first_node));
    w->next_node = arena_array(arena, w->view->n_nodes, sizeof(*w->next_node));
    w->first_box = arena_array(arena, boxes, sizeof(*w->first_box));
    w->next_box = arena_array(arena, boxes, sizeof(*w->next_box));
    w->open = arena_array(arena, boxes, sizeof(*w->open));
    if (!w->first_node || !w->next_node || !w->first_box || !w->next_box || !w->open)
        return arena_error(arena, "the boxes of a DOT text", err);
    return 0;
}

int graph_write_dot(struct buf *out, const struct graph_view *view, struct error *err)
{
    struct writer w = {.out = out, .view = view, .theme = graph_theme_get(view->options->theme)};
    struct arena arena;
    int rc;

    arena_init(&arena, (view->n_nodes + 4 * (view->n_clusters + 1)) * 4 + 4096);
    buf_init(&w.text, TEXT_BYTES);
    buf_init(&w.shown, TEXT_BYTES);
    rc = allocate(&w, &arena, err);
    if (rc == 0) {
        sort_into_boxes(&w);
        add_head(&w);
        add_boxes(&w);
        add_edges(&w);
        buf_add_z(out, "}\n");
        rc = buf_check(out, "graph.dot", "max-output", err);
    }
    buf_release(&w.text);
    buf_release(&w.shown);
    arena_release(&arena);
    return rc;
}
