// The JSON documents as tables for people at a terminal (inspect --format table). Each appends to a
// bounded buffer; errors are those of graph_table_write().
#pragma once

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "graph/model.h"
#include "graph/write_json.h"

int graph_write_summary_table(struct buf *out, const struct graph_model *model,
                              const struct graph_source *source, struct error *err) WARN_UNUSED;
int graph_write_modules_table(struct buf *out, const struct graph_model *model,
                              struct error *err) WARN_UNUSED;
int graph_write_nodes_table(struct buf *out, const struct graph_model *model,
                            struct error *err) WARN_UNUSED;

// Appends "1.5 MiB", or "12*n bytes"; nothing of what is unknown.
void graph_add_bytes(struct buf *out, struct dim_num bytes);
