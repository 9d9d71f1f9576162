#include "graph/write_html.h"

#include <string.h>

#include "base/base64.h"
#include "base/sha256.h"

// What stands between the first `open` and the `close` behind it; {NULL, 0} without either.
static struct str between(struct str text, struct str open, struct str close) {
    const char *at = text.n ? memmem(text.p, text.n, open.p, open.n) : NULL;
    struct str rest = at ? str_skip(text, (size_t)(at - text.p) + open.n) : (struct str){0};
    const char *end = rest.n ? memmem(rest.p, rest.n, close.p, close.n) : NULL;

    return end ? str_sub(rest, 0, (size_t)(end - rest.p)) : (struct str){0};
}

void graph_html_policy(struct buf *out, struct str page) {
    struct str script = between(page, STR("<script>"), STR("</script>"));
    uint8_t digest[SHA256_BYTES];
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, slice_from_str(script));
    sha256_done(&s, digest);
    buf_add_z(out, "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-");
    base64_add(out, (struct slice){digest, sizeof(digest)});
    buf_add_z(out, "'");
}

// Appends what is before `mark` and moves *rest behind it.
static bool copy_to(struct buf *out, struct str *rest, struct str mark) {
    const char *at = rest->n ? memmem(rest->p, rest->n, mark.p, mark.n) : NULL;
    size_t before = at ? (size_t)(at - rest->p) : 0;

    if (!at) {
        return false;
    }
    buf_add_str(out, str_sub(*rest, 0, before));
    *rest = str_skip(*rest, before + mark.n);
    return true;
}

int graph_write_html(struct buf *out, struct str page, struct str svg, struct error *err) {
    struct str rest = page;
    struct str title = between(svg, STR("<title>"), STR("</title>"));  // markup is escaped in it

    if (!copy_to(out, &rest, STR("%POLICY%"))) {
        return error_set(err, ERR_BUG, "the page has no place for its policy");
    }
    graph_html_policy(out, page);
    if (!copy_to(out, &rest, STR("%TITLE%"))) {
        return error_set(err, ERR_BUG, "the page has no place for its title");
    }
    buf_add_str(out, title.n ? title : STR("onnxscope"));
    if (!copy_to(out, &rest, STR("%PICTURE%"))) {
        return error_set(err, ERR_BUG, "the page has no place for the picture");
    }
    buf_add_str(out, str_trim(svg));
    buf_add_str(out, rest);
    return buf_check(out, "the page", "max-output", err);
}
