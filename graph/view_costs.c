#include "base/num.h"
#include "graph/view.h"

// A module counts its weights once however often it is called, and its work each time.
struct sum {
    const struct graph_model *model;
    struct graph_view_costs costs;
    uint32_t last_module;
    size_t n;  // added so far
};

// A symbolic number stands for itself alone: sums of them belong to the model, not to a view.
static struct dim_num plus(const struct sum *s, struct dim_num more) {
    struct dim_num total = s->costs.macs;

    if (s->n == 0) {
        return more;
    }
    if (total.kind != DIM_INT || more.kind != DIM_INT) {
        total.kind = DIM_UNKNOWN;
    } else if (!num_add(&total.i, total.i, more.i)) {
        total.i = INT64_MAX;
    }
    return total;
}

static void add_call(struct sum *s, uint32_t call) {
    const struct graph_costs *costs = &s->model->costs;
    uint32_t module = s->model->hierarchy.calls[call].module;

    if (!costs->parameters) {
        s->costs.has_parameters = false;
    } else if (module != s->last_module &&
               !num_add(&s->costs.parameters, s->costs.parameters, costs->parameters[call])) {
        s->costs.parameters = UINT64_MAX;
    }
    s->last_module = module;
    s->costs.macs =
        plus(s, costs->macs ? costs->macs[call] : (struct dim_num){.kind = DIM_UNKNOWN});
    s->n++;
}

static void add_operator(struct sum *s, uint32_t node) {
    s->costs.has_parameters = false;
    s->costs.macs = plus(s, s->model->shapes.macs ? s->model->shapes.macs[node]
                                                  : (struct dim_num){.kind = DIM_UNKNOWN});
    s->n++;
}

static void add_group(struct sum *s, const struct graph_view_group *group) {
    for (uint32_t i = 0; i < group->n_members; i++) {
        if (group->members[i].node == ONNX_NONE) {
            add_call(s, group->members[i].call);
        } else {
            add_operator(s, group->members[i].node);
        }
    }
}

static struct graph_view_costs result(const struct sum *s) {
    return s->n ? s->costs : (struct graph_view_costs){0};
}

struct graph_view_costs graph_view_node_costs(const struct graph_view *view, uint32_t node) {
    const struct graph_view_node *n = &view->nodes[node];
    struct sum s = {.model = view->model,
                    .costs = {.has_parameters = true},
                    .last_module = ONNX_NONE};

    if (n->group) {
        add_group(&s, n->group);
    } else if (n->kind == GRAPH_VIEW_MODULE) {
        for (uint32_t i = 0; i < n->n_calls; i++) {
            add_call(&s, n->calls[i]);
        }
        if (!n->n_calls) {
            add_call(&s, n->call);
        }
    } else if (n->kind == GRAPH_VIEW_OPERATOR && n->count == 1) {
        add_operator(&s, n->node);
    }
    return result(&s);
}

struct graph_view_costs graph_view_cluster_costs(const struct graph_view *view, uint32_t cluster) {
    const struct graph_view_cluster *c = &view->clusters[cluster];
    struct sum s = {.model = view->model,
                    .costs = {.has_parameters = true},
                    .last_module = ONNX_NONE};

    if (c->group) {
        add_group(&s, c->group);
    } else if (c->kind == GRAPH_CLUSTER_MODULE) {
        for (uint32_t i = 0; i < c->n_calls; i++) {
            add_call(&s, c->calls[i]);
        }
        if (!c->n_calls) {
            add_call(&s, c->call);
        }
    }
    return result(&s);
}
