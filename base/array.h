// Growing a plain C array: pointer, count and capacity live side by side in the owner's struct.
//
//     struct view_node *nodes; size_t n_nodes, cap_nodes;
//     if (array_grow(&v->nodes, &v->cap_nodes, v->n_nodes + 1, sizeof(*v->nodes), NODES_MAX,
//                    "view nodes", err) < 0)
//
// The array is freed with free(). New room is zeroed.
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "base/error.h"

// Makes room for at least `need` items of `size` bytes. *items keeps its content; it is unchanged
// on failure. Errors: ERR_LIMIT (need > max; `what` is named), ERR_NOMEM.
int array_grow_(void **items, size_t *cap, size_t need, size_t size, size_t max, const char *what,
                struct error *err) WARN_UNUSED;

#define array_grow(items, cap, need, size, max, what, err) \
    array_grow_((void **)(items), (cap), (need), (size), (max), (what), (err))
