#include "graph/module_tree.h"

#include <stdlib.h>

#include "onnx/model.h"

static void find_first_calls(struct graph_module_tree *t, const struct graph_hierarchy *h) {
    for (size_t m = 0; m < h->n_modules; m++) {
        t->modules[m].first_call = ONNX_NONE;
    }
    for (uint32_t c = 0; c < h->n_calls; c++) {
        struct graph_module_facts *facts = &t->modules[h->calls[c].module];

        if (facts->first_call != ONNX_NONE) {
            continue;
        }
        facts->first_call = c;
        facts->depth = h->calls[c].depth;
        facts->parent = c == 0 ? ONNX_NONE : h->calls[h->calls[c].parent].module;
    }
}

// A module that calls itself, whatever lies between, counts a node once.
static void count_nodes(struct graph_module_tree *t, const struct graph_hierarchy *h,
                        const struct graph_net *net, size_t *counted) {
    for (size_t i = 0; i < net->n_nodes; i++) {
        for (uint32_t c = net->nodes[i].proto->expanded ? ONNX_NONE : h->node_call[i];
             c != ONNX_NONE; c = h->calls[c].parent) {
            uint32_t m = h->calls[c].module;

            if (counted[m] != i + 1) {
                t->modules[m].n_nodes++;
            }
            counted[m] = i + 1;
        }
    }
}

// Children hang in lists; filling from the last module on puts each list in order.
static void sort_modules(struct graph_module_tree *t, size_t n, uint32_t *child,
                         uint32_t *sibling) {
    uint32_t at = 0, *out = t->order;

    for (size_t m = n; m-- > 1;) {
        uint32_t parent = t->modules[m].parent;

        sibling[m] = child[parent];
        child[parent] = (uint32_t)m;
    }
    for (;;) {
        *out++ = at;
        if (child[at]) {
            at = child[at];
            continue;
        }
        while (at != 0 && sibling[at] == 0) {
            at = t->modules[at].parent;
        }
        if (at == 0) {
            return;
        }
        at = sibling[at];
    }
}

int graph_module_tree_init(struct graph_module_tree *out, const struct graph_hierarchy *hierarchy,
                           const struct graph_net *net, struct error *err) {
    size_t n = hierarchy->n_modules;
    size_t *counted = calloc(n, sizeof(*counted));
    uint32_t *child = calloc(n, sizeof(*child)), *sibling = calloc(n, sizeof(*sibling));
    bool ok;

    out->modules = calloc(n, sizeof(*out->modules));
    out->order = calloc(n, sizeof(*out->order));
    ok = counted && child && sibling && out->modules && out->order;
    if (ok) {
        find_first_calls(out, hierarchy);
        count_nodes(out, hierarchy, net, counted);
        sort_modules(out, n, child, sibling);
    }
    free(counted);
    free(child);
    free(sibling);
    return ok ? 0 : error_set(err, ERR_NOMEM, "no memory left for %zu modules", n);
}

void graph_module_tree_release(struct graph_module_tree *tree) {
    if (!tree) {
        return;
    }
    free(tree->modules);
    free(tree->order);
    *tree = (struct graph_module_tree){0};
}
