#include "graph/slice_text.h"

#include "graph/value_text.h"

#define AXES_MAX 8u  // more are not written out

enum { SLOT_DATA, SLOT_STARTS, SLOT_ENDS, SLOT_AXES, SLOT_STEPS };

// The standard's notation for "as far as there is something", of either width and direction.
#define FAR ((int64_t)INT32_MAX)

struct range {
    bool given, has_start, has_end;
    int64_t start, end, step;
};

struct ranges {
    int64_t axes[AXES_MAX], starts[AXES_MAX], ends[AXES_MAX], steps[AXES_MAX];
    size_t n;  // 0: not known yet
    bool has_starts, has_ends;
};

static bool is_there(const struct graph_net_node *node, uint32_t slot) {
    return slot < node->n_inputs && node->inputs[slot] != ONNX_NONE;
}

// As many as the lists before it.
static bool read_list(struct ranges *r, const struct graph_view *view,
                      const struct graph_net_node *node, uint32_t slot, int64_t *out) {
    size_t found;

    if (!is_there(node, slot) ||
        !graph_constant_ints(out, &found, &view->model->net, &view->model->plumbing,
                             node->inputs[slot], AXES_MAX) ||
        found == 0 || (r->n && found != r->n)) {
        return false;
    }
    r->n = found;
    return true;
}

static bool read_ranges(struct ranges *r, const struct graph_view *view,
                        const struct graph_net_node *node) {
    r->has_starts = read_list(r, view, node, SLOT_STARTS, r->starts);
    r->has_ends = read_list(r, view, node, SLOT_ENDS, r->ends);
    for (size_t i = 0; i < AXES_MAX; i++) {
        r->axes[i] = (int64_t)i;
        r->steps[i] = 1;
    }
    return (!is_there(node, SLOT_AXES) || read_list(r, view, node, SLOT_AXES, r->axes)) &&
           (!is_there(node, SLOT_STEPS) || read_list(r, view, node, SLOT_STEPS, r->steps)) &&
           r->n > 0;
}

// Counted from the end wherever the rank is known, or the file counts so.
static bool count_from_end(struct ranges *r, const struct graph_tensor_type *type) {
    bool all = true;

    for (size_t i = 0; i < r->n; i++) {
        if (r->axes[i] >= 0 && type->has_rank) {
            r->axes[i] -= (int64_t)type->rank;
        }
        all &= r->axes[i] < 0 && r->axes[i] >= -(int64_t)AXES_MAX;
    }
    return all;
}

static bool count_from_start(struct ranges *r, const struct graph_tensor_type *type) {
    bool all = true;

    for (size_t i = 0; i < r->n; i++) {
        if (r->axes[i] < 0 && type->has_rank) {
            r->axes[i] += (int64_t)type->rank;
        }
        all &= r->axes[i] >= 0 && r->axes[i] < (int64_t)AXES_MAX;
    }
    return all;
}

static bool is_first(const struct range *r) {
    return r->step > 0 ? r->start == 0 || r->start <= -FAR : r->start == -1 || r->start >= FAR;
}

static bool is_last(const struct range *r) {
    return r->step > 0 ? r->end >= FAR : r->end <= -FAR;
}

static void add_bound(struct buf *out, bool known, int64_t at, bool left_out) {
    if (!known) {
        buf_add_char(out, '?');
    } else if (!left_out) {
        buf_add_i64(out, at);
    }
}

static void add_range(struct buf *out, const struct range *r) {
    if (!r->given) {
        buf_add_char(out, ':');
        return;
    }
    add_bound(out, r->has_start, r->start, is_first(r));
    buf_add_char(out, ':');
    add_bound(out, r->has_end, r->end, is_last(r));
    if (r->step != 1) {
        buf_add_char(out, ':');
        buf_add_i64(out, r->step);
    }
}

// One axis twice is nothing that Python can write.
static bool spread(struct range *places, const struct ranges *r, int64_t first, uint32_t *n) {
    *n = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint32_t at = (uint32_t)(r->axes[i] - first);

        if (places[at].given) {
            return false;
        }
        places[at] = (struct range){.given = true,
                                    .has_start = r->has_starts,
                                    .has_end = r->has_ends,
                                    .start = r->starts[i],
                                    .end = r->ends[i],
                                    .step = r->steps[i]};
        *n = at + 1 > *n ? at + 1 : *n;
    }
    return true;
}

static int64_t least(const struct ranges *r) {
    int64_t at = r->axes[0];

    for (size_t i = 1; i < r->n; i++) {
        at = r->axes[i] < at ? r->axes[i] : at;
    }
    return at;
}

// Whichever way of counting writes fewer places; the dots are one.
static bool from_end_is_shorter(const struct ranges *start, const struct ranges *end) {
    int64_t most = start->axes[0];

    for (size_t i = 1; i < start->n; i++) {
        most = start->axes[i] > most ? start->axes[i] : most;
    }
    return 1 - least(end) < most + 1;
}

static bool write(struct buf *out, const struct ranges *r, bool from_end) {
    struct range places[AXES_MAX] = {0};
    uint32_t n;

    if (!spread(places, r, from_end ? least(r) : 0, &n)) {
        return false;
    }
    n = from_end ? (uint32_t)-least(r) : n;
    buf_add_z(out, from_end ? " [..., " : " [");
    for (uint32_t i = 0; i < n; i++) {
        buf_add_z(out, i ? ", " : "");
        add_range(out, &places[i]);
    }
    buf_add_char(out, ']');
    return true;
}

bool graph_slice_text(struct buf *out, const struct graph_view *view,
                      const struct graph_net_node *node) {
    struct ranges start = {0}, end;
    const struct graph_tensor_type *type;
    bool has_start, has_end;

    if (!str_eq_z(node->proto->op, "Slice") || !onnx_domain_is_standard(node->proto->domain) ||
        !is_there(node, SLOT_DATA) || !read_ranges(&start, view, node)) {
        return false;
    }
    type = &view->model->shapes.values[node->inputs[SLOT_DATA]];
    end = start;
    has_start = count_from_start(&start, type);
    has_end = count_from_end(&end, type);
    if (!has_start && !has_end) {
        return false;
    }
    if (has_end && (!has_start || from_end_is_shorter(&start, &end))) {
        return write(out, &end, true);
    }
    return write(out, &start, false);
}
