// Outer values by name, for bodies that declare what they read: branches of an If have no inputs by
// the standard, but tools write them, and mean the value of that name around the If.
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "base/map.h"
#include "graph/net.h"

struct view_outer {
    const struct graph_net *net;
    struct arena *arena;  // of the keys
    struct map values;    // graph and name -> value; filled when first asked
};

// The value that a name has where `graph` is written, or ONNX_NONE. *found only when 0 is returned.
int view_outer_value(struct view_outer *o, uint32_t *found, uint32_t graph, struct str name,
                     struct error *err) WARN_UNUSED;
void view_outer_release(struct view_outer *o);
