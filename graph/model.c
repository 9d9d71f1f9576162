#include "graph/model.h"

#include "base/clock.h"

// Adds the CPU time since *since to *total and moves *since on.
static void lap(double *total, double *since) {
    double now = clock_cpu_ms();
    *total += now - *since;
    *since = now;
}

static int init_scope(struct graph_model *m, struct error *err) {
    int result = graph_expand(&m->expansion, m->onnx, &m->warnings, err);
    if (result < 0) {
        return result;
    }
    result = graph_net_init(&m->net, &m->expansion.model, &m->warnings, err);
    if (result < 0) {
        return result;
    }
    result = graph_plumbing_init(&m->plumbing, &m->net, err);
    if (result < 0) {
        return result;
    }
    return graph_hierarchy_init(&m->hierarchy, &m->net, &m->plumbing, &m->warnings, err);
}

int graph_model_init(struct graph_model *out, struct onnx_model *onnx,
                     struct graph_model_times *times, struct error *err) {
    struct graph_model_times unused;
    if (!times) {
        times = &unused;
    }
    *times = (struct graph_model_times){0};
    double since = clock_cpu_ms();

    out->onnx = onnx;
    int result = init_scope(out, err);
    lap(&times->scope, &since);
    if (result < 0) {
        return result;
    }
    result = graph_shapes_init(&out->shapes, &out->net, &out->warnings, err);
    lap(&times->shapes, &since);
    if (result < 0) {
        return result;
    }
    result = graph_costs_init(&out->costs, &out->net, &out->plumbing, &out->hierarchy, &out->shapes,
                              &out->warnings, err);
    lap(&times->cost, &since);
    return result;
}

void graph_model_release(struct graph_model *model) {
    if (!model) {
        return;
    }
    graph_costs_release(&model->costs);
    graph_shapes_release(&model->shapes);
    graph_hierarchy_release(&model->hierarchy);
    graph_plumbing_release(&model->plumbing);
    graph_net_release(&model->net);
    graph_expansion_release(&model->expansion);
    onnx_model_free(model->onnx);
    warnings_release(&model->warnings);
    *model = (struct graph_model){0};
}
