// Einsum: "bij,bjk->bik", with "..." for dims that broadcast
// (https://onnx.ai/onnx/operators/onnx__Einsum.html).
#include "graph/infer_einsum.h"

#include "graph/infer_rules.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static uint32_t count_letters(struct str term) {
    uint32_t n = 0;
    for (size_t i = 0; i < term.n; i++) {
        n += is_letter(term.p[i]);
    }
    return n;
}

static bool take_letter(struct infer_einsum *e, char letter, struct graph_dim dim) {
    size_t at = (size_t)letter;
    struct graph_dim both = dim;
    if (e->used[at] && !infer_broadcast_dim(e->dims[at], dim, &both)) {
        return false;
    }
    if (e->used[at] && both.value < 0 && !both.symbol.n) {
        both = infer_same_dim(e->dims[at], dim);
    }
    e->dims[at] = both;
    e->used[at] = true;
    e->n_terms[at]++;
    return true;
}

static bool take_term(struct infer_einsum *e, struct str term,
                      const struct graph_tensor_type *type) {
    uint32_t letters = count_letters(term), at = 0;
    bool dots = str_contains(term, STR("..."));
    if (!type->has_rank || type->rank < letters || (!dots && type->rank != letters)) {
        return false;
    }
    for (size_t i = 0; i < term.n; i++) {
        if (is_letter(term.p[i])) {
            if (!take_letter(e, term.p[i], type->dims[at++])) {
                return false;
            }
        } else if (dots && str_starts(str_skip(term, i), STR("..."))) {
            struct graph_tensor_type rest = {.has_rank = true,
                                             .rank = type->rank - letters,
                                             .dims = type->dims + at};
            if (!infer_broadcast(e->rest, &e->n_rest, &rest)) {
                return false;
            }
            at += rest.rank;
            dots = false;
        }
    }
    return true;
}

bool infer_einsum_read(struct infer *c, struct infer_einsum *out) {
    struct str equation = infer_attr_str(c, "equation", ""), terms = equation, term;
    *out = (struct infer_einsum){.output = {NULL, 0}};
    for (size_t i = 0; i + 1 < equation.n; i++) {
        if (equation.p[i] != '-' || equation.p[i + 1] != '>') {
            continue;
        }
        terms = str_sub(equation, 0, i);
        out->output = str_skip(equation, i + 2);
        out->has_output = true;
        break;
    }
    uint32_t slot = 0;
    for (; str_next(&terms, ',', &term); slot++) {
        if (slot >= c->node->n_inputs || !take_term(out, term, infer_in(c, slot))) {
            return false;
        }
    }
    return slot > 0;
}

static bool add_dim(struct graph_dim *dims, uint32_t *rank, struct graph_dim dim) {
    if (*rank == INFER_RANK_MAX) {
        return false;
    }
    dims[(*rank)++] = dim;
    return true;
}

static bool add_rest(const struct infer_einsum *e, struct graph_dim *dims, uint32_t *rank) {
    for (uint32_t i = 0; i < e->n_rest; i++) {
        if (!add_dim(dims, rank, e->rest[i])) {
            return false;
        }
    }
    return true;
}

static bool output_dims(const struct infer_einsum *e, struct graph_dim *dims, uint32_t *rank) {
    bool dots = false;
    for (size_t i = 0; i < e->output.n; i++) {
        char letter = e->output.p[i];
        if (is_letter(letter)) {
            if (!e->used[(size_t)letter] || !add_dim(dims, rank, e->dims[(size_t)letter])) {
                return false;
            }
        } else if (letter == '.' && !dots) {
            dots = true;
            if (!add_rest(e, dims, rank)) {
                return false;
            }
        }
    }
    return true;
}

// Without a right side: the letters that occur once, in alphabetical order.
static bool implied_dims(const struct infer_einsum *e, struct graph_dim *dims, uint32_t *rank) {
    if (!add_rest(e, dims, rank)) {
        return false;
    }
    for (size_t letter = 0; letter < EINSUM_LETTERS; letter++) {
        if (e->n_terms[letter] == 1 && !add_dim(dims, rank, e->dims[letter])) {
            return false;
        }
    }
    return true;
}

void infer_einsum(struct infer *c) {
    struct infer_einsum e;
    struct graph_dim dims[INFER_RANK_MAX];
    uint32_t rank = 0;
    bool ok = infer_einsum_read(c, &e) &&
              (e.has_output ? output_dims(&e, dims, &rank) : implied_dims(&e, dims, &rank));
    if (ok) {
        infer_out(c, 0, infer_in(c, 0)->dtype, rank, dims);
    } else {
        infer_out_unranked(c, 0, infer_in(c, 0)->dtype);
    }
}
