#include "graph/view_internal.h"

// What torchview tells calls of stateless modules and operators apart by: the first reader of the
// first value that leaves them, seen at the level of what is around them. Sizes are numbers in
// PyTorch, so shape arithmetic neither reads nor leaves.

struct heads {
    struct view_build *b;
    uint32_t *first, *size;  // per region: those inside are first..first + size - 1 in rank
    uint32_t *rank;          // per net node: place in the execution order
    bool *ends;              // per value: output of its graph
    bool *wanted;            // per region: its head is still to be found
};

// Runs and sections are no modules: who is in one is in what is around it.
static uint32_t out_of_groups(const struct view_build *b, uint32_t region) {
    while (b->regions[region].is_group) {
        region = b->regions[region].parent;
    }
    return region;
}

static uint32_t parent_of(const struct view_build *b, uint32_t region) {
    return out_of_groups(b, b->regions[region].parent);
}

// Without groups, parents come before their children.
static void rank_regions(struct heads *h, uint32_t *next) {
    const struct view_build *b = h->b;

    for (uint32_t r = b->n_regions; r-- > 0;) {
        if (b->regions[r].is_group) {
            continue;
        }
        h->size[r]++;
        if (r) {
            h->size[parent_of(b, r)] += h->size[r];
        }
    }
    next[0] = 1;
    for (uint32_t r = 1; r < b->n_regions; r++) {
        uint32_t parent;

        if (b->regions[r].is_group) {
            continue;
        }
        parent = parent_of(b, r);
        h->first[r] = next[parent];
        next[r] = next[parent] + 1;
        next[parent] += h->size[r];
    }
}

static bool is_inside(const struct heads *h, uint32_t region, uint32_t outer) {
    return h->first[region] - h->first[outer] < h->size[outer];
}

static void mark_ends(struct heads *h) {
    const struct graph_net *net = &h->b->model->net;

    for (size_t g = 0; g < net->model->n_graphs; g++) {
        for (uint32_t i = 0; i < net->graphs[g].n_outputs; i++) {
            if (net->graphs[g].outputs[i] != ONNX_NONE) {
                h->ends[net->graphs[g].outputs[i]] = true;
            }
        }
    }
    for (uint32_t i = 0; i < net->n_nodes; i++) {
        h->rank[net->order[i]] = i;
    }
}

// First reader of a value outside a region (ONNX_NONE: anywhere), or ONNX_NONE.
static uint32_t first_reader(const struct heads *h, uint32_t value, uint32_t outside) {
    const struct graph_net *net = &h->b->model->net;
    uint32_t best = ONNX_NONE;

    for (uint32_t u = net->first_use[value]; u < net->first_use[value + 1]; u++) {
        uint32_t node = net->uses[u].node;

        if (h->b->model->plumbing.nodes[node] == GRAPH_PLUMBING_SHAPE ||
            (outside != ONNX_NONE &&
             is_inside(h, out_of_groups(h->b, h->b->node_region[node]), outside))) {
            continue;
        }
        if (best == ONNX_NONE || h->rank[node] < h->rank[best]) {
            best = node;
        }
    }
    return best;
}

// A node as something in `around` or in what is around that sees it: the outermost call that is
// entered on the way to it, else the node.
static struct view_head lift(const struct heads *h, uint32_t node, uint32_t around) {
    const struct view_build *b = h->b;
    uint32_t region = out_of_groups(b, b->node_region[node]), below = ONNX_NONE;

    while (!is_inside(h, around, region)) {
        below = region;
        region = parent_of(b, region);
    }
    if (below == ONNX_NONE || b->regions[below].is_body) {
        return (struct view_head){VIEW_HEAD_NODE, node};
    }
    return (struct view_head){VIEW_HEAD_OBJECT, b->object[b->regions[below].call]};
}

// Whether the value decides: it leaves, and *head says to whom; or it only ends.
static bool head_of_value(const struct heads *h, uint32_t value, uint32_t outside, uint32_t around,
                          struct view_head *head) {
    uint32_t reader = first_reader(h, value, outside);

    if (reader != ONNX_NONE) {
        *head = lift(h, reader, around);
    }
    return reader != ONNX_NONE || h->ends[value];
}

static void heads_of_node(struct heads *h, uint32_t node) {
    struct view_build *b = h->b;
    const struct graph_net_node *n = &b->model->net.nodes[node];
    bool found = false;

    if (b->model->plumbing.nodes[node] != GRAPH_PLUMBING_NONE) {
        return;
    }
    for (uint32_t i = 0; i < n->n_outputs; i++) {
        uint32_t value = n->outputs[i], region = out_of_groups(b, b->node_region[node]);

        if (value == ONNX_NONE) {
            continue;
        }
        if (!found) {
            found = head_of_value(h, value, ONNX_NONE, region, &b->node_head[node]);
        }
        for (; region != 0; region = parent_of(b, region)) {
            if (h->wanted[region] &&
                head_of_value(h, value, region, parent_of(b, region), &b->regions[region].head)) {
                h->wanted[region] = false;
            }
        }
    }
}

// Only the calls of a module that has no weights and more than one call.
static bool is_wanted(const struct view_build *b, const struct view_region *r) {
    uint32_t module = b->model->hierarchy.calls[r->call].module;

    return !r->is_body && !r->is_group && !b->stateful[module] &&
           b->model->hierarchy.modules[module].n_calls > 1;
}

int view_heads(struct view_build *b, struct error *err) {
    const struct graph_net *net = &b->model->net;
    struct heads h = {.b = b};
    uint32_t *next = arena_array(&b->work, b->n_regions, sizeof(*next));

    h.first = arena_array(&b->work, b->n_regions, sizeof(*h.first));
    h.size = arena_array(&b->work, b->n_regions, sizeof(*h.size));
    h.wanted = arena_array(&b->work, b->n_regions, sizeof(*h.wanted));
    h.ends = arena_array(&b->work, net->n_values, sizeof(*h.ends));
    h.rank = arena_array(&b->work, net->n_nodes, sizeof(*h.rank));
    b->node_head = arena_array(&b->work, net->n_nodes, sizeof(*b->node_head));
    if (!next || !h.first || !h.size || !h.wanted || !h.ends || !h.rank || !b->node_head) {
        return arena_error(&b->work, "the readers of a view", err);
    }
    rank_regions(&h, next);
    mark_ends(&h);
    for (uint32_t r = 0; r < b->n_regions; r++) {
        h.wanted[r] = is_wanted(b, &b->regions[r]);
    }
    for (size_t i = 0; i < net->n_nodes; i++) {
        heads_of_node(&h, net->order[i]);
    }
    return 0;
}
