#include "graph/cost.h"

#include <stdlib.h>

#include "base/num.h"
#include "graph/cost_internal.h"
#include "onnx/dtype.h"

struct reading {
    struct graph_use use;
    uint32_t next;  // reading of the same tensor, plus 1; 0 = last
};

struct cost_job {
    struct graph_costs *costs;
    const struct cost_input *in;
    struct warnings *warnings;
    uint32_t *first;  // per value that is a parameter: its last noted reading, plus 1
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

// 0 when a dim is unknown: nothing is known then. A zero makes the product exact whatever else
// stands there.
static uint64_t elements_of(struct cost_job *job, const struct graph_tensor_type *type) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i].value <= 0) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        n = multiply(job, n, (uint64_t)type->dims[i].value);
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

static void note_reading(struct cost_job *job, uint32_t value, struct graph_use use) {
    uint32_t tensor = cost_parameter(job->in, value, use);
    if (tensor == ONNX_NONE) {
        return;
    }
    struct reading *reading = &job->readings[job->n_readings++];
    reading->use = use;
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
    uint32_t root = cost_tensor_of(job->in, tensor);
    const struct graph_tensor_type *type = &job->in->shapes->values[root];
    const struct graph_hierarchy *h = job->in->hierarchy;
    struct graph_costs *costs = job->costs;
    uint64_t elements = elements_of(job, type);
    uint64_t bytes = bytes_of(job, elements, type->dtype);
    struct graph_use use = job->readings[job->first[tensor] - 1].use;
    elements = multiply(job, elements, cost_numbers_per_byte(job->in, root, use));
    costs->total_parameters = add(job, costs->total_parameters, elements);
    costs->total_bytes = add(job, costs->total_bytes, bytes);
    for (uint32_t r = job->first[tensor]; r; r = job->readings[r - 1].next) {
        uint32_t call = h->node_call[job->readings[r - 1].use.node];
        while (call != ONNX_NONE && job->counted_for[call] != tensor + 1) {
            job->counted_for[call] = tensor + 1;
            costs->parameters[call] = add(job, costs->parameters[call], elements);
            costs->parameter_bytes[call] = add(job, costs->parameter_bytes[call], bytes);
            count_in_module(job, tensor, h->calls[call].module, elements, bytes);
            call = h->calls[call].parent;
        }
    }
}

static void count_all(struct cost_job *job) {
    const struct graph_net *net = job->in->net;
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
    const struct cost_input in = {
        .net = net, .plumbing = plumbing, .hierarchy = hierarchy, .shapes = shapes};
    struct cost_job job = {.costs = out, .in = &in, .warnings = warnings};
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
    return cost_work(out, &in, warnings, err);
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
