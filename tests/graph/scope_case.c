#include "tests/graph/scope_case.h"

#include <criterion/criterion.h>

static void init(struct scope_case *c, const struct onnx_model *model) {
    cr_assert_eq(graph_net_init(&c->net, model, &c->warnings, NULL), 0);
    cr_assert_eq(graph_plumbing_init(&c->plumbing, &c->net, NULL), 0);
    cr_assert_eq(graph_hierarchy_init(&c->hierarchy, &c->net, &c->plumbing, &c->warnings, NULL), 0);
}

void scope_case_init(struct scope_case *c, struct model_builder *b) {
    *c = (struct scope_case){.model = mb_finish(b)};
    init(c, c->model);
}

void scope_case_init_expanded(struct scope_case *c, struct model_builder *b) {
    *c = (struct scope_case){.model = mb_finish(b)};
    cr_assert_eq(graph_expand(&c->expansion, c->model, &c->warnings, NULL), 0);
    init(c, &c->expansion.model);
}

void scope_case_release(struct scope_case *c) {
    graph_hierarchy_release(&c->hierarchy);
    graph_plumbing_release(&c->plumbing);
    graph_net_release(&c->net);
    graph_expansion_release(&c->expansion);
    warnings_release(&c->warnings);
    onnx_model_free(c->model);
}

uint32_t scope_case_node(const struct scope_case *c, const char *output) {
    for (uint32_t i = 0; i < c->net.n_nodes; i++) {
        const struct onnx_node *proto = c->net.nodes[i].proto;

        if (proto->n_outputs && str_eq_z(proto->outputs[0], output)) {
            return i;
        }
    }
    cr_assert_fail("no node makes %s", output);
    return ONNX_NONE;
}

static void add_place(struct buf *out, const struct graph_hierarchy *h, uint32_t call) {
    uint32_t path[300];
    size_t n = 0;

    for (; call != 0; call = h->calls[call].parent) {
        path[n++] = call;
    }
    while (n-- > 0) {
        buf_add_str(out, h->modules[h->calls[path[n]].module].path);
        buf_printf(out, "@%u%s", h->calls[path[n]].number, n ? " " : "");
    }
}

void scope_expect_place(const struct scope_case *c, const char *output, const char *place) {
    struct buf text;

    buf_init(&text, 1 << 16);
    add_place(&text, &c->hierarchy, c->hierarchy.node_call[scope_case_node(c, output)]);
    cr_expect(str_eq_z(buf_str(&text), place), "%s is in \"%.*s\", not in \"%s\"", output,
              STR_ARG(buf_str(&text)), place);
    buf_release(&text);
}

void scope_expect_source(const struct scope_case *c, const char *output,
                         enum graph_scope_source source) {
    uint8_t found = c->hierarchy.node_source[scope_case_node(c, output)];

    cr_expect_eq(found, source, "%s: %s, not %s", output, graph_scope_source_name(found),
                 graph_scope_source_name(source));
}

void scope_dynamo_node(struct model_builder *b, const char *op, const char *inputs,
                       const char *output, const char *names, const char *classes,
                       const char *trace) {
    mb_node(b, op, "", inputs, output);
    mb_meta(b, "pkg.torch.onnx.name_scopes", names);
    mb_meta(b, "pkg.torch.onnx.class_hierarchy", classes);
    if (trace) {
        mb_meta(b, "pkg.torch.onnx.stack_trace", trace);
    }
}
