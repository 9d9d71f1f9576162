#include <stdlib.h>

#include "base/map.h"
#include "graph/view_internal.h"
#include "graph/weights.h"

// What is equal in all of these is drawn once. `self` sets apart what never merges.
struct key {
    uint32_t kind, object, head_kind, head, weight, graph, self;
};

enum key_kind { KEY_MODULE, KEY_BOX, KEY_OPERATOR, KEY_ELSE };

struct keyed {
    struct key key;
    uint32_t index;
};

struct roller {
    struct view_build *b;
    struct map ops;           // operator types -> the node that had it first
    struct graph_pairs seen;  // (call, operator type) -> how many were met
    struct keyed *keyed;
    uint32_t *same;  // per item: the first of its class
};

// Once for all attempts.
static int prepare(struct view_build *b, struct error *err) {
    uint32_t most = b->cap_nodes > b->cap_regions ? b->cap_nodes : b->cap_regions;
    int rc;

    if (most > b->roll_room) {
        b->roll_keyed = arena_array(&b->work, most, sizeof(struct keyed));
        b->roll_same = arena_array(&b->work, most, sizeof(*b->roll_same));
        b->roll_nodes = arena_array(&b->work, 4 * (size_t)b->cap_nodes, sizeof(*b->roll_nodes));
        if (!b->roll_keyed || !b->roll_same || !b->roll_nodes) {
            return arena_error(&b->work, "the calls of a view", err);
        }
        b->roll_room = most;
    }
    if (b->object) {
        return 0;
    }
    rc = view_objects(b, err);
    if (rc == 0) {
        rc = view_heads(b, err);
    }
    return rc;
}

static void add_head(const struct view_build *b, struct key *key, struct view_head head,
                     uint32_t self) {
    key->head_kind = head.kind;
    key->head = head.id;
    if (head.kind == VIEW_HEAD_NONE || !b->options->hide_inner_tensors) {
        key->self = self;
    }
}

static struct key key_of_region(const struct view_build *b, uint32_t region) {
    const struct view_region *r = &b->regions[region];
    struct key key = {.kind = r->state == VIEW_CLOSED ? KEY_MODULE : KEY_BOX,
                      .object = b->object[r->call],
                      .graph = r->graph};

    if (r->is_body || r->group) {
        key.self = region + 1;
    } else if (b->options->roll == GRAPH_ROLL_TORCHVIEW &&
               !b->stateful[b->model->hierarchy.calls[r->call].module]) {
        add_head(b, &key, r->head, region + 1);
    }
    return key;
}

static uint32_t first_weight(const struct view_build *b, uint32_t node) {
    const struct graph_net_node *n = &b->model->net.nodes[node];

    for (uint32_t s = 0; s < n->n_inputs; s++) {
        uint32_t value = n->inputs[s];
        uint32_t weight = value == ONNX_NONE
                              ? ONNX_NONE
                              : graph_weight_root(&b->model->net, &b->model->plumbing, value);

        if (weight != ONNX_NONE) {
            return weight;
        }
    }
    return ONNX_NONE;
}

// The operators of an object's calls correspond by type and order.
static int add_order(struct roller *r, struct key *key, uint32_t call, struct error *err) {
    uint32_t n = graph_pairs_get(&r->seen, call, key->object);

    n = n == GRAPH_PAIRS_NONE ? 0 : n + 1;
    key->head = n;
    key->head_kind = r->b->object[call];
    return graph_pairs_put(&r->seen, call, key->object, n, err);
}

static int key_of_operator(struct roller *r, uint32_t node, struct key *out, struct error *err) {
    struct view_build *b = r->b;
    const struct graph_net_node *n = &b->model->net.nodes[node];
    struct key key = {.kind = KEY_OPERATOR, .graph = n->graph, .weight = first_weight(b, node)};
    uint32_t first;
    int rc = map_put_new(&r->ops, n->proto->op, node, &first, err);

    key.object = first;
    if (!str_eq(n->proto->domain, b->model->net.nodes[first].proto->domain) || n->n_captured ||
        b->holds_bodies[node]) {
        key.self = node + 1;
    }
    if (rc == 0 && b->options->roll == GRAPH_ROLL_FULL) {
        rc = add_order(r, &key, b->model->hierarchy.node_call[node], err);
    } else {
        add_head(b, &key, b->node_head[node], node + 1);
    }
    *out = key;
    return rc;
}

static int by_key(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    int by = memcmp(&x->key, &y->key, sizeof(x->key));

    return by ? by : x->index < y->index ? -1 : x->index > y->index;
}

// Items 0..n-1 of r->keyed by their keys: r->same gets the first of each class.
static void find_same(struct roller *r, uint32_t n) {
    qsort(r->keyed, n, sizeof(*r->keyed), by_key);
    for (uint32_t i = 0, first = 0; i < n; i++) {
        if (memcmp(&r->keyed[i].key, &r->keyed[first].key, sizeof(struct key)) != 0) {
            first = i;
        }
        r->same[r->keyed[i].index] = r->keyed[first].index;
    }
}

// ---- nodes

static int key_nodes(struct roller *r, struct error *err) {
    struct view_build *b = r->b;
    int rc = 0;

    for (uint32_t i = 0; i < b->n_nodes && rc == 0; i++) {
        struct keyed *item = &r->keyed[i];

        *item = (struct keyed){.key = {.kind = KEY_ELSE, .self = i + 1}, .index = i};
        if (b->nodes[i].kind == GRAPH_VIEW_OPERATOR) {
            rc = key_of_operator(r, b->nodes[i].node, &item->key, err);
        }
    }
    for (uint32_t k = 0; k < b->n_regions; k++) {
        if (b->regions[k].state == VIEW_CLOSED && b->regions[k].node != ONNX_NONE) {
            r->keyed[b->regions[k].node].key = key_of_region(b, k);
        }
    }
    return rc;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

// Calls of the things that each node stands for; nodes[i] is still the node that was drawn.
static int list_calls(struct roller *r, uint32_t *at, struct error *err) {
    struct view_build *b = r->b;
    uint32_t *calls = arena_array(&b->view->arena, b->n_nodes, sizeof(*calls)), n = 0;

    if (!calls) {
        return arena_error(&b->view->arena, "the calls of a view", err);
    }
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        b->nodes[r->same[i]].n_calls++;
    }
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        b->nodes[i].calls = calls + n;
        n += b->nodes[i].n_calls;
        at[i] = 0;
    }
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        struct graph_view_node *node = &b->nodes[r->same[i]];

        if (!at[r->same[i]] || node->calls[at[r->same[i]] - 1] != b->nodes[i].call) {
            calls[(size_t)(node->calls - calls) + at[r->same[i]]++] = b->nodes[i].call;
        }
    }
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        b->nodes[i].n_calls = at[i];
        if (at[i] > 1) {
            qsort(calls + (b->nodes[i].calls - calls), at[i], sizeof(*calls), by_number);
        }
    }
    return 0;
}

static void keep_first(struct roller *r) {
    struct view_build *b = r->b;
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->n_nodes; i++) {
        uint32_t first = r->same[i];

        if (first == i) {
            b->as[i] = n;
            b->nodes[n] = b->nodes[i];
            b->home[n] = b->home[i];
            b->first[n++] = i;
        }
        b->as[i] = b->as[first];
        b->nodes[b->as[i]].count += first != i;
        b->last[b->as[i]] = i;
    }
    b->n_nodes = n;
}

static int roll_nodes(struct roller *r, struct error *err) {
    int rc = key_nodes(r, err);

    if (rc < 0) {
        return rc;
    }
    find_same(r, r->b->n_nodes);
    rc = list_calls(r, r->b->roll_nodes + 3 * (size_t)r->b->cap_nodes, err);
    if (rc == 0) {
        keep_first(r);
    }
    return rc;
}

// ---- boxes

// Regions that something drawn lies in.
static uint32_t key_boxes(struct roller *r) {
    struct view_build *b = r->b;
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->n_nodes; i++) {
        for (uint32_t k = b->home[i]; k != ONNX_NONE && !b->regions[k].inhabited;
             k = b->regions[k].parent) {
            b->regions[k].inhabited = true;
        }
    }
    for (uint32_t k = 0; k < b->n_regions; k++) {
        if (b->regions[k].inhabited) {
            r->keyed[n++] = (struct keyed){key_of_region(b, k), k};
        }
    }
    return n;
}

static void roll_boxes(struct roller *r) {
    struct view_build *b = r->b;

    find_same(r, key_boxes(r));
    for (uint32_t k = 0; k < b->n_regions; k++) {
        if (b->regions[k].inhabited) {
            b->regions[k].same = r->same[k];
        }
    }
}

int view_roll(struct view_build *b, struct error *err) {
    struct roller r = {.b = b};
    int rc;

    if (b->options->roll == GRAPH_ROLL_NONE) {
        return 0;
    }
    rc = prepare(b, err);
    if (rc < 0) {
        return rc;
    }
    r.keyed = b->roll_keyed;
    r.same = b->roll_same;
    b->as = b->roll_nodes;
    b->first = b->as + b->cap_nodes;
    b->last = b->first + b->cap_nodes;
    map_init(&r.ops);
    graph_pairs_init(&r.seen);
    roll_boxes(&r);  // before the nodes: all that was drawn has a home
    rc = roll_nodes(&r, err);
    map_release(&r.ops);
    graph_pairs_release(&r.seen);
    return rc;
}
