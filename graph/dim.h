// Numbers that shapes, sizes and costs are made of: known, symbolic or unknown, and arithmetic on
// them.
//
// A symbolic number is the text people read: "batch", "2*batch", "seq + 1", "floor(seq/2)". Behind
// the text stands a polynomial of symbols with integer factors, so that equal numbers have equal
// texts however they were computed: two symbolic numbers are equal when their texts are. Symbols
// stand for sizes: they are taken to be positive. What gets too long or too deep is unknown, and
// unknown stays unknown. Nothing here fails: without memory a result is unknown.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"

#define DIM_TEXT_MAX 96        // bytes of a symbolic text; a longer one of the file is unknown here
#define DIM_TERMS_MAX 8        // terms of a sum
#define DIM_ATOMS_MAX 6        // factors of a term
#define DIM_EXPRS_MAX 100000u  // different symbolic numbers of one model

// A dim of a shape.
struct graph_dim {
    int64_t value;      // >= 0 when known, else -1
    struct str symbol;  // symbolic text, "" when none; a dim with neither is unknown
};

enum dim_kind {
    DIM_UNKNOWN,
    DIM_INT,
    DIM_REAL,    // an element of a float tensor: scales of Resize and the like
    DIM_SYMBOL,  // a symbolic integer
};

struct dim_num {
    enum dim_kind kind;
    union {
        int64_t i;
        double real;
        struct str symbol;
    };
};

struct dim_expr;

// The symbolic numbers of one model. The texts of results are borrowed from it.
struct dim_pool {
    struct arena arena;  // of texts and terms
    struct map texts;    // text -> index into exprs
    struct dim_expr *exprs;
    size_t n_exprs, cap_exprs;
    bool saturated;  // a product of known numbers passed INT64_MAX and was cut there
};

void dim_pool_init(struct dim_pool *pool, size_t max_memory);
void dim_pool_release(struct dim_pool *pool);  // zeroed is fine

static inline struct dim_num dim_int(int64_t i) {
    return (struct dim_num){.kind = DIM_INT, .i = i};
}

static inline struct dim_num dim_real(double real) {
    return (struct dim_num){.kind = DIM_REAL, .real = real};
}

static inline bool dim_is_int(struct dim_num a, int64_t i) {
    return a.kind == DIM_INT && a.i == i;
}

struct dim_num dim_from(struct graph_dim dim);
struct graph_dim dim_to(struct dim_num num);  // negative and real numbers are no sizes: unknown

// Both known, or symbolic, and equal.
bool dim_same(struct dim_num a, struct dim_num b);
bool graph_dim_same(struct graph_dim a, struct graph_dim b);

// Known integers are exact; past 64 bits they saturate and set pool->saturated. Zero times unknown
// is zero. Real operands give unknown: what may be real is computed by infer_data.c.
struct dim_num dim_add(struct dim_pool *pool, struct dim_num a, struct dim_num b);
struct dim_num dim_sub(struct dim_pool *pool, struct dim_num a, struct dim_num b);
struct dim_num dim_mul(struct dim_pool *pool, struct dim_num a, struct dim_num b);

// Of all numbers in one go, without keeping the sums on the way.
struct dim_num dim_total(struct dim_pool *pool, const struct dim_num *nums, size_t n);

// Rounded down; `b` must be positive, else unknown. A symbolic divisor must divide without rest.
struct dim_num dim_floor_div(struct dim_pool *pool, struct dim_num a, struct dim_num b);
struct dim_num dim_ceil_div(struct dim_pool *pool, struct dim_num a, int64_t b);

// For quotients that are known to have no rest: "n/768" where the division cannot be carried out.
struct dim_num dim_exact_div(struct dim_pool *pool, struct dim_num a, struct dim_num b);
