#include "graph/qualname.h"
#include "graph/scope_internal.h"

// A parameter is called MODULE.NAME in the file. Exporters rename what they fold and give equal
// tensors one name, so some parameters tell nothing, and some tell of another module.

static const char *const suffixes[] = {
    "_DequantizeLinear_Output",
    "_QuantizeLinear_Output",
    "_quantized",
    "_scale",
    "_zero_point",
    "_fp16",
};

static bool all_digits(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') {
            return false;
        }
    }
    return s.n > 0;
}

// What optimizers number apart: "weight_token_7".
static struct str without_token(struct str name) {
    size_t end = name.n;

    while (end > 0 && name.p[end - 1] >= '0' && name.p[end - 1] <= '9') {
        end--;
    }
    return end < name.n && str_ends(str_sub(name, 0, end), STR("_token_"))
               ? str_sub(name, 0, end - sizeof("_token_") + 1)
               : name;
}

static struct str parameter_name(struct str name) {
    size_t before;

    do {
        before = name.n;
        for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
            if (str_ends(name, str_from(suffixes[i]))) {
                name.n -= strlen(suffixes[i]);
            }
        }
        name = without_token(name);
    } while (name.n < before);
    return name;
}

// Names that exporters and optimizers make up.
static bool is_anonymous(struct str name) {
    if (name.n == 0 || name.p[0] == '/' || str_starts(name, STR("onnx::")) ||
        str_starts(name, STR("ortshared"))) {
        return true;
    }
    if (str_starts(name, STR("val_"))) {
        return all_digits(str_skip(name, 4));
    }
    return all_digits(name);
}

static struct str owner_of(struct str value) {
    struct str name = parameter_name(value);

    return is_anonymous(name) ? (struct str){NULL, 0} : graph_qualname_owner(name);
}

// Vectors are mostly merged because they are all ones or zeros, which says nothing.
static bool is_matrix(const struct graph_value *v) {
    return v->kind == GRAPH_VALUE_INITIALIZER && v->tensor && v->tensor->n_dims > 1;
}

// The name of an alias is the parameter's own; that of the tensor behind it may be another one's of
// equal content.
int graph_scope_owners_init(struct scope_work *work) {
    for (size_t i = 0; i < work->net->n_values; i++) {
        const struct graph_value *v = &work->net->values[i];
        const struct graph_value *root = &work->net->values[work->plumbing->root[i]];

        if (v->kind != GRAPH_VALUE_INITIALIZER && v->kind != GRAPH_VALUE_INPUT && root == v) {
            continue;
        }
        work->owners[i] = owner_of(v->name);
        if (work->owners[i].n == 0 && root != v && is_matrix(root)) {
            work->owners[i] = owner_of(root->name);
        }
        if (work->owners[i].n > SCOPE_MAX_NAME) {
            work->owners[i] = (struct str){NULL, 0};
        }
    }
    return 0;
}

// A scale is called after the tensor that it was measured on, which may be anywhere: what tells
// where a quantizer is, is what it quantizes.
static bool is_scale(struct str op, uint32_t input, struct str name) {
    if (str_eq(op, STR("QuantizeLinear")) || str_eq(op, STR("DequantizeLinear"))) {
        return input > 0;
    }
    return str_starts(op, STR("QLinear")) &&
           (str_ends(name, STR("_scale")) || str_ends(name, STR("_zero_point")));
}

struct str graph_scope_owner_of_node(const struct scope_work *work, uint32_t node,
                                     uint32_t *parameter) {
    const struct graph_net_node *n = &work->net->nodes[node];
    struct str best = {NULL, 0};
    unsigned votes = 0;

    for (uint32_t i = 0; i < n->n_inputs; i++) {
        uint32_t v = n->inputs[i];

        // An input of the model may have a dotted name, too: it is no parameter.
        if (v == ONNX_NONE || work->owners[v].n == 0 ||
            is_scale(n->proto->op, i, work->net->values[v].name) ||
            work->net->values[work->plumbing->root[v]].kind != GRAPH_VALUE_INITIALIZER) {
            continue;
        }
        if (votes == 0) {
            best = work->owners[v];
            *parameter = v;
        }
        votes = votes == 0 || str_eq(best, work->owners[v]) ? votes + 1 : votes - 1;
    }
    return best;
}

bool graph_scope_is_open(const struct scope_work *work, uint32_t node) {
    return work->marks[node].site == ONNX_NONE &&
           work->marks[node].source != GRAPH_SCOPE_FUNCTION && !scope_is_plumbing(work, node);
}
