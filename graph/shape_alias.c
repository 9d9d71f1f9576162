// Values that are other values, or stand in the node that makes them.
#include "graph/shape_internal.h"

// Attributes of Constant: one of them holds the value.
static const struct {
    const char *name;
    int32_t dtype;  // TensorProto.DataType
    uint32_t rank;
} constant_forms[] = {
    {"value_float", 1, 0}, {"value_floats", 1, 1}, {"value_int", 7, 0},
    {"value_ints", 7, 1},  {"value_string", 8, 0}, {"value_strings", 8, 1},
};

static bool is_standard(const struct onnx_node *node, const char *op)
{
    return str_eq_z(node->op, op) && onnx_domain_is_standard(node->domain);
}

static int shape_of_list(struct shape_job *job, struct graph_tensor_type *type, size_t form,
                         size_t n, struct error *err)
{
    struct graph_dim *dim = arena_alloc(&job->shapes->arena, sizeof(*dim));
    if (!dim)
        return arena_error(&job->shapes->arena, "shapes", err);
    dim->value = (int64_t)n;
    type->dtype = constant_forms[form].dtype;
    type->has_rank = true;
    type->rank = constant_forms[form].rank;
    type->dims = dim;
    type->source = GRAPH_SHAPE_INFERRED;
    return 0;
}

static int shape_of_constant(struct shape_job *job, struct graph_tensor_type *type,
                             const struct onnx_node *node, struct error *err)
{
    const struct onnx_attr *value = onnx_node_attr(node, "value");
    if (value && value->type == ONNX_ATTR_TENSOR && value->n) {
        type->source = GRAPH_SHAPE_INFERRED;
        return shape_of_tensor(job, type, &value->tensors[0], err);
    }
    for (size_t form = 0; form < ARRAY_LEN(constant_forms); form++) {
        const struct onnx_attr *attr = onnx_node_attr(node, constant_forms[form].name);
        if (attr)
            return shape_of_list(job, type, form, attr->n, err);
    }
    return 0;
}

int shape_constants(struct shape_job *job, struct error *err)
{
    int result = 0;
    for (size_t i = 0; i < job->net->n_nodes && result == 0; i++) {
        const struct graph_net_node *node = &job->net->nodes[i];
        if (node->n_outputs == 0 || node->outputs[0] == ONNX_NONE ||
            !is_standard(node->proto, "Constant"))
            continue;
        struct graph_tensor_type *type = &job->shapes->values[node->outputs[0]];
        if (type->source == GRAPH_SHAPE_NONE)
            result = shape_of_constant(job, type, node->proto, err);
    }
    return result;
}

int shape_aliases(struct shape_job *job, struct error *err)
{
    (void)err;
    for (size_t i = 0; i < job->net->n_nodes; i++) {
        const struct graph_net_node *node = &job->net->nodes[job->net->order[i]];
        if (node->n_inputs == 0 || node->n_outputs == 0 || node->inputs[0] == ONNX_NONE ||
            node->outputs[0] == ONNX_NONE || !is_standard(node->proto, "Identity"))
            continue;
        const struct graph_tensor_type *from = &job->shapes->values[node->inputs[0]];
        struct graph_tensor_type *to = &job->shapes->values[node->outputs[0]];
        if (to->source != GRAPH_SHAPE_NONE || from->source == GRAPH_SHAPE_NONE)
            continue;
        *to = *from;
        to->source = GRAPH_SHAPE_INFERRED;
    }
    return 0;
}
