#include <string.h>

#include "base/num.h"
#include "onnx/optype.h"
#include "onnx/strip_internal.h"

// Some 30 bytes a level.
#define PATH_MAX_BYTES ((size_t)64 << 10)

// ---- what is wrong, and where

// "graph.node[17].attribute[2].name"
static void write_path(const struct onnx_strip *s, struct buf *path) {
    for (size_t i = 1; i <= s->depth; i++) {
        const struct strip_frame *f = &s->frames[i];
        buf_add_z(path, i > 1 ? "." : "");
        buf_add_z(path, f->field->name);
        if (f->field->repeated) {
            buf_printf(path, "[%u]", f->index);
        }
    }
    if (s->field) {
        buf_add_z(path, path->n ? "." : "");
        buf_add_z(path, s->field->name);
    }
    buf_add_char(path, '\0');
}

// The first damage is told; struct error cuts a path that is too long.
static bool note_damage(struct onnx_strip *s, enum err_code code, const char *what) {
    struct buf path;
    s->facts.complete = false;
    if (s->facts.damage.code) {
        return false;
    }
    buf_init(&path, PATH_MAX_BYTES);
    write_path(s, &path);
    (void)error_set_at(&s->facts.damage, code, s->token_at,
                       path.failed ? NULL : (const char *)path.p, "%s", what);
    buf_release(&path);
    return true;
}

void strip_flag(struct onnx_strip *s, const char *limit, const char *what) {
    struct error named;
    if (!note_damage(s, ERR_FORMAT, what)) {
        return;
    }
    (void)error_set_limit(&named, limit, "%s", what);
    memcpy(s->facts.damage.limit, named.limit, sizeof(named.limit));
}

void strip_fail(struct onnx_strip *s, const char *limit, const char *what, uint64_t value) {
    s->stopped = true;
    if (s->out.failed == ERR_NOMEM) {
        (void)error_set(&s->failure, ERR_NOMEM, "out of memory for the model without its weights");
        return;
    }
    (void)error_set_limit(&s->failure, limit, "%s than the limit of %llu", what,
                          (unsigned long long)value);
    s->failure.offset = s->offset;
}

// ---- writing

void strip_put_tag(struct onnx_strip *s, uint32_t number, enum onnx_wire wire) {
    uint8_t *to = buf_reserve(&s->out, ONNX_VARINT_BYTES);
    if (to) {
        s->out.n += onnx_varint_put(to, onnx_tag(number, wire));
    }
}

void strip_patch_length(struct onnx_strip *s, size_t body_at, uint64_t declared) {
    if (s->out.failed) {
        return;
    }
    uint8_t length[ONNX_VARINT_BYTES];
    size_t reserved = onnx_varint_size(declared);
    size_t body = s->out.n - body_at;
    size_t size = onnx_varint_put(length, body);
    uint8_t *at = s->out.p + body_at - reserved;
    memcpy(at, length, size);
    if (size == reserved) {
        return;
    }
    // Dropping only shortens: the length never needs more room than was reserved.
    memmove(at + size, at + reserved, body);
    buf_truncate(&s->out, s->out.n - (reserved - size));
}

// ---- tensors

static void drop_payload(struct onnx_strip *s, struct strip_frame *tensor) {
    struct slice rest = {s->out.p + tensor->body_at, s->out.n - tensor->body_at};
    size_t kept = tensor->body_at;
    struct onnx_wire_field field;
    while (onnx_wire_next(&rest, &field)) {
        const struct onnx_field *known = onnx_schema_field(ONNX_TENSOR, field.number);
        if (known && known->payload) {
            continue;
        }
        memmove(s->out.p + kept, field.whole.p, field.whole.n);
        kept += field.whole.n;
    }
    buf_truncate(&s->out, kept);
    s->field_at = kept;
}

bool strip_payload_fits(struct onnx_strip *s, uint64_t bytes) {
    struct strip_frame *tensor = strip_top(s);
    if (tensor->dropped) {
        return false;
    }
    uint64_t taken;
    tensor->empty += bytes == 0;
    if (num_add(&taken, tensor->payload, bytes) && num_add(&taken, taken, tensor->empty) &&
        taken <= s->limits.max_tensor) {
        tensor->payload += bytes;
        return true;
    }
    tensor->dropped = true;
    s->facts.dropped_tensors++;
    s->facts.dropped_bytes += tensor->payload;
    if (tensor->payload + tensor->empty && !s->out.failed) {
        drop_payload(s, tensor);
    }
    return false;
}

// ---- messages

static bool too_deep(struct onnx_strip *s) {
    const struct onnx_field *field = s->field;
    if (s->depth + 1 >= s->limits.max_depth) {
        strip_flag(s, "max-depth", "messages are nested deeper than max-depth: left out");
        return true;
    }
    if (field->message == ONNX_GRAPH && strip_top(s)->graphs > s->limits.max_graph_depth) {
        strip_flag(s, "max-graph-depth", "graphs are nested deeper than max-graph-depth: left out");
        return true;
    }
    return false;
}

static void push(struct onnx_strip *s, uint64_t length) {
    struct strip_frame *parent = strip_top(s);
    struct strip_frame *f = &s->frames[++s->depth];
    *f = (struct strip_frame){
        .message = s->field->message,
        .field = s->field,
        .index = parent->counts[s->number]++,
        .length = length,
        .end = s->offset + length,
        .tag_at = s->field_at,
        .graphs = parent->graphs + (s->field->message == ONNX_GRAPH),
        .nodes_before = s->facts.nodes,
    };
}

void strip_open(struct onnx_strip *s, uint64_t length) {
    if (too_deep(s)) {
        s->keep = false;
        s->left = length;
        s->state = STRIP_SKIP;
        if (length == 0) {
            strip_settle(s);
        }
        return;
    }
    if (++s->messages > s->limits.max_messages) {
        strip_fail(s, "max-messages", "the model has more messages", s->limits.max_messages);
        return;
    }
    s->has_graph |= s->depth == 0 && s->field->message == ONNX_GRAPH;
    push(s, length);
    strip_put_tag(s, s->number, ONNX_WIRE_BYTES);
    uint8_t *to = buf_reserve(&s->out, ONNX_VARINT_BYTES);
    if (to) {
        s->out.n += onnx_varint_put(to, length);
    }
    strip_top(s)->body_at = s->out.n;
    strip_settle(s);
}

static void count_node(struct onnx_strip *s, const struct strip_frame *node) {
    struct str op = {(const char *)s->out.p + node->op_at, node->op_n};
    if (++s->all_nodes > s->limits.max_nodes) {
        strip_fail(s, "max-nodes", "the model has more nodes", s->limits.max_nodes);
    }
    if (onnx_optype_readable(op)) {
        s->facts.nodes++;
    }
}

static void close_top(struct onnx_strip *s) {
    struct strip_frame *f = strip_top(s);
    if (f->message == ONNX_NODE && !s->out.failed) {
        count_node(s, f);
    }
    strip_patch_length(s, f->body_at, f->length);
    s->depth--;
}

void strip_settle(struct onnx_strip *s) {
    s->field = NULL;
    if (s->group_depth) {
        if (s->offset == strip_top(s)->end) {
            strip_break(s, ERR_FORMAT, "a group is not closed");
            return;
        }
    }
    while (s->depth && s->offset == strip_top(s)->end) {
        close_top(s);
    }
    s->state = STRIP_TAG;
    s->varint = (struct onnx_varint){0, 0};
    s->token_at = s->offset;
    s->field_at = s->out.n;
}

// ---- damage

static bool is_container(const struct strip_frame *f) {
    return f->message == ONNX_GRAPH || f->message == ONNX_FUNCTION;
}

// A node, value or tensor that lacks a part would lie: it goes as a whole. A graph or function
// without its last nodes does not.
static void cut_back(struct onnx_strip *s) {
    size_t whole = s->field_at;
    for (size_t i = 1; i <= s->depth; i++) {
        if (is_container(&s->frames[i])) {
            continue;
        }
        whole = s->frames[i].tag_at;
        s->facts.nodes = s->frames[i].nodes_before;
        s->depth = i - 1;
    }
    buf_truncate(&s->out, whole);
}

void strip_break(struct onnx_strip *s, enum err_code code, const char *what) {
    (void)note_damage(s, code, what);
    s->stopped = true;
    cut_back(s);
    for (; s->depth; s->depth--) {
        strip_patch_length(s, strip_top(s)->body_at, strip_top(s)->length);
    }
}
