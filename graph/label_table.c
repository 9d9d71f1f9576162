#include <math.h>

#include "graph/label_internal.h"

// torchview's label: name and depth on the left, what goes in and what comes out on the right, each
// in a cell of its own; of a tensor only its shape. Graphviz measures the cells by the same widths,
// so the box is as large as the table.

#define CELL_PAD 4.0
#define BORDER 1.0
#define ROW_HEIGHT (GRAPH_CAPTION_SIZE * GRAPH_LINE_HEIGHT)

// Below the name: without it, the line there stands closer to the name than to the next line.
#define NAME_GAP 4.0
#define NAME_END "</td></tr><tr><td height=\"4\"></td></tr><tr><td>"
#define LEFT_OPEN \
    "<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\"><tr><td>"
#define LEFT_CLOSE "</td></tr></table>"

#define TABLE_OPEN "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\"><tr>"

// Room that Graphviz takes for a cell: its text, padding and both borders.
static double cell(double text) {
    return text + 2 * (CELL_PAD + BORDER);
}

static double add_text(struct label_builder *b, struct str text, const char *color) {
    label_add_detail(b, text, color);
    return label_detail_width(text);
}

// Name, depth and what else is to be told, one below the other.
static double add_left(struct label_builder *b, uint32_t node, const char *color, double *height) {
    const struct graph_view_node *n = &b->view->nodes[node];
    struct label_caption caption = label_caption_of_node(b, node);
    double w = label_caption_width(&caption);

    graph_lines_of_facts(&b->lines, b->view, node);
    label_markup(b, LEFT_OPEN);
    label_add_caption(b, &caption, color);
    label_markup(b, NAME_END);
    buf_reset(&b->raw);
    buf_printf(&b->raw, "depth:%u", n->depth);
    w = fmax(w, add_text(b, buf_str(&b->raw), color));
    for (size_t i = 0; i < b->lines.n; i++) {
        label_markup(b, "<br/>");
        w = fmax(w, add_text(b, graph_lines_at(&b->lines, i), color));
    }
    label_markup(b, LEFT_CLOSE);
    *height =
        ROW_HEIGHT + NAME_GAP + (double)(b->lines.n + 1) * GRAPH_DETAIL_SIZE * GRAPH_LINE_HEIGHT;
    return cell(w);
}

static double add_shapes(struct label_builder *b, const uint32_t *values, uint32_t n,
                         const char *color) {
    buf_reset(&b->raw);
    graph_shapes_text(&b->raw, b->view, values, n, GRAPH_SHAPES_MAX, GRAPH_LABEL_CHARS);
    return add_text(b, buf_str(&b->raw), color);
}

// Two rows to the right of the left cell; their widths.
static double add_right(struct label_builder *b, const struct graph_view_node *n,
                        const char *color) {
    double names, in, out;

    label_markup(b, "<td>");
    names = add_text(b, STR("input:"), color);
    label_markup(b, "</td><td>");
    in = add_shapes(b, n->inputs, n->n_inputs, color);
    label_markup(b, "</td></tr><tr><td>");
    names = fmax(names, add_text(b, STR("output:"), color));
    label_markup(b, "</td><td>");
    out = add_shapes(b, n->outputs, n->n_outputs, color);
    label_markup(b, "</td></tr></table>");
    return cell(names) + cell(fmax(in, out));
}

static double add_tensor(struct label_builder *b, const struct graph_view_node *n,
                         const char *color) {
    double w;

    label_markup(b, "<td>");
    w = add_shapes(b, &n->value, 1, color);
    label_markup(b, "</td></tr></table>");
    return cell(w);
}

int label_table(struct label_builder *b, uint32_t node, struct graph_label *label,
                struct error *err) {
    const struct graph_view_node *n = &b->view->nodes[node];
    const char *color = b->theme->nodes[n->kind].text;
    bool is_value = n->value != ONNX_NONE, shapes = b->view->options->show_shapes;
    double height, rows = 1;

    label_markup(b, TABLE_OPEN);
    label_markup(b, shapes && !is_value ? "<td rowspan=\"2\">" : "<td>");
    label->w = add_left(b, node, color, &height);
    label_markup(b, "</td>");
    if (!shapes) {
        label_markup(b, "</tr></table>");
    } else if (is_value) {
        label->w += add_tensor(b, n, color);
    } else {
        label->w += add_right(b, n, color);
        rows = 2;
    }
    label->w = label_even(label->w);
    label->h = label_even(fmax(cell(height), rows * cell(GRAPH_DETAIL_SIZE * GRAPH_LINE_HEIGHT)));
    return label_take(b, label, err);
}
