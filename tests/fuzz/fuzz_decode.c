// From bytes to a model: whatever the bytes are there is a model whose parts lie inside of it, or
// an error, and no crash. Raw bytes are tried, too: the decoder may not trust that they come from
// the stripper.
#include <stdbool.h>

#include "base/utf8.h"
#include "onnx/decode.h"
#include "onnx/strip.h"
#include "tests/fuzz/fuzz.h"

static void require_text(struct str s) {
    FUZZ_REQUIRE(utf8_valid(s));
}

static void require_graph(const struct onnx_model *m, uint32_t index) {
    const struct onnx_graph *g = &m->graphs[index];
    FUZZ_REQUIRE(g->first_node <= m->n_nodes && g->n_nodes <= m->n_nodes - g->first_node);
    FUZZ_REQUIRE(g->holder == ONNX_NONE || m->nodes[g->holder].graph < index);
    FUZZ_REQUIRE(g->function == ONNX_NONE || g->function < m->n_functions);
    require_text(g->name);
    require_text(g->holder_attr);
    for (size_t i = 0; i < g->n_inputs; i++) {
        require_text(g->inputs[i].name);
    }
    for (size_t i = 0; i < g->n_initializers; i++) {
        require_text(g->initializers[i].name);
    }
}

static void require_node(const struct onnx_model *m, const struct onnx_node *n) {
    FUZZ_REQUIRE(n->graph < m->n_graphs);
    FUZZ_REQUIRE(n->op.n > 0);
    require_text(n->op);
    require_text(n->name);
    for (size_t i = 0; i < n->n_inputs; i++) {
        require_text(n->inputs[i]);
    }
    for (size_t i = 0; i < n->n_attrs; i++) {
        const struct onnx_attr *a = &n->attrs[i];
        require_text(a->name);
        bool has_graphs = a->type == ONNX_ATTR_GRAPH || a->type == ONNX_ATTR_GRAPHS;
        for (size_t k = 0; has_graphs && k < a->n; k++) {
            FUZZ_REQUIRE(a->graphs[k] < m->n_graphs &&
                         &m->nodes[m->graphs[a->graphs[k]].holder] == n);
        }
    }
    const struct onnx_function *f = onnx_model_function(m, n);
    FUZZ_REQUIRE(!f || f->graph < m->n_graphs);
}

// Returns how many nodes there are, or a negative error code.
static int64_t decode(struct slice skeleton, const struct onnx_limits *limits) {
    struct onnx_model *m = NULL;
    struct warnings warnings = {0};
    int64_t rc = onnx_decode(&m, skeleton, limits, &warnings, NULL);
    warnings_release(&warnings);
    if (rc < 0) {
        return rc;
    }
    FUZZ_REQUIRE(m->n_graphs >= 1);
    for (uint32_t i = 0; i < m->n_graphs; i++) {
        require_graph(m, i);
    }
    for (size_t i = 0; i < m->n_nodes; i++) {
        require_node(m, &m->nodes[i]);
    }
    rc = (int64_t)m->n_nodes;
    onnx_model_free(m);
    return rc;
}

static void strip_and_decode(struct slice input, const struct onnx_limits *limits) {
    struct onnx_strip *s;
    struct slice skeleton = {0};
    struct onnx_strip_facts facts;
    FUZZ_REQUIRE(onnx_strip_new(&s, limits, NULL) == 0);
    int code = onnx_strip_feed(s, input, NULL);
    if (code == 0) {
        code = onnx_strip_finish(s, &skeleton, &facts, NULL);
    }
    onnx_strip_free(s);
    if (code < 0) {
        return;
    }
    // What the stripper lets through decodes, unless memory ends. Bodies that belong to no node
    // that could be read are counted by the stripper alone.
    int64_t nodes = decode(skeleton, limits);
    FUZZ_REQUIRE(nodes == ERR_LIMIT || (nodes >= 0 && nodes <= (int64_t)facts.nodes));
    fuzz_free(skeleton);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct onnx_limits limits;
    struct slice input = {data, size};
    onnx_limits_init(&limits);
    limits.max_skeleton = 1 << 20;
    limits.max_memory = 64 << 20;
    (void)decode(input, &limits);
    strip_and_decode(input, &limits);
    // Too little memory, somewhere on the way.
    limits.max_memory = 64 * (uint64_t)size;
    (void)decode(input, &limits);
    return 0;
}
