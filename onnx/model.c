#include "onnx/model.h"

#include <stdlib.h>

#include "onnx/model_internal.h"

void onnx_model_free(struct onnx_model *model) {
    if (!model) {
        return;
    }
    struct onnx_model_owner *owner = (struct onnx_model_owner *)model;
    onnx_memory_release(&owner->memory);
    free(owner);
}

const struct onnx_attr *onnx_node_attr(const struct onnx_node *node, const char *name) {
    for (size_t i = 0; i < node->n_attrs; i++) {
        if (str_eq_z(node->attrs[i].name, name)) {
            return &node->attrs[i];
        }
    }
    return NULL;
}

struct str onnx_props_get(struct onnx_props props, const char *key) {
    for (size_t i = 0; i < props.n; i++) {
        if (str_eq_z(props.items[i].key, key)) {
            return props.items[i].value;
        }
    }
    return (struct str){NULL, 0};
}

bool onnx_domain_is_standard(struct str domain) {
    return domain.n == 0 || str_eq_z(domain, "ai.onnx");
}

static bool is_same_domain(struct str a, struct str b) {
    return str_eq(a, b) || (onnx_domain_is_standard(a) && onnx_domain_is_standard(b));
}

int64_t onnx_model_opset(const struct onnx_model *model, struct str domain) {
    int64_t version = 0;
    for (size_t i = 0; i < model->n_opsets; i++) {
        if (is_same_domain(model->opsets[i].domain, domain) && model->opsets[i].version > version) {
            version = model->opsets[i].version;
        }
    }
    return version;
}

const struct onnx_function *onnx_model_function(const struct onnx_model *model,
                                                const struct onnx_node *node) {
    return node->callee ? &model->functions[node->callee - 1] : NULL;
}
