// Classes of leaf modules, guessed from their operators: a module that does nothing but Conv with a
// weight of rank 4 is a Conv2d. For files that do not say it themselves.
//
// Only modules without child modules, all of whose calls look alike, and only where the operators
// leave one likely answer; never composites, never the root. Such a class is marked
// GRAPH_CLASS_INFERRED and is a bare name, "Conv2d".
#pragma once

#include "base/attr.h"
#include "base/error.h"
#include "graph/hierarchy.h"

// `modules` are those of `h`, to be written. Errors: ERR_NOMEM.
int graph_class_infer(struct graph_module *modules, const struct graph_hierarchy *h,
                      const struct graph_net *net, const struct graph_plumbing_map *plumbing,
                      struct error *err) WARN_UNUSED;
