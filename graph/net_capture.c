// Who reads a value: nodes directly, and holders of bodies on behalf of what stands in them.
#include <stdlib.h>

#include "base/array.h"
#include "graph/net_internal.h"

#define CAPTURES_MAX ((size_t)1 << 26)

struct capture {
    struct net_build *b;
    uint32_t *seen_by;  // per value: the holder that captured it last, plus 1
    uint32_t *found;    // of the holder at hand
    size_t n, cap;
};

static int capture(struct capture *c, uint32_t holder, uint32_t body, uint32_t value,
                   struct error *err) {
    if (value == ONNX_NONE || c->b->values[value].graph == body ||
        c->seen_by[value] == holder + 1) {
        return 0;
    }
    c->seen_by[value] = holder + 1;
    int result = array_grow(&c->found, &c->cap, c->n + 1, sizeof(*c->found), CAPTURES_MAX,
                            "outer values read in bodies", err);
    if (result == 0) {
        c->found[c->n++] = value;
    }
    return result;
}

static int capture_all(struct capture *c, uint32_t holder, uint32_t body, const uint32_t *values,
                       uint32_t n, struct error *err) {
    int result = 0;
    for (uint32_t i = 0; i < n && result == 0; i++) {
        result = capture(c, holder, body, values[i], err);
    }
    return result;
}

static int capture_body(struct capture *c, uint32_t holder, uint32_t body, struct error *err) {
    const struct graph_net_graph *graph = &c->b->graphs[body];
    int result = 0;
    for (uint32_t i = 0; i < graph->n_nodes && result == 0; i++) {
        const struct graph_net_node *node = &c->b->nodes[graph->first_node + i];
        result = capture_all(c, holder, body, node->inputs, node->n_inputs, err);
        if (result == 0) {
            result = capture_all(c, holder, body, node->captured, node->n_captured, err);
        }
    }
    if (result < 0) {
        return result;
    }
    return capture_all(c, holder, body, graph->outputs, graph->n_outputs, err);
}

static int capture_holder(struct capture *c, uint32_t holder, struct error *err) {
    struct net_build *b = c->b;
    int result = 0;
    c->n = 0;
    for (uint32_t body = b->first_body[holder]; body != ONNX_NONE && result == 0;
         body = b->next_body[body]) {
        result = capture_body(c, holder, body, err);
    }
    if (result < 0) {
        return result;
    }
    uint32_t *captured = arena_array(&b->net->arena, c->n, sizeof(*captured));
    if (!captured) {
        return arena_error(&b->net->arena, "values", err);
    }
    if (c->n) {
        memcpy(captured, c->found, c->n * sizeof(*captured));
    }
    b->nodes[holder].captured = captured;
    b->nodes[holder].n_captured = (uint32_t)c->n;
    return 0;
}

// From the last node to the first: a body's nodes follow its holder, so what an inner holder
// captures is known when the outer one asks.
int net_capture(struct net_build *b, struct error *err) {
    struct capture c = {.b = b};
    c.seen_by = arena_array(&b->scratch, b->n_values, sizeof(*c.seen_by));
    if (!c.seen_by) {
        return arena_error(&b->scratch, "values", err);
    }
    int result = 0;
    for (size_t i = b->net->n_nodes; i-- > 0 && result == 0;) {
        if (b->first_body[i] != ONNX_NONE) {
            result = capture_holder(&c, (uint32_t)i, err);
        }
    }
    free(c.found);
    return result;
}

static uint32_t value_in_slot(const struct graph_net_node *node, uint32_t slot) {
    return slot < node->n_inputs ? node->inputs[slot] : node->captured[slot - node->n_inputs];
}

static int count_uses(const struct net_build *b, uint32_t *first, struct error *err) {
    uint64_t total = 0;
    for (size_t i = 0; i < b->net->n_nodes; i++) {
        const struct graph_net_node *node = &b->nodes[i];
        uint32_t n_slots = node->n_inputs + node->n_captured;
        total += n_slots;
        if (total > UINT32_MAX / 2) {
            return error_set_limit(err, "max-messages", "the model has too many edges");
        }
        for (uint32_t slot = 0; slot < n_slots; slot++) {
            uint32_t value = value_in_slot(node, slot);
            if (value != ONNX_NONE) {
                first[value + 1]++;
            }
        }
    }
    for (size_t v = 0; v < b->n_values; v++) {
        first[v + 1] += first[v];
    }
    return 0;
}

int net_uses(struct net_build *b, struct error *err) {
    uint32_t *first = arena_array(&b->net->arena, b->n_values + 1, sizeof(*first));
    uint32_t *next = arena_array(&b->scratch, b->n_values + 1, sizeof(*next));
    if (!first || !next) {
        return arena_error(&b->net->arena, "values", err);
    }
    int result = count_uses(b, first, err);
    if (result < 0) {
        return result;
    }
    memcpy(next, first, (b->n_values + 1) * sizeof(*next));
    struct graph_use *uses = arena_array(&b->net->arena, first[b->n_values], sizeof(*uses));
    if (!uses) {
        return arena_error(&b->net->arena, "values", err);
    }
    for (uint32_t i = 0; i < b->net->n_nodes; i++) {
        const struct graph_net_node *node = &b->nodes[i];
        for (uint32_t slot = 0; slot < node->n_inputs + node->n_captured; slot++) {
            uint32_t value = value_in_slot(node, slot);
            if (value != ONNX_NONE) {
                uses[next[value]++] = (struct graph_use){i, slot};
            }
        }
    }
    b->net->first_use = first;
    b->net->uses = uses;
    return 0;
}
