// Arithmetic on whole shapes that rules share.
#include "graph/infer_rules.h"

bool infer_axis(int64_t axis, uint32_t rank, uint32_t *out) {
    if (axis < -(int64_t)rank || axis >= (int64_t)rank) {
        return false;
    }
    *out = (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
    return true;
}

bool infer_axes(const struct infer_ints *axes, uint32_t rank, uint64_t *out) {
    uint32_t axis;
    *out = 0;
    for (uint32_t i = 0; i < axes->n; i++) {
        if (rank > INFER_RANK_MAX || !infer_axis(axes->items[i], rank, &axis)) {
            return false;
        }
        *out |= (uint64_t)1 << axis;
    }
    return true;
}

// Only one of two dims that are not 1 has to be known; the other is 1 or equal to it.
bool infer_broadcast_dim(struct graph_dim a, struct graph_dim b, struct graph_dim *out) {
    *out = infer_unknown_dim();
    if (a.value == 1 || graph_dim_same(a, b)) {
        *out = b;
        return true;
    }
    if (b.value == 1 || b.value < 0) {
        if (b.value == 1 || a.value > 1 || a.value == 0) {
            *out = a;
        }
        return true;
    }
    *out = b;
    return a.value < 0;
}

bool infer_broadcast(struct graph_dim *dims, uint32_t *rank, const struct graph_tensor_type *with) {
    uint32_t n = with->rank > *rank ? with->rank : *rank;
    uint32_t shift = n - *rank;
    for (uint32_t i = *rank; shift && i-- > 0;) {
        dims[i + shift] = dims[i];
    }
    for (uint32_t i = 0; i < shift; i++) {
        dims[i] = infer_known_dim(1);
    }
    *rank = n;
    for (uint32_t i = 0; i < with->rank; i++) {
        struct graph_dim *dim = &dims[n - with->rank + i];
        if (!infer_broadcast_dim(*dim, with->dims[i], dim)) {
            return false;
        }
    }
    return true;
}

struct graph_dim infer_same_dim(struct graph_dim a, struct graph_dim b) {
    if (a.value >= 0) {
        return a;
    }
    return b.value >= 0 || !a.symbol.n ? b : a;
}

static bool is_unknown(struct graph_dim dim) {
    return dim.value < 0 && dim.symbol.n == 0;
}

// Whether what is known of `a` holds for `b`, too.
static bool covers(const struct graph_tensor_type *a, const struct graph_tensor_type *b) {
    for (uint32_t i = 0; i < a->rank; i++) {
        if (!is_unknown(a->dims[i]) && !graph_dim_same(a->dims[i], b->dims[i])) {
            return false;
        }
    }
    return true;
}

void infer_common(struct infer *c, struct graph_tensor_type *into,
                  const struct graph_tensor_type *other) {
    if (into->dtype != other->dtype) {
        into->dtype = 0;
    }
    if (!into->has_rank || !other->has_rank || into->rank != other->rank) {
        into->has_rank = false;
        into->rank = 0;
        return;
    }
    if (into->dims == other->dims || covers(into, other)) {
        return;
    }
    struct graph_dim *dims = arena_array(c->job->arena, into->rank, sizeof(*dims));
    if (!dims) {
        c->job->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < into->rank; i++) {
        dims[i] =
            graph_dim_same(into->dims[i], other->dims[i]) ? into->dims[i] : infer_unknown_dim();
    }
    into->dims = dims;
}

struct dim_num infer_product(struct infer *c, const struct graph_dim *dims, uint32_t n) {
    struct dim_num product = dim_int(1);
    for (uint32_t i = 0; i < n; i++) {
        if (dims[i].value == 0) {
            return dim_int(0);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        product = dim_mul(c->job->dims, product, dim_from(dims[i]));
    }
    return product;
}

struct dim_num infer_elements(struct infer *c, const struct graph_tensor_type *type) {
    if (!type->has_rank) {
        return (struct dim_num){.kind = DIM_UNKNOWN};
    }
    return infer_product(c, type->dims, type->rank);
}

bool infer_count(const struct graph_tensor_type *type, uint32_t max, uint32_t *out) {
    uint64_t n = 1;
    if (!type->has_rank) {
        return false;
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i].value < 0 || type->dims[i].value > max) {
            return false;
        }
        n *= (uint64_t)type->dims[i].value;
        if (n > max) {
            return false;
        }
    }
    *out = (uint32_t)n;
    return true;
}

void infer_remove_dim(struct graph_dim *dims, const struct graph_tensor_type *type, uint32_t at) {
    for (uint32_t i = 0; i + 1 < type->rank; i++) {
        dims[i] = type->dims[i + (i >= at)];
    }
}

void infer_insert_dim(struct graph_dim *dims, const struct graph_tensor_type *type, uint32_t at,
                      struct graph_dim dim) {
    for (uint32_t i = 0; i < type->rank; i++) {
        dims[i + (i >= at)] = type->dims[i];
    }
    dims[at] = dim;
}

void infer_keep_dims(struct infer *c, struct graph_tensor_type *type, const struct graph_dim *dims,
                     uint32_t rank) {
    struct graph_dim *copy = arena_array(c->job->arena, rank, sizeof(*copy));
    if (!copy) {
        c->job->no_memory = true;
        return;
    }
    if (rank) {
        memcpy(copy, dims, rank * sizeof(*copy));
    }
    type->has_rank = true;
    type->rank = rank;
    type->dims = copy;
}
