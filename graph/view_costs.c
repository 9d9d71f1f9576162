#include "base/num.h"
#include "graph/view.h"

// A module counts its weights once however often it is called, and its work each time.
struct sum {
    const struct graph_model *model;
    struct graph_view_costs costs;
    size_t n;  // added so far
};

static struct dim_num plus(const struct sum *s, struct dim_num more) {
    struct dim_pool *pool = s->model->shapes.dims;

    if (s->n == 0) {
        return more;
    }
    return pool ? dim_add(pool, s->costs.macs, more) : (struct dim_num){.kind = DIM_UNKNOWN};
}

// `known`: a call of the same module was added before.
static void add_call(struct sum *s, uint32_t call, bool known) {
    const struct graph_costs *costs = &s->model->costs;

    if (!costs->parameters) {
        s->costs.has_parameters = false;
    } else if (!known &&
               !num_add(&s->costs.parameters, s->costs.parameters, costs->parameters[call])) {
        s->costs.parameters = UINT64_MAX;
    }
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

static uint32_t module_of(const struct sum *s, uint32_t call) {
    return s->model->hierarchy.calls[call].module;
}

// Instances of a run that share their weights have the same module in the same place.
static bool is_again(const struct sum *s, const struct graph_view_group *group, uint32_t i) {
    uint32_t period = group->kind == GRAPH_CLUSTER_FOLD && group->count
                          ? group->n_members / group->count
                          : group->n_members;

    return i >= period && period && group->members[i - period].node == ONNX_NONE &&
           module_of(s, group->members[i - period].call) == module_of(s, group->members[i].call);
}

static void add_calls(struct sum *s, const uint32_t *calls, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        add_call(s, calls[i], i && module_of(s, calls[i - 1]) == module_of(s, calls[i]));
    }
}

static void add_group(struct sum *s, const struct graph_view_group *group) {
    for (uint32_t i = 0; i < group->n_members; i++) {
        if (group->members[i].node == ONNX_NONE) {
            add_call(s, group->members[i].call, is_again(s, group, i));
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
    struct sum s = {.model = view->model, .costs = {.has_parameters = true}};

    if (n->group) {
        add_group(&s, n->group);
    } else if (n->kind == GRAPH_VIEW_MODULE) {
        add_calls(&s, n->n_calls ? n->calls : &n->call, n->n_calls ? n->n_calls : 1);
    } else if (n->kind == GRAPH_VIEW_OPERATOR && n->count == 1) {
        add_operator(&s, n->node);
    }
    return result(&s);
}

struct graph_view_costs graph_view_cluster_costs(const struct graph_view *view, uint32_t cluster) {
    const struct graph_view_cluster *c = &view->clusters[cluster];
    struct sum s = {.model = view->model, .costs = {.has_parameters = true}};

    if (c->group) {
        add_group(&s, c->group);
    } else if (graph_cluster_is_call(c->kind)) {
        add_calls(&s, c->n_calls ? c->calls : &c->call, c->n_calls ? c->n_calls : 1);
    }
    return result(&s);
}
