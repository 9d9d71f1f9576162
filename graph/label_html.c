#include <math.h>

#include "base/utf8.h"
#include "graph/label_internal.h"
#include "graph/metrics.h"

void label_builder_init(struct label_builder *b, const struct graph_view *view,
                        const struct graph_theme *theme, struct arena *arena) {
    *b = (struct label_builder){.view = view, .theme = theme, .arena = arena};
    buf_init(&b->raw, LABEL_TEXT_MAX_BYTES);
    buf_init(&b->caption, LABEL_TEXT_MAX_BYTES);
    buf_init(&b->html, LABEL_TEXT_MAX_BYTES);
    graph_lines_init(&b->lines);
}

void label_builder_release(struct label_builder *b) {
    buf_release(&b->raw);
    buf_release(&b->caption);
    buf_release(&b->html);
    graph_lines_release(&b->lines);
}

// ---- markup

static const char *escape_of(char c) {
    static const char *const escapes[] = {
        ['&'] = "&amp;",  ['<'] = "&lt;",   ['>'] = "&gt;",
        ['"'] = "&quot;", ['\''] = "&#39;", ['\\'] = "\\\\",
    };
    size_t i = (unsigned char)c;

    return i < ARRAY_LEN(escapes) ? escapes[i] : NULL;
}

static void html_text(struct buf *html, struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        const char *escape = escape_of(text.p[i]);

        if (escape) {
            buf_add_z(html, escape);
        } else {
            buf_add_char(html, text.p[i]);
        }
    }
}

static void html_font_open(struct buf *html, double size, const char *color) {
    buf_printf(html, "<font point-size=\"%d\" color=\"", (int)size);
    buf_add_z(html, color);
    buf_add_z(html, "\">");
}

// An empty <b></b> is no valid label.
static void html_marked(struct buf *html, const char *open, struct str text, const char *close) {
    if (!text.n) {
        return;
    }
    buf_add_z(html, open);
    html_text(html, text);
    buf_add_z(html, close);
}

void label_add_caption(struct label_builder *b, const struct label_caption *caption,
                       const char *color) {
    struct str plain = str_sub(caption->text, 0, caption->text.n - caption->italic);
    struct str italic = str_skip(caption->text, plain.n);

    html_font_open(&b->html, GRAPH_CAPTION_SIZE, color);
    html_marked(&b->html, "<b>", plain, "</b>");
    html_marked(&b->html, "<b><i>", italic, "</i></b>");
    buf_add_z(&b->html, "</font>");
}

void label_markup(struct label_builder *b, const char *html) {
    buf_add_z(&b->html, html);
}

void label_add_detail(struct label_builder *b, struct str text, const char *color) {
    html_font_open(&b->html, GRAPH_DETAIL_SIZE, color);
    html_text(&b->html, text);
    buf_add_z(&b->html, "</font>");
}

// Moves what was built into the arena, as a NUL-terminated string.
int label_take(struct label_builder *b, struct graph_label *label, struct error *err) {
    char *copy;
    int rc = buf_check(&b->html, "a label", NULL, err);

    if (rc < 0) {
        return rc;
    }
    copy = arena_alloc(b->arena, b->html.n + 1);
    if (!copy) {
        return arena_error(b->arena, "labels", err);
    }
    memcpy(copy, b->html.p, b->html.n);
    copy[b->html.n] = '\0';
    label->html = copy;
    return 0;
}

// ---- captions

double label_even(double v) {
    return 2.0 * ceil(v / 2.0);
}

// Cleans b->raw into `out`, cut for a label. What nobody named must still be seen to be something.
static struct str clean(struct label_builder *b, struct buf *out) {
    buf_reset(out);
    utf8_add_shown(out, buf_str(&b->raw), GRAPH_LABEL_CHARS, GRAPH_LABEL_BYTES);
    if (!str_trim(buf_str(out)).n) {
        buf_reset(out);
        buf_add_z(out, "unnamed");
    }
    return buf_str(out);
}

// Classes that were only inferred are set in italics, where the caption ends with one.
static struct label_caption caption_of_call(const struct graph_view *view, struct str text,
                                            uint32_t call) {
    const struct graph_hierarchy *h = &view->model->hierarchy;
    struct label_caption caption = {text, 0};
    const struct graph_module *module;
    struct str name;

    if (call >= h->n_calls) {
        return caption;
    }
    module = &h->modules[h->calls[call].module];
    if (module->class_source != GRAPH_CLASS_INFERRED) {
        return caption;
    }
    name = str_skip(module->class_name, str_rfind(module->class_name, '.') + 1);
    if (name.n && str_ends(text, name)) {
        caption.italic = name.n;
    }
    return caption;
}

double label_caption_width(const struct label_caption *caption) {
    return graph_text_width(caption->text, GRAPH_CAPTION_SIZE, true);
}

double label_detail_width(struct str text) {
    return graph_text_width(text, GRAPH_DETAIL_SIZE, false);
}

struct label_caption label_caption_of_node(struct label_builder *b, uint32_t node) {
    const struct graph_view_node *n = &b->view->nodes[node];
    struct label_caption caption = {{NULL, 0}, 0};

    buf_reset(&b->raw);
    graph_view_caption(&b->raw, b->view, node);
    caption.text = clean(b, &b->caption);
    if (n->kind == GRAPH_VIEW_MODULE || n->kind == GRAPH_VIEW_FOLD) {
        caption = caption_of_call(b->view, caption.text, n->call);
    }
    return caption;
}

struct label_caption label_caption_of_cluster(struct label_builder *b, uint32_t cluster) {
    const struct graph_view_cluster *c = &b->view->clusters[cluster];
    struct label_caption caption = {{NULL, 0}, 0};

    buf_reset(&b->raw);
    graph_view_cluster_caption(&b->raw, b->view, cluster);
    caption.text = clean(b, &b->caption);
    if (graph_cluster_is_call(c->kind)) {
        caption = caption_of_call(b->view, caption.text, c->call);
    }
    return caption;
}
