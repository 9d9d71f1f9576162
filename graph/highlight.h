// What `highlight` picks: a comma list of
//
//     op:Conv            operators of a type; `*` as in graph/pattern.h
//     path:layers.3.**   modules, and the operators of their code, by a pattern of graph/pattern.h
//     name:TEXT          whatever has TEXT in its name or path, upper and lower case alike
//
// A comma or % in TEXT is percent-encoded.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

struct graph_highlight_item;

struct graph_highlight {
    struct graph_highlight_item *items;
    size_t n;
};

// Errors: ERR_USAGE (the sentence quotes the item), ERR_NOMEM.
int graph_highlight_init(struct graph_highlight *out, struct str list,
                         struct error *err) WARN_UNUSED;
void graph_highlight_release(struct graph_highlight *list);

// Whether item i picks an operator of this type, a call of this module, something of this name.
bool graph_highlight_op(const struct graph_highlight *list, size_t i, struct str op);
bool graph_highlight_path(const struct graph_highlight *list, size_t i, struct str path,
                          struct str class_name, uint32_t call);
bool graph_highlight_name(const struct graph_highlight *list, size_t i, struct str name);

// Item i as it was written; borrowed from the list.
struct str graph_highlight_text(const struct graph_highlight *list, size_t i);
