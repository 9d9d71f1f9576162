// How much is written out: counted before it is done, so that small files stay small.
#include "graph/expand.h"
#include "graph/expand_internal.h"

static uint64_t work_of_graph(const struct onnx_model *model, const struct onnx_graph *graph) {
    uint64_t work = graph->n_inputs + graph->n_outputs + graph->n_initializers;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const struct onnx_node *node = &model->nodes[graph->first_node + i];
        work += 1 + node->n_inputs + node->n_outputs + node->n_attrs;
    }
    return work;
}

static void measure_bodies(struct expand_budget *b) {
    for (size_t g = 0; g < b->model->n_graphs; g++) {
        const struct onnx_graph *graph = &b->model->graphs[g];
        if (graph->function != ONNX_NONE) {
            b->work[graph->function] += work_of_graph(b->model, graph);
        }
    }
    for (size_t f = 0; f < b->model->n_functions; f++) {
        b->work[f] += b->model->functions[f].n_inputs + b->model->functions[f].n_outputs;
    }
}

static uint64_t add_capped(uint64_t a, uint64_t b) {
    return a + b < EXPAND_WORK_MAX ? a + b : EXPAND_WORK_MAX + 1;
}

// One more level of functions in functions.
static bool measure_again(struct expand_budget *b) {
    bool changed = false;
    for (size_t f = 0; f < b->model->n_functions; f++) {
        const struct onnx_graph *body = &b->model->graphs[b->model->functions[f].graph];
        uint64_t all = b->work[f];
        for (uint32_t i = 0; i < body->n_nodes; i++) {
            uint32_t callee = b->model->nodes[body->first_node + i].callee;
            all = callee ? add_capped(all, b->all[callee - 1]) : all;
        }
        changed |= all != b->all[f];
        b->all[f] = all;
    }
    return changed;
}

// What calls itself grows on and on; as deep as is written out is deep enough to see.
int expand_budget_init(struct expand_budget *b, struct arena *arena, const struct onnx_model *model,
                       struct error *err) {
    size_t n = model->n_functions;
    *b = (struct expand_budget){.model = model, .left = EXPAND_WORK_MAX};
    b->work = arena_array(arena, n, sizeof(*b->work));
    b->all = arena_array(arena, n, sizeof(*b->all));
    if (!b->work || !b->all) {
        return arena_error(arena, "functions", err);
    }
    measure_bodies(b);
    bool grows = true;
    for (uint32_t depth = 0; depth < EXPAND_DEPTH_MAX && grows; depth++) {
        grows = measure_again(b);
    }
    return 0;
}

// Better the whole of a call than a part of it.
bool expand_spend(struct expand_budget *b, const struct onnx_function *f, bool outermost) {
    size_t index = (size_t)(f - b->model->functions);
    if ((outermost ? b->all[index] : b->work[index]) > b->left) {
        return false;
    }
    b->left -= b->work[index];
    return true;
}
