#include "graph/cost.h"

#include <stdlib.h>

#include "base/num.h"
#include "graph/cost_internal.h"
#include "onnx/dtype.h"

// Numbers of TensorProto.DataType that index, choose or name: no parameter of PyTorch has them.
#define DTYPE_INT64 7
#define DTYPE_STRING 8
#define DTYPE_BOOL 9

struct reading {
    uint32_t call;
    uint32_t next;  // reading of the same tensor, plus 1; 0 = last
};

struct cost_job {
    struct graph_costs *costs;
    const struct graph_net *net;
    const struct graph_plumbing_map *plumbing;
    const struct graph_hierarchy *hierarchy;
    struct warnings *warnings;
    uint32_t *first;  // per value that is a tensor: its last noted reading, plus 1
    struct reading *readings;
    size_t n_readings;
    uint32_t *counted_for;  // per call: the tensor counted there last, plus 1
    uint32_t *counted_in;   // per module: likewise
    bool saturated;
};

static uint64_t add(struct cost_job *job, uint64_t a, uint64_t b) {
    uint64_t sum;
    if (num_add(&sum, a, b) && sum <= INT64_MAX) {
        return sum;
    }
    job->saturated = true;
    return INT64_MAX;
}

static uint64_t multiply(struct cost_job *job, uint64_t a, uint64_t b) {
    uint64_t product;
    if (num_mul(&product, a, b) && product <= INT64_MAX) {
        return product;
    }
    job->saturated = true;
    return INT64_MAX;
}

// 0 when a dim is negative: nothing is known then. A zero makes the product exact whatever else
// stands there.
static uint64_t elements_of(struct cost_job *job, const struct onnx_tensor *tensor) {
    uint64_t n = 1;
    for (size_t i = 0; i < tensor->n_dims; i++) {
        if (tensor->dims[i] <= 0) {
            return 0;
        }
    }
    for (size_t i = 0; i < tensor->n_dims; i++) {
        n = multiply(job, n, (uint64_t)tensor->dims[i]);
    }
    return n;
}

static uint64_t bytes_of(struct cost_job *job, uint64_t elements, int32_t dtype) {
    uint64_t bits = onnx_dtype_bits(dtype);
    if (elements <= INT64_MAX / 64) {
        return (elements * bits + 7) / 8;
    }
    return multiply(job, elements, (bits + 7) / 8);
}

// Running mean and variance are buffers in PyTorch.
static bool is_statistic(const struct onnx_node *node, uint32_t slot) {
    return (slot == 3 || slot == 4) && str_eq_z(node->op, "BatchNormalization") &&
           onnx_domain_is_standard(node->domain);
}

static bool is_parameter(const struct graph_value *value) {
    if (value->kind != GRAPH_VALUE_INITIALIZER || !value->tensor) {
        return false;
    }
    int32_t dtype = value->tensor->dtype;
    return dtype != DTYPE_INT64 && dtype != DTYPE_STRING && dtype != DTYPE_BOOL;
}

static void note_reading(struct cost_job *job, uint32_t value, struct graph_use use) {
    uint32_t tensor = job->plumbing->root[value];
    if (!is_parameter(&job->net->values[tensor]) ||
        job->plumbing->nodes[use.node] != GRAPH_PLUMBING_NONE ||
        is_statistic(job->net->nodes[use.node].proto, use.slot)) {
        return;
    }
    struct reading *reading = &job->readings[job->n_readings++];
    reading->call = job->hierarchy->node_call[use.node];
    reading->next = job->first[tensor];
    job->first[tensor] = (uint32_t)job->n_readings;
}

static void count_in_module(struct cost_job *job, uint32_t tensor, uint32_t module,
                            uint64_t elements, uint64_t bytes) {
    struct graph_costs *costs = job->costs;
    if (job->counted_in[module] == tensor + 1) {
        return;
    }
    job->counted_in[module] = tensor + 1;
    costs->module_parameters[module] = add(job, costs->module_parameters[module], elements);
    costs->module_bytes[module] = add(job, costs->module_bytes[module], bytes);
}

// From each reader up to the root, as far as this tensor was not yet counted.
static void count_tensor(struct cost_job *job, uint32_t tensor) {
    const struct onnx_tensor *proto = job->net->values[tensor].tensor;
    struct graph_costs *costs = job->costs;
    uint64_t elements = elements_of(job, proto);
    uint64_t bytes = bytes_of(job, elements, proto->dtype);
    costs->total_parameters = add(job, costs->total_parameters, elements);
    costs->total_bytes = add(job, costs->total_bytes, bytes);
    for (uint32_t r = job->first[tensor]; r; r = job->readings[r - 1].next) {
        uint32_t call = job->readings[r - 1].call;
        while (call != ONNX_NONE && job->counted_for[call] != tensor + 1) {
            job->counted_for[call] = tensor + 1;
            costs->parameters[call] = add(job, costs->parameters[call], elements);
            costs->parameter_bytes[call] = add(job, costs->parameter_bytes[call], bytes);
            count_in_module(job, tensor, job->hierarchy->calls[call].module, elements, bytes);
            call = job->hierarchy->calls[call].parent;
        }
    }
}

static void count_all(struct cost_job *job) {
    const struct graph_net *net = job->net;
    for (uint32_t v = 0; v < net->n_values; v++) {
        for (uint32_t u = net->first_use[v]; u < net->first_use[v + 1]; u++) {
            note_reading(job, v, net->uses[u]);
        }
    }
    for (uint32_t v = 0; v < net->n_values; v++) {
        if (job->first[v]) {
            count_tensor(job, v);
        }
    }
    if (job->saturated) {
        warnings_add(job->warnings, "overflow", NULL,
                     "the sizes of the weights exceed 64 bits; their counts are cut there");
    }
}

int graph_costs_init(struct graph_costs *out, const struct graph_net *net,
                     const struct graph_plumbing_map *plumbing,
                     const struct graph_hierarchy *hierarchy, struct graph_shapes *shapes,
                     struct warnings *warnings, struct error *err) {
    struct cost_job job = {.costs = out,
                           .net = net,
                           .plumbing = plumbing,
                           .hierarchy = hierarchy,
                           .warnings = warnings};
    size_t n_uses = net->first_use[net->n_values];
    size_t n_calls = hierarchy->n_calls, n_modules = hierarchy->n_modules + 1;
    out->parameters = calloc(n_calls, sizeof(*out->parameters));
    out->parameter_bytes = calloc(n_calls, sizeof(*out->parameter_bytes));
    out->module_parameters = calloc(n_modules, sizeof(*out->module_parameters));
    out->module_bytes = calloc(n_modules, sizeof(*out->module_bytes));
    job.first = calloc(net->n_values + 1, sizeof(*job.first));
    job.readings = calloc(n_uses + 1, sizeof(*job.readings));
    job.counted_for = calloc(n_calls, sizeof(*job.counted_for));
    job.counted_in = calloc(n_modules, sizeof(*job.counted_in));
    bool ok = out->parameters && out->parameter_bytes && out->module_parameters &&
              out->module_bytes && job.first && job.readings && job.counted_for && job.counted_in;
    if (ok) {
        count_all(&job);
    }
    free(job.first);
    free(job.readings);
    free(job.counted_for);
    free(job.counted_in);
    if (!ok) {
        return error_set(err, ERR_NOMEM, "no memory left for the costs");
    }
    return cost_work(out, net, plumbing, hierarchy, shapes, warnings, err);
}

void graph_costs_release(struct graph_costs *costs) {
    if (!costs) {
        return;
    }
    free(costs->parameters);
    free(costs->parameter_bytes);
    free(costs->module_parameters);
    free(costs->module_bytes);
    free(costs->macs);
    free(costs->activation_bytes);
    free(costs->module_macs);
    *costs = (struct graph_costs){0};
}
