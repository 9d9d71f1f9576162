// Private to graph/expand*.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "onnx/model.h"

struct expand_name {
    struct str inner;
    struct str outer;  // what stands for it outside, once it is asked for
    bool known;        // outer is set; "" = left out
};

// The names inside one body that is written out once.
struct expand_scope {
    struct expand_scope *up;  // of the body around a body of If or Loop; NULL: of a function
    struct map names;         // inner name -> index into entries
    struct expand_name *entries;
    size_t n, cap;
    struct str prefix;          // of what is made here
    struct expand_scope *next;  // of all that there are
};

struct expand_names {
    struct arena *arena;
    struct expand_scope *all;
    struct map taken;  // every name of a value -> how often it was wanted
    struct buf text;
    struct error *err;
};

void expand_names_init(struct expand_names *names, struct arena *arena, struct error *err);
void expand_names_release(struct expand_names *names);

// Takes the names of all values that the file's graphs make or read.
int expand_names_take(struct expand_names *names, const struct onnx_model *model) WARN_UNUSED;

// NULL on failure.
struct expand_scope *expand_scope_new(struct expand_names *names, struct expand_scope *up,
                                      struct str prefix);

// Says what a name of a body stands for; a name that is known keeps its meaning. With `outer` NULL
// it gets a name of its own when it is asked for.
int expand_define(struct expand_names *names, struct expand_scope *scope, struct str inner,
                  const struct str *outer) WARN_UNUSED;

// Whether the body makes the name itself and nobody has asked for it yet.
bool expand_is_free(const struct expand_scope *scope, struct str inner);
void expand_set(struct expand_scope *scope, struct str inner, struct str outer);

// What a name stands for; one that nobody makes gets a name that nobody makes.
int expand_resolve(struct expand_names *names, struct expand_scope *scope, struct str inner,
                   struct str *outer) WARN_UNUSED;

struct expand_budget {
    const struct onnx_model *model;
    uint64_t *work;  // per function: what its body comes to, functions that it calls left out
    uint64_t *all;   // per function: with them, as deep as functions are written out
    uint64_t left;
};

// Memory comes from the arena.
int expand_budget_init(struct expand_budget *budget, struct arena *arena,
                       const struct onnx_model *model, struct error *err) WARN_UNUSED;

// Whether there is room for a call of the function; takes that. The outermost call needs room for
// all functions inside it.
bool expand_spend(struct expand_budget *budget, const struct onnx_function *f, bool outermost);
