// The members that layout.json has beyond graph.json; shared with graph/write_graph.c alone.
#pragma once

#include "base/json_write.h"
#include "graph/layout.h"
#include "graph/view.h"

// One document of a view: graph.json, or with a layout layout.json.
int graph_write_view(struct buf *out, const struct graph_view *view,
                     const struct graph_layout *layout, struct error *err) WARN_UNUSED;

void graph_write_size(struct json_write *json, const struct graph_layout *layout);
void graph_write_box(struct json_write *json, struct graph_box box);

// Curves are cut into straight pieces.
void graph_write_routes(struct json_write *json, const struct graph_edge_place *edge);
