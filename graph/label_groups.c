#include "graph/label_groups.h"

#include "base/utf8.h"
#include "graph/label.h"

#define TEXT_MAX_BYTES ((size_t)1 << 20)
#define ELLIPSIS "\xE2\x80\xA6"
#define COUNT_CHARS 6u  // ", +123" behind what is left out

void label_groups_init(struct label_groups *g, uint32_t most, bool are_shapes) {
    *g = (struct label_groups){.most = most < GRAPH_SHAPES_MAX ? most : GRAPH_SHAPES_MAX,
                               .are_shapes = are_shapes};
    buf_init(&g->texts, TEXT_MAX_BYTES);
}

void label_groups_release(struct label_groups *g) {
    buf_release(&g->texts);
}

static struct str text_of(const struct label_groups *g, uint32_t i) {
    return str_sub(buf_str(&g->texts), g->items[i].from, g->items[i].n);
}

void label_groups_add(struct label_groups *g, size_t from) {
    struct str text = str_skip(buf_str(&g->texts), from);

    for (uint32_t i = 0; i < g->n; i++) {
        if (str_eq(text, text_of(g, i))) {
            g->items[i].count++;
            buf_truncate(&g->texts, from);
            return;
        }
    }
    if (g->n == g->most) {
        g->left_out++;
        buf_truncate(&g->texts, from);
        return;
    }
    g->items[g->n++] = (struct label_group){from, text.n, 1};
}

// ---- one shape

// The next dimension of what is between the parentheses of a shape; commas in parentheses of its
// own are part of it.
static bool next_dim(struct str *rest, struct str *dim) {
    size_t end = 0;
    int open = 0;

    if (rest->n == 0) {
        return false;
    }
    while (end < rest->n && (open > 0 || rest->p[end] != ',')) {
        open += (rest->p[end] == '(') - (rest->p[end] == ')');
        end++;
    }
    *dim = str_trim(str_sub(*rest, 0, end));
    *rest = str_skip(*rest, end < rest->n ? end + 1 : end);
    return true;
}

// The shape without dimensions of more than `most` characters; returns its characters.
static size_t write_shape(struct buf *out, struct str inside, size_t most) {
    size_t from = out->n;
    struct str dim;
    bool first = true;

    buf_add_char(out, '(');
    while (next_dim(&inside, &dim)) {
        buf_add_z(out, first ? "" : ", ");
        first = false;
        if (utf8_count(dim) > most) {
            buf_add_z(out, ELLIPSIS);
        } else {
            buf_add_str(out, dim);
        }
    }
    buf_add_char(out, ')');
    return utf8_count(str_skip(buf_str(out), from));
}

void label_add_shape(struct buf *out, struct str shape, size_t chars) {
    size_t from = out->n;
    struct str inside;
    struct buf clean;

    buf_init(&clean, TEXT_MAX_BYTES);
    utf8_add_shown(&clean, shape, SIZE_MAX, TEXT_MAX_BYTES);
    inside = buf_str(&clean);
    if (utf8_count(inside) <= chars || inside.n < 2) {
        buf_add_str(out, inside);
        buf_release(&clean);
        return;
    }
    inside = str_sub(inside, 1, inside.n - 2);
    for (size_t most = chars; most > 0; most--) {
        if (write_shape(out, inside, most) <= chars) {
            buf_release(&clean);
            return;
        }
        buf_truncate(out, from);
    }
    buf_add_z(out, "(" ELLIPSIS ")");
    buf_release(&clean);
}

// ---- the list

static void write_item(const struct label_groups *g, uint32_t i, struct buf *out, size_t chars) {
    buf_reset(out);
    buf_add_z(out, i ? ", " : "");
    if (g->items[i].count > 1) {
        buf_printf(out, "%u x ", g->items[i].count);
    }
    if (g->are_shapes) {
        label_add_shape(out, text_of(g, i), chars > LABEL_SHAPE_CHARS ? chars : LABEL_SHAPE_CHARS);
    } else {
        utf8_add_shown(out, text_of(g, i), chars, GRAPH_LABEL_BYTES / 4);
    }
}

// How many groups have room, the first in any case.
static uint32_t count_fitting(const struct label_groups *g, struct buf *item, size_t chars) {
    size_t used = 0;

    for (uint32_t i = 0; i < g->n; i++) {
        bool is_last = i + 1 == g->n && g->left_out == 0;

        write_item(g, i, item, chars);
        used += utf8_count(buf_str(item));
        if (i && used + (is_last ? 0 : COUNT_CHARS) > chars) {
            return i;
        }
    }
    return g->n;
}

void label_groups_write(const struct label_groups *g, struct buf *out, size_t chars) {
    uint32_t left_out = g->left_out, n;
    struct buf item;

    buf_init(&item, TEXT_MAX_BYTES);
    n = count_fitting(g, &item, chars);
    for (uint32_t i = 0; i < n; i++) {
        write_item(g, i, &item, chars);
        buf_add_str(out, buf_str(&item));
    }
    for (uint32_t i = n; i < g->n; i++) {
        left_out += g->items[i].count;
    }
    if (left_out) {
        buf_printf(out, ", +%u", left_out);
    }
    buf_release(&item);
}
