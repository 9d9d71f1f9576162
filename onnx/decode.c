#include "onnx/decode.h"

#include <stdlib.h>

#include "onnx.pb-c.h"

#include "base/buf.h"
#include "base/map.h"
#include "onnx/decode_internal.h"
#include "onnx/model_internal.h"
#include "onnx/nesting.h"

static void *allocate(void *memory, size_t n) {
    return onnx_memory_alloc(memory, n);
}

static void release(void *memory, void *p) {
    onnx_memory_free(memory, p);
}

static int unpack(struct decode *d, struct slice skeleton, Onnx__ModelProto **proto) {
    ProtobufCAllocator allocator = {allocate, release, d->memory};
    int rc = onnx_nesting_check(skeleton, d->limits->max_depth, d->err);
    if (rc < 0) {
        return rc;
    }
    *proto = onnx__model_proto__unpack(&allocator, skeleton.n, skeleton.p);
    if (*proto) {
        return 0;
    }
    if (d->memory->failed) {
        return onnx_memory_error(d->memory, d->err);
    }
    return error_set(d->err, ERR_FORMAT, "the skeleton is no valid ONNX protobuf");
}

// ---- the model itself

static void fill_model(struct decode *d, const Onnx__ModelProto *proto) {
    struct onnx_model *m = d->model;
    m->has_ir_version = proto->has_ir_version;
    m->ir_version = proto->ir_version;
    m->model_version = proto->model_version;
    m->producer = decode_text(d, &proto->producer_name);
    m->producer_version = decode_text(d, &proto->producer_version);
    m->domain = decode_text(d, &proto->domain);
    m->doc = decode_text(d, &proto->doc_string);
    m->metadata = decode_props(d, proto->metadata_props, proto->n_metadata_props);
}

static void fill_opsets(struct decode *d, const Onnx__ModelProto *proto) {
    struct onnx_opset *opsets =
        onnx_memory_array(d->memory, proto->n_opset_import, sizeof(*opsets));
    if (!opsets) {
        return;
    }
    for (size_t i = 0; i < proto->n_opset_import; i++) {
        opsets[i] = (struct onnx_opset){decode_text(d, &proto->opset_import[i]->domain),
                                        proto->opset_import[i]->version};
    }
    d->model->opsets = opsets;
    d->model->n_opsets = proto->n_opset_import;
}

// ---- functions

static void fill_function(struct decode *d, struct onnx_function *out,
                          const Onnx__FunctionProto *proto, uint32_t graph) {
    out->name = decode_text(d, &proto->name);
    out->domain = decode_text(d, &proto->domain);
    out->overload = decode_text(d, &proto->overload);
    out->inputs = decode_texts(d, proto->input, proto->n_input, &out->n_inputs);
    out->outputs = decode_texts(d, proto->output, proto->n_output, &out->n_outputs);
    out->attributes = decode_texts(d, proto->attribute, proto->n_attribute, &out->n_attributes);
    out->metadata = decode_props(d, proto->metadata_props, proto->n_metadata_props);
    out->graph = graph;
    out->defaults =
        decode_attrs(d, proto->attribute_proto, proto->n_attribute_proto, &out->n_defaults);
}

static void fill_functions(struct decode *d, const Onnx__ModelProto *proto) {
    struct onnx_function *functions =
        onnx_memory_array(d->memory, proto->n_functions, sizeof(*functions));
    if (!functions) {
        return;
    }
    d->in_defaults = true;
    for (size_t i = 0; i < proto->n_functions; i++) {
        fill_function(d, &functions[i], proto->functions[i], (uint32_t)i + 1);
    }
    d->in_defaults = false;
    d->model->functions = functions;
    d->model->n_functions = proto->n_functions;
}

// ---- who calls whom

static void add_part(struct buf *key, struct str part) {
    uint64_t n = part.n;
    buf_add(key, &n, sizeof(n));
    buf_add_str(key, part);
}

// Lengths are part of the key, so that no two triples share one.
static struct str make_key(struct buf *key, struct str domain, struct str name,
                           struct str overload) {
    buf_reset(key);
    add_part(key, onnx_domain_is_standard(domain) ? (struct str){NULL, 0} : domain);
    add_part(key, name);
    add_part(key, overload);
    return buf_str(key);
}

static int index_functions(struct decode *d, struct map *by_name, struct buf *key) {
    for (uint32_t i = 0; i < d->model->n_functions; i++) {
        const struct onnx_function *f = &d->model->functions[i];
        struct str made = make_key(key, f->domain, f->name, f->overload);
        char *kept = onnx_memory_alloc(d->memory, made.n);
        if (!kept || key->failed) {
            return onnx_memory_error(d->memory, d->err);
        }
        memcpy(kept, made.p, made.n);
        uint32_t found;
        int rc = map_put_new(by_name, (struct str){kept, made.n}, i, &found, d->err);
        if (rc < 0) {
            return rc;
        }
        if (found != i) {
            warnings_add(d->warnings, "duplicate-function", NULL,
                         "function %u has the name of an earlier one, which is taken", i);
        }
    }
    return 0;
}

static void fill_callees(const struct decode *d, const struct map *by_name, struct buf *key,
                         struct onnx_node *nodes) {
    for (size_t i = 0; i < d->model->n_nodes; i++) {
        struct onnx_node *node = &nodes[i];
        uint32_t callee = map_get(by_name, make_key(key, node->domain, node->op, node->overload));
        node->callee = callee == MAP_NONE ? 0 : callee + 1;
    }
}

static int find_callees(struct decode *d) {
    if (d->model->n_functions == 0) {
        return 0;
    }
    struct map by_name;
    struct buf key;
    map_init(&by_name);
    buf_init(&key, SIZE_MAX);
    int rc = index_functions(d, &by_name, &key);
    if (rc == 0) {
        fill_callees(d, &by_name, &key, d->nodes);
    }
    if (rc == 0 && key.failed) {
        rc = buf_check(&key, "the name of a function", NULL, d->err);
    }
    map_release(&by_name);
    buf_release(&key);
    return rc;
}

static int decode_all(struct decode *d, struct slice skeleton) {
    Onnx__ModelProto *proto;
    int rc = unpack(d, skeleton, &proto);
    if (rc < 0) {
        return rc;
    }
    fill_model(d, proto);
    fill_opsets(d, proto);
    fill_functions(d, proto);
    rc = decode_graphs(d, proto);
    if (rc == 0 && d->memory->failed) {
        rc = onnx_memory_error(d->memory, d->err);
    }
    return rc < 0 ? rc : find_callees(d);
}

int onnx_decode(struct onnx_model **out, struct slice skeleton, const struct onnx_limits *limits,
                struct warnings *warnings, struct error *err) {
    struct onnx_model_owner *owner = calloc(1, sizeof(*owner));
    if (!owner) {
        return error_set(err, ERR_NOMEM, "out of memory for the decoded model");
    }
    onnx_memory_init(&owner->memory, limits->max_memory);
    struct decode d = {
        .memory = &owner->memory,
        .model = &owner->model,
        .warnings = warnings,
        .limits = limits,
        .err = err,
    };
    int rc = decode_all(&d, skeleton);
    free(d.sources);
    if (rc < 0) {
        onnx_model_free(&owner->model);
    } else {
        *out = &owner->model;
    }
    return rc;
}
