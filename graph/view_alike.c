#include "base/map.h"
#include "graph/view_fold_internal.h"
#include "onnx/dtype.h"

// What a node is, as bytes: a longer one is equal to no other.
#define KEY_BYTES ((size_t)64 << 10)
#define SUM_FACTOR 0x9E3779B97F4A7C15u
// What makes a fixed value: more of it is equal to nothing else.
#define FIXED_MAKERS_MAX 256u
#define FIXED_TODO_MAX 256u

// Numbers of TensorProto.DataType whose values are sizes, axes and choices rather than weights.
#define DTYPE_INT32 6
#define DTYPE_INT64 7
#define DTYPE_BOOL 9

enum slot_code { SLOT_EMPTY, SLOT_FIXED, SLOT_HIDDEN, SLOT_BODY_INPUT, SLOT_CARRIED };

struct key {
    uint8_t *bytes;
    size_t n;
    bool full;
};

struct comparing {
    struct view_fold *f;
    const struct graph_net *net;
    struct key key;
    struct map known;  // bytes -> number
    uint32_t n_known;
};

static void put(struct key *k, const void *p, size_t n) {
    if (n > KEY_BYTES - k->n) {
        k->full = true;
    } else if (n) {
        memcpy(k->bytes + k->n, p, n);
        k->n += n;
    }
}

static void put_number(struct key *k, uint64_t v) {
    put(k, &v, sizeof(v));
}

static void put_code(struct key *k, uint8_t v) {
    put(k, &v, sizeof(v));
}

static void put_str(struct key *k, struct str s) {
    put_number(k, s.n);
    put(k, s.p, s.n);
}

static void put_op(struct key *k, const struct onnx_node *node) {
    put_str(k, node->op);
    put_str(k, onnx_domain_is_standard(node->domain) ? STR("") : node->domain);
    put_str(k, node->overload);
}

// ---- tensors

static void put_payload(struct key *k, const struct onnx_tensor *t) {
    put_number(k, t->raw.n);
    put(k, t->raw.p, t->raw.n);
    put_number(k, t->n_ints);
    put(k, t->ints, t->n_ints * sizeof(*t->ints));
    put_number(k, t->n_reals);
    put(k, t->reals, t->n_reals * sizeof(*t->reals));
    put_number(k, t->n_strings);
    for (size_t i = 0; i < t->n_strings; i++) {
        put_str(k, t->strings[i]);
    }
}

static void put_dims(struct key *k, const struct onnx_tensor *t) {
    put_number(k, (uint64_t)(int64_t)t->dtype);
    put_number(k, t->n_dims);
    put(k, t->dims, t->n_dims * sizeof(*t->dims));
}

static bool is_choice(const struct onnx_tensor *t) {
    return t->dtype == DTYPE_INT32 || t->dtype == DTYPE_INT64 || t->dtype == DTYPE_BOOL;
}

static bool is_single(const struct onnx_tensor *t) {
    for (size_t i = 0; i < t->n_dims; i++) {
        if (t->dims[i] != 1) {
            return false;
        }
    }
    return true;
}

// Weights differ from layer to layer; axes, sizes and scalars written into the code do not.
static void put_tensor(struct key *k, const struct onnx_tensor *t, bool with_values) {
    put_dims(k, t);
    if (with_values && t->has_data) {
        put_payload(k, t);
    }
}

// ---- attributes

static void put_strings(struct key *k, const struct onnx_attr *a) {
    for (size_t i = 0; i < a->n; i++) {
        put_str(k, a->strings[i]);
    }
}

static void put_attr_tensors(struct key *k, const struct onnx_attr *a, bool weights) {
    for (size_t i = 0; i < a->n; i++) {
        const struct onnx_tensor *t = &a->tensors[i];

        put_tensor(k, t, !weights || is_choice(t) || is_single(t));
    }
}

static void put_attr(struct key *k, const struct onnx_attr *a, bool weights) {
    put_str(k, a->name);
    put_str(k, a->ref);
    put_number(k, (uint64_t)(int64_t)a->type);
    put_number(k, a->n);
    put(k, &a->i, sizeof(a->i));
    put(k, &a->f, sizeof(a->f));
    put_str(k, a->s);
    if (a->type == ONNX_ATTR_INTS) {
        put(k, a->ints, a->n * sizeof(*a->ints));
    } else if (a->type == ONNX_ATTR_FLOATS) {
        put(k, a->floats, a->n * sizeof(*a->floats));
    } else if (a->type == ONNX_ATTR_STRINGS) {
        put_strings(k, a);
    } else if (a->type == ONNX_ATTR_TENSOR || a->type == ONNX_ATTR_TENSORS ||
               a->type == ONNX_ATTR_SPARSE_TENSOR || a->type == ONNX_ATTR_SPARSE_TENSORS) {
        put_attr_tensors(k, a, weights);
    }
}

static void put_attrs(struct key *k, const struct onnx_node *node, bool weights) {
    put_number(k, node->n_attrs);
    for (size_t i = 0; i < node->n_attrs; i++) {
        put_attr(k, &node->attrs[i], weights);
    }
}

// ---- what a node reads

// Makers of one fixed value that are looked through, depth first.
struct fixed_way {
    uint32_t todo[FIXED_TODO_MAX];
    uint32_t n, seen;
};

static void follow_inputs(struct comparing *c, struct fixed_way *way,
                          const struct graph_net_node *node) {
    put_number(&c->key, node->n_inputs);
    if (++way->seen > FIXED_MAKERS_MAX || node->n_inputs > FIXED_TODO_MAX - way->n) {
        c->key.full = true;
        way->n = 0;
        return;
    }
    for (uint32_t i = node->n_inputs; i-- > 0;) {
        way->todo[way->n++] = node->inputs[i];
    }
}

// An alias is what it stands for: exporters keep equal weights once. So is another form of a
// weight, whichever way it came to it.
static void put_fixed_step(struct comparing *c, struct fixed_way *way, uint32_t value) {
    uint32_t root = c->f->b->model->plumbing.root[value];
    const struct onnx_tensor *tensor = c->net->values[root].tensor;
    uint32_t producer = c->net->values[value].producer;
    const struct graph_net_node *maker = producer == ONNX_NONE ? NULL : &c->net->nodes[producer];

    put_code(&c->key, tensor != NULL);
    if (tensor) {
        put_tensor(&c->key, tensor, is_choice(tensor));
    }
    if (!maker || c->f->b->model->plumbing.nodes[producer] == GRAPH_PLUMBING_ALIAS) {
        return;
    }
    put_op(&c->key, maker->proto);
    put_attrs(&c->key, maker->proto, true);
    put_number(&c->key, c->net->values[value].slot);
    if (!tensor || c->f->b->model->plumbing.nodes[producer] == GRAPH_PLUMBING_CONSTANT) {
        follow_inputs(c, way, maker);
    }
}

static void put_fixed(struct comparing *c, uint32_t value) {
    struct fixed_way way = {{value}, 1, 0};

    while (way.n > 0) {
        uint32_t next = way.todo[--way.n];

        put_code(&c->key, next != ONNX_NONE);
        if (next != ONNX_NONE) {
            put_fixed_step(c, &way, next);
        }
    }
}

static enum slot_code code_of(const struct comparing *c, uint32_t value) {
    const struct view_build *b = c->f->b;

    if (value == ONNX_NONE) {
        return SLOT_EMPTY;
    }
    if (graph_value_is_fixed(c->net, &b->model->plumbing, value)) {
        return SLOT_FIXED;
    }
    if (c->net->values[value].kind == GRAPH_VALUE_INPUT && c->net->values[value].graph != 0) {
        return SLOT_BODY_INPUT;
    }
    return view_carries(b, value) ? SLOT_CARRIED : SLOT_HIDDEN;
}

static void put_slot(struct comparing *c, uint32_t value) {
    enum slot_code code = code_of(c, value);

    put_code(&c->key, (uint8_t)code);
    if (code == SLOT_FIXED) {
        put_fixed(c, value);
    } else if (code == SLOT_BODY_INPUT) {
        put_number(&c->key, c->net->values[value].slot);
    }
}

static void put_bodies(struct comparing *c, uint32_t node) {
    const struct view_build *b = c->f->b;

    for (uint32_t g = b->first_body[node]; g != ONNX_NONE; g = b->next_body[g]) {
        const struct graph_net_graph *body = &c->net->graphs[g];

        put_str(&c->key, c->net->model->graphs[g].holder_attr);
        put_number(&c->key, body->n_inputs);
        put_number(&c->key, body->n_outputs);
        for (uint32_t i = 0; i < body->n_outputs; i++) {
            put_slot(c, body->outputs[i]);
        }
    }
}

static void put_node(struct comparing *c, uint32_t index) {
    const struct graph_net_node *node = &c->net->nodes[index];

    c->key.n = 0;
    c->key.full = false;
    put_op(&c->key, node->proto);
    put_attrs(&c->key, node->proto, false);
    put_code(&c->key, c->f->b->hidden[index]);
    put_number(&c->key, node->n_inputs);
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        put_slot(c, node->inputs[i]);
    }
    put_number(&c->key, node->n_outputs);
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        put_code(&c->key, node->outputs[i] != ONNX_NONE);
    }
    put_bodies(c, index);
}

// ---- numbers

// Keys outlive the scratch bytes only when they are new.
static int number_of_key(struct comparing *c, uint32_t *out, struct error *err) {
    struct str key = {(const char *)c->key.bytes, c->key.n};

    *out = c->key.full ? MAP_NONE : map_get(&c->known, key);
    if (*out != MAP_NONE) {
        return 0;
    }
    *out = c->n_known++;
    if (c->key.full) {
        return 0;
    }
    key = arena_str(&c->f->b->work, key);
    if (!key.n) {
        return arena_error(&c->f->b->work, "what nodes are", err);
    }
    return map_put(&c->known, key, *out, err);
}

static int number_all(struct comparing *c, struct error *err) {
    struct view_fold *f = c->f;
    int rc = 0;

    for (uint32_t i = 0; i < f->line.n && rc == 0; i++) {
        put_node(c, f->line.nodes[i]);
        rc = number_of_key(c, &f->alike[i], err);
    }
    return rc;
}

static void sum_up(struct view_fold *f) {
    f->powers[0] = 1;
    for (uint32_t i = 0; i < f->line.n; i++) {
        f->sums[i + 1] = f->sums[i] * SUM_FACTOR + f->alike[i] + 1;
        f->powers[i + 1] = f->powers[i] * SUM_FACTOR;
    }
}

int view_alike(struct view_fold *f, struct error *err) {
    struct arena *work = &f->b->work;
    struct comparing c = {.f = f, .net = &f->b->model->net};
    size_t n = f->line.n;
    int rc;

    f->alike = arena_array(work, n, sizeof(*f->alike));
    f->sums = arena_array(work, n + 1, sizeof(*f->sums));
    f->powers = arena_array(work, n + 1, sizeof(*f->powers));
    c.key.bytes = arena_alloc(work, KEY_BYTES);
    if (!f->alike || !f->sums || !f->powers || !c.key.bytes) {
        return arena_error(work, "what nodes are", err);
    }
    rc = number_all(&c, err);
    map_release(&c.known);
    if (rc == 0) {
        sum_up(f);
    }
    return rc;
}
