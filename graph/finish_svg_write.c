#include <math.h>

#include "graph/finish_svg_internal.h"

void graph_svg_escape(struct buf *out, struct str text) {
    size_t from = 0;

    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        const char *escape = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;

        if (!escape) {
            continue;
        }
        buf_add_str(out, str_sub(text, from, i - from));
        buf_add_z(out, escape);
        from = i + 1;
    }
    buf_add_str(out, str_skip(text, from));
}

int64_t graph_svg_to_tenths(double v) {
    return (int64_t)floor(v * 10 + 0.5);
}

void graph_svg_tenths(struct buf *out, int64_t tenths) {
    uint64_t size = (uint64_t)(tenths < 0 ? -tenths : tenths);

    if (tenths < 0) {
        buf_add_char(out, '-');
    }
    if (size >= 10 || size == 0) {
        buf_add_u64(out, size / 10);
    }
    if (size % 10) {
        buf_add_char(out, '.');
        buf_add_char(out, (char)('0' + size % 10));
    }
}

void graph_svg_add(struct buf *out, const char *name, int64_t tenths) {
    buf_add_char(out, ' ');
    buf_add_z(out, name);
    buf_add_z(out, "=\"");
    graph_svg_tenths(out, tenths);
    buf_add_char(out, '"');
}
