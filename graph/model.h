// Everything that is known about one model before a view is chosen: the result of the first half of
// the pipeline.
#pragma once

#include "base/warnings.h"
#include "graph/cost.h"
#include "graph/hierarchy.h"
#include "graph/net.h"
#include "graph/plumbing.h"
#include "graph/shape.h"
#include "onnx/model.h"

struct graph_model {
    struct onnx_model *onnx;  // owned
    struct graph_net net;
    struct graph_plumbing_map plumbing;
    struct graph_hierarchy hierarchy;
    struct graph_shapes shapes;
    struct graph_costs costs;
    struct warnings warnings;  // of the file and of everything read out of it
};
