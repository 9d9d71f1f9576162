// The JSON documents of design section 7. Each appends one document to a bounded buffer; errors are
// those of buf_check().
#pragma once

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "graph/layout.h"
#include "graph/model.h"
#include "graph/view.h"
#include "onnx/strip.h"

// Facts about the file that the model itself does not hold.
struct graph_source {
    struct str id;  // SHA-256 of the posted bytes, hex; {NULL, 0} = null
    uint64_t size;  // posted bytes
    bool complete;
};

int graph_write_summary(struct buf *out, const struct graph_model *model,
                        const struct graph_source *source,
                        struct error *err) WARN_UNUSED;  // onnxscope/model/1
int graph_write_nodes(struct buf *out, const struct graph_model *model,
                      struct error *err) WARN_UNUSED;  // onnxscope/nodes/1
int graph_write_modules(struct buf *out, const struct graph_model *model,
                        struct error *err) WARN_UNUSED;  // onnxscope/modules/1
int graph_write_graph(struct buf *out, const struct graph_view *view,
                      struct error *err) WARN_UNUSED;  // onnxscope/graph/1
// `layout` is of this view.
int graph_write_layout(struct buf *out, const struct graph_view *view,
                       const struct graph_layout *layout,
                       struct error *err) WARN_UNUSED;  // onnxscope/layout/1
