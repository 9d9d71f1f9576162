// What a rule reads of its node, and how it states what it knows.
#include "graph/infer.h"

#include "base/attr.h"
#include "base/buf.h"
#include "graph/dim_name.h"
#include "graph/tensor_values.h"

#define CONFLICT_WARNINGS_MAX 16

// ---- reading

bool infer_has(const struct infer *c, uint32_t slot) {
    return slot < c->node->n_inputs && c->node->inputs[slot] != ONNX_NONE;
}

const struct graph_tensor_type *infer_in(const struct infer *c, uint32_t slot) {
    static const struct graph_tensor_type nothing = {0};
    if (!infer_has(c, slot)) {
        return &nothing;
    }
    const struct graph_tensor_type *type = &c->frame->types[c->node->inputs[slot]];
    return type->rank <= INFER_RANK_MAX ? type : &nothing;
}

struct dim_num infer_dim_in(const struct infer *c, uint32_t slot, int64_t at) {
    const struct graph_tensor_type *type = infer_in(c, slot);
    uint32_t axis;
    if (!type->has_rank || !infer_axis(at, type->rank, &axis)) {
        return (struct dim_num){.kind = DIM_UNKNOWN};
    }
    return dim_from(type->dims[axis]);
}

static struct dim_num num_of_element(struct graph_tensor_value value) {
    if (value.kind == GRAPH_TENSOR_REAL) {
        return dim_real(value.real);
    }
    if (value.kind == GRAPH_TENSOR_INT || (value.kind == GRAPH_TENSOR_UINT && value.i >= 0)) {
        return dim_int(value.i);
    }
    return (struct dim_num){.kind = DIM_UNKNOWN};
}

const struct infer_data *infer_data_of_tensor(struct infer *c, const struct onnx_tensor *tensor) {
    struct graph_tensor_reader reader;
    size_t n;
    if (!graph_tensor_open(&reader, tensor, &n) || n > INFER_DATA_MAX) {
        return NULL;
    }
    struct infer_data *data = infer_new_data(c, (uint32_t)n);
    for (size_t i = 0; data && i < n; i++) {
        data->nums[i] = num_of_element(graph_tensor_at(&reader, i));
    }
    return data;
}

const struct infer_data *infer_data_in(struct infer *c, uint32_t slot) {
    if (!infer_has(c, slot)) {
        return NULL;
    }
    uint32_t v = c->node->inputs[slot];
    if (c->frame->data[v] || !c->frame->net) {
        return c->frame->data[v];
    }
    const struct graph_value *value = &c->frame->net->values[v];
    if (value->kind == GRAPH_VALUE_INITIALIZER && value->tensor && value->tensor->has_data) {
        c->frame->data[v] = infer_data_of_tensor(c, value->tensor);
    }
    return c->frame->data[v];
}

// A declared sequence or optional says what its elements are.
static void declare_sequence(struct infer *c, uint32_t v) {
    const struct onnx_type *declared = c->frame->net->values[v].declared;
    if (!declared || declared->nesting != 1 ||
        (declared->kind != ONNX_TYPE_SEQUENCE && declared->kind != ONNX_TYPE_OPTIONAL)) {
        return;
    }
    struct infer_sequence *sequence = arena_alloc(c->job->arena, sizeof(*sequence));
    if (!sequence || shape_of_declared(c->job->shape, &sequence->element, declared, NULL) < 0) {
        c->job->no_memory = true;
        return;
    }
    c->frame->sequences[v] = sequence;
}

const struct infer_sequence *infer_sequence_in(struct infer *c, uint32_t slot) {
    if (!infer_has(c, slot)) {
        return NULL;
    }
    uint32_t v = c->node->inputs[slot];
    if (!c->frame->sequences[v] && c->frame->net) {
        declare_sequence(c, v);
    }
    return c->frame->sequences[v];
}

bool infer_ints_in(struct infer *c, uint32_t slot, struct infer_ints *out) {
    const struct infer_data *data = infer_data_in(c, slot);
    if (!data) {
        return false;
    }
    out->n = data->n;
    for (uint32_t i = 0; i < data->n; i++) {
        if (data->nums[i].kind != DIM_INT) {
            return false;
        }
        out->items[i] = data->nums[i].i;
    }
    return true;
}

bool infer_int_in(struct infer *c, uint32_t slot, int64_t *out) {
    const struct infer_data *data = infer_data_in(c, slot);
    if (!data || data->n != 1 || data->nums[0].kind != DIM_INT) {
        return false;
    }
    *out = data->nums[0].i;
    return true;
}

// ---- attributes

static const struct onnx_attr *find_attr(const struct onnx_attr *attrs, size_t n, struct str name) {
    for (size_t i = 0; i < n; i++) {
        if (str_eq(attrs[i].name, name)) {
            return &attrs[i];
        }
    }
    return NULL;
}

// In the body of a function an attribute may stand for one of the call, or for its default.
static const struct onnx_attr *follow(const struct infer_frame *frame,
                                      const struct onnx_attr *attr) {
    while (attr && attr->ref.n) {
        if (!frame || !frame->call) {
            return NULL;
        }
        struct str name = attr->ref;
        attr = find_attr(frame->call->attrs, frame->call->n_attrs, name);
        if (!attr) {
            return find_attr(frame->function->defaults, frame->function->n_defaults, name);
        }
        frame = frame->caller;
    }
    return attr;
}

const struct onnx_attr *infer_attr(const struct infer *c, const char *name) {
    return follow(c->frame, onnx_node_attr(c->node->proto, name));
}

bool infer_has_attr(const struct infer *c, const char *name) {
    return infer_attr(c, name) != NULL;
}

int64_t infer_attr_int(const struct infer *c, const char *name, int64_t otherwise) {
    const struct onnx_attr *attr = infer_attr(c, name);
    return attr && attr->type == ONNX_ATTR_INT ? attr->i : otherwise;
}

double infer_attr_float(const struct infer *c, const char *name, double otherwise) {
    const struct onnx_attr *attr = infer_attr(c, name);
    return attr && attr->type == ONNX_ATTR_FLOAT ? attr->f : otherwise;
}

struct str infer_attr_str(const struct infer *c, const char *name, const char *otherwise) {
    const struct onnx_attr *attr = infer_attr(c, name);
    return attr && attr->type == ONNX_ATTR_STRING ? attr->s : str_from(otherwise);
}

bool infer_attr_ints(const struct infer *c, const char *name, struct infer_ints *out) {
    const struct onnx_attr *attr = infer_attr(c, name);
    if (!attr || attr->type != ONNX_ATTR_INTS || attr->n > INFER_DATA_MAX) {
        return false;
    }
    out->n = (uint32_t)attr->n;
    if (attr->n) {
        memcpy(out->items, attr->ints, attr->n * sizeof(*out->items));
    }
    return true;
}

bool infer_attr_or_in(struct infer *c, const char *name, uint32_t slot, struct infer_ints *out) {
    if (infer_has_attr(c, name)) {
        return infer_attr_ints(c, name, out);
    }
    return infer_ints_in(c, slot, out);
}

// ---- stating

struct infer_data *infer_new_data(struct infer *c, uint32_t n) {
    struct infer_data *data =
        arena_alloc(c->job->arena, sizeof(*data) + n * sizeof(struct dim_num));
    if (data) {
        data->n = n;
    } else {
        c->job->no_memory = true;
    }
    return data;
}

static bool is_output(const struct infer *c, uint32_t slot) {
    return slot < c->node->n_outputs && c->node->outputs[slot] != ONNX_NONE;
}

static void state_output(struct infer *c, uint32_t slot, int32_t dtype, bool has_rank,
                         uint32_t rank, const struct graph_dim *dims) {
    struct graph_tensor_type type = {.dtype = dtype,
                                     .has_rank = has_rank,
                                     .rank = rank,
                                     .dims = dims,
                                     .source = GRAPH_SHAPE_INFERRED};
    infer_state(c, c->node->outputs[slot], &type);
}

void infer_out(struct infer *c, uint32_t slot, int32_t dtype, uint32_t rank,
               const struct graph_dim *dims) {
    struct graph_dim *copy;
    if (!is_output(c, slot)) {
        return;
    }
    if (rank > INFER_RANK_MAX) {
        infer_out_unranked(c, slot, dtype);
        return;
    }
    copy = arena_array(c->job->arena, rank, sizeof(*copy));
    if (!copy) {
        c->job->no_memory = true;
        return;
    }
    if (rank) {
        memcpy(copy, dims, rank * sizeof(*copy));
    }
    state_output(c, slot, dtype, true, rank, copy);
}

void infer_out_unranked(struct infer *c, uint32_t slot, int32_t dtype) {
    if (is_output(c, slot)) {
        state_output(c, slot, dtype, false, 0, NULL);
    }
}

void infer_out_scalar(struct infer *c, uint32_t slot, int32_t dtype) {
    infer_out(c, slot, dtype, 0, NULL);
}

void infer_out_shape(struct infer *c, uint32_t slot, int32_t dtype,
                     const struct graph_tensor_type *like) {
    if (is_output(c, slot)) {
        state_output(c, slot, dtype, like->has_rank, like->rank, like->dims);
    }
}

void infer_out_data(struct infer *c, uint32_t slot, uint32_t n, const struct dim_num *nums) {
    if (!is_output(c, slot) || n > INFER_DATA_MAX) {
        return;
    }
    struct infer_data *data = infer_new_data(c, n);
    if (!data) {
        return;
    }
    if (n) {
        memcpy(data->nums, nums, n * sizeof(*nums));
    }
    c->frame->data[c->node->outputs[slot]] = data;
}

void infer_out_sequence(struct infer *c, uint32_t slot, const struct infer_sequence *sequence) {
    if (!is_output(c, slot)) {
        return;
    }
    struct infer_sequence *copy = arena_alloc(c->job->arena, sizeof(*copy));
    if (!copy) {
        c->job->no_memory = true;
        return;
    }
    *copy = *sequence;
    c->frame->sequences[c->node->outputs[slot]] = copy;
    state_output(c, slot, sequence->element.dtype, false, 0, NULL);
}

// ---- contradictions

static struct str shown_name(const struct onnx_node *node) {
    if (node->name.n) {
        return node->name;
    }
    return node->n_outputs && node->outputs[0].n ? node->outputs[0] : node->op;
}

static void add_type(struct buf *out, const struct graph_tensor_type *type) {
    const char *dtype = onnx_dtype_name(type->dtype);
    buf_add_z(out, dtype ? dtype : "?");
    buf_add_char(out, ' ');
    graph_shape_text(out, type);
}

// `a` and `b` stand in the sentence that `what` and `join` begin.
static void warn_conflict(struct infer *c, const char *what, const struct graph_tensor_type *a,
                          const char *join, const struct graph_tensor_type *b) {
    struct buf text, where;
    struct infer_job *job = c->job;
    if (job->net_node != ONNX_NONE) {
        job->shape->shapes->conflicts[job->net_node] = 1;
    }
    if (job->n_conflicts++ >= CONFLICT_WARNINGS_MAX) {
        return;
    }
    buf_init(&text, sizeof(((struct warning *)0)->message));
    buf_init(&where, sizeof(((struct warning *)0)->where) - 1);
    buf_add_z(&text, what);
    add_type(&text, a);
    buf_add_z(&text, join);
    add_type(&text, b);
    buf_add_str(&where, shown_name(c->node->proto));
    buf_add_char(&where, '\0');
    warnings_add(job->shape->warnings, "shape-conflict", where.failed ? "" : (const char *)where.p,
                 "%.*s", STR_ARG(buf_str(&text)));
    buf_release(&where);
    buf_release(&text);
}

void infer_conflict(struct infer *c, const struct graph_tensor_type *a,
                    const struct graph_tensor_type *b, const char *what) {
    warn_conflict(c, what, a, " and ", b);
}

void infer_conflicts_end(struct infer_job *job) {
    if (job->n_conflicts > CONFLICT_WARNINGS_MAX) {
        warnings_add(job->shape->warnings, "shape-conflict", NULL,
                     "%zu more shapes contradict each other",
                     job->n_conflicts - CONFLICT_WARNINGS_MAX);
    }
}

// Many exporters write a scalar as a tensor of one element, and runtimes take either.
static bool is_one_element(const struct graph_tensor_type *type) {
    return type->rank == 0 || (type->rank == 1 && type->dims[0].value == 1);
}

static bool contradicts(const struct graph_tensor_type *declared,
                        const struct graph_tensor_type *found) {
    if (declared->dtype && found->dtype && declared->dtype != found->dtype) {
        return true;
    }
    if (!declared->has_rank || !found->has_rank) {
        return false;
    }
    if (is_one_element(declared) && is_one_element(found)) {
        return false;
    }
    if (declared->rank != found->rank) {
        return true;
    }
    for (uint32_t i = 0; i < found->rank; i++) {
        if (declared->dims[i].value >= 0 && found->dims[i].value >= 0 &&
            declared->dims[i].value != found->dims[i].value) {
            return true;
        }
    }
    return false;
}

// A dim that is declared unknown, or symbolic, may turn out to be a number; one that an
// exporter made up also a symbol of the inputs.
static struct graph_dim refined(struct graph_dim declared, struct graph_dim found) {
    if (declared.value >= 0) {
        return declared;
    }
    bool says_more =
        found.value >= 0 || (found.symbol.n && graph_dim_is_generated(declared.symbol));
    return declared.symbol.n && !says_more ? declared : found;
}

static void refine(struct infer *c, struct graph_tensor_type *declared,
                   const struct graph_tensor_type *found) {
    if (!declared->dtype) {
        declared->dtype = found->dtype;
    }
    if (!found->has_rank || (declared->has_rank && declared->rank != found->rank)) {
        return;
    }
    if (!declared->has_rank) {
        declared->has_rank = true;
        declared->rank = found->rank;
        declared->dims = found->dims;
        return;
    }
    bool all_known = true;
    for (uint32_t i = 0; i < found->rank; i++) {
        all_known &= declared->dims[i].value >= 0;
    }
    if (all_known) {
        return;
    }
    struct graph_dim *dims = arena_array(c->job->arena, found->rank, sizeof(*dims));
    if (!dims) {
        c->job->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < found->rank; i++) {
        dims[i] = refined(declared->dims[i], found->dims[i]);
    }
    declared->dims = dims;
}

// What nobody reads, and is no result either, is often declared carelessly: torch 2.6 gives the
// unused outputs of a batch norm no elements.
static bool matters(const struct graph_net *net, uint32_t value) {
    const struct graph_net_graph *graph = &net->graphs[net->values[value].graph];
    if (net->first_use[value] != net->first_use[value + 1]) {
        return true;
    }
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        if (graph->outputs[i] == value) {
            return true;
        }
    }
    return false;
}

void infer_state(struct infer *c, uint32_t value, const struct graph_tensor_type *type) {
    struct graph_tensor_type *known = &c->frame->types[value];
    if (!type->dtype && !type->has_rank) {
        return;
    }
    if (known->source != GRAPH_SHAPE_DECLARED) {
        *known = *type;
        known->source = GRAPH_SHAPE_INFERRED;
        return;
    }
    if (!contradicts(known, type)) {
        refine(c, known, type);
    } else if (matters(c->frame->net, value)) {
        warn_conflict(c, "it is declared ", known, ", but its inputs make it ", type);
    }
}
