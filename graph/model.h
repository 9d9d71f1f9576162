// Everything that is known about one model before a view is chosen: the result of the first half of
// the pipeline.
#pragma once

#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/cost.h"
#include "graph/expand.h"
#include "graph/hierarchy.h"
#include "graph/net.h"
#include "graph/plumbing.h"
#include "graph/shape.h"
#include "onnx/model.h"

struct graph_model {
    struct onnx_model *onnx;  // owned; as in the file
    struct graph_expansion expansion;
    struct graph_net net;  // of the expansion
    struct graph_plumbing_map plumbing;
    struct graph_hierarchy hierarchy;
    struct graph_shapes shapes;
    struct graph_costs costs;
    struct warnings warnings;  // of the file and of everything read out of it
};

// CPU milliseconds of the stages behind a model.
struct graph_model_times {
    double scope;  // functions, net, plumbing, hierarchy
    double shapes;
    double cost;
};

// Runs every stage on a decoded model. *out is a zeroed struct of the caller's, who may already
// have collected the decoder's warnings in out->warnings. `onnx` belongs to *out from here on, also
// on failure: graph_model_release() in either case. `times` may be NULL. Errors: ERR_NOMEM,
// ERR_LIMIT.
int graph_model_init(struct graph_model *out, struct onnx_model *onnx,
                     struct graph_model_times *times, struct error *err) WARN_UNUSED;
void graph_model_release(struct graph_model *model);
