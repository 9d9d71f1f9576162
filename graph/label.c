#include "graph/label.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "graph/metrics.h"

#define LABELS_MAX_BYTES ((size_t)256 << 20)
#define TEXT_MAX_BYTES ((size_t)1 << 20)  // of one caption before it is cut
#define PAD_X 9.0
#define PAD_Y 4.0
#define NODE_MIN_WIDTH 48.0
#define SHAPES_SHOWN 2   // distinct ones on each side of the arrow
#define SHAPES_CHARS 40  // of each side
#define ARROW "\xE2\x86\x92 "

#define TABLE_OPEN \
    "<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\"><tr><td>"
#define TABLE_ROW "</td></tr><tr><td>"
#define TABLE_CLOSE "</td></tr></table>"
// Lines have more room above their letters than below: two of them look low without it.
#define TABLE_FOOT "</td></tr><tr><td height=\"4\"></td></tr></table>"

// Buffers of one builder, reused from label to label.
struct builder {
    const struct graph_view *view;
    const struct graph_theme *theme;
    struct arena *arena;
    struct buf raw;      // text as it came
    struct buf caption;  // cleaned
    struct buf detail;   // cleaned
    struct buf html;
};

// A caption and the part of it that is set in italics: the last `italic` bytes.
struct caption {
    struct str text;
    size_t italic;
};

static void builder_init(struct builder *b, const struct graph_view *view,
                         const struct graph_theme *theme, struct arena *arena)
{
    *b = (struct builder){.view = view, .theme = theme, .arena = arena};
    buf_init(&b->raw, TEXT_MAX_BYTES);
    buf_init(&b->caption, TEXT_MAX_BYTES);
    buf_init(&b->detail, TEXT_MAX_BYTES);
    buf_init(&b->html, TEXT_MAX_BYTES);
}

static void builder_release(struct builder *b)
{
    buf_release(&b->raw);
    buf_release(&b->caption);
    buf_release(&b->detail);
    buf_release(&b->html);
}

// ---- the escaping builder

static const char *escape_of(char c)
{
    static const char *const escapes[] = {
        ['&'] = "&amp;",  ['<'] = "&lt;",   ['>'] = "&gt;",
        ['"'] = "&quot;", ['\''] = "&#39;", ['\\'] = "\\\\",
    };
    size_t i = (unsigned char)c;

    return i < ARRAY_LEN(escapes) ? escapes[i] : NULL;
}

static void html_text(struct buf *html, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        const char *escape = escape_of(text.p[i]);

        if (escape)
            buf_add_z(html, escape);
        else
            buf_add_char(html, text.p[i]);
    }
}

static void html_font_open(struct buf *html, double size, const char *color)
{
    buf_printf(html, "<font point-size=\"%d\" color=\"", (int)size);
    buf_add_z(html, color);
    buf_add_z(html, "\">");
}

// An empty <b></b> is no valid label.
static void html_marked(struct buf *html, const char *open, struct str text, const char *close)
{
    if (!text.n)
        return;
    buf_add_z(html, open);
    html_text(html, text);
    buf_add_z(html, close);
}

static void html_caption(struct builder *b, const struct caption *caption, const char *color)
{
    struct str plain = str_sub(caption->text, 0, caption->text.n - caption->italic);
    struct str italic = str_skip(caption->text, plain.n);

    html_font_open(&b->html, GRAPH_CAPTION_SIZE, color);
    html_marked(&b->html, "<b>", plain, "</b>");
    html_marked(&b->html, "<b><i>", italic, "</i></b>");
    buf_add_z(&b->html, "</font>");
}

static void html_detail(struct builder *b, struct str text, const char *color)
{
    html_font_open(&b->html, GRAPH_DETAIL_SIZE, color);
    html_text(&b->html, text);
    buf_add_z(&b->html, "</font>");
}

// Moves what was built into the arena, as a NUL-terminated string.
static int html_take(struct builder *b, struct graph_label *label, struct error *err)
{
    char *copy;
    int rc = buf_check(&b->html, "a label", NULL, err);

    if (rc < 0)
        return rc;
    copy = arena_alloc(b->arena, b->html.n + 1);
    if (!copy)
        return arena_error(b->arena, "labels", err);
    memcpy(copy, b->html.p, b->html.n);
    copy[b->html.n] = '\0';
    label->html = copy;
    return 0;
}

// ---- captions

static double even_up(double v)
{
    return 2.0 * ceil(v / 2.0);
}

// Cleans b->raw into `out`, cut for a label. What nobody named must still be seen to be something.
static struct str clean(struct builder *b, struct buf *out)
{
    buf_reset(out);
    utf8_add_shown(out, buf_str(&b->raw), GRAPH_LABEL_CHARS, GRAPH_LABEL_BYTES);
    if (!str_trim(buf_str(out)).n) {
        buf_reset(out);
        buf_add_z(out, "unnamed");
    }
    return buf_str(out);
}

// Classes that were only inferred are set in italics, where the caption ends with one.
static struct caption caption_of_call(const struct graph_view *view, struct str text, uint32_t call)
{
    const struct graph_hierarchy *h = &view->model->hierarchy;
    struct caption caption = {text, 0};
    const struct graph_module *module;
    struct str name;

    if (call >= h->n_calls)
        return caption;
    module = &h->modules[h->calls[call].module];
    if (module->class_source != GRAPH_CLASS_INFERRED)
        return caption;
    name = str_skip(module->class_name, str_rfind(module->class_name, '.') + 1);
    if (name.n && str_ends(text, name))
        caption.italic = name.n;
    return caption;
}

static double caption_width(const struct caption *caption)
{
    return graph_text_width(caption->text, GRAPH_CAPTION_SIZE, true);
}

// ---- the line of shapes

static bool is_known(const struct graph_view *view, uint32_t value)
{
    return view->model->shapes.values[value].has_rank;
}

static bool any_known(const struct graph_view *view, const uint32_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (is_known(view, values[i]))
            return true;
    return false;
}

// Equal shapes are grouped as torchview does: "(2, 3), 2 x (2, 2)".
struct shape_group {
    size_t from, n;  // in the buffer of texts
    uint32_t count;
};

static bool group_add(struct shape_group *groups, uint32_t *n, struct buf *texts, size_t from)
{
    struct str text = str_skip(buf_str(texts), from);

    for (uint32_t i = 0; i < *n; i++) {
        if (str_eq(text, str_sub(buf_str(texts), groups[i].from, groups[i].n))) {
            groups[i].count++;
            buf_truncate(texts, from);
            return true;
        }
    }
    if (*n == SHAPES_SHOWN) {
        buf_truncate(texts, from);
        return false;
    }
    groups[(*n)++] = (struct shape_group){from, text.n, 1};
    return true;
}

static void add_side(struct builder *b, const uint32_t *values, uint32_t n_values)
{
    struct shape_group groups[SHAPES_SHOWN];
    uint32_t n = 0, left_out = 0;
    struct buf line;

    buf_reset(&b->raw);
    for (uint32_t i = 0; i < n_values; i++) {
        size_t from = b->raw.n;

        graph_shape_text(&b->raw, &b->view->model->shapes.values[values[i]]);
        if (!group_add(groups, &n, &b->raw, from))
            left_out++;
    }
    buf_init(&line, TEXT_MAX_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        buf_add_z(&line, i ? ", " : "");
        if (groups[i].count > 1)
            buf_printf(&line, "%u x ", groups[i].count);
        buf_add_str(&line, str_sub(buf_str(&b->raw), groups[i].from, groups[i].n));
    }
    if (left_out)
        buf_printf(&line, ", +%u", left_out);
    utf8_add_shown(&b->detail, buf_str(&line), SHAPES_CHARS, GRAPH_LABEL_BYTES / 2);
    buf_release(&line);
}

static bool is_value_node(const struct graph_view_node *node)
{
    return node->value != ONNX_NONE;
}

// Leaves b->detail empty when nothing is known.
static struct str detail_of_node(struct builder *b, const struct graph_view_node *node)
{
    const struct graph_view *view = b->view;

    buf_reset(&b->detail);
    if (!view->options->show_shapes)
        return buf_str(&b->detail);
    if (is_value_node(node)) {
        if (is_known(view, node->value))
            add_side(b, &node->value, 1);
        return buf_str(&b->detail);
    }
    if (any_known(view, node->inputs, node->n_inputs))
        add_side(b, node->inputs, node->n_inputs);
    if (any_known(view, node->outputs, node->n_outputs)) {
        buf_add_z(&b->detail, b->detail.n ? " " ARROW : ARROW);
        add_side(b, node->outputs, node->n_outputs);
    } else if (b->detail.n) {
        buf_add_z(&b->detail, " " ARROW "?");
    }
    return buf_str(&b->detail);
}

// ---- labels

static int label_node(struct builder *b, uint32_t i, struct graph_label *label, struct error *err)
{
    const struct graph_view_node *node = &b->view->nodes[i];
    struct caption caption = {{NULL, 0}, 0};
    struct str detail;
    double w, h = GRAPH_CAPTION_SIZE * GRAPH_LINE_HEIGHT;

    buf_reset(&b->raw);
    graph_view_caption(&b->raw, b->view, i);
    caption.text = clean(b, &b->caption);
    if (node->kind == GRAPH_VIEW_MODULE || node->kind == GRAPH_VIEW_FOLD)
        caption = caption_of_call(b->view, caption.text, node->call);
    w = caption_width(&caption);
    detail = detail_of_node(b, node);

    buf_reset(&b->html);
    buf_add_z(&b->html, TABLE_OPEN);
    html_caption(b, &caption, b->theme->nodes[node->kind].text);
    if (detail.n) {
        buf_add_z(&b->html, TABLE_ROW);
        html_detail(b, detail, b->theme->detail);
        w = fmax(w, graph_text_width(detail, GRAPH_DETAIL_SIZE, false));
        h += GRAPH_DETAIL_SIZE * GRAPH_LINE_HEIGHT;
    }
    buf_add_z(&b->html, detail.n ? TABLE_FOOT : TABLE_CLOSE);
    label->w = fmax(NODE_MIN_WIDTH, even_up(w + 2 * PAD_X));
    label->h = even_up(h + 2 * PAD_Y);
    return html_take(b, label, err);
}

static int label_cluster(struct builder *b, uint32_t i, struct graph_label *label,
                         struct error *err)
{
    const struct graph_view_cluster *cluster = &b->view->clusters[i];
    struct caption caption = {{NULL, 0}, 0};

    buf_reset(&b->raw);
    graph_view_cluster_caption(&b->raw, b->view, i);
    caption.text = clean(b, &b->caption);
    if (cluster->kind == GRAPH_CLUSTER_MODULE)
        caption = caption_of_call(b->view, caption.text, cluster->call);

    buf_reset(&b->html);
    buf_add_z(&b->html, TABLE_OPEN);
    html_caption(b, &caption, b->theme->clusters[cluster->kind].text);
    buf_add_z(&b->html, TABLE_CLOSE);
    label->w = even_up(caption_width(&caption));
    label->h = even_up(GRAPH_CAPTION_SIZE * GRAPH_LINE_HEIGHT);
    return html_take(b, label, err);
}

static int label_edge(struct builder *b, uint32_t i, struct graph_label *label, struct error *err)
{
    const struct graph_view_edge *edge = &b->view->edges[i];

    if (edge->count < 2)
        return 0;
    buf_reset(&b->detail);
    buf_printf(&b->detail, "x%u", edge->count);
    buf_reset(&b->html);
    buf_add_z(&b->html, TABLE_OPEN);
    html_detail(b, buf_str(&b->detail), b->theme->edge_text);
    buf_add_z(&b->html, TABLE_CLOSE);
    label->w = even_up(graph_text_width(buf_str(&b->detail), GRAPH_DETAIL_SIZE, false));
    label->h = even_up(GRAPH_DETAIL_SIZE * GRAPH_LINE_HEIGHT);
    return html_take(b, label, err);
}

typedef int label_fn(struct builder *b, uint32_t i, struct graph_label *label, struct error *err);

static int label_all(struct builder *b, size_t n, label_fn *fn, struct graph_label **out,
                     struct error *err)
{
    *out = arena_array(b->arena, n, sizeof(**out));
    if (!*out)
        return arena_error(b->arena, "labels", err);
    for (uint32_t i = 0; i < n; i++) {
        int rc = fn(b, i, &(*out)[i], err);

        if (rc < 0)
            return rc;
    }
    return 0;
}

int graph_labels_init(struct graph_labels *out, const struct graph_view *view,
                      const struct graph_theme *theme, struct error *err)
{
    struct graph_labels labels = {0};
    struct builder b;
    int rc;

    arena_init(&labels.arena, LABELS_MAX_BYTES);
    builder_init(&b, view, theme, &labels.arena);
    rc = label_all(&b, view->n_nodes, label_node, &labels.nodes, err);
    if (rc == 0)
        rc = label_all(&b, view->n_clusters, label_cluster, &labels.clusters, err);
    if (rc == 0)
        rc = label_all(&b, view->n_edges, label_edge, &labels.edges, err);
    builder_release(&b);
    if (rc < 0)
        graph_labels_release(&labels);
    else
        *out = labels;
    return rc;
}

void graph_labels_release(struct graph_labels *labels)
{
    if (!labels)
        return;
    arena_release(&labels->arena);
    *labels = (struct graph_labels){0};
}
