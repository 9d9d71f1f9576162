#include "onnx/strip_internal.h"

static size_t min_size(uint64_t a, size_t b) {
    return a < b ? (size_t)a : b;
}

static void advance(struct onnx_strip *s, struct slice *in, size_t n) {
    in->p += n;
    in->n -= n;
    s->offset += n;
}

static uint64_t room(struct onnx_strip *s) {
    return strip_top(s)->end - s->offset;
}

static void expect(struct onnx_strip *s, enum strip_state state) {
    s->state = state;
    s->varint = (struct onnx_varint){0, 0};
    s->token_at = s->offset;
}

// true when a whole varint has come; it may not reach past `end`.
static bool read_varint(struct onnx_strip *s, struct slice *in, uint64_t end) {
    size_t n = min_size(end - s->offset, in->n);
    for (size_t i = 0; i < n; i++) {
        enum onnx_varint_step step = onnx_varint_push(&s->varint, in->p[i]);
        if (step == ONNX_VARINT_MORE) {
            continue;
        }
        advance(s, in, i + 1);
        if (step == ONNX_VARINT_DONE) {
            return true;
        }
        strip_break(s, ERR_FORMAT, "a number does not fit 64 bits");
        return false;
    }
    advance(s, in, n);
    if (s->offset == end) {
        strip_break(s, ERR_FORMAT, "a number is cut off by the end of the message around it");
    }
    return false;
}

static void put_varint(struct onnx_strip *s, uint64_t v) {
    uint8_t *to = buf_reserve(&s->out, ONNX_VARINT_BYTES);
    if (to) {
        s->out.n += onnx_varint_put(to, v);
    }
}

static void begin_bytes(struct onnx_strip *s, uint64_t n) {
    s->left = n;
    if (n == 0) {
        strip_settle(s);
    } else {
        s->state = s->keep ? STRIP_COPY : STRIP_SKIP;
    }
}

static void begin_fixed(struct onnx_strip *s, unsigned n) {
    if (room(s) < n) {
        strip_break(s, ERR_FORMAT, "a value is cut off by the end of the message around it");
        return;
    }
    if (s->keep && s->field->payload) {
        s->keep = strip_payload_fits(s, n);
    }
    if (s->keep) {
        strip_put_tag(s, s->number, s->wire);
    }
    begin_bytes(s, n);
}

// ---- groups: nothing we know is one, so they go as a whole

static void open_group(struct onnx_strip *s) {
    if (s->group_depth++ == 0) {
        s->group_number = s->number;
        s->facts.unknown_fields++;
    }
    strip_settle(s);
}

static void close_group(struct onnx_strip *s) {
    if (s->group_depth == 0) {
        strip_break(s, ERR_FORMAT, "a group ends that never began");
        return;
    }
    if (--s->group_depth == 0 && s->number != s->group_number) {
        strip_break(s, ERR_FORMAT, "a group ends under another field number");
        return;
    }
    strip_settle(s);
}

// ---- fields

static void look_up(struct onnx_strip *s) {
    s->field = NULL;
    s->keep = false;
    if (s->group_depth) {
        return;
    }
    const struct onnx_field *field = onnx_schema_field(strip_top(s)->message, s->number);
    if (!field || !onnx_schema_accepts(field, s->wire)) {
        s->facts.unknown_fields++;
        return;
    }
    s->field = field;
    s->keep = field->kind != ONNX_FIELD_DROP;
    s->graph_fields += strip_top(s)->message == ONNX_GRAPH;
}

static void begin_field(struct onnx_strip *s) {
    if (s->wire == ONNX_WIRE_GROUP) {
        open_group(s);
        return;
    }
    if (s->wire == ONNX_WIRE_GROUP_END) {
        close_group(s);
        return;
    }
    look_up(s);
    switch (s->wire) {
    case ONNX_WIRE_VARINT:
        expect(s, STRIP_VALUE);
        break;
    case ONNX_WIRE_BYTES:
        expect(s, STRIP_LENGTH);
        break;
    case ONNX_WIRE_FIXED64:
        begin_fixed(s, 8);
        break;
    case ONNX_WIRE_FIXED32:
        begin_fixed(s, 4);
        break;
    default:
        strip_break(s, ERR_FORMAT, "there is no such wire type");
    }
}

static void step_tag(struct onnx_strip *s, struct slice *in) {
    if (s->varint.n == 0) {
        s->token_at = s->offset;
    }
    if (!read_varint(s, in, strip_top(s)->end)) {
        return;
    }
    uint64_t tag = s->varint.value;
    s->number = (uint32_t)(tag >> 3);
    s->wire = (enum onnx_wire)(tag & 7);
    if (tag > UINT32_MAX) {
        strip_break(s, ERR_FORMAT, "a tag does not fit 32 bits");
    } else if (s->number == 0) {
        strip_break(s, ERR_FORMAT, "there is no field number 0");
    } else {
        begin_field(s);
    }
}

static void begin_copy(struct onnx_strip *s, uint64_t length) {
    strip_put_tag(s, s->number, ONNX_WIRE_BYTES);
    put_varint(s, length);
    struct strip_frame *top = strip_top(s);
    if (top->message == ONNX_NODE && s->number == ONNX_NODE_OP_TYPE) {
        top->op_at = s->out.n;
        top->op_n = (size_t)length;
    }
    begin_bytes(s, length);
}

static void begin_packed(struct onnx_strip *s, uint64_t length) {
    strip_put_tag(s, s->number, ONNX_WIRE_BYTES);
    put_varint(s, length);
    if (length == 0) {
        strip_settle(s);
        return;
    }
    s->packed_at = s->out.n;
    s->packed_end = s->offset + length;
    s->left = length;
    expect(s, STRIP_PACKED);
}

static void begin_kept(struct onnx_strip *s, uint64_t length) {
    unsigned element = onnx_schema_element(s->field);
    if (element && length % element) {
        strip_break(s, ERR_FORMAT, "packed values are no whole number of elements");
        return;
    }
    if (s->field->kind == ONNX_FIELD_MESSAGE) {
        strip_open(s, length);
        return;
    }
    if (s->field->payload) {
        s->keep = strip_payload_fits(s, length);
    }
    if (!s->keep) {
        begin_bytes(s, length);
    } else if (s->field->kind == ONNX_FIELD_VARINTS) {
        begin_packed(s, length);
    } else {
        begin_copy(s, length);
    }
}

// The bytes EF BF BD, read as the start of a varint: a text decoder was here.
static bool holds_replacement(struct onnx_varint v) {
    return v.n > 3 && (v.value & 0x1FFFFF) == (0x6F | 0x3F << 7 | 0x3D << 14);
}

static void step_length(struct onnx_strip *s, struct slice *in) {
    if (!read_varint(s, in, strip_top(s)->end)) {
        return;
    }
    uint64_t length = s->varint.value;
    s->replaced |= holds_replacement(s->varint);
    if (length > room(s)) {
        strip_break(s, ERR_FORMAT, "a length runs past the end of the message around it");
    } else if (s->keep) {
        begin_kept(s, length);
    } else {
        begin_bytes(s, length);
    }
}

static void step_value(struct onnx_strip *s, struct slice *in) {
    if (!read_varint(s, in, strip_top(s)->end)) {
        return;
    }
    size_t size = onnx_varint_size(s->varint.value);
    if (s->keep && s->field->payload) {
        s->keep = strip_payload_fits(s, size);
        s->facts.dropped_bytes += s->keep ? 0 : size;
    }
    if (s->keep) {
        strip_put_tag(s, s->number, ONNX_WIRE_VARINT);
        put_varint(s, s->varint.value);
    }
    strip_settle(s);
}

static void step_copy(struct onnx_strip *s, struct slice *in) {
    size_t n = min_size(s->left, in->n);
    buf_add(&s->out, in->p, n);
    advance(s, in, n);
    s->left -= n;
    if (s->left == 0) {
        strip_settle(s);
    }
}

static void step_skip(struct onnx_strip *s, struct slice *in) {
    size_t n = min_size(s->left, in->n);
    if (s->field && s->field->payload) {
        s->facts.dropped_bytes += n;
    }
    advance(s, in, n);
    s->left -= n;
    if (s->left == 0) {
        strip_settle(s);
    }
}

static void step_packed(struct onnx_strip *s, struct slice *in) {
    while (in->n && s->offset < s->packed_end) {
        if (!read_varint(s, in, s->packed_end)) {
            return;
        }
        put_varint(s, s->varint.value);
        s->varint = (struct onnx_varint){0, 0};
        s->token_at = s->offset;
    }
    if (s->offset < s->packed_end) {
        return;
    }
    strip_patch_length(s, s->packed_at, s->left);
    strip_settle(s);
}

static void (*const steps[])(struct onnx_strip *, struct slice *) = {
    [STRIP_TAG] = step_tag,   [STRIP_LENGTH] = step_length, [STRIP_VALUE] = step_value,
    [STRIP_COPY] = step_copy, [STRIP_SKIP] = step_skip,     [STRIP_PACKED] = step_packed,
};

void strip_read(struct onnx_strip *s, struct slice chunk) {
    while (chunk.n && !s->stopped) {
        steps[s->state](s, &chunk);
        if (s->out.failed) {
            strip_fail(s, "max-skeleton", "the model without its weights is larger",
                       s->limits.max_skeleton);
        }
    }
}
