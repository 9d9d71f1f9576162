#include "server/problem.h"

#include "base/utf8.h"

#define WIDTH 480u
#define MARGIN 20u
#define LINE_HEIGHT 18u
#define FIRST_LINE 62u
#define LINE_CHARS 62u  // of the widest text at 13 px that fits between the margins
#define LINES_MAX 10u

// Markup of XML escaped, everything that is not fit to be shown replaced.
static void add_text(struct buf *out, struct str s) {
    struct buf shown;
    size_t i;

    buf_init(&shown, 4096);
    utf8_add_shown(&shown, s, 1024, 4096);
    for (i = 0; i < shown.n; i++) {
        switch (shown.p[i]) {
        case '<':
            buf_add_z(out, "&lt;");
            break;
        case '>':
            buf_add_z(out, "&gt;");
            break;
        case '&':
            buf_add_z(out, "&amp;");
            break;
        default:
            buf_add(out, &shown.p[i], 1);
        }
    }
    buf_release(&shown);
}

// Bytes of `s` that the next line takes: up to the last space that fits, else as much as fits.
static size_t line_length(struct str s) {
    size_t pos = 0, chars = 0, space = 0;

    while (pos < s.n && chars < LINE_CHARS) {
        if (s.p[pos] == ' ') {
            space = pos;
        }
        utf8_next(s, &pos);
        chars++;
    }
    return pos >= s.n || space == 0 ? pos : space;
}

static unsigned add_lines(struct buf *out, struct str text) {
    unsigned n = 0;

    while (text.n && n < LINES_MAX) {
        size_t take = line_length(text);

        buf_printf(out, "<text x=\"%u\" y=\"%u\">", MARGIN, FIRST_LINE + n * LINE_HEIGHT);
        add_text(out, str_sub(text, 0, take));
        buf_add_z(out, "</text>");
        text = str_trim(str_skip(text, take));
        n++;
    }
    return n;
}

void srv_problem_write_svg(struct buf *out, const struct srv_problem *p) {
    struct str title = str_from(srv_problem_title(p->status));
    struct buf lines;
    unsigned height;

    buf_init(&lines, 64 << 10);
    height = FIRST_LINE + add_lines(&lines, str_from(p->error.text)) * LINE_HEIGHT;
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
               "viewBox=\"0 0 %u %u\" role=\"img\"><title>",
               WIDTH, height, WIDTH, height);
    add_text(out, title);
    buf_add_z(out, "</title><desc>");
    add_text(out, str_from(p->error.text));
    buf_printf(out,
               "</desc><rect x=\"0.5\" y=\"0.5\" width=\"%u\" height=\"%u\" rx=\"6\" "
               "fill=\"#fff8f6\" stroke=\"#b3261e\"/><g font-family=\"Helvetica, Arial, Liberation "
               "Sans, sans-serif\" font-size=\"13\" fill=\"#3c1613\"><text x=\"%u\" y=\"34\" "
               "font-size=\"15\" font-weight=\"bold\" fill=\"#b3261e\">%u: ",
               WIDTH - 1, height - 1, MARGIN, p->status);
    add_text(out, title);
    buf_add_z(out, "</text>");
    buf_add(out, lines.p, lines.n);
    buf_add_z(out, "</g></svg>\n");
    buf_release(&lines);
}
