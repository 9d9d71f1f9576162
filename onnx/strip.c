#include "onnx/strip.h"

#include <stdlib.h>
#include <string.h>

#include "onnx/nesting.h"
#include "onnx/strip_internal.h"

int onnx_strip_new(struct onnx_strip **out, const struct onnx_limits *limits, struct error *err) {
    if (limits->max_depth == 0 || limits->max_depth > ONNX_NESTING_MAX) {
        return error_set(err, ERR_USAGE, "max-depth must be between 1 and %d", ONNX_NESTING_MAX);
    }
    struct onnx_strip *s = calloc(1, sizeof(*s));
    struct strip_frame *frames = calloc((size_t)limits->max_depth, sizeof(*frames));
    if (!s || !frames) {
        free(s);
        free(frames);
        return error_set(err, ERR_NOMEM, "out of memory");
    }
    s->limits = *limits;
    s->facts.complete = true;
    s->frames = frames;
    frames[0].message = ONNX_MODEL;
    frames[0].end = UINT64_MAX;
    buf_init(&s->out, limits->max_skeleton < SIZE_MAX ? (size_t)limits->max_skeleton : SIZE_MAX);
    *out = s;
    return 0;
}

void onnx_strip_free(struct onnx_strip *s) {
    if (!s) {
        return;
    }
    buf_release(&s->out);
    free(s->frames);
    free(s);
}

static int failure(const struct onnx_strip *s, struct error *err) {
    if (err) {
        *err = s->failure;
    }
    return s->failure.code;
}

static void keep_head(struct onnx_strip *s, struct slice chunk) {
    size_t room = sizeof(s->head) - s->n_head;
    size_t n = chunk.n < room ? chunk.n : room;
    if (n == 0) {
        return;
    }
    memcpy(s->head + s->n_head, chunk.p, n);
    s->n_head += n;
}

static enum strip_charset next_charset(enum strip_charset now, uint8_t byte) {
    bool is_trail = byte >= 0x80 && byte < 0xC0;
    if (now == STRIP_LATIN1_LEAD) {
        return is_trail ? STRIP_LATIN1 : STRIP_BINARY;
    }
    if (byte < 0x80) {
        return now;
    }
    return byte == 0xC2 || byte == 0xC3 ? STRIP_LATIN1_LEAD : STRIP_BINARY;
}

static void watch_charset(struct onnx_strip *s, struct slice chunk) {
    for (size_t i = 0; i < chunk.n && s->charset != STRIP_BINARY; i++) {
        if (s->facts.bytes + i < STRIP_CHARSET_BYTES) {
            s->charset = next_charset(s->charset, chunk.p[i]);
        } else {
            return;
        }
    }
}

int onnx_strip_feed(struct onnx_strip *s, struct slice chunk, struct error *err) {
    if (s->failure.code) {
        return failure(s, err);
    }
    if (chunk.n > s->limits.max_model - s->facts.bytes) {
        strip_fail(s, "max-model", "the model is larger", s->limits.max_model);
        return failure(s, err);
    }
    keep_head(s, chunk);
    watch_charset(s, chunk);
    s->facts.bytes += chunk.n;
    strip_read(s, chunk);
    return failure(s, err);
}

static bool is_between_fields(const struct onnx_strip *s) {
    return s->depth == 0 && s->state == STRIP_TAG && s->varint.n == 0 && s->group_depth == 0;
}

static bool was_text(const struct onnx_strip *s) {
    return s->replaced || s->charset == STRIP_LATIN1 || s->charset == STRIP_LATIN1_LEAD;
}

// Nodes do not count in a file that a text decoder has changed: what else is wrong in it cannot be
// told. An empty graph counts as a model, unless what is around it looks like chance: another
// format whose bytes happen to parse.
static bool is_usable(const struct onnx_strip *s) {
    if (s->facts.nodes) {
        return s->facts.complete || !was_text(s);
    }
    return s->facts.complete && s->has_graph && s->all_nodes == 0 &&
           (s->graph_fields || s->facts.unknown_fields == 0);
}

static const char *complaint(const struct onnx_strip *s) {
    if (was_text(s) && !s->facts.complete) {
        return "it was read and written as text somewhere on its way";
    }
    if (!s->facts.complete) {
        return s->facts.damage.text;
    }
    if (s->all_nodes) {
        return "no node has a readable op_type";
    }
    return "there is no graph in it";
}

static int refuse(const struct onnx_strip *s, struct error *err) {
    const struct error *damage = &s->facts.damage;
    const char *looks = onnx_sniff((struct slice){s->head, s->n_head});
    uint64_t offset = damage->code ? damage->offset : s->facts.bytes;
    if (looks) {
        return error_set_at(err, ERR_FORMAT, offset, damage->field,
                            "this is no ONNX model, it looks like %s", looks);
    }
    enum err_code code = damage->code == ERR_TRUNCATED ? ERR_TRUNCATED : ERR_FORMAT;
    return error_set_at(err, code, offset, damage->field,
                        "this is no ONNX model, or nothing of it can be read: %s", complaint(s));
}

static void shrink(struct buf *b) {
    uint8_t *p = realloc(b->p, b->n ? b->n : 1);
    if (p) {
        b->p = p;
    }
}

int onnx_strip_finish(struct onnx_strip *s, struct slice *skeleton, struct onnx_strip_facts *facts,
                      struct error *err) {
    if (s->failure.code) {
        return failure(s, err);
    }
    if (!s->stopped && !is_between_fields(s)) {
        s->token_at = s->offset;
        strip_break(s, ERR_TRUNCATED, "the file ends too early");
    }
    if (!is_usable(s)) {
        return refuse(s, err);
    }
    shrink(&s->out);
    *skeleton = buf_slice(&s->out);
    *facts = s->facts;
    s->out = (struct buf){0};
    return 0;
}
