#include "server/job_wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "server/memfd.h"

#define ANSWER_MAGIC 0x52534a4fu  // "OJSR" on a little-endian machine

int srv_ticket_put(struct srv_frame *f, const struct srv_ticket *t, struct slice options,
                   struct error *err) {
    int rc = srv_frame_add(f, (struct slice){(const uint8_t *)t, sizeof(*t)}, err);

    return rc < 0 ? rc : srv_frame_add(f, options, err);
}

int srv_ticket_take(const struct srv_frame *f, struct srv_ticket *t, struct slice *options,
                    struct error *err) {
    if (f->n < sizeof(*t)) {
        return error_set(err, ERR_FORMAT, "a ticket of %zu bytes is too short", f->n);
    }
    memcpy(t, f->payload, sizeof(*t));
    t->id[sizeof(t->id) - 1] = '\0';
    if ((unsigned)t->format >= GRAPH_FORMATS) {
        return error_set(err, ERR_FORMAT, "a ticket names format %u", (unsigned)t->format);
    }
    *options = (struct slice){f->payload + sizeof(*t), f->n - sizeof(*t)};
    return 0;
}

static void pack_u32(struct buf *out, uint32_t v) {
    buf_add(out, &v, sizeof(v));
}

static bool unpack_u32(struct slice *from, uint32_t *v) {
    if (from->n < sizeof(*v)) {
        return false;
    }
    memcpy(v, from->p, sizeof(*v));
    from->p += sizeof(*v);
    from->n -= sizeof(*v);
    return true;
}

static void pack_text(struct buf *out, const void *field) {
    char *text;
    struct str s;

    memcpy(&text, field, sizeof(text));
    s = str_from(text);
    pack_u32(out, (uint32_t)s.n);
    buf_add_str(out, s);
}

static bool unpack_text(struct slice *from, void *field, struct error *err) {
    uint32_t n;
    char *text;

    if (!unpack_u32(from, &n) || n > from->n || n > GRAPH_PATTERN_BYTES || memchr(from->p, 0, n)) {
        error_set(err, ERR_FORMAT, "packed options hold a malformed list");
        return false;
    }
    if (n == 0) {
        return true;
    }
    text = strndup((const char *)from->p, n);
    if (!text) {
        error_set(err, ERR_NOMEM, "no memory for options");
        return false;
    }
    memcpy(field, &text, sizeof(text));
    from->p += n;
    from->n -= n;
    return true;
}

static void pack_number(struct buf *out, const struct graph_option *row, const void *field) {
    uint32_t v;
    bool flag;

    if (row->type == GRAPH_OPTION_BOOL) {
        memcpy(&flag, field, sizeof(flag));
        v = flag;
    } else {
        memcpy(&v, field, sizeof(v));
    }
    pack_u32(out, v);
}

static uint32_t count_words(const struct graph_option *row) {
    uint32_t n = 0;

    while (row->words && row->words[n]) {
        n++;
    }
    return n;
}

static bool unpack_number(struct slice *from, const struct graph_option *row, void *field,
                          struct error *err) {
    uint32_t v = 0;
    bool flag;

    if (!unpack_u32(from, &v) || (row->type == GRAPH_OPTION_BOOL && v > 1) ||
        (row->type == GRAPH_OPTION_ENUM && v >= count_words(row))) {
        error_set(err, ERR_FORMAT, "packed options hold no value of %s", row->name);
        return false;
    }
    flag = v != 0;
    if (row->type == GRAPH_OPTION_BOOL) {
        memcpy(field, &flag, sizeof(flag));
    } else {
        memcpy(field, &v, sizeof(v));
    }
    return true;
}

void srv_options_pack(struct buf *out, const struct graph_options *o) {
    for (size_t i = 0; i < graph_option_count; i++) {
        const struct graph_option *row = &graph_option_table[i];
        const char *field = (const char *)o + row->offset;

        if (row->type == GRAPH_OPTION_PATTERNS) {
            pack_text(out, field);
        } else {
            pack_number(out, row, field);
        }
    }
}

int srv_options_unpack(struct graph_options *out, struct slice bytes, struct error *err) {
    struct graph_options o;
    struct error why = {0};
    bool fine = true;

    graph_options_init(&o);
    for (size_t i = 0; fine && i < graph_option_count; i++) {
        const struct graph_option *row = &graph_option_table[i];
        char *field = (char *)&o + row->offset;

        fine = row->type == GRAPH_OPTION_PATTERNS ? unpack_text(&bytes, field, &why)
                                                  : unpack_number(&bytes, row, field, &why);
    }
    if (fine && bytes.n) {
        fine = false;
        error_set(&why, ERR_FORMAT, "packed options have %zu bytes too many", bytes.n);
    }
    if (!fine) {
        graph_options_release(&o);
        if (err) {
            *err = why;
        }
        return why.code;
    }
    *out = o;
    return 0;
}

struct answer_head {
    uint32_t magic;
    uint32_t bytes;  // of this head
    uint64_t body_n;
    uint64_t warnings;
    uint64_t nodes;
    char producer[GRAPH_PRODUCER_BYTES];
    double cpu_ms[GRAPH_STAGES];
    struct error error;
};

uint64_t srv_answer_bytes(uint64_t max_output) {
    return max_output > UINT64_MAX - sizeof(struct answer_head)
               ? UINT64_MAX
               : max_output + sizeof(struct answer_head);
}

int srv_answer_write(int fd, const struct srv_job_result *result, struct error *err) {
    struct answer_head h;
    int rc;

    memset(&h, 0, sizeof(h));
    h.magic = ANSWER_MAGIC;
    h.bytes = sizeof(h);
    h.body_n = result->error.code ? 0 : result->n;
    h.warnings = result->warnings;
    h.nodes = result->nodes;
    memcpy(h.producer, result->producer, sizeof(h.producer));
    memcpy(h.cpu_ms, result->cpu_ms, sizeof(h.cpu_ms));
    h.error = result->error;
    rc = srv_memfd_write(fd, (struct slice){(const uint8_t *)&h, sizeof(h)}, err);
    if (rc < 0) {
        return rc;
    }
    return srv_memfd_write(fd, (struct slice){result->body, (size_t)h.body_n}, err);
}

static bool head_fits(const struct answer_head *h, uint64_t file_n, uint64_t max_output) {
    return h->magic == ANSWER_MAGIC && h->bytes == sizeof(*h) && h->body_n <= max_output &&
           h->body_n == file_n - sizeof(*h) && h->error.code <= 0 &&
           h->error.code >= ERR_UNSUPPORTED;
}

// Every char array of it may lack its NUL.
static void copy_error(struct error *out, struct error *from) {
    from->field[sizeof(from->field) - 1] = '\0';
    from->limit[sizeof(from->limit) - 1] = '\0';
    from->text[sizeof(from->text) - 1] = '\0';
    memset(out, 0, sizeof(*out));
    if (from->code == 0) {
        return;
    }
    error_set_at(out, (enum err_code)from->code, from->offset, from->field, "%s", from->text);
    utf8_copy_shown(out->limit, sizeof(out->limit), str_from(from->limit));
}

static int read_body(int fd, struct answer_head *h, uint8_t **body, struct error *err) {
    uint8_t *p;
    int rc;

    if (h->error.code < 0) {
        return 0;
    }
    p = malloc(h->body_n ? (size_t)h->body_n : 1);
    if (!p) {
        return error_set(err, ERR_NOMEM, "no memory for a document of %zu bytes",
                         (size_t)h->body_n);
    }
    rc = srv_memfd_read(fd, p, (size_t)h->body_n, sizeof(*h), err);
    if (rc < 0) {
        free(p);
    } else {
        *body = p;
    }
    return rc;
}

int srv_answer_read(int fd, uint64_t max_output, struct srv_job_result *result, struct error *err) {
    struct answer_head h;
    struct stat st;
    uint8_t *body = NULL;
    int rc;

    if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(h)) {
        return error_set(err, ERR_FORMAT, "the job left no answer");
    }
    rc = srv_memfd_read(fd, &h, sizeof(h), 0, err);
    if (rc < 0) {
        return rc;
    }
    if (!head_fits(&h, (uint64_t)st.st_size, max_output)) {
        return error_set(err, ERR_FORMAT, "the job left a malformed answer");
    }
    rc = read_body(fd, &h, &body, err);
    if (rc < 0) {
        return rc;
    }
    copy_error(&result->error, &h.error);
    result->body = body;
    result->n = body ? (size_t)h.body_n : 0;
    result->warnings = (size_t)h.warnings;
    result->nodes = h.nodes;
    h.producer[sizeof(h.producer) - 1] = '\0';
    utf8_copy_shown(result->producer, sizeof(result->producer), str_from(h.producer));
    for (size_t i = 0; i < GRAPH_STAGES; i++) {
        result->cpu_ms[i] = isfinite(h.cpu_ms[i]) && h.cpu_ms[i] >= 0 ? h.cpu_ms[i] : 0;
    }
    return 0;
}
