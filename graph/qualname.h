// Qualified names of modules, "layer1.0.conv1": atoms joined by dots. Views in, views out; nothing
// is looked up.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

// Module that owns a parameter: its name up to the last dot, "" when it has none.
struct str graph_qualname_owner(struct str parameter);

// What a scope prints of a module: the name from its last atom that is no number on ("layer1.0" of
// "net.layer1.0", "conv1" of "layer1.0.conv1", "0" of "0").
struct str graph_qualname_tail(struct str name);

// "a.b" + "c.d" = "a.b.c.d"; "" on the left adds nothing. Text from the arena; {NULL, 0} when that
// is exhausted.
struct str graph_qualname_append(struct arena *arena, struct str parent, struct str child);

// Name of the module that is shown as `component` when `parent` calls it: "layer1" + "layer1.0" =
// "layer1.0", "layer1.0" + "conv1" = "layer1.0.conv1". As graph_qualname_append() otherwise.
struct str graph_qualname_join(struct arena *arena, struct str parent, struct str component);

// true when `prefix` is the name of a module that `name` lies strictly below. Everything lies below
// the root "".
bool graph_qualname_below(struct str name, struct str prefix);

// Longest proper prefix of `name` whose last atoms are `tail`; {NULL, 0} when there is none.
struct str graph_qualname_prefix_with_tail(struct str name, struct str tail);

// "relu_3" = "relu" and 3. false when there is no such number: decimal, no leading zero, not 0,
// something before it.
bool graph_qualname_split_number(struct str name, struct str *base, uint32_t *number);
