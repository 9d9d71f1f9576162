// Sequences and optionals: what their elements have in common, and each element of a short one.
#include "graph/infer_rules.h"

static struct graph_tensor_type *new_items(struct infer *c, uint32_t n) {
    struct graph_tensor_type *items = arena_array(c->job->arena, n, sizeof(*items));
    if (!items) {
        c->job->no_memory = true;
    }
    return items;
}

// The common type of all items; nothing is known of no items but what was known before.
static void set_element(struct infer *c, struct infer_sequence *sequence) {
    for (uint32_t i = 0; i < sequence->n; i++) {
        if (i == 0) {
            sequence->element = sequence->items[0];
        } else {
            infer_common(c, &sequence->element, &sequence->items[i]);
        }
    }
}

void infer_sequence_construct(struct infer *c) {
    uint32_t n = c->node->n_inputs;
    struct infer_sequence sequence = {.known_length = true, .n = n};
    struct graph_tensor_type *items = new_items(c, n);
    for (uint32_t i = 0; items && i < n; i++) {
        items[i] = *infer_in(c, i);
    }
    sequence.items = items;
    if (!items) {
        return;
    }
    set_element(c, &sequence);
    infer_out_sequence(c, 0, &sequence);
}

void infer_sequence_empty(struct infer *c) {
    struct infer_sequence sequence = {
        .element = {.dtype = (int32_t)infer_attr_int(c, "dtype", ONNX_FLOAT)},
        .known_length = true,
    };
    infer_out_sequence(c, 0, &sequence);
}

// The place among the items that an index means; `n` when it is not known.
static uint32_t position(struct infer *c, uint32_t slot, uint32_t n) {
    int64_t at;
    uint32_t place;
    return infer_int_in(c, slot, &at) && infer_axis(at, n, &place) ? place : n;
}

void infer_sequence_at(struct infer *c) {
    const struct infer_sequence *in = infer_sequence_in(c, 0);
    const struct graph_tensor_type *type;
    if (!in) {
        infer_out_unranked(c, 0, infer_in(c, 0)->dtype);
        return;
    }
    type = &in->element;
    if (in->known_length && in->items) {
        uint32_t at = position(c, 1, in->n);
        if (at < in->n) {
            type = &in->items[at];
        }
    }
    infer_out_shape(c, 0, type->dtype, type);
}

// -1 means before the last element; one past the last is allowed, too.
static uint32_t insert_position(struct infer *c, uint32_t n) {
    int64_t at;
    if (!infer_int_in(c, 2, &at) || at < -(int64_t)n || at > (int64_t)n) {
        return UINT32_MAX;
    }
    return (uint32_t)(at < 0 ? at + n : at);
}

void infer_sequence_insert(struct infer *c) {
    const struct infer_sequence *in = infer_sequence_in(c, 0);
    const struct graph_tensor_type *tensor = infer_in(c, 1);
    struct infer_sequence out = {.element = *tensor};
    if (!in) {
        infer_out_unranked(c, 0, tensor->dtype);
        return;
    }
    if (!in->known_length || in->n) {
        infer_common(c, &out.element, &in->element);
    }
    out.known_length = in->known_length && in->n < INFER_DATA_MAX;
    out.n = out.known_length ? in->n + 1 : 0;
    uint32_t at = infer_has(c, 2) ? insert_position(c, in->n) : in->n;
    if (out.known_length && (in->items || in->n == 0) && at < out.n) {
        struct graph_tensor_type *items = new_items(c, out.n);
        for (uint32_t i = 0; items && i < out.n; i++) {
            items[i] = i == at ? *tensor : in->items[i - (i > at)];
        }
        out.items = items;
    }
    infer_out_sequence(c, 0, &out);
}

void infer_sequence_erase(struct infer *c) {
    const struct infer_sequence *in = infer_sequence_in(c, 0);
    if (!in) {
        infer_out_unranked(c, 0, infer_in(c, 0)->dtype);
        return;
    }
    struct infer_sequence out = {.element = in->element,
                                 .known_length = in->known_length && in->n,
                                 .n = in->known_length && in->n ? in->n - 1 : 0};
    uint32_t at = infer_has(c, 1) ? position(c, 1, in->n) : out.n;
    if (out.known_length && in->items && at < in->n) {
        struct graph_tensor_type *items = new_items(c, out.n);
        for (uint32_t i = 0; items && i < out.n; i++) {
            items[i] = in->items[i + (i >= at)];
        }
        out.items = items;
    }
    infer_out_sequence(c, 0, &out);
}

void infer_sequence_length(struct infer *c) {
    const struct infer_sequence *in = infer_sequence_in(c, 0);
    infer_out_scalar(c, 0, ONNX_INT64);
    if (in && in->known_length) {
        struct dim_num n = dim_int(in->n);
        infer_out_data(c, 0, 1, &n);
    }
}

// ---- splitting and joining

// Parts of one size, the last one smaller; 0 when they are not known, or too many to list.
static uint32_t chunks(struct dim_num size, int64_t chunk, struct infer_ints *parts) {
    if (chunk <= 0 || size.kind != DIM_INT || (size.i - 1) / chunk >= INFER_DATA_MAX) {
        return 0;
    }
    parts->n = 0;
    for (int64_t left = size.i; left > 0; left -= chunk) {
        parts->items[parts->n++] = left < chunk ? left : chunk;
    }
    return parts->n;
}

// Sizes of the parts: a list, or a number that all have; 0 when they are not known.
static uint32_t part_sizes(struct infer *c, struct dim_num size, struct infer_ints *parts) {
    if (!infer_has(c, 1)) {
        return chunks(size, 1, parts);
    }
    if (!infer_in(c, 1)->has_rank || !infer_ints_in(c, 1, parts)) {
        return 0;
    }
    if (infer_in(c, 1)->rank > 0) {
        return parts->n;
    }
    return parts->n == 1 ? chunks(size, parts->items[0], parts) : 0;
}

// Without keepdims, single slices lose the axis; that is only for splits by one.
static void part_type(struct infer *c, struct graph_tensor_type *out, uint32_t axis,
                      struct graph_dim size) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    *out = (struct graph_tensor_type){.dtype = in->dtype, .source = GRAPH_SHAPE_INFERRED};
    if (!infer_has(c, 1) && !infer_attr_int(c, "keepdims", 1)) {
        infer_remove_dim(dims, in, axis);
        infer_keep_dims(c, out, dims, in->rank - 1);
        return;
    }
    memcpy(dims, in->dims, in->rank * sizeof(*dims));
    dims[axis] = size;
    infer_keep_dims(c, out, dims, in->rank);
}

void infer_split_to_sequence(struct infer *c) {
    const struct graph_tensor_type *in = infer_in(c, 0);
    struct infer_sequence out = {.element = {.dtype = in->dtype}};
    struct infer_ints parts = {0};
    uint32_t axis;
    if (!in->has_rank || !infer_axis(infer_attr_int(c, "axis", 0), in->rank, &axis)) {
        infer_out_sequence(c, 0, &out);
        return;
    }
    out.n = part_sizes(c, dim_from(in->dims[axis]), &parts);
    out.known_length = out.n != 0;
    part_type(c, &out.element, axis, infer_unknown_dim());
    struct graph_tensor_type *items = new_items(c, out.n);
    for (uint32_t i = 0; items && i < out.n; i++) {
        part_type(c, &items[i], axis, infer_known_dim(parts.items[i]));
    }
    if (items && out.n) {
        out.items = items;
        set_element(c, &out);
    }
    infer_out_sequence(c, 0, &out);
}

static void state_stacked(struct infer *c, const struct infer_sequence *in, int64_t at) {
    const struct graph_tensor_type *type = &in->element;
    struct graph_dim dims[INFER_RANK_MAX + 1];
    uint32_t axis;
    if (type->rank >= INFER_RANK_MAX || !infer_axis(at, type->rank + 1, &axis)) {
        infer_out_unranked(c, 0, type->dtype);
        return;
    }
    infer_insert_dim(dims, type, axis, infer_known_dim(in->known_length ? (int64_t)in->n : -1));
    infer_out(c, 0, type->dtype, type->rank + 1, dims);
}

static struct graph_dim joined_dim(struct infer *c, const struct infer_sequence *in,
                                   uint32_t axis) {
    struct dim_num sum = dim_int(0);
    if (!in->known_length) {
        return infer_unknown_dim();
    }
    for (uint32_t i = 0; i < in->n; i++) {
        const struct graph_tensor_type *type = in->items ? &in->items[i] : &in->element;
        sum = dim_add(c->job->dims, sum, dim_from(type->dims[axis]));
    }
    return dim_to(sum);
}

void infer_concat_from_sequence(struct infer *c) {
    const struct infer_sequence *in = infer_sequence_in(c, 0);
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t axis;
    int64_t at = infer_attr_int(c, "axis", 0);
    if (!in || !in->element.has_rank || in->element.rank > INFER_RANK_MAX) {
        infer_out_unranked(c, 0, infer_in(c, 0)->dtype);
        return;
    }
    if (infer_attr_int(c, "new_axis", 0)) {
        state_stacked(c, in, at);
        return;
    }
    if (!infer_axis(at, in->element.rank, &axis)) {
        infer_out_unranked(c, 0, in->element.dtype);
        return;
    }
    memcpy(dims, in->element.dims, in->element.rank * sizeof(*dims));
    dims[axis] = joined_dim(c, in, axis);
    infer_out(c, 0, in->element.dtype, in->element.rank, dims);
}

// ---- optionals, and handing on

void infer_identity(struct infer *c) {
    const struct infer_sequence *in = infer_sequence_in(c, 0);
    if (in) {
        infer_out_sequence(c, 0, in);
    } else {
        infer_out_shape(c, 0, infer_in(c, 0)->dtype, infer_in(c, 0));
    }
}

void infer_optional(struct infer *c) {
    struct infer_sequence optional = {.element = *infer_in(c, 0)};
    if (infer_has(c, 0) && !infer_sequence_in(c, 0)) {
        infer_out_sequence(c, 0, &optional);
    }
}

// Since opset 18 the input may be no optional at all.
void infer_optional_get(struct infer *c) {
    const struct infer_sequence *in = infer_sequence_in(c, 0);
    const struct graph_tensor_type *type = in ? &in->element : infer_in(c, 0);
    infer_out_shape(c, 0, type->dtype, type);
}
