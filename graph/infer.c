// The walk over a model in execution order: rule by rule, bodies before their holders, Loops until
// nothing changes.
#include "graph/infer.h"

#include <stdlib.h>

#include "graph/infer_walk.h"

static int64_t opset_of(const struct infer_job *job, const struct onnx_node *node) {
    int64_t version = onnx_domain_is_standard(node->domain)
                          ? job->walk->standard_opset
                          : onnx_model_opset(job->model, node->domain);
    return version > 0 ? version : INT64_MAX;
}

void infer_run_node(struct infer *c, struct dim_num *macs) {
    const struct onnx_node *proto = c->node->proto;
    c->row = infer_table_find(&c->job->walk->index, proto);
    *macs = (struct dim_num){.kind = DIM_UNKNOWN};
    if (!c->row) {
        return;
    }
    c->opset = opset_of(c->job, proto);
    if (c->row->rule) {
        c->row->rule(c);
    }
    if (c->row->data) {
        c->row->data(c);
    }
    *macs = c->row->macs ? c->row->macs(c) : dim_int(0);
}

// ---- bodies

// The bodies around a node that have not been entered yet, the outermost first.
static void enter_bodies(struct infer_job *job, struct infer_frame *frame, uint32_t graph,
                         uint32_t place) {
    const struct graph_net *net = frame->net;
    struct infer_walk *walk = job->walk;
    while (!walk->entered[graph]) {
        uint32_t outermost = graph;
        for (uint32_t up = net->nodes[net->holder[graph]].graph; !walk->entered[up];
             up = net->nodes[net->holder[up]].graph) {
            outermost = up;
        }
        struct infer holder = {.job = job,
                               .frame = frame,
                               .node = &net->nodes[net->holder[outermost]]};
        walk->entered[outermost] = 1;
        walk->first[outermost] = place;
        infer_enter_body(&holder, outermost);
    }
}

// A body without nodes is entered when its holder comes, each time.
static void enter_empty_bodies(struct infer_job *job, struct infer_frame *frame,
                               const struct graph_net_node *node, uint32_t place) {
    for (size_t a = 0; a < node->proto->n_attrs; a++) {
        const struct onnx_attr *attr = &node->proto->attrs[a];
        bool has_bodies = attr->type == ONNX_ATTR_GRAPH || attr->type == ONNX_ATTR_GRAPHS;
        for (size_t i = 0; has_bodies && i < attr->n; i++) {
            if (frame->net->graphs[attr->graphs[i]].n_nodes) {
                continue;
            }
            job->walk->entered[attr->graphs[i]] = 0;
            enter_bodies(job, frame, attr->graphs[i], place);
        }
    }
}

// The place where the body of a Loop starts. The bodies inside it count as not entered.
static uint32_t rewind_to(struct infer_job *job, const struct graph_net *net, uint32_t body,
                          uint32_t place) {
    struct infer_walk *walk = job->walk;
    for (uint32_t p = walk->first[body]; p < place; p++) {
        uint32_t graph = net->nodes[net->order[p]].graph;
        if (graph == body) {
            continue;
        }
        walk->entered[graph] = 0;
        walk->rounds[graph] = 0;
    }
    return walk->first[body];
}

// ---- nodes

// What an earlier round found does not count: it may have held for that round only.
static int set_back(struct infer_job *job, struct infer_frame *frame,
                    const struct graph_net_node *node, struct error *err) {
    int result = 0;
    for (uint32_t i = 0; i < node->n_outputs && result == 0; i++) {
        uint32_t v = node->outputs[i];
        if (v == ONNX_NONE) {
            continue;
        }
        frame->data[v] = NULL;
        frame->sequences[v] = NULL;
        result = shape_declare(job->shape, v, err);
    }
    return result;
}

static int run_net_node(struct infer_job *job, struct infer_frame *frame, uint32_t index,
                        struct error *err) {
    struct infer c = {.job = job, .frame = frame, .node = &frame->net->nodes[index]};
    struct dim_num *macs = &job->shape->shapes->macs[index];
    const struct onnx_function *function = onnx_model_function(job->model, c.node->proto);
    if (job->walk->repeating) {
        int result = set_back(job, frame, c.node, err);
        if (result < 0) {
            return result;
        }
    }
    job->net_node = index;
    job->walk->visits++;
    if (c.node->proto->expanded) {
        *macs = dim_int(0);
        return 0;
    }
    if (function) {
        infer_call(&c, function, macs);
    } else {
        infer_run_node(&c, macs);
    }
    return job->no_memory ? arena_error(job->arena, "shapes", err) : 0;
}

static int run(struct infer_job *job, struct infer_frame *frame, struct error *err) {
    const struct graph_net *net = frame->net;
    struct infer_walk *walk = job->walk;
    int result = 0;
    for (uint32_t place = 0; place < net->n_nodes && result == 0; place++) {
        uint32_t index = net->order[place];
        enter_bodies(job, frame, net->nodes[index].graph, place);
        enter_empty_bodies(job, frame, &net->nodes[index], place);
        result = run_net_node(job, frame, index, err);
        if (walk->again && result == 0) {
            place = rewind_to(job, net, walk->again, place) - 1;
            walk->again = 0;
            walk->repeating = true;
        }
    }
    return result;
}

static int init_frame(struct infer_frame *frame, const struct shape_job *job, struct error *err) {
    struct arena *arena = &job->shapes->arena;
    *frame = (struct infer_frame){.types = job->shapes->values, .net = job->net};
    frame->data = arena_array(arena, job->net->n_values, sizeof(*frame->data));
    frame->sequences = arena_array(arena, job->net->n_values, sizeof(*frame->sequences));
    return frame->data && frame->sequences ? 0 : arena_error(arena, "shapes", err);
}

static int init_walk(struct infer_walk *walk, const struct shape_job *job, struct error *err) {
    struct arena *arena = &job->shapes->arena;
    const struct onnx_model *model = job->net->model;
    walk->standard_opset = onnx_model_opset(model, STR(""));
    walk->visits_max = (uint64_t)job->net->n_nodes * INFER_VISITS_PER_NODE;
    walk->entered = arena_array(arena, model->n_graphs, sizeof(*walk->entered));
    walk->first = arena_array(arena, model->n_graphs, sizeof(*walk->first));
    walk->rounds = arena_array(arena, model->n_graphs, sizeof(*walk->rounds));
    walk->programs = arena_array(arena, model->n_functions, sizeof(*walk->programs));
    if (!walk->entered || !walk->first || !walk->rounds || !walk->programs) {
        return arena_error(arena, "shapes", err);
    }
    walk->entered[0] = 1;
    for (size_t g = 0; g < model->n_graphs; g++) {
        job->shapes->repeats[g] = g ? (struct dim_num){.kind = DIM_UNKNOWN} : dim_int(1);
    }
    return infer_table_index(&walk->index, arena, err);
}

int shape_infer(struct shape_job *shape, struct error *err) {
    struct infer_walk walk = {0};
    struct infer_frame frame;
    struct infer_job job = {.shape = shape,
                            .arena = &shape->shapes->arena,
                            .dims = shape->shapes->dims,
                            .model = shape->net->model,
                            .walk = &walk};
    int result = init_frame(&frame, shape, err);
    if (result == 0) {
        result = init_walk(&walk, shape, err);
    }
    if (result == 0) {
        result = run(&job, &frame, err);
    }
    map_release(&walk.index);
    if (result < 0) {
        return result;
    }
    infer_conflicts_end(&job);
    if (!job.dims->saturated) {
        return 0;
    }
    job.dims->saturated = false;
    warnings_add(shape->warnings, "overflow", NULL,
                 "sizes of tensors exceed 64 bits; they are cut there");
    return 0;
}
