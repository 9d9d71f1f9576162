#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "graph/scope_internal.h"

// Names that are gone, and that the names around them tell: between the layers 0 and 2 of a
// Sequential stands its 1, and the layer in front of conv2 that lost its name is conv1. Only where
// nothing else fits: one number is missing, and one thing stands in its place.

#define NUMBER_DIGITS 11  // of a uint32_t, with the end of the string

struct numbered {
    struct str stem;  // "conv" of conv2, "" of a number
    uint32_t number;
};

struct run {
    struct scope_work *work;
    uint32_t before, behind;  // placed nodes around the run, ONNX_NONE = none
    uint32_t from, end;       // positions of the run
    uint32_t unknown;  // position + 1 of the last layer without a name before the run, 0 = none
    const uint32_t *placed;  // per position: position + 1 of the placed node before it, 0 = none
    size_t n_texts;          // names that the file tells
    bool failed;             // with work->err set
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static struct str atom_of(const struct scope_work *work, uint32_t call) {
    struct str path = work->texts[work->calls[call].path].s;
    size_t dot = str_rfind(path, '.');

    return dot == STR_NPOS ? path : str_skip(path, dot + 1);
}

static bool split_atom(struct str atom, struct numbered *out) {
    size_t n = atom.n;
    uint64_t number;

    while (n > 0 && is_digit(atom.p[n - 1])) {
        n--;
    }
    // conv02 comes behind conv01, not conv1.
    if (n == atom.n || (atom.p[n] == '0' && atom.n - n > 1) ||
        !num_parse_u64(str_skip(atom, n), &number) || number > UINT32_MAX) {
        return false;
    }
    *out = (struct numbered){str_sub(atom, 0, n), (uint32_t)number};
    return true;
}

static bool is_open_operator(const struct scope_work *work, uint32_t node) {
    return !scope_is_plumbing(work, node) && work->node_call[node] == ONNX_NONE;
}

// Two layers one behind the other in one module.
static bool are_siblings(const struct run *r) {
    const struct scope_work *work = r->work;
    uint32_t x, y;

    if (r->before == ONNX_NONE || r->behind == ONNX_NONE) {
        return false;
    }
    x = work->node_call[r->before];
    y = work->node_call[r->behind];
    return x != y && x != 0 && y != 0 && work->calls[x].parent == work->calls[y].parent &&
           work->marks[r->before].layer && work->marks[r->behind].layer &&
           !work->sites[work->calls[x].site].has_child &&
           !work->sites[work->calls[y].site].has_child;
}

// The path of a module beside `sibling`, in `text`; {NULL, 0} = too long.
static struct str name_beside(const struct run *r, uint32_t sibling, struct numbered name,
                              char text[SCOPE_MAX_NAME]) {
    struct str path = r->work->texts[r->work->calls[sibling].path].s;
    struct str around = str_sub(path, 0, path.n - atom_of(r->work, sibling).n);
    char number[NUMBER_DIGITS];
    size_t digits = (size_t)snprintf(number, sizeof(number), "%" PRIu32, name.number);
    size_t n = around.n + name.stem.n + digits;

    if (n > SCOPE_MAX_NAME) {
        return (struct str){NULL, 0};
    }
    memcpy(text, around.p, around.n);
    memcpy(text + around.n, name.stem.p, name.stem.n);
    memcpy(text + around.n + name.stem.n, number, digits);
    return (struct str){text, n};
}

// The text of a module that the file names nowhere; ONNX_NONE = it does, or there is no room.
static uint32_t text_of_unnamed(struct run *r, struct str path) {
    struct scope_work *work = r->work;
    uint32_t text = map_get(&work->text_ids, path);
    struct str copy;

    if (text != MAP_NONE) {
        return text < r->n_texts ? ONNX_NONE : text;
    }
    if (graph_scope_names_full(work)) {
        return ONNX_NONE;
    }
    copy = arena_str(work->arena, path);
    text = copy.p ? graph_scope_text(work, copy) : ONNX_NONE;
    r->failed = r->failed || text == ONNX_NONE;
    return text;
}

static uint32_t call_beside(struct run *r, struct numbered name) {
    struct scope_work *work = r->work;
    uint32_t sibling = work->node_call[r->behind], parent = work->calls[sibling].parent;
    char buffer[SCOPE_MAX_NAME];
    struct str path = name_beside(r, sibling, name, buffer);
    uint32_t text = path.n ? text_of_unnamed(r, path) : ONNX_NONE, site, call;

    if (text == ONNX_NONE) {
        return ONNX_NONE;
    }
    site = graph_scope_site(work, work->calls[parent].site, text, true);
    if (site == work->calls[parent].site) {
        return ONNX_NONE;
    }
    call = site == ONNX_NONE ? ONNX_NONE : graph_scope_call_new(work, site, parent, r->from);
    r->failed = r->failed || call == ONNX_NONE;
    return call;
}

static void put(const struct run *r, uint32_t node, uint32_t call) {
    r->work->node_call[node] = call;
    r->work->marks[node].source = GRAPH_SCOPE_NEIGHBOUR;
    r->work->marks[node].layer = true;
}

// ---- 0, ?, 2

// One operator, or an activation of several. More may be a module with modules in it, and so may a
// layer that lost its name, with its norm folded into it.
static bool is_one_layer(const struct run *r) {
    const struct scope_work *work = r->work;
    size_t n = 0, pieces = 0;

    for (uint32_t i = r->from; i < r->end; i++) {
        uint32_t node = work->net->order[i];

        if (!is_open_operator(work, node)) {
            continue;
        }
        if (graph_scope_is_unknown_layer(work, node)) {
            return false;
        }
        n++;
        pieces += graph_scope_is_activation_piece(work, node);
    }
    return n == 1 || (n > 0 && n == pieces);
}

static bool is_gap(const struct run *r, uint32_t *number) {
    const struct scope_work *work = r->work;
    struct numbered x, y;

    if (!split_atom(atom_of(work, work->node_call[r->before]), &x) ||
        !split_atom(atom_of(work, work->node_call[r->behind]), &y) || x.stem.n || y.stem.n) {
        return false;
    }
    *number = x.number + 1;
    return y.number >= 2 && y.number - 2 == x.number;
}

static void fill_gap(struct run *r) {
    const struct scope_work *work = r->work;
    uint32_t number, call;

    if (!is_gap(r, &number) || !is_one_layer(r)) {
        return;
    }
    call = call_beside(r, (struct numbered){STR(""), number});
    for (uint32_t i = r->from; call != ONNX_NONE && i < r->end; i++) {
        if (is_open_operator(work, work->net->order[i])) {
            put(r, work->net->order[i], call);
        }
    }
}

// ---- ?, conv2

// The only layer of the run that has lost its name, ONNX_NONE when it is not the only one.
static uint32_t only_unknown(const struct run *r) {
    uint32_t found = ONNX_NONE;

    for (uint32_t i = r->from; i < r->end; i++) {
        uint32_t node = r->work->net->order[i];

        if (!is_open_operator(r->work, node) || !graph_scope_is_unknown_layer(r->work, node)) {
            continue;
        }
        if (found != ONNX_NONE) {
            return ONNX_NONE;
        }
        found = node;
    }
    return found;
}

// A module that counts from nothing, or whose first layer has no number.
static bool counts_otherwise(const struct run *r, struct str stem) {
    const struct scope_work *work = r->work;
    uint32_t sibling = work->node_call[r->behind];
    struct str path = work->texts[work->calls[sibling].path].s;
    char buffer[SCOPE_MAX_NAME];
    struct str zero = name_beside(r, sibling, (struct numbered){stem, 0}, buffer);
    struct str bare = str_sub(path, 0, path.n - 1);

    return zero.n == 0 || map_get(&work->text_ids, zero) != MAP_NONE ||
           map_get(&work->text_ids, bare) != MAP_NONE;
}

// A layer that lost its name, in the module or right before what is known of it.
static bool has_other_unknown(const struct run *r) {
    const struct scope_work *work = r->work;
    uint32_t around = work->calls[work->node_call[r->behind]].parent;

    return r->unknown > r->placed[work->calls[around].start];
}

static void name_first(struct run *r) {
    const struct scope_work *work = r->work;
    struct numbered y;
    uint32_t node, call;

    if (has_other_unknown(r) || !split_atom(atom_of(work, work->node_call[r->behind]), &y) ||
        y.stem.n == 0 || y.number != 2) {
        return;
    }
    node = only_unknown(r);
    if (node == ONNX_NONE ||
        !str_eq(work->net->nodes[node].proto->op, work->net->nodes[r->behind].proto->op) ||
        counts_otherwise(r, y.stem)) {
        return;
    }
    call = call_beside(r, (struct numbered){y.stem, 1});
    if (call != ONNX_NONE) {
        put(r, node, call);
    }
}

// ---- all

static void settle_run(struct run *r) {
    if (are_siblings(r)) {
        fill_gap(r);
        name_first(r);
    }
    for (uint32_t i = r->from; i < r->end; i++) {
        uint32_t node = r->work->net->order[i];

        if (is_open_operator(r->work, node) && graph_scope_is_unknown_layer(r->work, node)) {
            r->unknown = i + 1;
        }
    }
}

static bool is_placed(const struct scope_work *work, uint32_t node) {
    return !scope_is_plumbing(work, node) && work->node_call[node] != ONNX_NONE;
}

// NULL = no memory.
static uint32_t *list_placed(struct scope_work *work) {
    uint32_t *placed = arena_array(&work->scratch, work->net->n_nodes, sizeof(*placed));
    uint32_t last = 0;

    for (uint32_t i = 0; placed && i < work->net->n_nodes; i++) {
        placed[i] = last;
        last = is_placed(work, work->net->order[i]) ? i + 1 : last;
    }
    return placed;
}

int graph_scope_numbers(struct scope_work *work) {
    struct run r = {.work = work, .before = ONNX_NONE, .n_texts = work->n_texts};

    if (!work->unscoped) {
        return 0;
    }
    r.placed = list_placed(work);
    if (!r.placed) {
        return arena_error(&work->scratch, "the hierarchy", work->err);
    }
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t node = work->net->order[i];

        if (!is_placed(work, node)) {
            continue;
        }
        r.end = i;
        r.behind = node;
        settle_run(&r);
        if (r.failed) {
            return work->err->code;
        }
        r.before = node;
        r.from = i + 1;
    }
    return 0;
}
