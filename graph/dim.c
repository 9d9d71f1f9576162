#include "graph/dim.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/num.h"

// A product of symbols with an integer factor; the atoms are indexes into the pool, ascending.
struct dim_term {
    int64_t factor;
    uint32_t n_atoms;  // 0 = a constant
    uint32_t atoms[DIM_ATOMS_MAX];
};

// Sorted by sort_before(), no two terms with the same atoms, no factor 0.
struct poly {
    uint32_t n;
    struct dim_term terms[DIM_TERMS_MAX];
};

struct dim_expr {
    struct str text;
    const struct dim_term *terms;
    uint32_t n_terms;
    // An atom floor(exprs[floor_of] / divisor); divisor 0 when it is none.
    uint32_t floor_of;
    int64_t divisor;
};

static const struct dim_num unknown = {.kind = DIM_UNKNOWN};

void dim_pool_init(struct dim_pool *pool, size_t max_memory) {
    *pool = (struct dim_pool){0};
    arena_init(&pool->arena, max_memory);
}

void dim_pool_release(struct dim_pool *pool) {
    if (!pool) {
        return;
    }
    arena_release(&pool->arena);
    map_release(&pool->texts);
    free(pool->exprs);
    *pool = (struct dim_pool){0};
}

struct dim_num dim_from(struct graph_dim dim) {
    if (dim.value >= 0) {
        return dim_int(dim.value);
    }
    if (dim.symbol.n && dim.symbol.n <= DIM_TEXT_MAX) {
        return (struct dim_num){.kind = DIM_SYMBOL, .symbol = dim.symbol};
    }
    return unknown;
}

struct graph_dim dim_to(struct dim_num num) {
    if (num.kind == DIM_INT && num.i >= 0) {
        return (struct graph_dim){.value = num.i};
    }
    if (num.kind == DIM_SYMBOL) {
        return (struct graph_dim){.value = -1, .symbol = num.symbol};
    }
    return (struct graph_dim){.value = -1};
}

bool dim_same(struct dim_num a, struct dim_num b) {
    if (a.kind != b.kind) {
        return false;
    }
    if (a.kind == DIM_INT) {
        return a.i == b.i;
    }
    if (a.kind == DIM_SYMBOL) {
        return str_eq(a.symbol, b.symbol);
    }
    return a.kind == DIM_REAL && a.real >= b.real && a.real <= b.real;
}

bool graph_dim_same(struct graph_dim a, struct graph_dim b) {
    if (a.value >= 0 || b.value >= 0) {
        return a.value == b.value;
    }
    return a.symbol.n && a.symbol.n <= DIM_TEXT_MAX && str_eq(a.symbol, b.symbol);
}

// ---- text

static bool is_word(struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                     c == '_' || c == '.' || c == ':' || c >= 0x80;
        if (!plain) {
            return false;
        }
    }
    return true;
}

// A symbol of the file may itself be a sum: it keeps its brackets inside a product or sum.
static void add_atom(struct buf *out, const struct dim_expr *atom) {
    bool bare = atom->divisor || is_word(atom->text);
    if (!bare) {
        buf_add_char(out, '(');
    }
    buf_add_str(out, atom->text);
    if (!bare) {
        buf_add_char(out, ')');
    }
}

static void add_term(struct buf *out, const struct dim_pool *pool, const struct dim_term *term,
                     bool first) {
    int64_t factor = term->factor;
    if (!first) {
        buf_add_z(out, factor < 0 ? " - " : " + ");
    }
    if (factor < 0 && !first && factor > INT64_MIN) {
        factor = -factor;
    }
    if (factor == -1 && term->n_atoms) {
        buf_add_char(out, '-');
    } else if (factor != 1 || term->n_atoms == 0) {
        buf_add_i64(out, factor);
    }
    for (uint32_t i = 0; i < term->n_atoms; i++) {
        if (i || (factor != 1 && factor != -1)) {
            buf_add_char(out, '*');
        }
        add_atom(out, &pool->exprs[term->atoms[i]]);
    }
}

static void add_poly(struct buf *out, const struct dim_pool *pool, const struct poly *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        add_term(out, pool, &p->terms[i], i == 0);
    }
}

// ---- the pool

// The index of a text; *is_new says whether it was added just now, without terms. UINT32_MAX when
// the pool is full.
static uint32_t intern(struct dim_pool *pool, struct str text, bool copy, bool *is_new) {
    uint32_t index = map_get(&pool->texts, text);
    *is_new = index == MAP_NONE;
    if (!*is_new) {
        return index;
    }
    if (array_grow(&pool->exprs, &pool->cap_exprs, pool->n_exprs + 1, sizeof(*pool->exprs),
                   DIM_EXPRS_MAX, "symbolic sizes", NULL) < 0) {
        return UINT32_MAX;
    }
    struct str kept = copy ? arena_str(&pool->arena, text) : text;
    if (!kept.n || map_put(&pool->texts, kept, (uint32_t)pool->n_exprs, NULL) < 0) {
        return UINT32_MAX;
    }
    pool->exprs[pool->n_exprs] = (struct dim_expr){.text = kept};
    return (uint32_t)pool->n_exprs++;
}

static bool set_terms(struct dim_pool *pool, uint32_t index, const struct dim_term *terms,
                      uint32_t n) {
    struct dim_term *copy = arena_array(&pool->arena, n, sizeof(*copy));
    if (!copy) {
        return false;
    }
    memcpy(copy, terms, n * sizeof(*copy));
    pool->exprs[index].terms = copy;
    pool->exprs[index].n_terms = n;
    return true;
}

// The index of a text that is taken as it stands.
static uint32_t intern_atom(struct dim_pool *pool, struct str text, bool copy) {
    bool is_new;
    uint32_t index = intern(pool, text, copy, &is_new);
    if (index == UINT32_MAX || !is_new) {
        return index;
    }
    struct dim_term self = {.factor = 1, .n_atoms = 1, .atoms = {index}};
    return set_terms(pool, index, &self, 1) ? index : UINT32_MAX;
}

static struct dim_num num_of_expr(const struct dim_pool *pool, uint32_t index) {
    if (index == UINT32_MAX) {
        return unknown;
    }
    return (struct dim_num){.kind = DIM_SYMBOL, .symbol = pool->exprs[index].text};
}

static bool load(struct dim_pool *pool, struct dim_num num, struct poly *out) {
    out->n = 0;
    if (num.kind == DIM_INT) {
        out->n = num.i != 0;
        out->terms[0] = (struct dim_term){.factor = num.i};
        return true;
    }
    if (num.kind != DIM_SYMBOL) {
        return false;
    }
    uint32_t index = intern_atom(pool, num.symbol, false);
    if (index == UINT32_MAX) {
        return false;
    }
    const struct dim_expr *expr = &pool->exprs[index];
    out->n = expr->n_terms;
    memcpy(out->terms, expr->terms, expr->n_terms * sizeof(*out->terms));
    return true;
}

// Index of a sum that is no constant.
static uint32_t store(struct dim_pool *pool, const struct poly *p) {
    bool is_new;
    struct buf text;
    buf_init(&text, DIM_TEXT_MAX);
    add_poly(&text, pool, p);
    uint32_t index = text.failed ? UINT32_MAX : intern(pool, buf_str(&text), true, &is_new);
    buf_release(&text);
    if (index != UINT32_MAX && is_new && !set_terms(pool, index, p->terms, p->n)) {
        return UINT32_MAX;
    }
    return index;
}

static bool is_constant(const struct poly *p) {
    return p->n == 0 || (p->n == 1 && p->terms[0].n_atoms == 0);
}

static struct dim_num finish(struct dim_pool *pool, const struct poly *p) {
    if (is_constant(p)) {
        return dim_int(p->n ? p->terms[0].factor : 0);
    }
    return num_of_expr(pool, store(pool, p));
}

// ---- sums and products of terms

// Higher powers first, the constant last; < 0, 0, > 0.
static int compare_atoms(const struct dim_term *a, const struct dim_term *b) {
    if (a->n_atoms != b->n_atoms) {
        return a->n_atoms > b->n_atoms ? -1 : 1;
    }
    for (uint32_t i = 0; i < a->n_atoms; i++) {
        if (a->atoms[i] != b->atoms[i]) {
            return a->atoms[i] < b->atoms[i] ? -1 : 1;
        }
    }
    return 0;
}

static void remove_term(struct poly *p, uint32_t at) {
    p->n--;
    for (; at < p->n; at++) {
        p->terms[at] = p->terms[at + 1];
    }
}

// false when the sum gets too long or overflows.
static bool add_to(struct poly *p, const struct dim_term *term) {
    uint32_t at = 0;
    if (term->factor == 0) {
        return true;
    }
    while (at < p->n && compare_atoms(&p->terms[at], term) < 0) {
        at++;
    }
    if (at < p->n && compare_atoms(&p->terms[at], term) == 0) {
        if (!num_add(&p->terms[at].factor, p->terms[at].factor, term->factor)) {
            return false;
        }
        if (p->terms[at].factor == 0) {
            remove_term(p, at);
        }
        return true;
    }
    if (p->n == DIM_TERMS_MAX) {
        return false;
    }
    for (uint32_t i = p->n++; i > at; i--) {
        p->terms[i] = p->terms[i - 1];
    }
    p->terms[at] = *term;
    return true;
}

static bool multiply_terms(struct dim_term *out, const struct dim_term *a,
                           const struct dim_term *b) {
    if (a->n_atoms + b->n_atoms > DIM_ATOMS_MAX || !num_mul(&out->factor, a->factor, b->factor)) {
        return false;
    }
    uint32_t i = 0, j = 0;
    out->n_atoms = a->n_atoms + b->n_atoms;
    for (uint32_t n = 0; n < out->n_atoms; n++) {
        bool from_a = j == b->n_atoms || (i < a->n_atoms && a->atoms[i] <= b->atoms[j]);
        out->atoms[n] = from_a ? a->atoms[i++] : b->atoms[j++];
    }
    return true;
}

// ---- arithmetic

static struct dim_num saturate(struct dim_pool *pool, bool negative) {
    pool->saturated = true;
    return dim_int(negative ? INT64_MIN : INT64_MAX);
}

struct dim_num dim_add(struct dim_pool *pool, struct dim_num a, struct dim_num b) {
    struct poly p, q;
    int64_t sum;
    if (a.kind == DIM_INT && b.kind == DIM_INT) {
        return num_add(&sum, a.i, b.i) ? dim_int(sum) : saturate(pool, a.i < 0);
    }
    if (!load(pool, a, &p) || !load(pool, b, &q)) {
        return unknown;
    }
    for (uint32_t i = 0; i < q.n; i++) {
        if (!add_to(&p, &q.terms[i])) {
            return unknown;
        }
    }
    return finish(pool, &p);
}

struct dim_num dim_mul(struct dim_pool *pool, struct dim_num a, struct dim_num b) {
    struct poly p, q, result = {0};
    struct dim_term term;
    int64_t product;
    if (a.kind == DIM_INT && b.kind == DIM_INT) {
        return num_mul(&product, a.i, b.i) ? dim_int(product)
                                           : saturate(pool, (a.i < 0) != (b.i < 0));
    }
    if (dim_is_int(a, 0) || dim_is_int(b, 0)) {
        return dim_int(0);
    }
    if (!load(pool, a, &p) || !load(pool, b, &q)) {
        return unknown;
    }
    for (uint32_t i = 0; i < p.n; i++) {
        for (uint32_t j = 0; j < q.n; j++) {
            if (!multiply_terms(&term, &p.terms[i], &q.terms[j]) || !add_to(&result, &term)) {
                return unknown;
            }
        }
    }
    return finish(pool, &result);
}

struct dim_num dim_total(struct dim_pool *pool, const struct dim_num *nums, size_t n) {
    struct dim_num whole = dim_int(0);
    struct poly sum = {0}, p;
    for (size_t k = 0; k < n; k++) {
        if (nums[k].kind == DIM_INT) {
            whole = dim_add(pool, whole, nums[k]);
            continue;
        }
        if (!load(pool, nums[k], &p)) {
            return unknown;
        }
        for (uint32_t i = 0; i < p.n; i++) {
            if (!add_to(&sum, &p.terms[i])) {
                return unknown;
            }
        }
    }
    return dim_add(pool, finish(pool, &sum), whole);
}

struct dim_num dim_sub(struct dim_pool *pool, struct dim_num a, struct dim_num b) {
    if (b.kind == DIM_INT && b.i == INT64_MIN) {
        return unknown;
    }
    return dim_add(pool, a, dim_mul(pool, b, dim_int(-1)));
}

static int64_t floor_quotient(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

// A floor in a floor with nothing else but a constant is one floor:
// floor((floor(x/m) + k) / n) = floor((x + k*m) / (m*n)).
static bool unnest(struct dim_pool *pool, const struct poly *rest, int64_t b, struct poly *inner,
                   int64_t *divisor) {
    const struct dim_term *head = &rest->terms[0];
    if (head->n_atoms != 1 || head->factor != 1 || rest->n > 2 ||
        (rest->n == 2 && rest->terms[1].n_atoms)) {
        return false;
    }
    const struct dim_expr *atom = &pool->exprs[head->atoms[0]];
    if (atom->divisor == 0 || !num_mul(divisor, atom->divisor, b)) {
        return false;
    }
    const struct dim_expr *under = &pool->exprs[atom->floor_of];
    struct dim_term shift = {.factor = rest->n == 2 ? rest->terms[1].factor : 0};
    inner->n = under->n_terms;
    memcpy(inner->terms, under->terms, under->n_terms * sizeof(*inner->terms));
    return num_mul(&shift.factor, shift.factor, atom->divisor) && add_to(inner, &shift);
}

static struct dim_num new_floor(struct dim_pool *pool, const struct poly *p, int64_t b) {
    struct buf text;
    uint32_t under = store(pool, p);
    if (under == UINT32_MAX) {
        return unknown;
    }
    buf_init(&text, DIM_TEXT_MAX);
    buf_add_z(&text, p->n > 1 ? "floor((" : "floor(");
    add_poly(&text, pool, p);
    buf_add_z(&text, p->n > 1 ? ")/" : "/");
    buf_add_i64(&text, b);
    buf_add_char(&text, ')');
    uint32_t index = text.failed ? UINT32_MAX : intern_atom(pool, buf_str(&text), true);
    buf_release(&text);
    if (index != UINT32_MAX) {
        pool->exprs[index].floor_of = under;
        pool->exprs[index].divisor = b;
    }
    return num_of_expr(pool, index);
}

// floor(rest / b), where the factors of `rest` lie between 0 and b.
static struct dim_num floor_atom(struct dim_pool *pool, const struct poly *rest, int64_t b) {
    struct poly inner;
    int64_t divisor;
    if (unnest(pool, rest, b, &inner, &divisor)) {
        return new_floor(pool, &inner, divisor);
    }
    return new_floor(pool, rest, b);
}

static struct dim_num floor_of_poly(struct dim_pool *pool, const struct poly *p, int64_t b) {
    struct poly whole = {0}, rest = {0};
    for (uint32_t i = 0; i < p->n; i++) {
        struct dim_term quotient = p->terms[i], remainder = p->terms[i];
        int64_t quotient_factor = floor_quotient(p->terms[i].factor, b), multiple;
        if (!num_mul(&multiple, quotient_factor, b)) {
            return unknown;
        }
        quotient.factor = quotient_factor;
        remainder.factor = p->terms[i].factor - multiple;
        if (!add_to(&whole, &quotient) || !add_to(&rest, &remainder)) {
            return unknown;
        }
    }
    if (is_constant(&rest)) {
        return finish(pool, &whole);
    }
    return dim_add(pool, finish(pool, &whole), floor_atom(pool, &rest, b));
}

// Takes the atoms of `b` out of `a`; false when they are not all there.
static bool divide_term(struct dim_term *out, const struct dim_term *a, const struct dim_term *b) {
    uint32_t j = 0;
    if (a->factor % b->factor) {
        return false;
    }
    out->factor = a->factor / b->factor;
    out->n_atoms = 0;
    for (uint32_t i = 0; i < a->n_atoms; i++) {
        if (j < b->n_atoms && a->atoms[i] == b->atoms[j]) {
            j++;
        } else {
            out->atoms[out->n_atoms++] = a->atoms[i];
        }
    }
    return j == b->n_atoms;
}

// Quotient without rest by a single term; false when there is none.
static bool divide_poly(struct poly *out, const struct poly *a, const struct poly *b) {
    struct dim_term term;
    out->n = 0;
    if (b->n != 1 || b->terms[0].factor <= 0) {
        return false;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        if (!divide_term(&term, &a->terms[i], &b->terms[0]) || !add_to(out, &term)) {
            return false;
        }
    }
    return true;
}

struct dim_num dim_floor_div(struct dim_pool *pool, struct dim_num a, struct dim_num b) {
    struct poly p, q, quotient;
    if (b.kind == DIM_INT && b.i <= 0) {
        return unknown;
    }
    if (a.kind == DIM_INT && b.kind == DIM_INT) {
        return dim_int(floor_quotient(a.i, b.i));
    }
    if (dim_same(a, b)) {
        return dim_int(1);
    }
    if (!load(pool, a, &p) || !load(pool, b, &q)) {
        return unknown;
    }
    if (divide_poly(&quotient, &p, &q)) {
        return finish(pool, &quotient);
    }
    return b.kind == DIM_INT ? floor_of_poly(pool, &p, b.i) : unknown;
}

struct dim_num dim_ceil_div(struct dim_pool *pool, struct dim_num a, int64_t b) {
    if (b <= 0) {
        return unknown;
    }
    return dim_floor_div(pool, dim_add(pool, a, dim_int(b - 1)), dim_int(b));
}

struct dim_num dim_exact_div(struct dim_pool *pool, struct dim_num a, struct dim_num b) {
    struct poly p, q, quotient;
    struct buf text;
    if (a.kind == DIM_INT && b.kind == DIM_INT) {
        return b.i > 0 && a.i % b.i == 0 ? dim_int(a.i / b.i) : unknown;
    }
    if (dim_same(a, b)) {
        return dim_int(1);
    }
    if (b.kind == DIM_INT && b.i <= 0) {
        return unknown;
    }
    if (!load(pool, a, &p) || !load(pool, b, &q)) {
        return unknown;
    }
    if (divide_poly(&quotient, &p, &q)) {
        return finish(pool, &quotient);
    }
    if (p.n != 1 || q.n != 1) {
        return unknown;
    }
    buf_init(&text, DIM_TEXT_MAX);
    add_poly(&text, pool, &p);
    buf_add_z(&text, q.terms[0].n_atoms ? "/(" : "/");
    add_poly(&text, pool, &q);
    buf_add_z(&text, q.terms[0].n_atoms ? ")" : "");
    uint32_t index = text.failed ? UINT32_MAX : intern_atom(pool, buf_str(&text), true);
    buf_release(&text);
    return num_of_expr(pool, index);
}
