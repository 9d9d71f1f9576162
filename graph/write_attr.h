// Attributes of a node as JSON values.
//
// Numbers, strings and lists are themselves; a tensor is {"dtype", "shape"} and, when it is small
// and its payload is there, "values"; a graph is its path; a reference to an attribute of the
// function around it is {"ref": name}. Lists and texts are complete up to GRAPH_ATTR_ITEMS elements
// and GRAPH_ATTR_BYTES bytes; longer ones are {"count", "first": [...]} and {"bytes", "start"}.
// What is not finite, or of a kind without a value (types), is null.
#pragma once

#include "base/attr.h"
#include "base/error.h"
#include "base/json_write.h"
#include "graph/net.h"

#define GRAPH_ATTR_ITEMS 4096        // elements of a list that are written out
#define GRAPH_ATTR_FIRST 16          // elements of a longer one that are
#define GRAPH_ATTR_BYTES 65536       // bytes of a text that are written out
#define GRAPH_ATTR_START 256         // bytes of a longer one that are
#define GRAPH_ATTR_TENSOR_VALUES 64  // elements of a tensor that are written out

// The shortest decimal that reads back as the same float: 0.1, not 0.10000000149011612.
double graph_shortest(double value);

// The member "attributes"; of attributes with one name the first counts. Errors: ERR_NOMEM.
int graph_write_attributes(struct json_write *w, const struct graph_net *net,
                           const struct onnx_node *node, struct error *err) WARN_UNUSED;
