// Patterns that pick modules: lists of `expand` and `collapse`.
//
// A list is comma-separated; spaces around a pattern do not count. A pattern is a qualified name of
// `.`-separated atoms: `*` within an atom matches any run of characters but the dot, `**` any
// number of atoms (none included); `path@k` matches only call k. `class:torch.nn.Linear` matches
// the class instead of the path; there a single atom (`class:Linear`) also matches the last part of
// a class name, and a closing `.*` everything below (`class:torch.nn.*`). A comma, `@`, `*` or `%`
// inside a name is percent-encoded. Matching is iterative and at worst pattern times text.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

struct graph_pattern;

struct graph_pattern_list {
    struct arena arena;
    struct graph_pattern *items;
    size_t n;
};

// Errors: ERR_USAGE for an empty atom, a bad escape or too many patterns; the sentence quotes the
// pattern.
int graph_patterns_init(struct graph_pattern_list *out, struct str list,
                        struct error *err) WARN_UNUSED;
void graph_patterns_release(struct graph_pattern_list *list);

// Number of literal atoms of the most literal pattern that matches this call (a call number counts
// as one), plus 1; 0 when none matches. The larger wins when several lists match.
unsigned graph_patterns_match(const struct graph_pattern_list *list, struct str path,
                              struct str class_name, uint32_t call);

// The same for pattern i alone.
unsigned graph_pattern_match(const struct graph_pattern_list *list, size_t i, struct str path,
                             struct str class_name, uint32_t call);

// Pattern i as it was written; borrowed from the list.
struct str graph_pattern_text(const struct graph_pattern_list *list, size_t i);
