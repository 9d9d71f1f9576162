#include "tests/graph/view_fixture.h"

#include <criterion/criterion.h>

#include "base/num.h"

#define TEXT_BYTES ((size_t)1 << 22)

static void *room(struct graph_hierarchy *h, size_t n, size_t size) {
    void *p = arena_array(&h->arena, n, size);

    cr_assert_not_null(p);
    return p;
}

static uint32_t owner_of(const struct onnx_node *node) {
    size_t colon = str_find(node->name, ':');
    uint64_t call = 0;

    if (colon == STR_NPOS || !num_parse_u64(str_sub(node->name, 0, colon), &call)) {
        return 0;
    }
    return (uint32_t)call;
}

static void own_nodes(struct view_fixture *f, struct graph_call *calls) {
    struct graph_hierarchy *h = &f->model.hierarchy;
    const struct graph_net *net = &f->model.net;
    uint32_t *owners = room(h, net->n_nodes, sizeof(*owners));

    for (size_t i = 0; i < net->n_nodes; i++) {
        owners[i] = owner_of(net->nodes[i].proto);
        cr_assert_lt(owners[i], h->n_calls);
        for (uint32_t c = owners[i]; c != ONNX_NONE; c = calls[c].parent) {
            calls[c].owns |= !str_eq_z(net->nodes[i].proto->op, "Constant");
        }
    }
    for (size_t c = 1; c < h->n_calls; c++) {
        if (calls[c].owns) {
            calls[calls[c].parent].leaf = false;
        }
    }
    h->node_call = owners;
}

static uint32_t module_of(struct graph_hierarchy *h, struct graph_module *modules,
                          const char *path) {
    for (uint32_t m = 0; m < h->n_modules; m++) {
        if (str_eq_z(modules[m].path, path)) {
            return m;
        }
    }
    modules[h->n_modules].path = str_from(path);
    return (uint32_t)h->n_modules++;
}

static void make_hierarchy(struct view_fixture *f, const struct fixture_call *list, size_t n) {
    struct graph_hierarchy *h = &f->model.hierarchy;
    struct graph_module *modules;
    struct graph_call *calls;

    arena_init(&h->arena, TEXT_BYTES);
    modules = room(h, n + 1, sizeof(*modules));
    calls = room(h, n + 1, sizeof(*calls));
    modules[0] = (struct graph_module){.path = {"", 0}, .n_calls = 1};
    h->n_modules = 1;
    calls[0] = (struct graph_call){.parent = ONNX_NONE, .leaf = true};
    for (size_t i = 0; i < n; i++) {
        uint32_t m = module_of(h, modules, list[i].path);

        modules[m].class_name = str_from(list[i].class_name);
        modules[m].n_calls++;
        calls[i + 1] = (struct graph_call){.module = m,
                                           .number = list[i].number,
                                           .parent = list[i].parent,
                                           .depth = calls[list[i].parent].depth + 1,
                                           .leaf = true};
        if (calls[i + 1].depth > h->depth) {
            h->depth = calls[i + 1].depth;
        }
    }
    h->modules = modules;
    h->calls = calls;
    h->n_calls = n + 1;
    own_nodes(f, calls);
}

void view_fixture_init(struct view_fixture *f, struct model_builder *b,
                       const struct fixture_call *calls, size_t n) {
    struct graph_model *m = &f->model;

    *f = (struct view_fixture){.limits = {.max_drawn = 10000}};
    buf_init(&f->text, TEXT_BYTES);
    graph_options_init(&f->options);
    view_fixture_set(f, "fold", "0");
    m->onnx = mb_finish(b);
    cr_assert_eq(graph_net_init(&m->net, m->onnx, &m->warnings, NULL), 0);
    cr_assert_eq(graph_plumbing_init(&m->plumbing, &m->net, NULL), 0);
    make_hierarchy(f, calls, n);
    cr_assert_eq(graph_shapes_init(&m->shapes, &m->net, &m->warnings, NULL), 0);
    cr_assert_eq(graph_costs_init(&m->costs, &m->net, &m->plumbing, &m->hierarchy, &m->shapes,
                                  &m->warnings, NULL),
                 0);
}

static const struct fixture_call residual_calls[] = {
    {"stem", "torch.nn.modules.conv.Conv2d", 0, 0},
    {"layer1", "torch.nn.modules.container.Sequential", 0, 0},
    {"layer1.0", "net.Block", 2, 0},
    {"layer1.0.conv", "torch.nn.modules.conv.Conv2d", 3, 0},
    {"layer1.0.relu", "torch.nn.modules.activation.ReLU", 3, 0},
    {"layer1.1", "net.Block", 2, 0},
    {"layer1.1.conv", "torch.nn.modules.conv.Conv2d", 6, 0},
    {"layer1.1.relu", "torch.nn.modules.activation.ReLU", 6, 0},
    {"fc", "", 0, 0},
};

void view_fixture_residual(struct view_fixture *f) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,3,8,8]");
    mb_init(b, "w", "float[3,3,1,1]");
    mb_node(b, "Conv", "1:stem", "x,w", "s");
    mb_node(b, "Conv", "4:conv0", "s,w", "a");
    mb_node(b, "Relu", "5:relu0", "a", "b");
    mb_node(b, "Add", "3:add0", "b,s", "c");
    mb_node(b, "Conv", "7:conv1", "c,w", "d");
    mb_node(b, "Relu", "8:relu1", "d", "e");
    mb_node(b, "Add", "6:add1", "e,c", "f");
    mb_node(b, "Flatten", "9:flatten", "f", "y");
    mb_value(b, "s", "float[1,3,8,8]");
    mb_output(b, "y", "float[1,192]");
    view_fixture_init(f, b, residual_calls, ARRAY_LEN(residual_calls));
}

void view_fixture_release(struct view_fixture *f) {
    struct graph_model *m = &f->model;

    graph_view_release(&f->view);
    graph_options_release(&f->options);
    buf_release(&f->text);
    graph_costs_release(&m->costs);
    graph_shapes_release(&m->shapes);
    arena_release(&m->hierarchy.arena);
    graph_plumbing_release(&m->plumbing);
    graph_net_release(&m->net);
    onnx_model_free(m->onnx);
    warnings_release(&m->warnings);
}

void view_fixture_set(struct view_fixture *f, const char *option, const char *value) {
    struct error err;

    cr_assert_eq(graph_options_set(&f->options, str_from(option), str_from(value), &err), 0, "%s",
                 err.text);
}

static void add_call(struct view_fixture *f, uint32_t call) {
    const struct graph_hierarchy *h = &f->model.hierarchy;
    struct str path = h->modules[h->calls[call].module].path;

    buf_add_str(&f->text, path.n ? path : STR("."));
    if (h->calls[call].number) {
        buf_printf(&f->text, "@%u", h->calls[call].number);
    }
}

static void add_group(struct view_fixture *f, const struct graph_view_group *group) {
    buf_add_str(&f->text, group->path);
    if (group->kind == GRAPH_CLUSTER_FOLD) {
        buf_printf(&f->text, "*%u", group->count);
    }
}

static void add_box(struct view_fixture *f, uint32_t cluster) {
    const struct graph_view_cluster *c = &f->view.clusters[cluster];
    const struct graph_net *net = &f->model.net;

    if (c->group) {
        cr_assert_eq(c->kind, c->group->kind);
        add_group(f, c->group);
        return;
    }
    if (c->kind == GRAPH_CLUSTER_MODULE) {
        add_call(f, c->call);
        return;
    }
    buf_add_str(&f->text, net->nodes[net->holder[c->graph]].proto->op);
    buf_add_char(&f->text, '/');
    buf_add_str(&f->text, net->model->graphs[c->graph].holder_attr);
}

static const char *const marks[GRAPH_VIEW_KINDS] = {
    [GRAPH_VIEW_INPUT] = "",     [GRAPH_VIEW_OUTPUT] = "=",    [GRAPH_VIEW_TENSOR] = "~",
    [GRAPH_VIEW_CONSTANT] = "#", [GRAPH_VIEW_PARAMETER] = "+", [GRAPH_VIEW_MISSING] = "?",
    [GRAPH_VIEW_MODULE] = "",    [GRAPH_VIEW_OPERATOR] = "",   [GRAPH_VIEW_FOLD] = "",
    [GRAPH_VIEW_SECTION] = "",
};

static void add_name(struct view_fixture *f, uint32_t node) {
    const struct graph_view_node *n = &f->view.nodes[node];

    if (n->group && n->node == ONNX_NONE) {
        add_group(f, n->group);
        return;
    }
    if (n->kind == GRAPH_VIEW_MODULE) {
        add_call(f, n->call);
        return;
    }
    if (n->kind == GRAPH_VIEW_OPERATOR || n->kind == GRAPH_VIEW_FOLD) {
        buf_add_str(&f->text, f->model.net.nodes[n->node].proto->name);
        if (n->kind == GRAPH_VIEW_FOLD) {
            buf_printf(&f->text, "*%u", n->count);
        }
        return;
    }
    buf_add_z(&f->text, marks[n->kind]);
    if (n->value != ONNX_NONE) {
        buf_add_str(&f->text, f->model.net.values[n->value].name);
    }
    if (n->count > 1) {
        buf_printf(&f->text, "*%u", n->count);
    }
}

static void add_place(struct view_fixture *f, uint32_t cluster) {
    if (cluster != ONNX_NONE) {
        buf_add_char(&f->text, '/');
        add_box(f, cluster);
    }
    buf_add_char(&f->text, ' ');
}

static void add_edge(struct view_fixture *f, const struct graph_view_edge *edge) {
    add_name(f, edge->from);
    buf_add_char(&f->text, '>');
    add_name(f, edge->to);
    if (edge->count > 1) {
        buf_printf(&f->text, "*%u", edge->count);
    }
    buf_add_char(&f->text, ' ');
}

const char *view_fixture_draw(struct view_fixture *f) {
    struct graph_view *v = &f->view;
    struct error err;

    graph_view_release(v);
    buf_reset(&f->text);
    cr_assert_eq(graph_view_init(v, &f->model, &f->options, &f->limits, &err), 0, "%s", err.text);
    for (uint32_t i = 0; i < v->n_nodes; i++) {
        add_name(f, i);
        add_place(f, v->nodes[i].cluster);
    }
    buf_add_z(&f->text, "| ");
    for (size_t i = 0; i < v->n_edges; i++) {
        add_edge(f, &v->edges[i]);
    }
    buf_add_z(&f->text, "|");
    for (uint32_t i = 0; i < v->n_clusters; i++) {
        buf_add_char(&f->text, ' ');
        add_box(f, i);
        add_place(f, v->clusters[i].parent);
        buf_truncate(&f->text, f->text.n - 1);
    }
    buf_add_char(&f->text, '\0');
    cr_assert_eq(f->text.failed, 0);
    return (const char *)f->text.p;
}
