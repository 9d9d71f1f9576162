// Arithmetic, comparison and choice on values of small tensors.
#include <math.h>

#include "base/num.h"
#include "graph/infer_data.h"
#include "graph/infer_rules.h"

static const struct dim_num unknown = {.kind = DIM_UNKNOWN};

// Exponents past this are no sizes.
#define POWER_MAX 64

static struct dim_num power(int64_t base, int64_t exponent) {
    int64_t result = 1;
    if (exponent < 0 || exponent > POWER_MAX) {
        return unknown;
    }
    for (int64_t i = 0; i < exponent; i++) {
        if (!num_mul(&result, result, base)) {
            return unknown;
        }
    }
    return dim_int(result);
}

// Division cuts towards zero, the remainder has the divisor's sign.
static struct dim_num divide(int64_t a, int64_t b) {
    return b == 0 || (a == INT64_MIN && b == -1) ? unknown : dim_int(a / b);
}

static struct dim_num remainder_of(int64_t a, int64_t b) {
    if (b == 0 || b == -1) {
        return b ? dim_int(0) : unknown;
    }
    int64_t rest = a % b;
    return dim_int(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

static struct dim_num on_ints(enum data_op op, int64_t a, int64_t b) {
    int64_t out;
    switch (op) {
    case DATA_ADD:
        return num_add(&out, a, b) ? dim_int(out) : unknown;
    case DATA_SUB:
        return num_sub(&out, a, b) ? dim_int(out) : unknown;
    case DATA_MUL:
        return num_mul(&out, a, b) ? dim_int(out) : unknown;
    case DATA_DIV:
        return divide(a, b);
    case DATA_MOD:
        return remainder_of(a, b);
    case DATA_POW:
        return power(a, b);
    case DATA_MIN:
        return dim_int(a < b ? a : b);
    case DATA_MAX:
        return dim_int(a > b ? a : b);
    case DATA_EQUAL:
        return dim_int(a == b);
    case DATA_LESS:
        return dim_int(a < b);
    case DATA_LESS_EQUAL:
        return dim_int(a <= b);
    case DATA_GREATER:
        return dim_int(a > b);
    case DATA_GREATER_EQUAL:
        return dim_int(a >= b);
    case DATA_AND:
        return dim_int(a && b);
    case DATA_OR:
        return dim_int(a || b);
    case DATA_XOR:
        return dim_int(!a != !b);
    default:
        return unknown;
    }
}

static struct dim_num on_reals(enum data_op op, double a, double b) {
    switch (op) {
    case DATA_ADD:
        return dim_real(a + b);
    case DATA_SUB:
        return dim_real(a - b);
    case DATA_MUL:
        return dim_real(a * b);
    case DATA_DIV:
        return dim_real(a / b);
    case DATA_POW:
        return dim_real(pow(a, b));
    case DATA_MIN:
        return dim_real(fmin(a, b));
    case DATA_MAX:
        return dim_real(fmax(a, b));
    case DATA_EQUAL:
        return dim_int(a <= b && a >= b);
    case DATA_LESS:
        return dim_int(a < b);
    case DATA_LESS_EQUAL:
        return dim_int(a <= b);
    case DATA_GREATER:
        return dim_int(a > b);
    case DATA_GREATER_EQUAL:
        return dim_int(a >= b);
    default:
        return unknown;
    }
}

// A size against a number that no size reaches.
static struct dim_num compare_size(enum data_op op, int64_t b) {
    switch (op) {
    case DATA_EQUAL:
        return b < 0 ? dim_int(0) : unknown;
    case DATA_LESS:
        return b <= 0 ? dim_int(0) : unknown;
    case DATA_LESS_EQUAL:
        return b < 0 ? dim_int(0) : unknown;
    case DATA_GREATER:
        return b < 0 ? dim_int(1) : unknown;
    case DATA_GREATER_EQUAL:
        return b <= 0 ? dim_int(1) : unknown;
    default:
        return unknown;
    }
}

// The same operator with its operands swapped.
static enum data_op mirrored(enum data_op op) {
    static const enum data_op pairs[][2] = {{DATA_LESS, DATA_GREATER},
                                            {DATA_LESS_EQUAL, DATA_GREATER_EQUAL},
                                            {DATA_GREATER, DATA_LESS},
                                            {DATA_GREATER_EQUAL, DATA_LESS_EQUAL}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        if (pairs[i][0] == op) {
            return pairs[i][1];
        }
    }
    return op;
}

static struct dim_num on_equals(enum data_op op, struct dim_num a) {
    if (op == DATA_MIN || op == DATA_MAX) {
        return a;
    }
    if (op == DATA_EQUAL || op == DATA_LESS_EQUAL || op == DATA_GREATER_EQUAL) {
        return dim_int(1);
    }
    return op == DATA_LESS || op == DATA_GREATER ? dim_int(0) : unknown;
}

static struct dim_num on_symbols(struct dim_pool *pool, enum data_op op, struct dim_num a,
                                 struct dim_num b) {
    struct dim_num quotient;
    switch (op) {
    case DATA_ADD:
        return dim_add(pool, a, b);
    case DATA_SUB:
        return dim_sub(pool, a, b);
    case DATA_MUL:
        return dim_mul(pool, a, b);
    case DATA_DIV:
        return dim_floor_div(pool, a, b);
    case DATA_MOD:
        quotient = dim_floor_div(pool, a, b);
        return dim_same(dim_mul(pool, quotient, b), a) ? dim_int(0) : unknown;
    default:
        break;
    }
    if (dim_same(a, b)) {
        return on_equals(op, a);
    }
    if (b.kind == DIM_INT) {
        return compare_size(op, b.i);
    }
    return a.kind == DIM_INT ? compare_size(mirrored(op), a.i) : unknown;
}

// A whole number of a float tensor, next to a symbol, counts as an integer; a quotient of floats
// has no rounding and stays unknown.
static struct dim_num whole(struct dim_num num) {
    if (num.kind == DIM_REAL && fabs(num.real) < 1e15 &&
        fabs(num.real - nearbyint(num.real)) <= 0) {
        return dim_int((int64_t)num.real);
    }
    return num;
}

static struct dim_num compute(struct dim_pool *pool, enum data_op op, struct dim_num a,
                              struct dim_num b) {
    if (a.kind == DIM_UNKNOWN || b.kind == DIM_UNKNOWN) {
        return op == DATA_MUL && (dim_is_int(a, 0) || dim_is_int(b, 0)) ? dim_int(0) : unknown;
    }
    if (a.kind == DIM_INT && b.kind == DIM_INT) {
        return on_ints(op, a.i, b.i);
    }
    if (a.kind == DIM_REAL && b.kind == DIM_REAL) {
        return on_reals(op, a.real, b.real);
    }
    bool mixed = a.kind == DIM_REAL || b.kind == DIM_REAL;
    if (mixed && (op == DATA_DIV || op == DATA_MOD)) {
        return unknown;
    }
    return on_symbols(pool, op, whole(a), whole(b));
}

static bool is_float_symbol(const struct infer *c, struct dim_num num) {
    int32_t dtype = infer_in(c, 0)->dtype;
    return num.kind == DIM_SYMBOL && (dtype == ONNX_FLOAT || dtype == ONNX_DOUBLE);
}

void data_binary(struct infer *c) {
    const struct infer_data *a = infer_data_in(c, 0), *b = a ? infer_data_in(c, 1) : NULL;
    enum data_op op = (enum data_op)c->row->data_arg;
    struct dim_num nums[INFER_DATA_MAX];
    uint32_t n;
    if (!a || !b || c->node->n_inputs != 2 || !data_in(c, 0) || !data_in(c, 1)) {
        return;
    }
    const struct graph_tensor_type *out = data_out_type(c, 0, &n);
    if (!out || a->n == 0 || b->n == 0) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct dim_num x = a->nums[data_source(out, infer_in(c, 0), i)];
        struct dim_num y = b->nums[data_source(out, infer_in(c, 1), i)];
        bool inexact = op == DATA_DIV && (is_float_symbol(c, x) || is_float_symbol(c, y));
        nums[i] = inexact ? unknown : data_as(compute(c->job->dims, op, x, y), out->dtype);
    }
    infer_out_data(c, 0, n, nums);
}

static struct dim_num apply_real(enum data_op op, double a) {
    switch (op) {
    case DATA_NEG:
        return dim_real(-a);
    case DATA_ABS:
        return dim_real(fabs(a));
    case DATA_FLOOR:
        return dim_real(floor(a));
    case DATA_CEIL:
        return dim_real(ceil(a));
    case DATA_ROUND:
        return dim_real(nearbyint(a));
    case DATA_SQRT:
        return dim_real(sqrt(a));
    case DATA_RECIPROCAL:
        return dim_real(1 / a);
    default:
        return unknown;
    }
}

static struct dim_num apply_int(enum data_op op, int64_t a) {
    switch (op) {
    case DATA_NEG:
        return a == INT64_MIN ? unknown : dim_int(-a);
    case DATA_ABS:
        return a == INT64_MIN ? unknown : dim_int(a < 0 ? -a : a);
    case DATA_NOT:
        return dim_int(!a);
    case DATA_SIGN:
        return dim_int((a > 0) - (a < 0));
    default:
        return unknown;
    }
}

static struct dim_num apply_symbol(struct dim_pool *pool, enum data_op op, struct dim_num a) {
    if (op == DATA_NEG) {
        return dim_mul(pool, a, dim_int(-1));
    }
    bool same = op == DATA_ABS || op == DATA_FLOOR || op == DATA_CEIL || op == DATA_ROUND;
    return same ? a : unknown;
}

void data_unary(struct infer *c) {
    const struct infer_data *in = infer_data_in(c, 0);
    enum data_op op = (enum data_op)c->row->data_arg;
    struct dim_num nums[INFER_DATA_MAX];
    uint32_t n;
    const struct graph_tensor_type *out = in ? data_out_type(c, 0, &n) : NULL;
    if (!out || n != in->n) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct dim_num a = in->nums[i], result = unknown;
        if (a.kind == DIM_REAL) {
            result = apply_real(op, a.real);
        } else if (a.kind == DIM_INT) {
            result = apply_int(op, a.i);
        } else if (a.kind == DIM_SYMBOL) {
            result = apply_symbol(c->job->dims, op, a);
        }
        nums[i] = data_as(result, out->dtype);
    }
    infer_out_data(c, 0, n, nums);
}

void data_where(struct infer *c) {
    const struct infer_data *condition = data_in(c, 0), *yes = data_in(c, 1), *no = data_in(c, 2);
    struct dim_num nums[INFER_DATA_MAX], chosen = unknown;
    uint32_t n;
    const struct graph_tensor_type *out = yes && no ? data_out_type(c, 0, &n) : NULL;
    if (!out || (condition && condition->n == 0) || yes->n == 0 || no->n == 0) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (condition) {
            chosen = condition->nums[data_source(out, infer_in(c, 0), i)];
        }
        struct dim_num a = yes->nums[data_source(out, infer_in(c, 1), i)];
        struct dim_num b = no->nums[data_source(out, infer_in(c, 2), i)];
        if (chosen.kind == DIM_INT) {
            nums[i] = chosen.i ? a : b;
        } else {
            nums[i] = dim_same(a, b) ? a : unknown;
        }
    }
    infer_out_data(c, 0, n, nums);
}

// Only down to one element: that is how sizes are multiplied.
void data_reduce(struct infer *c) {
    const struct infer_data *in = infer_data_in(c, 0);
    uint32_t n;
    const struct graph_tensor_type *out = in ? data_out_type(c, 0, &n) : NULL;
    if (!out || n != 1 || in->n == 0) {
        return;
    }
    struct dim_num all = in->nums[0];
    for (uint32_t i = 1; i < in->n; i++) {
        all = compute(c->job->dims, (enum data_op)c->row->data_arg, all, in->nums[i]);
    }
    all = data_as(all, out->dtype);
    infer_out_data(c, 0, 1, &all);
}
