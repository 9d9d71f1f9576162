#include "server/multipart.h"

#include <stdlib.h>

#include "base/buf.h"

#define BOUNDARY_MAX 70  // RFC 2046, section 5.1.1
#define PART_HEAD_MAX ((size_t)8 << 10)
#define LINE_END_MAX 256  // of padding behind a boundary

enum state {
    STATE_SKIP,   // before the first boundary, and in fields that nobody wants
    STATE_FIELD,  // in the wanted field
    STATE_LINE,   // behind a boundary: "--" ends the form, a line end begins a part
    STATE_HEAD,   // header fields of a part
    STATE_END,
};

struct srv_multipart {
    enum state state;
    bool found;
    const char *field;
    srv_multipart_sink sink;
    void *arg;
    char delimiter[4 + BOUNDARY_MAX];  // CR LF "--" boundary
    size_t delimiter_n;
    size_t matched;   // bytes of the delimiter at the end of what was fed
    struct buf line;  // STATE_LINE and STATE_HEAD
};

static struct str unquote(struct str s) {
    return s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"' ? str_sub(s, 1, s.n - 2) : s;
}

// Value of one parameter of a header field such as `form-data; name="model"`. Quoted values with
// ';' are cut; no boundary and no name of ours has one.
static struct str parameter(struct str value, struct str name) {
    struct str part;

    while (str_next(&value, ';', &part)) {
        struct str p = str_trim(part);

        if (p.n > name.n && p.p[name.n] == '=' && str_eq_nocase(str_sub(p, 0, name.n), name)) {
            return unquote(str_trim(str_skip(p, name.n + 1)));
        }
    }
    return (struct str){NULL, 0};
}

bool srv_multipart_type(struct str content_type, struct str *boundary) {
    struct str type = str_trim(str_sub(content_type, 0, str_find(content_type, ';')));

    *boundary = parameter(content_type, STR("boundary"));
    if (boundary->n > BOUNDARY_MAX || str_find(*boundary, '\r') != STR_NPOS) {
        *boundary = (struct str){NULL, 0};
    }
    return str_eq_nocase(type, STR("multipart/form-data"));
}

int srv_multipart_new(struct srv_multipart **out, struct str boundary, const char *field,
                      srv_multipart_sink sink, void *arg, struct error *err) {
    struct srv_multipart *m;

    if (boundary.n == 0 || boundary.n > BOUNDARY_MAX) {
        return error_set(err, ERR_USAGE, "the form's Content-Type names no usable boundary");
    }
    m = calloc(1, sizeof(*m));
    if (!m) {
        return error_set(err, ERR_NOMEM, "no memory for a form");
    }
    memcpy(m->delimiter, "\r\n--", 4);
    memcpy(m->delimiter + 4, boundary.p, boundary.n);
    m->delimiter_n = 4 + boundary.n;
    m->matched = 2;  // the first boundary may begin the body: as if a line end came before it
    m->field = field;
    m->sink = sink;
    m->arg = arg;
    buf_init(&m->line, PART_HEAD_MAX);
    *out = m;
    return 0;
}

void srv_multipart_free(struct srv_multipart *m) {
    if (m) {
        buf_release(&m->line);
        free(m);
    }
}

static int emit(struct srv_multipart *m, const void *p, size_t n, struct error *err) {
    if (m->state != STATE_FIELD || n == 0) {
        return 0;
    }
    return m->sink(m->arg, (struct slice){p, n}, err);
}

static void enter_line(struct srv_multipart *m) {
    m->state = STATE_LINE;
    m->matched = 0;
    buf_reset(&m->line);
}

// Goes on with a delimiter that began in an earlier chunk. CR stands at its front only, so a match
// that fails can begin anew nowhere but at the byte that broke it.
static int resume_match(struct srv_multipart *m, struct slice *rest, struct error *err) {
    size_t had = m->matched;

    while (rest->n && m->matched && m->matched < m->delimiter_n) {
        if ((char)rest->p[0] != m->delimiter[m->matched]) {
            m->matched = 0;
            return emit(m, m->delimiter, had, err);
        }
        m->matched++;
        had++;
        rest->p++;
        rest->n--;
    }
    if (m->matched == m->delimiter_n) {
        enter_line(m);
    }
    return 0;
}

// Length of the longest end of `s` that begins a delimiter.
static size_t begun_match(const struct srv_multipart *m, struct slice s) {
    size_t far = s.n < m->delimiter_n - 1 ? s.n : m->delimiter_n - 1;
    const uint8_t *from = s.p + s.n - far;
    const uint8_t *cr = far ? memrchr(from, '\r', far) : NULL;
    size_t n = cr ? (size_t)(s.p + s.n - cr) : 0;

    return n && memcmp(cr, m->delimiter, n) == 0 ? n : 0;
}

static int feed_content(struct srv_multipart *m, struct slice *rest, struct error *err) {
    const uint8_t *at;
    struct slice all;
    int rc;

    if (m->matched) {
        return resume_match(m, rest, err);
    }
    all = *rest;
    at = memmem(all.p, all.n, m->delimiter, m->delimiter_n);
    if (at) {
        size_t before = (size_t)(at - all.p);

        rc = emit(m, all.p, before, err);
        enter_line(m);
        rest->p += before + m->delimiter_n;
        rest->n -= before + m->delimiter_n;
        return rc;
    }
    m->matched = begun_match(m, all);
    rest->p += all.n;
    rest->n = 0;
    return emit(m, all.p, all.n - m->matched, err);
}

static int feed_line(struct srv_multipart *m, struct slice *rest, struct error *err) {
    struct str line;

    buf_add(&m->line, rest->p, 1);
    rest->p++;
    rest->n--;
    line = buf_str(&m->line);
    if (line.n == 2 && str_starts(line, STR("--"))) {
        m->state = STATE_END;
    } else if (line.n && line.p[line.n - 1] == '\n') {
        if (str_trim(line).n) {
            return error_set(err, ERR_USAGE, "the form has text behind a boundary");
        }
        m->state = STATE_HEAD;
        buf_reset(&m->line);
    } else if (line.n > LINE_END_MAX) {
        return error_set(err, ERR_USAGE, "the form has a boundary without a line end");
    }
    return 0;
}

static bool is_wanted(const struct srv_multipart *m, struct str head) {
    struct str line;

    while (str_next(&head, '\n', &line)) {
        size_t colon = str_find(line, ':');

        if (str_eq_nocase(str_trim(str_sub(line, 0, colon)), STR("Content-Disposition"))) {
            return colon != STR_NPOS &&
                   str_eq_z(parameter(str_skip(line, colon + 1), STR("name")), m->field);
        }
    }
    return false;
}

static int feed_head(struct srv_multipart *m, struct slice *rest, struct error *err) {
    struct str head;

    buf_add(&m->line, rest->p, 1);
    rest->p++;
    rest->n--;
    if (m->line.failed) {
        return error_set(err, ERR_USAGE, "a part of the form has a head of more than %zu bytes",
                         PART_HEAD_MAX);
    }
    head = buf_str(&m->line);
    if (str_eq_z(head, "\r\n") || str_ends(head, STR("\r\n\r\n"))) {
        bool wanted = !m->found && is_wanted(m, head);

        m->found |= wanted;
        m->state = wanted ? STATE_FIELD : STATE_SKIP;
        m->matched = 0;
        buf_reset(&m->line);
    }
    return 0;
}

int srv_multipart_feed(struct srv_multipart *m, struct slice chunk, struct error *err) {
    int rc = 0;

    while (rc == 0 && chunk.n && m->state != STATE_END) {
        if (m->state == STATE_LINE) {
            rc = feed_line(m, &chunk, err);
        } else if (m->state == STATE_HEAD) {
            rc = feed_head(m, &chunk, err);
        } else {
            rc = feed_content(m, &chunk, err);
        }
    }
    return rc;
}

int srv_multipart_finish(const struct srv_multipart *m, struct error *err) {
    if (m->state != STATE_END) {
        return error_set(err, ERR_USAGE, "the form ends before its last boundary");
    }
    if (!m->found) {
        return error_set(err, ERR_USAGE, "the form has no field named \"%s\"", m->field);
    }
    return 0;
}
