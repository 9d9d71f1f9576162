// A view made by hand over a model made by hand, for tests of what draws: no file is read.
//
//     struct hand_view *h = hand_view_new();
//     uint32_t box = hand_cluster(h, GRAPH_CLUSTER_MODULE, ONNX_NONE, "layer1", "nn.Sequential");
//     uint32_t x = hand_value(h, GRAPH_VIEW_INPUT, ONNX_NONE, "x", 2, (int64_t[]){1, 3});
//     uint32_t conv = hand_module(h, box, "layer1.conv", "nn.Conv2d");
//     hand_edge(h, x, conv, 1);
//     const struct graph_view *view = hand_view(h);   // until hand_view_free()
//
// Whatever goes wrong aborts the test.
#pragma once

#include <stdint.h>

#include "graph/view.h"

struct hand_view;

struct hand_view *hand_view_new(void);
void hand_view_free(struct hand_view *h);

// Options of the view: may be changed until it is drawn.
struct graph_options *hand_options(struct hand_view *h);

// Clusters go before their children; a class that ends in "?" is an inferred one.
uint32_t hand_cluster(struct hand_view *h, enum graph_cluster_kind kind, uint32_t parent,
                      const char *path, const char *class_name);

// Nodes. The value's shape has `rank` dims; -1 is an unknown one; `dims` NULL: unknown rank.
uint32_t hand_value(struct hand_view *h, enum graph_view_kind kind, uint32_t cluster,
                    const char *name, uint32_t rank, const int64_t *dims);
uint32_t hand_module(struct hand_view *h, uint32_t cluster, const char *path,
                     const char *class_name);
uint32_t hand_operator(struct hand_view *h, uint32_t cluster, const char *op, const char *name);

// What enters and leaves a node: values of value nodes, or of hand_tensor().
uint32_t hand_tensor(struct hand_view *h, const char *name, uint32_t rank, const int64_t *dims);
void hand_dtype(struct hand_view *h, uint32_t value, int32_t dtype);  // float without this
void hand_reads(struct hand_view *h, uint32_t node, uint32_t value);
void hand_makes(struct hand_view *h, uint32_t node, uint32_t value);

// Edges in order of (from, to).
uint32_t hand_edge(struct hand_view *h, uint32_t from, uint32_t to, uint32_t count);
void hand_carries(struct hand_view *h, uint32_t edge, uint32_t value);

const struct graph_view *hand_view(struct hand_view *h);
